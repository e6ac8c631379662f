// SPDX-License-Identifier: Apache-2.0
//
// In Embedded Swift a value without a description prints as a remark about that, and says so only
// when it runs. Here the compiler says so, as warnings are errors.

extension DefaultStringInterpolation {
  /// Refuses, at compile time, what cannot be printed on a device: enumerations, arrays, optionals.
  @available(*, deprecated, message: "interpolate an Int, a Double, a Bool or a String")
  public mutating func appendInterpolation<Value>(_ value: Value) {
    #if !hasFeature(Embedded)
      // Tests, where it is a warning, see the value.
      appendLiteral(String(describing: value))
    #endif
  }
}
