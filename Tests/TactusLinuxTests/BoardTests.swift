// SPDX-License-Identifier: Apache-2.0
//
// What board and settings files become. The mistakes are in BoardExamplesTests.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite struct BoardTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)
  private static let folders = BoardFolders(named: ["\(repository)boards"])
  private static let examples = "\(repository)Tests/TactusLinuxTests/boards"

  private func shipped(_ name: String) throws -> Board {
    let path = try #require(BoardTests.folders.path(of: name))
    return try #require(Board.load(path: path).value)
  }

  private func example(_ name: String, lenient: Bool = false) -> Loaded<Board> {
    Board.load(path: "\(BoardTests.examples)/\(name).yaml", lenient: lenient)
  }

  /// What is said of shipped boards, and cannot be helped: it is so on the board.
  private static let warnings = [
    "google-aiy-voice-bonnet": "alsa-jack",
    "google-aiy-voice-hat": "signals",
    "hifiberry-amp2": "when-released",
    "hifiberry-miniamp": "when-released",
    "pimoroni-pirate-audio": "line",
    "raspberrypi-codec-zero": "signals",
  ]

  @Test(
    "each shipped board loads with no warning but what its README explains",
    arguments: folders.boards.map { $0.name }
  )
  func shippedBoard(_ name: String) throws {
    let path = try #require(BoardTests.folders.path(of: name))
    let loaded = Board.load(path: path)
    #expect(!loaded.hasErrors)
    #expect(loaded.diagnostics.map(\.key) == [BoardTests.warnings[name]].compactMap { $0 })
    let board = try #require(loaded.value)
    #expect(board.name == name)
    #expect(!board.description.isEmpty)
    #expect(board.unverified.isEmpty == (board.status != .unverified))
    // So that `tactus board list` shows a fact in one line of a terminal of 80 columns.
    #expect(board.description.count <= 78)
    for fact in board.unverified { #expect(fact.count <= 76, "\(fact)") }
  }

  @Test("all boards are found, in order")
  func names() {
    let names = BoardTests.folders.boards.map { $0.name }
    #expect(names.count >= 27)
    #expect(names == names.sorted())
  }

  @Test("boards of one card id differ in the controls or lines that tell them apart")
  func identities() throws {
    let dacplus = try shipped("hifiberry-dacplus")
    let dac2Pro = try shipped("hifiberry-dac2-pro")
    #expect(dacplus.identity.foreignControls.contains("Headphone Playback Volume"))
    #expect(dac2Pro.identity.controls == ["Headphone Playback Volume"])
    #expect(dac2Pro.identity.foreignControls == [])
    #expect(dac2Pro.bases == ["hifiberry-dacplus"])
    #expect(dac2Pro.outputs[0].cardIDs == dacplus.outputs[0].cardIDs)
    let amp100 = try shipped("hifiberry-amp100")
    #expect(amp100.reserved.map(\.offset) == [4, 17])
  }

  @Test(
    "simulated board and virtual device have every role",
    arguments: ["simulated", "virtual-device"]
  )
  func roles(_ name: String) throws {
    let keysAlone: Set<Role> = [.play, .pause, .microphoneMute]
    let roles = Set(Role.allCases).subtracting(keysAlone)
    #expect(Set(try shipped(name).controls.map(\.role)) == roles)
  }

  @Test(
    "hardware and policy have the same positions",
    arguments: folders.boards.map { $0.name }
  )
  func positions(_ name: String) throws {
    let board = try shipped(name)
    let policy = board.configuration
    #expect(policy.controls.indices.map { policy.controls[$0].role } == board.controls.map(\.role))
    #expect(
      policy.outputs.indices.map { policy.outputs[$0].kind.name } == board.outputs.map(\.name)
    )
    #expect(
      policy.outputs.indices.map { policy.outputs[$0].hasVolume }
        == board.outputs.map { $0.volume != nil }
    )
    #expect(
      policy.sources.indices.map { policy.sources[$0].category } == board.sources.map(\.category)
    )
    for position in policy.outputs.indices {
      guard let detect = policy.outputs[position].detect else { continue }
      #expect(board.controls[Int(detect)].role == .headphoneDetect)
    }
  }

  @Test("every value of a board file arrives")
  func everything() throws {
    let board = try #require(example("accepted/everything").value)
    #expect(board.title == "2nd radio")
    #expect(board.description == "Everything that a board file can say")
    #expect(board.unverified == ["the amplifier's delay", "the polarity of the LED"])
    #expect(
      board.identity
        == BoardIdentity(
          models: ["Raspberry Pi 4", "Raspberry Pi 5"],
          hatVendors: ["HiFiBerry"],
          hatProducts: ["Amp100", "DAC+ Pro"],
          controls: ["Headphone Playback Volume"],
          foreignControls: ["Master", "Channels"]
        )
    )
    #expect(board.overlay == ["dtoverlay=x", "dtparam=audio=off"])
    #expect(board.reserved.map(\.offset) == [4, 17])
    let labels = ["pinctrl-rp1", "pinctrl-bcm2711"]
    let own = board.controls.prefix(7)
    #expect(
      own.map(\.name) == ["louder", "knob", "knob-push", "mute", "front", "back", "power"]
    )
    #expect(
      own.map(\.contact) == [
        .lines(chipLabels: labels, offsets: [5, 6], bias: .pullDown, .activeHigh),
        .lines(chipLabels: labels, offsets: [23, 24], bias: .pullUp, .activeHigh),
        .lines(chipLabels: labels, offsets: [25], bias: .pullUp, .activeLow),
        .lines(chipLabels: labels, offsets: [12], bias: .noneExternal, .activeLow),
        .lines(chipLabels: labels, offsets: [13], bias: .pullUp, .activeHigh),
        .jack(cardIDs: ["Other"], ControlAddress("Headphone Jack", interface: .card)),
        .lines(chipLabels: labels, offsets: [16], bias: .pullUp, .activeLow),
      ]
    )
    let policy = board.configuration
    #expect(
      (0..<7).map { policy.controls[$0].debounceTicks } == [4, 0, 100, 2, 2, 2, 2]
    )
    #expect(policy.controls[1].transitionsPerDetent == 2)
    #expect(policy.controls[1].inverted)
    #expect(policy.controls[1].acceleration == 4)
    #expect(policy.controls[3].latching)
    #expect(policy.outputs.indices.map { policy.outputs[$0].detect } == [nil, 4, 5])
  }

  @Test("CTL-5 input devices arrive, and with any of them one control for each meaning of a key")
  func inputDevices() throws {
    let board = try #require(example("accepted/everything").value)
    #expect(
      board.inputDevices == [
        BoardInputDevice(selector: .name, pattern: "USB Headset*", isGrabbed: true),
        BoardInputDevice(
          selector: .link,
          pattern: "by-id/usb-Griffin_*-event-kbd",
          isGrabbed: false
        ),
        BoardInputDevice(selector: .tag, pattern: "tactus", isGrabbed: false),
      ]
    )
    let keys = board.controls.dropFirst(7)
    #expect(keys.map(\.role) == Board.keyRoles)
    #expect(keys.allSatisfy { $0.contact == .keys && $0.name == "\($0.role.name)-key" })
    let policy = board.configuration
    #expect(
      policy.controls.indices.map { policy.controls[$0].isKey }
        == board.controls.map { $0.contact == .keys }
    )
    #expect(Set(InputDevices.keys.map(\.role)) == Set(Board.keyRoles))
    #expect(
      try #require(example("accepted/smallest").value).controls.allSatisfy { $0.contact != .keys }
    )
  }

  @Test("SES-10 capture switches arrive, on their cards, with both values")
  func captureSwitches() throws {
    let board = try #require(example("accepted/everything").value)
    #expect(
      board.capture == [
        BoardCaptureSwitch(
          cardIDs: ["sndrpihifiberry", "1"],
          address: ControlAddress("Capture Switch"),
          closed: .isOn(false),
          open: .isOn(true)
        ),
        BoardCaptureSwitch(
          cardIDs: ["Device"],
          address: ControlAddress("Mic Boost", index: 1),
          closed: .raw(0),
          open: .raw(3)
        ),
      ]
    )
    #expect(board.configuration.hasCaptureSwitch)
    let without = try #require(example("accepted/smallest").value)
    #expect(!without.configuration.hasCaptureSwitch)
  }

  @Test("CTL-5 the settings' input devices come beside the board's, and the keys are there once")
  func inputDevicesOfSettings() throws {
    let settings = try #require(
      DeviceSettings.load(path: "\(BoardTests.examples)/accepted/tactus.yaml").value
    )
    for name in ["everything", "smallest"] {
      var board = try #require(example("accepted/\(name)").value)
      let before = board
      board.apply(settings)
      let added = BoardInputDevice(selector: .name, pattern: "*Remote*", isGrabbed: false)
      #expect(board.inputDevices == before.inputDevices + [added])
      #expect(board.controls.filter { $0.contact == .keys }.map(\.role) == Board.keyRoles)
      #expect(
        board.controls.map(\.role)
          == board.configuration.controls.indices.map { board.configuration.controls[$0].role }
      )
    }
  }

  @Test("every value of a route arrives")
  func route() throws {
    let board = try #require(example("accepted/everything").value)
    let speaker = board.outputs[0]
    #expect(speaker.cardIDs == ["Device"])
    #expect(speaker.volume?.address == ControlAddress("D10s  Playback Volume", index: 1))
    #expect(speaker.volume?.correction.rawAtZeroDecibels == 207)
    #expect(speaker.volume?.correction.silentUpToRaw == 47)
    #expect(
      speaker.mute
        == .control(ControlAddress("Mute(ext)"), silent: .item("Mute"), audible: .item("Unmute"))
    )
    #expect(speaker.pcm.cardIDs == ["Loopback"])
    #expect(speaker.pcm.rateHertz == 44_100)
    #expect(speaker.pcm.format == "S32_LE")
    #expect(speaker.amplifier?.offset == 26)
    #expect(speaker.amplifier?.polarity == .activeLow)
    #expect(board.outputs[1].volume?.correction.rangeMillibels == -6_000...0)
    #expect(board.outputs[2].volume == nil)
    let policy = board.configuration.outputs[0]
    #expect(policy.priority == 3)
    #expect(policy.amplifier?.enableTicks == 20)
    #expect(policy.amplifier?.disableTicks == 2)
    #expect(policy.amplifier?.idleOffTicks == 60_000)
    #expect(policy.amplifier?.whenReleased == .silent)
  }

  @Test("VOL-11 what must sit at one value is on, off, a gain, a raw value or an item")
  func fixed() throws {
    let board = try #require(example("accepted/everything").value)
    #expect(
      board.fixed == [
        FixedControl(
          cardIDs: ["Device"],
          address: ControlAddress("Analogue Playback Volume"),
          setting: .gain(.unity)
        ),
        FixedControl(
          cardIDs: ["sndrpihifiberry", "1"],
          address: ControlAddress("DAC Left Source MUX"),
          setting: .item("DAI Input Left")
        ),
        FixedControl(
          cardIDs: ["sndrpihifiberry", "1"],
          address: ControlAddress("DAC Volume"),
          setting: .raw(112)
        ),
        FixedControl(
          cardIDs: ["sndrpihifiberry", "1"],
          address: ControlAddress("Left Output Mixer PCM Playback Switch"),
          setting: .isOn(true)
        ),
        FixedControl(
          cardIDs: ["sndrpihifiberry", "1"],
          address: ControlAddress("Twice", index: 1),
          setting: .item("on")
        ),
      ]
    )
  }

  @Test("VOL-4 a curve stands for the board file's window, then for the card's, never above max-db")
  func window() throws {
    var board = try #require(example("accepted/everything").value)
    #expect(board.configuration.outputs[0].curve.top.millibels == -650)
    #expect(board.configuration.outputs[0].curve.floor.millibels == -6_650)
    board.setWindow(
      output: 0,
      lowest: Gain(millibels: -4_000),
      highest: Gain(millibels: -1_000),
      hasSilence: true
    )
    #expect(board.configuration.outputs[0].curve.top.millibels == -1_000)
    #expect(board.configuration.outputs[0].curve.floor.millibels == -4_000)
    #expect(board.configuration.outputs[1].curve.top == .unity)
    board.setWindow(
      output: 1,
      lowest: Gain(millibels: -6_000),
      highest: Gain(millibels: 2_400),
      hasSilence: false
    )
    #expect(board.configuration.outputs[1].curve.top == .unity)
    #expect(!board.configuration.outputs[1].hasSwitch)
    #expect(board.configuration.outputs[0].hasSwitch)
  }

  @Test("F33 leniently, what is right is loaded without what is wrong")
  func lenient() throws {
    #expect(example("refused-by-loader/F33-i2s").value == nil)
    #expect(example("refused-by-loader/F33-i2s", lenient: true).value?.controls == [])
    let loaded = example("refused/unknown-keys", lenient: true)
    #expect(loaded.hasErrors)
    let twice = try #require(example("refused-by-loader/pin-twice", lenient: true).value)
    #expect(twice.controls.map(\.name) == ["next"])
    #expect(twice.outputs.map(\.name) == ["speaker"])
    #expect(twice.signals == [])
    #expect(example("refused/not-yaml", lenient: true).value == nil)
  }

  @Test("VOL-3 there is always a source for programs that were told nothing")
  func sources() throws {
    let smallest = try #require(example("accepted/smallest").value)
    #expect(smallest.sources == [.standard])
    #expect(smallest.configuration.sources[0].playsAtStart)
    let board = try #require(example("accepted/everything").value)
    #expect(board.sources.map(\.name) == ["music", "doorbell", "default"])
    #expect(board.sources.map(\.playsAtStart) == [false, false, true])
    #expect(board.sources[0].trim.millibels == -300)
    #expect(!board.configuration.sources[0].pausesOnUnplug)
    #expect(board.configuration.sources[0].hasPlayer)
    #expect(board.configuration.sources[0].mode == .spokenAudio)
  }

  @Test("VOL-16 the listener's settings reach the policy")
  func settings() throws {
    let loaded = Board.load(
      board: "virtual-device",
      settingsPath: "\(BoardTests.examples)/accepted/tactus.yaml",
      folders: BoardTests.folders
    )
    let policy = try #require(loaded.value).configuration
    #expect(policy.timing.tickMicroseconds == 10_000)
    #expect(policy.controls[0].debounceTicks == 1)
    #expect(policy.settings.startCeiling == Level(percent: 50))
    #expect(policy.settings.firstLevel == Level(percent: 30))
    #expect(policy.settings.ringer == Level(percent: 70))
    #expect(policy.settings.alarmFloor == Level(percent: 50))
    #expect(!policy.settings.limitsHeadphones)
    #expect(policy.settings.muteSilencesAlarms)
    #expect(policy.settings.ownsMixer)
    #expect(policy.settings.resumesOnReplug)
    #expect(policy.settings.balance == -20)
    #expect(policy.outputs[0].maximumLevel == Level(percent: 80))
    #expect(policy.outputs[1].maximumLevel == Level(parts: 6_250))
    #expect(loaded.value?.sources.map(\.name) == ["music", "default"])
    #expect(policy.sources.count == 2)
  }

  @Test("VOL-16 a cap for a route that the board lacks is a warning at its place")
  func capWithoutRoute() throws {
    let folder = try TemporaryFolder()
    folder.put("tactus.yaml", "max-level:\n  speaker: 80 %\n  bluetooth: 50 %\n")
    let path = "\(folder.path)/tactus.yaml"
    let loaded = Board.load(
      board: "virtual-device",
      settingsPath: path,
      folders: BoardTests.folders
    )
    #expect(loaded.value?.configuration.outputs[0].maximumLevel == Level(percent: 80))
    #expect(
      loaded.diagnostics.map(\.description) == [
        "\(path):3:3: warning: bluetooth: board virtual-device has no such route, "
          + "write speaker or headphones"
      ]
    )
  }

  @Test("settings cannot give the card to one source where the codec has no volume")
  func exclusiveWithoutVolume() throws {
    let folder = try TemporaryFolder()
    folder.put(
      "board.yaml",
      "name: soft\nchip: pinctrl-bcm2711\ncard: A\n"
        + "routes:\n  - {name: line, volume: none, mute: B}\n"
    )
    folder.put(
      "tactus.yaml",
      "sources:\n  - {name: music, category: playback, player: mpd, exclusive: true}\n"
    )
    func load(lenient: Bool) -> Loaded<Board> {
      Board.load(
        board: "\(folder.path)/board.yaml",
        settingsPath: "\(folder.path)/tactus.yaml",
        folders: BoardTests.folders,
        lenient: lenient
      )
    }
    let refused = load(lenient: false)
    #expect(refused.value == nil)
    #expect(
      refused.diagnostics.filter { $0.severity == .error }.map(\.description) == [
        "\(folder.path)/tactus.yaml:2:63: exclusive: not on this board: the route line has no "
          + "hardware volume, delete it, for nothing else could set the level or silence it"
      ]
    )
    let board = try #require(load(lenient: true).value)
    #expect(!board.sources[0].isExclusive && !board.configuration.sources[0].isExclusive)
    let fit = try #require(example("accepted/exclusive").value)
    #expect(fit.configuration.sources[0].isExclusive && !fit.configuration.sources[1].isExclusive)
    #expect(fit.outputs[0].pcm.rateHertz == 96_000 && fit.outputs[0].pcm.format == "S32_LE")
  }

  @Test("without settings every default holds, and the board must be named")
  func noSettings() throws {
    let none = "/nonexistent/tactus.yaml"
    let loaded = Board.load(board: "simulated", settingsPath: none, folders: BoardTests.folders)
    #expect(try #require(loaded.value).configuration.settings.startCeiling == Level(percent: 75))
    let unnamed = Board.load(board: nil, settingsPath: none, folders: BoardTests.folders)
    #expect(unnamed.value == nil)
    #expect(unnamed.hasErrors)
  }

  @Test("of a board that does not exist the nearest one is named")
  func noSuchBoard() {
    let loaded = Board.load(
      board: "hifiberry-dacpls",
      settingsPath: "",
      folders: BoardTests.folders
    )
    #expect(
      loaded.diagnostics.map(\.description)
        == ["hifiberry-dacpls: board: no such board, write hifiberry-dacplus"]
    )
    let missing = Board.load(
      board: "/nonexistent.yaml",
      settingsPath: "",
      folders: BoardTests.folders
    )
    #expect(
      missing.diagnostics.map(\.description)
        == ["/nonexistent.yaml: cannot open (No such file or directory)"]
    )
  }
}

