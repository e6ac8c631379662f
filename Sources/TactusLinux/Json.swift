// SPDX-License-Identifier: Apache-2.0
//
// JSON as a Swift value. json-c does the writing and the reading.

import CTactus
import TactusCore

/// A JSON value.
public indirect enum Json: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Written with as few digits as give the same number back; what is not finite is null.
  case number(Double)
  case text(String)
  case array([Json])
  /// In the order in which it is written.
  case object([Member])

  /// One name of an object with its value.
  public struct Member: Equatable, Sendable {
    public var name: String
    public var value: Json

    public init(_ name: String, _ value: Json) {
      self.name = name
      self.value = value
    }
  }
}

/// A text that is not JSON.
public struct JsonError: Error, Equatable, CustomStringConvertible {
  /// Bytes before the place where reading stopped.
  public let offset: Int
  /// json-c's words.
  public let reason: String

  public var description: String { "not JSON: \(reason) after \(offset) bytes" }
}

// MARK: Reading

extension Json {
  /// How deep arrays and objects may nest in what is read.
  public static let maximumDepth = 32

  /// Reads one value, with nothing but white space around it.
  /// - Throws: `JsonError` where the text is not strictly JSON, not UTF-8 or nested too deeply.
  public init(parsing text: String) throws(JsonError) {
    guard let tokener = json_tokener_new_ex(Int32(Json.maximumDepth)) else {
      throw JsonError(offset: 0, reason: "out of memory")
    }
    defer { json_tokener_free(tokener) }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8)
    // The final 0 is read too: it ends a number that nothing else follows.
    let length = text.utf8.count
    let tree = JsonTree(text.withCString { json_tokener_parse_ex(tokener, $0, Int32(length) + 1) })
    let error = json_tokener_get_error(tokener)
    let end = Int(json_tokener_get_parse_end(tokener))
    guard error == json_tokener_success, end >= length else {
      throw JsonError(offset: end, reason: Json.reason(of: error))
    }
    self.init(tree.root)
  }

  private static func reason(of error: json_tokener_error) -> String {
    switch error {
    case json_tokener_continue: "it ends too early"
    case json_tokener_success: "a character 0"
    default: json_tokener_error_desc(error).map { String(cString: $0) } ?? "error"
    }
  }

  /// The value with this name; nil where this is no object or has none.
  public subscript(name: String) -> Json? {
    guard case .object(let members) = self else { return nil }
    for member in members where member.name == name { return member.value }
    return nil
  }

  /// The elements of an array; none of anything else.
  public var elements: [Json] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  /// The text of a string; nil of anything else.
  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// The value of any number; nil of anything else.
  public var number: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    case .null, .bool, .text, .array, .object: nil
    }
  }

  /// The value of a whole number; nil of anything else.
  public var integer: Int64? {
    guard case .integer(let integer) = self else { return nil }
    return integer
  }

  /// The value of true and false; nil of anything else.
  public var bool: Bool? {
    guard case .bool(let bool) = self else { return nil }
    return bool
  }

  private init(_ node: OpaquePointer?) {
    switch json_object_get_type(node) {
    case json_type_boolean: self = .bool(json_object_get_boolean(node) != 0)
    case json_type_int: self = .integer(json_object_get_int64(node))
    case json_type_double:
      let number = json_object_get_double(node)
      self = number.isFinite ? .number(number) : .null
    case json_type_string: self = .text(Json.string(of: node))
    case json_type_array:
      self = .array(
        (0..<json_object_array_length(node)).map { index in
          Json(json_object_array_get_idx(node, index))
        }
      )
    case json_type_object: self = .object(Json.members(of: node))
    default: self = .null
    }
  }

  private static func string(of node: OpaquePointer?) -> String {
    guard let start = json_object_get_string(node) else { return "" }
    let length = Int(json_object_get_string_len(node))
    return start.withMemoryRebound(to: UInt8.self, capacity: length) {
      String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
    }
  }

  private static func members(of node: OpaquePointer?) -> [Member] {
    var members: [Member] = []
    var next = json_object_iter_begin(node)
    var end = json_object_iter_end(node)
    while json_object_iter_equal(&next, &end) == 0 {
      let name = String(cString: json_object_iter_peek_name(&next))
      members.append(Member(name, Json(json_object_iter_peek_value(&next))))
      json_object_iter_next(&next)
    }
    return members
  }
}

// MARK: Writing

extension Json {
  /// The value as text: on one line, or with line breaks and indentation by two spaces.
  public func written(onOneLine: Bool = true) -> String {
    let tree = JsonTree(node)
    let layout = onOneLine ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY
    let flags = layout | JSON_C_TO_STRING_NOSLASHESCAPE
    return String(cString: json_object_to_json_string_ext(tree.root, flags))
  }

  /// The value in json-c's terms, owned by the caller; nil is null.
  private var node: OpaquePointer? {
    switch self {
    case .null: return nil
    case .bool(let bool): return json_object_new_boolean(bool ? 1 : 0)
    case .integer(let integer): return json_object_new_int64(integer)
    case .number(let number):
      return number.isFinite ? json_object_new_double_s(number, decimal(number)) : nil
    case .text(let text):
      let length = Int32(text.utf8.count)
      return text.withCString { json_object_new_string_len($0, length) }
    case .array(let elements):
      let array = json_object_new_array()
      for element in elements { json_object_array_add(array, element.node) }
      return array
    case .object(let members):
      let object = json_object_new_object()
      for member in members { json_object_object_add(object, member.name, member.value.node) }
      return object
    }
  }
}

/// Owns a tree of json-c.
private struct JsonTree: ~Copyable {
  let root: OpaquePointer?
  init(_ root: OpaquePointer?) { self.root = root }
  deinit { json_object_put(root) }
}
