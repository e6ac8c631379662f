// SPDX-License-Identifier: Apache-2.0
//
// Board files that extend others: what comes of both, and chains that lead nowhere.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

/// Boards in a folder of their own, which goes with them.
private final class Boards {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "tactus-\(UUID().uuidString)").path(percentEncoded: false)

  func add(_ name: String, _ text: String) throws {
    let path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try "name: \(name)\n\(text)".write(
      toFile: "\(path)/board.yaml",
      atomically: true,
      encoding: .utf8
    )
  }

  func load(_ name: String) -> Loaded<Board> { Board.load(path: "\(folder)/\(name)/board.yaml") }

  /// What is wrong with a board, without the folder's name.
  func messages(_ name: String) -> [String] {
    load(name).diagnostics.map { $0.description.replacing("\(folder)/", with: "") }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}

private let base = """
  title: A base
  description: With two buttons
  status: unverified
  unverified: the lamp
  overlay: dtoverlay=base
  chip: pinctrl-bcm2711
  card: [base, older]
  reserved:
    - {line: 4, owner: the relay}
  inputs:
    - {role: volume-up, line: 5, bias: pull-up, debounce: 20 ms}
    - {role: volume-down, line: 6, bias: pull-up}
    - {role: headphone-detect, alsa-jack: Headphone Jack}
  routes:
    - name: speaker
      volume: {control: Speaker Playback Volume, lowest: -73 dB, highest: 6 dB}
      mute: Speaker Playback Switch
    - name: headphones
      volume: Headphone Playback Volume
  signals:
    - {role: led, shows: status, line: 16}
    - {role: led, shows: silent, line: 17}
  fixed:
    Line Switch: off
    Boost Volume: 3
  """

@Suite struct BoardExtensionTests {
  @Test("what is not written is inherited, but what a board says of itself")
  func inheritance() throws {
    let boards = Boards()
    try boards.add("base", base)
    try boards.add("radio", "extends: base\n")
    let radio = try #require(boards.load("radio").value)
    let whole = try #require(boards.load("base").value)
    #expect((radio.name, radio.title, radio.description) == ("radio", "radio", ""))
    #expect((radio.bases, whole.bases) == (["base"], []))
    #expect(radio.status == .unverified)
    #expect(radio.unverified == ["the lamp"])
    #expect(radio.overlay == whole.overlay)
    #expect(radio.controls == whole.controls)
    #expect(radio.outputs == whole.outputs)
    #expect(radio.signals == whole.signals)
    #expect(radio.fixed == whole.fixed)
    #expect(radio.reserved == whole.reserved)
  }

