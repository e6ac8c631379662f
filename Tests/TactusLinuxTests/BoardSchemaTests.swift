// SPDX-License-Identifier: Apache-2.0
//
// The words of boards/schema.json are those of the loader, so that editors offer what is
// understood.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite struct BoardSchemaTests {
  private func words(_ path: String...) throws -> [String] {
    let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "boards/schema.json")
    var value = try JSONSerialization.jsonObject(with: Data(contentsOf: schema))
    for key in path {
      let object = try #require(value as? [String: Any], "\(path)")
      value = try #require(object[key], "\(path): \(key)")
    }
    return try #require(value as? [String]).sorted()
  }

  @Test("the schema has the loader's words")
  func words() throws {
    let defs = "$defs"
    let props = "properties"
    #expect(
      try words(defs, "input", props, "role", "enum") == Words.roles.map(\.0).sorted()
    )
    #expect(try words(defs, "route", props, "name", "enum") == RouteKind.words.sorted())
    #expect(try words(defs, "signal", props, "route", "enum") == RouteKind.words.sorted())
    #expect(try words(defs, "signal", props, "role", "enum") == SignalWord.words.sorted())
    #expect(try words(defs, "signal", props, "shows", "enum") == Words.lights.map(\.0).sorted())
    #expect(try words(defs, "bias", "enum") == Words.biases.map(\.0).sorted())
    #expect(try words(defs, "active", "enum") == Words.polarities.map(\.0).sorted())
    #expect(try words(defs, "pcm", props, "format", "enum") == Words.formats.map(\.0).sorted())
    #expect(
      try words(defs, "amplifier", props, "when-released", "enum")
        == ReleasedAmplifier.words.sorted()
    )
    #expect(try words(props, "status", "enum") == Board.Status.words.sorted())
    #expect(try words(props, "header", "enum") == PinHeader.words.sorted())
    #expect(try words(props, "i2s", "enum") == I2SUse.words.sorted())
    let source = try words(defs, "sources", "items", props, "category", "enum")
    #expect(source == TactusCore.Category.words.sorted())
    #expect(
      try words(defs, "sources", "items", props, "mode", "enum") == TactusCore.Mode.words.sorted()
    )
  }
}
