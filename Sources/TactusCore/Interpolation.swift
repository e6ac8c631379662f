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

#if hasFeature(Embedded)
  // The standard library's own are inlined: some 250 bytes at each piece of each text, 200 KB in
  // all. These have the same signatures, are preferred, and stay calls.
  extension DefaultStringInterpolation {
    @inline(never)
    public mutating func appendLiteral(_ literal: String) { write(literal) }

    @inline(never)
    public mutating func appendInterpolation(_ value: String) { write(value) }

    @inline(never)
    public mutating func appendInterpolation(_ value: Int) { write(value.description) }
  }
#endif