  @Test("values are replaced, mappings joined, items joined by name, new ones added behind")
  func joining() throws {
    let boards = Boards()
    try boards.add("base", base)
    try boards.add(
      "radio",
      """
      extends: base
      overlay: [dtoverlay=radio, dtparam=audio=off]
      card: radio
      without: [led-silent, headphones]
      reserved:
        - {line: 27, owner: the display}
      inputs:
        - {role: power, line: 12, bias: pull-up}
        - {role: volume-up, line: 13}
        - {role: headphone-detect, line: 26, bias: pull-up}
      routes:
        - {name: speaker, max-db: -6 dB, volume: {highest: 0 dB}}
        - {name: line, volume: none}
        - {name: headphones, volume: none}
      signals:
        - {role: led, shows: status, line: 18, active: low}
      i2s: none
      fixed:
        Line Switch: on
        Treble Volume: 0 dB

      """
    )
    #expect(boards.messages("radio").filter { !$0.contains("warning") } == [])
    let radio = try #require(boards.load("radio").value)
    #expect(radio.overlay == ["dtoverlay=radio", "dtparam=audio=off"])
    #expect(radio.reserved.map { $0.offset } == [4, 27])
    #expect(
      radio.controls.map { $0.name } == ["volume-up", "volume-down", "headphone-detect", "power"]
    )
    let label = ["pinctrl-bcm2711"]
    #expect(
      radio.controls[0].contact
        == .lines(chipLabels: label, offsets: [13], bias: .pullUp, .activeLow)
    )
    #expect(radio.configuration.controls[0].debounceTicks == 4)
    #expect(
      radio.controls[2].contact
        == .lines(chipLabels: label, offsets: [26], bias: .pullUp, .activeLow)
    )
    #expect(radio.outputs.map { $0.name } == ["speaker", "line", "headphones"])
    #expect(radio.outputs[2].volume == nil)
    #expect(radio.outputs[0].volume?.address.name == "Speaker Playback Volume")
    #expect(radio.outputs[0].volume?.lowest == Gain(millibels: -7_300))
    #expect(radio.outputs[0].volume?.highest == .unity)
    #expect(radio.outputs[0].maximumGain == Gain(millibels: -600))
    #expect(radio.outputs.allSatisfy { $0.cardIDs == ["radio"] })
    #expect(radio.signals.map { $0.line?.offset } == [18])
    #expect(
      radio.fixed.map { $0.setting } == [.isOn(true), .raw(3), .gain(.unity)]
    )
  }

  @Test("a board that says that its facts are confirmed inherits no doubts")
  func verified() throws {
    let boards = Boards()
    try boards.add("base", base)
    try boards.add("radio", "extends: base\nstatus: verified\n")
    let radio = try #require(boards.load("radio").value)
    #expect(radio.status == .verified)
    #expect(radio.unverified == [])
  }

  @Test("a mistake is told where it stands, also in the file that is extended")
  func places() throws {
    let boards = Boards()
    try boards.add("base", base + "\nreservd: 3\n")
    let power = "  - {role: power, line: 5, bias: pull-up}\n"
    try boards.add("radio", "extends: base\ninputs:\n\(power)")
    #expect(
      boards.messages("radio").filter { !$0.contains("warning") } == [
        "radio/board.yaml:4:25: line: line 5 is taken by volume-up (see line 12 of"
          + " base/board.yaml), choose another, free are 12, 13, 16, 17, 22, 23",
        "base/board.yaml:27:1: reservd: unknown key, write reserved",
      ]
    )
    #expect(boards.load("radio").value == nil)
  }

  @Test("a circle is an error that names the chain, whichever board is asked for")
  func circle() throws {
    let boards = Boards()
    try boards.add("first", "extends: second\n")
    try boards.add("second", "extends: third\n")
    try boards.add("third", "extends: second\n")
    let advice = "extend a board that does not come back to this one"
    #expect(
      boards.messages("first")
        == [
          "third/board.yaml:2:10: extends: a circle (first → second → third → second), \(advice)"
        ]
    )
    #expect(
      boards.messages("second")
        == ["third/board.yaml:2:10: extends: a circle (second → third → second), \(advice)"]
    )
    #expect(boards.load("first").value == nil)
  }

  @Test("a board that is missing at the end of a chain is named with the chain")
  func missing() throws {
    let boards = Boards()
    try boards.add("first", "extends: second\n")
    try boards.add("second", "extends: thirt\n")
    try boards.add("third", base)
    #expect(
      boards.messages("first") == [
        "second/board.yaml:2:10: extends: no such board (first → second → thirt), write third"
      ]
    )
  }

  @Test("a chain of eight boards is read, and one of nine refused")
  func depth() throws {
    let boards = Boards()
    try boards.add("b1", base)
    for number in 2...9 { try boards.add("b\(number)", "extends: b\(number - 1)\n") }
    let eight = boards.load("b8")
    #expect(!eight.hasErrors)
    #expect(eight.value?.bases.count == 7)
    #expect(
      boards.messages("b9") == [
        "b2/board.yaml:2:10: extends: more than 8 boards in a row"
          + " (b9 → b8 → b7 → b6 → b5 → b4 → b3 → b2 → b1), extend the last one itself"
      ]
    )
  }

  @Test("an unreadable base is told with its own place")
  func unreadable() throws {
    let boards = Boards()
    try boards.add("base", "a: [\n")
    try boards.add("radio", "extends: base\n")
    let messages = boards.messages("radio")
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("base/board.yaml:3:1: ") == true)
  }
}
