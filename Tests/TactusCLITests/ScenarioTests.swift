// SPDX-License-Identifier: Apache-2.0
//
// `tactus policy run`: the language of scenarios, and scenarios with their outcomes. Each file
// NAME.scenario in Scenarios has its changes beside it in NAME.changes. After a change that is
// meant, `TACTUS_GOLDEN=write swift test --filter TactusCLITests` writes them anew, and the
// difference is for the reviewer to see.

import Foundation
import TactusCore
import TactusLinux
import Testing

@testable import tactus

private let folder = URL(filePath: #filePath).deletingLastPathComponent()
private let board = Board.load(
  path: folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "boards/simulated/board.yaml").path
).value?.withKeys

/// The names of the kept scenarios.
private let scenarios: [String] = {
  let path = folder.appending(path: "Scenarios").path
  let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  let suffix = ".scenario"
  return files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
}()

@Suite("Scenarios")
struct ScenarioTests {
  private func changes(_ text: String) throws -> [Change] {
    let board = try #require(board)
    let loaded = readScenario(text, file: "test", board: board)
    #expect(loaded.diagnostics.isEmpty)
    return rehearse(try #require(loaded.value), on: board)
  }

  @Test("a scenario changes what its outcome says", arguments: scenarios)
  func outcome(name: String) throws {
    let file = folder.appending(path: "Scenarios/\(name)")
    let text = try String(contentsOf: file.appendingPathExtension("scenario"), encoding: .utf8)
    let timing = try #require(board).configuration.timing
    let outcome = lines(of: try changes(text), timing)
    if ProcessInfo.processInfo.environment["TACTUS_GOLDEN"] == "write" {
      try Data(outcome.utf8).write(to: file.appendingPathExtension("changes"))
      return
    }
    let kept = try String(contentsOf: file.appendingPathExtension("changes"), encoding: .utf8)
    #expect(outcome == kept, "\(name)")
  }

  @Test("there are scenarios")
  func scenariosAreFound() { #expect(scenarios.count >= 15) }

  @Test("a change of JSON has its time, object, kind and rule")
  func json() throws {
    let timing = try #require(board).configuration.timing
    let changes = try changes("0 ms open music playback\n7 ms activate music\n")
    let json = changes.map { tactus.json(of: $0, timing) }
    #expect(json.map { $0["change"]?.text } == ["opened", "state", "heard"])
    #expect(json.map { $0["time"]?.integer } == [0, 10, 25])
    #expect(json.allSatisfy { $0["object"]?.text == "music" && $0["rule"]?.text != nil })
    #expect(json[0]["category"]?.text == "playback")
    #expect(json[1]["state"]?.text == "playing")
    #expect(json[2]["gainDecibels"]?.number.map { abs($0 + 20.2) < 0.05 } == true)
  }

  @Test("words are read as the rules and as the tool write them, with or without space before ms")
  func spellings() throws {
    let plain = """
      0 ms open a play-and-record mode voice-chat option duck-others
      0 ms open b playback option interrupt-spoken-audio-and-mix-with-others gain -6 dB
      0 ms open c record option override-muted-microphone-interruption
      100 ms set volume 40%
      200 ms press volume-up hold 50
      """
    let other = """
      # the same
      0ms open a playAndRecord mode voiceChat option duckOthers   # a call

      0ms\topen b playback option interruptSpokenAudioAndMixWithOthers gain −6dB
      0ms open c record option overrideMutedMicrophoneInterruption
      100ms set volume 40 %
      200ms press volumeUp
      """
    let timing = try #require(board).configuration.timing
    #expect(lines(of: try changes(plain), timing) == lines(of: try changes(other), timing))
  }

  @Test(
    "every mistake has its place and says what to write",
    arguments: [
      ("open music playback", "1:1: no time (open), write such as 200 ms before each verb"),
      ("10 open music playback", "1:4: no unit, write 10 ms and then what happens"),
      ("-5 ms end", "1:1: no time (-5), write such as 200 ms before each verb"),
      ("9999999999 ms end", "1:1: too late (9999999999 ms), at most 864000000 ms"),
      ("5 ms", "1:5: missing a verb, write such as activate music"),
      ("5 ms opn a playback", "1:6: no such verb (opn), write open"),
      ("0 ms open a playbck", "1:13: not a category (playbck), write playback"),
      ("0 ms open a", "1:12: missing a category, write such as ambient"),
      ("0 ms open device playback", "1:11: not a name for a session (device), write another name"),
      (
        "0 ms open a23456789012345678901234567890x playback",
        "1:11: a name longer than 30 bytes (a23456789012345678901234567890x), write another name"
      ),
      ("0 ms open a playback option duck", "1:29: no such option (duck), write one of"),
      ("0 ms open a playback resumes never", "1:30: no such value (never), write resumes always"),
      ("0 ms open a playback gain loud", "1:27: not a gain (loud), write such as -6 dB"),
      ("0 ms open a playback supports play,dance", "1:31: not a command (dance), write one of"),
      (
        "0 ms open a playback\n0 ms open a alarm",
        "2:11: already open (a), write another name"
      ),
      ("0 ms play a", "1:11: no such session (a), write open a CATEGORY in a line above"),
      (
        "0 ms open a playback\n1 ms die a\n2 ms play a",
        "3:11: not open any more (a), write open in a line above"
      ),
      ("0 ms press volume", "1:12: no such control on board simulated (volume), write"),
      ("0 ms press knob", "1:12: a knob (knob), write turn knob N, or press knob push"),
      ("0 ms press lid", "1:12: a switch (lid), write switch lid on or off"),
      ("0 ms press mute held", "1:17: too much (held), write hold MS or nothing"),
      ("0 ms press mute hold 0", "1:22: not milliseconds (0), write 1 to 86400000"),
      ("0 ms turn mute 1", "1:11: no knob (mute), write press mute"),
      ("0 ms switch knob on", "1:13: a knob (knob), write turn knob N"),
      ("0 ms switch lid shut", "1:17: neither on nor off (shut), write one of these"),
      ("0 ms jack on", "1:11: no such state (on), write jack in or jack out"),
      ("0 ms set volume loud", "1:17: not an amount (loud), write 0% to 100%"),
      ("0 ms set route line", "1:16: no such route on board simulated (line), write"),
      ("0 ms command mute", "1:14: not a command (mute), write one of"),
      ("5 ms end\n4 ms end", "2:1: before the line above (5 ms), write the lines in the order"),
      ("5 ms end\n6 ms end", "2:1: after the end, delete what follows or move end behind it"),
      ("5 ms end now", "1:10: too much (now), delete it or write it below"),
      ("# nothing", "1:1: nothing happens, write a line such as 0 ms open music playback"),
    ]
  )
  func mistakes(text: String, message: String) throws {
    let loaded = readScenario(text, file: "x", board: try #require(board))
    #expect(loaded.value == nil)
    #expect(loaded.diagnostics.count == 1)
    let said = try #require(loaded.diagnostics.first).description
    #expect(said.hasPrefix("x:\(message)"), "\(said)")
  }

  @Test("the program plays a scenario, refuses a wrong one with 78, and an unknown board too")
  func program() throws {
    let ring = folder.appending(path: "Scenarios/ring").path
    let played = try run(["policy", "run", "\(ring).scenario", "--board", "simulated"])
    #expect(played.code == 0)
    #expect(played.output == (try String(contentsOfFile: "\(ring).changes", encoding: .utf8)))
    let json = try run(["policy", "run", "--json", "\(ring).scenario"])
    for line in json.output.split(separator: "\n") {
      #expect(try Json(parsing: String(line))["rule"]?.text?.isEmpty == false)
    }
    let wrong = try run(["policy", "run", "\(ring).changes"])
    #expect(wrong.code == 78)
    #expect(wrong.output.isEmpty)
    #expect(wrong.error.hasPrefix("\(ring).changes:1:"))
    let board = try run(["policy", "run", "\(ring).scenario", "--board", "simulatd"])
    #expect(board.code == 78)
    #expect(board.error == "tactus: simulatd: no such board, did you mean simulated?\n")
    let missing = try run(["policy", "run", "\(ring).missing"])
    #expect(missing.code == 78)
    #expect(missing.error.hasPrefix("tactus: "))
  }

  @Test("all mistakes are found in one pass")
  func allMistakes() throws {
    let text = "x\n0 ms opn\n0 ms play a\n0 ms press b\n"
    let loaded = readScenario(text, file: "x", board: try #require(board))
    #expect(loaded.diagnostics.map { $0.place.line } == [1, 2, 3, 4])
  }
}
