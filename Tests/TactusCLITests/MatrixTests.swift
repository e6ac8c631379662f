// SPDX-License-Identifier: Apache-2.0
//
// `tactus policy matrix`, and the documentation that shows what it prints.

import Foundation
import TactusLinux
import Testing

@testable import TactusCore
@testable import tactus

@Suite("Policy matrix")
struct MatrixTests {
  @Test("SES-2 the documentation shows the tables that the code decides by")
  func documentation() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/TactusCore/Sessions.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let marks = [
      "<!-- tactus policy matrix: written by TACTUS_GOLDEN=write swift test"
        + " --filter TactusCLITests -->\n", "<!-- end -->\n",
    ]
    let begin = try #require(page.range(of: marks[0])).upperBound
    let end = try #require(page.range(of: marks[1])).lowerBound
    let table = "```\n\(Matrix.text)```\n"
    if ProcessInfo.processInfo.environment["TACTUS_GOLDEN"] == "write" {
      try Data("\(page[..<begin])\(table)\(page[end...])".utf8).write(to: file)
      return
    }
    #expect(page[begin..<end] == table[...])
  }

  @Test("SES-2 every category, mode and option is a row and a column, and every cell has a rule")
  func complete() throws {
    for category in TactusCore.Category.allCases {
      #expect(Matrix.kinds.contains { $0.kind.category == category })
    }
    for option in SessionOption.allCases {
      for category: TactusCore.Category in [.playback, .playAndRecord] {
        #expect(
          Matrix.kinds.contains { $0.kind.category == category && $0.kind.options == option.set }
        )
      }
    }
    #expect(Matrix.kinds.allSatisfy { $0.kind.isAllowed })
    #expect(Set(Matrix.kinds.map { $0.name }).count == Matrix.kinds.count)
    let cells = try #require(Matrix.json["cells"]).elements
    #expect(cells.count == Matrix.kinds.count * Matrix.kinds.count)
    #expect(cells.allSatisfy { $0["rule"]?.text?.isEmpty == false })
  }

  @Test("SES-11 the table says of the background what the policy does")
  func background() throws {
    for use in try #require(Matrix.json["uses"]).elements {
      let name = use["name"]?.text ?? ""
      let kind = try #require(Matrix.kinds.first { $0.name == name }).kind
      #expect(use["background"]?.text == (kind.endsInBackground ? "stops" : "goes on"), "\(name)")
    }
  }

  @Test("the tables fit into 80 columns")
  func width() {
    for line in Matrix.text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test(
    "SES-2 SES-7 SES-8 SES-14 decisions of the rules, read off the table",
    arguments: [
      ("playback", "playback", Verdict.interrupts), ("playback +mix", "playback", .mixes),
      ("ambient", "playback", .mixes), ("playback", "ambient", .mixes),
      ("playback +duck", "playback", .ducks), ("playback +duck", "playback +duck", .mixes),
      ("playback +speech", "playback, spoken", .interrupts),
      ("playback +speech", "playback, spoken +mix", .interrupts),
      ("playback, spoken", "playback +speech", .held), ("playback", "playback +duck", .ducked),
      ("ringtone", "playback", .interrupts), ("ringtone", "ambient", .ducks),
      ("playback", "ringtone", .held), ("ambient", "ringtone", .ducked),
      ("alert", "playback", .ducks), ("alert", "record", .mixes), ("alert", "call", .low),
      ("call", "playback", .interrupts), ("call", "ambient", .interrupts),
      ("call", "ringtone", .interrupts), ("call", "call", .interrupts), ("call", "alarm", .lowers),
      ("ambient", "call", .busy), ("record", "call", .busy), ("alarm", "call", .low),
      ("alarm", "playback +mix", .interrupts), ("alarm", "alarm", .mixes),
      ("alarm", "system-sound", .mixes), ("ringtone", "alarm", .held), ("alert", "alarm", .held),
      ("ambient", "alarm", .held), ("system-sound", "alarm", .mixes),
    ]
  )
  func cells(newcomer: String, present: String, verdict: Verdict) throws {
    let first = try #require(Matrix.kinds.first { $0.name == newcomer })
    let second = try #require(Matrix.kinds.first { $0.name == present })
    #expect(Matrix.verdict(first.kind, beside: second.kind).verdict == verdict)
  }
}
