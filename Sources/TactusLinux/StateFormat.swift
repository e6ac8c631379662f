// SPDX-License-Identifier: Apache-2.0
//
// The bytes of the state file; Store.swift shows one.

import TactusCore

/// Turns entries into bytes and any bytes into a `StateReading`.
enum StateFormat {
  private static let header = "tactus-state "
  private static let footer = "checksum "
  private static let newline = UInt8(ascii: "\n")
  private static let quote = UInt8(ascii: "\"")
  private static let escape = UInt8(ascii: "\\")

  static func encode(_ entries: [StateEntry]) -> [UInt8] {
    var bytes = Array("\(header)\(StateStore.version)\n".utf8)
    for entry in entries {
      precondition(!entry.key.isEmpty && entry.key.utf8.allSatisfy(isKeyCharacter))
      bytes += Array("\(entry.key) ".utf8)
      switch entry.value {
      case .number(let number): bytes += Array("\(number)".utf8)
      case .text(let text): append(quoted: text, to: &bytes)
      }
      bytes.append(newline)
    }
    let sum = hexadecimal(fingerprint(of: bytes[...]))
    return bytes + Array(footer.utf8) + sum + [newline]
  }

  static func decode(_ bytes: [UInt8]) -> StateReading {
    guard bytes.count <= StateStore.sizeMaximum else { return .foreign }
    guard let versionEnd = bytes.firstIndex(of: newline) else {
      return Array(header.utf8).starts(with: bytes.prefix(header.utf8.count)) ? .torn : .foreign
    }
    guard let version = version(in: bytes[..<versionEnd]) else { return .foreign }
    guard version <= StateStore.version else { return .newer(version: version) }
    guard let body = checkedBody(of: bytes, from: versionEnd + 1) else { return .torn }
    var entries: [StateEntry] = []
    for line in body.split(separator: newline, omittingEmptySubsequences: false).dropLast() {
      guard let entry = entry(in: line) else { return .torn }
      entries.append(entry)
    }
    return .ok(entries)
  }

  private static func version(in line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: header.utf8) else { return nil }
    let digits = line.dropFirst(header.utf8.count)
    guard let version = number(in: digits), version > 0 else { return nil }
    return Int(version)
  }

  /// The lines between header and footer, when the checksum fits.
  private static func checkedBody(of bytes: [UInt8], from start: Int) -> ArraySlice<UInt8>? {
    let end = bytes.count - footer.utf8.count - 17
    guard end >= start, bytes[end - 1] == newline else { return nil }
    let expected = Array(footer.utf8) + hexadecimal(fingerprint(of: bytes[..<end])) + [newline]
    return bytes[end...].elementsEqual(expected) ? bytes[start..<end] : nil
  }

  private static func entry(in line: ArraySlice<UInt8>) -> StateEntry? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")), space > line.startIndex,
      line[..<space].allSatisfy(isKeyCharacter)
    else { return nil }
    let key = String(decoding: line[..<space], as: UTF8.self)
    let value = line[(space + 1)...]
    if let number = number(in: value) { return StateEntry(key, .number(number)) }
    if let text = text(in: value) { return StateEntry(key, .text(text)) }
    return nil
  }

  private static func isKeyCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func number(in bytes: ArraySlice<UInt8>) -> Int64? {
    wholeNumber(String(decoding: bytes, as: UTF8.self))
  }

  private static func append(quoted text: String, to bytes: inout [UInt8]) {
    bytes.append(quote)
    for byte in text.utf8 {
      switch byte {
      case newline: bytes += [escape, UInt8(ascii: "n")]
      case quote, escape: bytes += [escape, byte]
      default: bytes.append(byte)
      }
    }
    bytes.append(quote)
  }

  private static func text(in bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return nil }
    var plain: [UInt8] = []
    var escaped = false
    for byte in bytes.dropFirst().dropLast() {
      if escaped {
        plain.append(byte == UInt8(ascii: "n") ? newline : byte)
        escaped = false
      } else if byte == escape {
        escaped = true
      } else {
        plain.append(byte)
      }
    }
    return escaped ? nil : String(decoding: plain, as: UTF8.self)
  }

  private static func hexadecimal(_ number: UInt64) -> [UInt8] {
    (0..<16).map { digit in
      let nibble = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * digit) & 15)
      return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
  }
}
