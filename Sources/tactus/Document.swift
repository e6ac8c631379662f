// SPDX-License-Identifier: Apache-2.0
//
// JSON that the daemon sends, as a value. What is absent or of another kind reads as nil, so that a
// program older or newer than its daemon shows what it understands.

import CTerminal

/// A JSON value.
enum Document {
  case null
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case text(String)
  case list([Document])
  case object([Member])

  /// A named value of an object.
  struct Member {
    let key: String
    let value: Document
  }

  /// Reads a whole text, strictly; nil when it is not JSON.
  init?(_ json: String) {
    var bytes = Array(json.utf8CString)
    var root: OpaquePointer?
    guard json_open(&bytes, bytes.count - 1, &root) else { return nil }
    self.init(root)
    json_close(root)
  }

  private init(_ value: OpaquePointer?) {
    switch json_kind_of(value) {
    case JSON_BOOLEAN: self = .boolean(json_boolean(value))
    case JSON_INTEGER: self = .integer(Int(json_integer(value)))
    case JSON_REAL: self = .real(json_real(value))
    case JSON_TEXT: self = .text(Document.string(json_text_of(value)))
    case JSON_LIST:
      self = .list((0..<json_count(value)).map { Document(json_element(value, $0)) })
    case JSON_OBJECT:
      let members = Members()
      let context = Unmanaged.passUnretained(members).toOpaque()
      json_members(value, context) { context, key, value in
        guard let context, let key else { return }
        let members = Unmanaged<Members>.fromOpaque(context).takeUnretainedValue()
        members.found.append(Member(key: String(cString: key), value: Document(value)))
      }
      self = .object(members.found)
    default: self = .null
    }
  }

  private static func string(_ text: json_text) -> String {
    guard let bytes = text.bytes else { return "" }
    return bytes.withMemoryRebound(to: UInt8.self, capacity: text.length) {
      String(decoding: UnsafeBufferPointer(start: $0, count: text.length), as: UTF8.self)
    }
  }

  /// A member of an object; null where there is none.
  subscript(key: String) -> Document {
    guard case .object(let members) = self else { return .null }
    for member in members where member.key == key { return member.value }
    return .null
  }

  /// The elements of a list; none for anything else.
  var elements: [Document] {
    guard case .list(let elements) = self else { return [] }
    return elements
  }

  var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  var boolean: Bool? {
    guard case .boolean(let value) = self else { return nil }
    return value
  }

  /// Also of a real number without a fraction.
  var integer: Int? {
    switch self {
    case .integer(let value): value
    case .real(let value): Int(exactly: value)
    default: nil
    }
  }

  /// Any number.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}

private final class Members {
  var found: [Document.Member] = []
}
