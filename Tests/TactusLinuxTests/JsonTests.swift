// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TactusLinux

@Suite("JSON")
struct JsonTests {
  @Test(
    "what is written is read as the same",
    arguments: [
      .null, .bool(true), .bool(false), .integer(0), .integer(.max), .integer(.min),
      .number(0.1), .number(0.437_500_000_000_000_06), .number(-0.0),
      .number(.leastNonzeroMagnitude),
      .number(.greatestFiniteMagnitude), .number(1e16), .number(1.0),
      .text(""), .text("a\"b\\c/d\n\t\u{1}"), .text("Küche 🔈 \u{0}end"),
      .array([]), .object([]),
      .array([.integer(1), .null, .array([.text("x")])]),
      .object([.init("b", .integer(1)), .init("a", .object([.init("ä\"", .bool(true))]))]),
    ] as [Json]
  )
  func roundTrip(json: Json) throws {
    #expect(try Json(parsing: json.written()) == json)
    #expect(try Json(parsing: json.written(onOneLine: false)) == json)
  }

  @Test("numbers are written with as few digits as give them back, in order, without spaces")
  func writing() {
    let json = Json.object([
      .init("level", .number(0.4)), .init("gain", .number(-20.2)), .init("whole", .number(3)),
      .init("not", .number(.nan)), .init("path", .text("/run/tactus")),
    ])
    #expect(
      json.written() == #"{"level":0.4,"gain":-20.2,"whole":3.0,"not":null,"path":"/run/tactus"}"#
    )
  }

  @Test("random numbers survive")
  func randomNumbers() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      let read = try Json(parsing: Json.number(number).written())
      #expect(read.number?.bitPattern == number.bitPattern, "\(number)")
    }
  }

  @Test(
    "what is not strictly JSON is refused",
    arguments: [
      "", " ", "{", "[1,]", "[1 2]", "nul", "True", "1 2", "{} x", "'a'", "{a:1}", #"{"a" 1}"#,
      #""open"#, "nan", "01", "+1", "/* */ 1", "1\u{0}2",
      String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ]
  )
  func notJson(text: String) {
    #expect(throws: JsonError.self) { _ = try Json(parsing: text) }
  }

  @Test("white space around a value is allowed, and a number needs nothing behind it")
  func surroundings() throws {
    #expect(try Json(parsing: " \n[ ]\t") == .array([]))
    #expect(try Json(parsing: "12") == .integer(12))
    #expect(try Json(parsing: "1.5e3") == .number(1_500))
  }

  @Test("what is not finite is null, read and written")
  func notFinite() throws {
    #expect(try Json(parsing: "[NaN, 1e999]") == .array([.null, .null]))
    #expect(Json.array([.number(.nan), .number(-.infinity)]).written() == "[null,null]")
  }

  @Test("parts are reached by name and type")
  func access() throws {
    let json = try Json(parsing: #"{"a":[1,2.5],"b":"x","c":true}"#)
    #expect(json["a"]?.elements.map(\.number) == [1, 2.5])
    #expect(json["a"]?.elements.map(\.integer) == [1, nil])
    #expect(json["b"]?.text == "x" && json["b"]?.bool == nil)
    #expect(json["c"]?.bool == true)
    #expect(json["d"] == nil && json["a"]?["b"] == nil)
  }
}
