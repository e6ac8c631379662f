// SPDX-License-Identifier: Apache-2.0
//
// What `tactus watch` and `tactus status` show of a device.

import TactusCore
import Testing

@testable import tactus

@Suite("Overview")
struct OverviewTests {
  private func rows(
    _ device: Device,
    _ width: Int,
    _ height: Int,
    message: String = "",
    glyphs: Glyphs = .unicode
  ) -> [Row] {
    let overview = Overview(
      device: device,
      place: "system bus",
      message: message,
      width: width,
      height: height,
      glyphs: glyphs
    )
    return overview.rows
  }

  private func text(_ rows: [Row]) -> String { rows.map { $0.plain + "\n" }.joined() }

  @Test("SOUND at 80 × 24, with the max-level marked")
  func sound() throws {
    try expectGolden("watch-sound-80x24", text(rows(try Fixture.device(), 80, 24)))
  }

  @Test("SILENT at 40 × 20, with its reason, a message and the headphone limit marked")
  func silent() throws {
    let device = try Fixture.silentDevice()
    let rows = rows(device, 40, 20, message: "stopped at a limit")
    try expectGolden("watch-silent-40x20", text(rows))
  }

  @Test("SIL-11 NOT SILENT where the codec does not confirm, without any sign beyond ASCII")
  func notSilent() throws {
    var device = try Fixture.device()
    device.reasons = ["fault"]
    let text = text(rows(device, 80, 24, glyphs: .ascii))
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    try expectGolden("watch-not-silent-ascii-80x24", text)
  }

  @Test("a board with every control keeps the sections in place, wide and narrow")
  func manyControls() throws {
    var device = try Fixture.device()
    for number in 1...9 {
      var control = Device.Control()
      control.name = "control-\(number)"
      device.controls.append(control)
    }
    try expectGolden("watch-many-80x24", text(rows(device, 80, 24)))
    try expectGolden("watch-many-40x20", text(rows(device, 40, 20)))
  }