/// Files that nobody would write: the loader must come to an end with a verdict.
@Suite struct BrokenBoardTests {
  private func read(_ bytes: [UInt8]) -> [Diagnostic] {
    let mistakes = Mistakes(file: "board.yaml")
    guard let root = yamlTree(bytes, mistakes) else { return mistakes.sorted }
    var reader = BoardReader(mistakes, timing: Timing())
    _ = reader.read(root)
    return mistakes.sorted
  }

  private func everything() throws -> [UInt8] {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "boards/accepted/everything.yaml").path(percentEncoded: false)
    return try contents(of: path, limit: YamlBounds.bytes)
  }

  @Test("a file that breaks off is read to an end", .timeLimit(.minutes(10)))
  func prefixes() throws {
    let bytes = try everything()
    #expect(read(bytes).allSatisfy { $0.severity == .warning })
    for count in stride(from: 0, to: bytes.count, by: 7) { _ = read(Array(bytes.prefix(count))) }
  }

  @Test("a file with a wrong byte is read to an end", .timeLimit(.minutes(10)))
  func wrongBytes() throws {
    let bytes = try everything()
    for position in bytes.indices {
      for wrong in [0, 9, 10, 0x2A, 0x26, 0x7B, 0xFF] as [UInt8] where position % 41 == 0 {
        var changed = bytes
        changed[position] = wrong
        _ = read(changed)
      }
    }
  }

  @Test("what is too deep or too much is refused as a whole")
  func bounds() {
    let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    #expect(
      read(Array(deep.utf8)).map(\.description)
        == ["board.yaml:1:10: nested deeper than 8, nothing here needs that"]
    )
    let much = "routes: [" + String(repeating: "a,", count: 5_000) + "]"
    #expect(read(Array(much.utf8)).first?.message.hasPrefix("more than 4096 values") == true)
  }

  @Test("text that is no UTF-8 is named with its place")
  func encoding() {
    #expect(
      read(Array("name: ra".utf8) + [0xFF]).map(\.description) == [
        "board.yaml:1:9: not readable as text (invalid leading UTF-8 octet), save the file as UTF-8"
      ]
    )
  }
}
