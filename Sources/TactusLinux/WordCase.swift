// SPDX-License-Identifier: Apache-2.0
//
// Words as people and programs write them: `solo-ambient` here, `soloAmbient` elsewhere.

extension String {
  /// `soloAmbient` as `solo-ambient`; what is in kebab-case already stays as it is.
  public var kebabCase: String {
    var bytes: [UInt8] = []
    for byte in utf8 {
      let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      if isCapital { bytes.append(UInt8(ascii: "-")) }
      bytes.append(isCapital ? byte | 0x20 : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `solo-ambient` as `soloAmbient`.
  var camelCase: String {
    var bytes: [UInt8] = []
    var isStart = false
    for byte in utf8 {
      if byte == UInt8(ascii: "-") {
        isStart = true
      } else {
        bytes.append(isStart ? byte & 0xdf : byte)
        isStart = false
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