  @Test("at any size the screen is filled exactly, and no row is too wide")
  func anySize() throws {
    var devices = [Device(), try Fixture.device(), try Fixture.silentDevice()]
    devices[1].sources += Array(repeating: devices[1].sources[0], count: 40)
    for device in devices {
      for (width, height) in [(1, 1), (20, 5), (40, 20), (63, 24), (64, 24), (80, 24), (200, 60)] {
        let rows = rows(device, width, height, message: "a message of some length for the user")
        #expect(rows.count == height)
        for row in rows { #expect(row.width <= width) }
        // The way out is always shown.
        if width >= 40, height >= 5 { #expect(text(rows).contains("q leave")) }
      }
    }
  }

  @Test("names from outside cannot steer the terminal")
  func controlCharacters() throws {
    var device = try Fixture.device()
    device.board = "a\u{1b}]0;x\u{7}b\u{9b}c\n"
    let text = text(rows(device, 80, 24))
    #expect(text.contains("a?]0;x?b?c?"))
    #expect(!text.unicodeScalars.contains { $0.value == 0x1b || $0.value == 7 || $0.value == 0x9b })
  }

  @Test("without colours the attributes stay, and a pipe gets neither")
  func styles() {
    var row = Row(limit: 20)
    row.add("on", [.green, .bold])
    row.add(" off")
    #expect(row.escaped(colour: true) == "\u{1b}[1;32mon\u{1b}[0m off")
    #expect(row.escaped(colour: false) == "\u{1b}[1mon\u{1b}[0m off")
    #expect(Page.pipe.text(of: [row]) == "on off\n")
  }
}

@Suite("Status")
struct StatusTests {
  private func text(_ device: Device) -> String {
    Page.pipe.text(of: Status(device: device, page: .pipe).rows)
  }

  @Test("a sounding device in about ten lines")
  func sound() throws { try expectGolden("status-sound", text(try Fixture.device())) }

  @Test("a silent one says why, SIL-10")
  func silent() throws { try expectGolden("status-silent", text(try Fixture.silentDevice())) }

  @Test("FBK-7 what the lamp shows is in the first line, and how the device answers below")
  func warned() throws {
    var device = try Fixture.device()
    device.indication = .microphoneOff
    device.channels = [
      Device.Channel(name: "led"), Device.Channel(name: "haptic", percent: 0),
      Device.Channel(name: "sound", percent: 60),
    ]
    for (seconds, kind, count) in [(1.0, Notice.stuck, 1), (2, .foreignMixer, 3)] {
      device.events.insert(
        Device.Event(
          seconds: seconds,
          kind: kind.name,
          object: "knob",
          text: kind.sentence,
          count: count
        ),
        at: 0
      )
    }
    device.events.sort { $0.seconds < $1.seconds }
    try expectGolden("status-warned", text(device))
  }

  @Test("FBK-7 every indication has its words, and a fault or closed microphone is told at once")
  func indications() throws {
    var device = try Fixture.device()
    device.channels = [Device.Channel(name: "led")]
    var words: Set<String> = []
    for indication in Indication.allCases {
      device.indication = indication
      let lines = text(device).split(separator: "\n")
      words.insert(String(try #require(lines.first { $0.hasPrefix("lamp ") })))
      let isWarning = indication == .fault || indication == .microphoneOff
      #expect(lines[0].hasPrefix("SOUND       music heard, ") == isWarning, "\(lines[0])")
    }
    #expect(words.count == Indication.allCases.count)
  }

  @Test("a description of which nothing is understood is shown nevertheless")
  func empty() throws { try expectGolden("status-empty", text(try Device(describedBy: "{}"))) }

  @Test("what is no JSON is refused with the next step")
  func noJson() throws {
    let failure = try #require(throws: Failure.self) { try Device(describedBy: "{") }
    #expect(failure.code == .unavailable)
    #expect(failure.message.hasSuffix(", are both programs of one version?"))
  }
}

@Suite("Numbers")
struct NumbersTests {
  @Test("gains have one decimal, no negative zero, and words for what is none")
  func gains() {
    #expect(decibels(-12.5, .ascii) == "-12.5 dB")
    #expect(decibels(-0.04, .ascii) == "0.0 dB")
    #expect(decibels(-0.05, .unicode) == "−0.1 dB")
    #expect(decibels(-99_999.99, .ascii) == "silent")
    #expect(decibels(nil, .ascii) == "? dB")
    #expect(decibels(.nan, .ascii) == "? dB")
  }

  @Test("times since the start: just before and just after each change of form")
  func times() {
    #expect(elapsed(0) == "0:00.0")
    #expect(elapsed(59.94) == "0:59.9")
    #expect(elapsed(59.96) == "1:00.0")
    #expect(elapsed(3_599.9) == "59:59.9")
    #expect(elapsed(3_600) == "1:00:00")
    #expect(elapsed(-1) == "0:00.0")
    #expect(elapsed(.infinity) == "0:00.0")
  }
}

@Suite("Help")
struct HelpTests {
  @Test("the overview fits a terminal of 100 columns and names every verb")
  func overview() throws {
    let text = try help(for: [])
    for entry in Grammar.verbs { #expect(text.contains("\n  \(entry.words)")) }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    try expectGolden("help", text)
  }

  @Test("each verb's help begins with its usage and explains each operand and option")
  func verbs() throws {
    var all = ""
    for entry in Grammar.verbs {
      let text = try help(for: entry.words.split(separator: " ").map(String.init))
      #expect(text.hasPrefix("usage: \(entry.usage)\n"))
      for term in entry.operands.map(\.name) + entry.options.map(\.written) {
        #expect(text.contains("\n  \(term) "), "\(term)")
      }
      all += text + "\n"
    }
    #expect(all.split(separator: "\n").allSatisfy { $0.count <= 100 })
    try expectGolden("help-verbs", all)
  }

  @Test("a group's help lists its verbs, and help for nothing known says what was meant")
  func groups() throws {
    #expect(try help(for: ["board"]).hasPrefix("  board check BOARD"))
    let failure = try #require(throws: Failure.self) { try help(for: ["wach"]) }
    #expect(failure.message == "tactus: command: no such command (wach), did you mean watch?")
  }
}
