// SPDX-License-Identifier: Apache-2.0
//
// What `tactus` tells `tactusd` arrives as it was read, whole or not at all.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite struct BoardCodeTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)
  private static let folders = BoardFolders(named: ["\(repository)boards"])
  private static let examples = "\(repository)Tests/TactusLinuxTests/boards"
  private static let settings = """
    board: simulated
    max-level: {speaker: 80 %, headphones: 50 %}
    first-level: 30 %
    own-mixer: yes
    input-devices:
      - {name: "Remote*", grab: yes}
      - {link: by-id/usb-*-event-kbd}
      - {tag: tactus}
    sources:
      - {name: music, category: playback, player: mpd, volume: system, trim: -3 dB}
      - {name: talk, category: play-and-record, mode: voice-chat, player: "mpv*"}
      - {name: film, category: playback, player: kodi, exclusive: true}
      - {name: alert, category: alarm, resumes: always, pause-on-unplug: no}

    """

  /// Every shipped board and every example, good or wrong, and a device with settings.
  private static func samples() throws -> [Loaded<Board>] {
    var samples = folders.boards.map { Board.load(path: $0.path, lenient: true) }
    for kind in ["accepted", "refused", "refused-by-loader"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(examples)/\(kind)")
      where name.hasSuffix(".yaml") {
        for isLenient in [false, true] {
          samples.append(Board.load(path: "\(examples)/\(kind)/\(name)", lenient: isLenient))
        }
      }
    }
    let folder = try TemporaryFolder()
    for bus in ["unix:path=/run/players", "unix:path=/run/others", "session"] {
      folder.put("tactus.yaml", "players-bus: \(bus)\n\(settings)")
      samples.append(
        Board.load(board: nil, settingsPath: "\(folder.path)/tactus.yaml", folders: folders)
      )
    }
    return samples
  }

  private func text(of value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test("each board comes back as it was, with its diagnostics")
  func identity() throws {
    for loaded in try BoardCodeTests.samples() {
      let sample = CompiledBoard(loaded)
      let decoded = try CompiledBoard(encoded: sample.encoded)
      #expect(text(of: decoded.board) == text(of: loaded.value))
      #expect(decoded.messages.map { $0.text } == loaded.diagnostics.map { $0.description })
      #expect(
        decoded.messages.map { $0.isError } == loaded.diagnostics.map { $0.severity == .error }
      )
      #expect(decoded.hardware == sample.hardware)
      #expect(decoded.encoded == sample.encoded)
    }
  }

  @Test("each part of a board has several values in these tests, so that none can be forgotten")
  func completeness() throws {
    var values: [String: Set<String>] = [:]
    for sample in try BoardCodeTests.samples() {
      if let board = sample.value { collect(board, into: &values) }
    }
    let constant = values.filter { $0.value.count < 2 }.keys.sorted()
    #expect(constant == [], "write an example below boards/accepted that has another value")
    #expect(values.count > 60)
  }

  /// The values of each part of a value, by the names of its type and of the part.
  private func collect(_ value: Any, into values: inout [String: Set<String>]) {
    // Nothing but bytes, which are told as a whole.
    if value is Configuration { return }
    let mirror = Mirror(reflecting: value)
    for (index, child) in mirror.children.enumerated() {
      if mirror.displayStyle == .struct || mirror.displayStyle == .enum
        || mirror.displayStyle == .tuple
      {
        let part = "\(type(of: value)).\(child.label ?? "\(index)")"
        values[part, default: []].insert(text(of: child.value))
      }
      collect(child.value, into: &values)
    }
  }

  @Test("bytes that are cut short, changed or foreign are refused")
  func damage() throws {
    let path = try #require(BoardCodeTests.folders.path(of: "virtual-device"))
    let bytes = CompiledBoard(Board.load(path: path)).encoded
    for count in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: BoardCodeError.self) { try CompiledBoard(encoded: Array(bytes[..<count])) }
    }
    for index in stride(from: 0, to: bytes.count, by: 7) {
      var changed = bytes
      changed[index] ^= 0x40
      #expect(throws: BoardCodeError.self) { try CompiledBoard(encoded: changed) }
    }
    #expect(throws: BoardCodeError.torn) { try CompiledBoard(encoded: []) }
    #expect(throws: BoardCodeError.foreign) {
      try CompiledBoard(encoded: Array("tactus: usage".utf8))
    }
    var other = bytes
    other[8] ^= 1
    #expect(throws: BoardCodeError.otherVersion) { try CompiledBoard(encoded: other) }
    #expect(throws: BoardCodeError.torn) { try CompiledBoard(encoded: bytes + [0]) }
  }

  @Test("what a running daemon cannot take changes the fingerprint, and nothing else does")
  func hardware() throws {
    let path = try #require(BoardCodeTests.folders.path(of: "virtual-device"))
    let board = try #require(Board.load(path: path).value)
    func fingerprint(_ change: (inout Board) -> Void) -> UInt64 {
      var changed = board
      change(&changed)
      return CompiledBoard(Loaded(value: changed, diagnostics: [])).hardware
    }
    let same = fingerprint { _ in }
    #expect(fingerprint { $0.configuration.settings.firstLevel = .zero } == same)
    #expect(fingerprint { $0.title = "other" } == same)
    let others: [(inout Board) -> Void] = [
      { $0.controls.removeLast() }, { $0.outputs[0].maximumGain = Gain(millibels: -1) },
      { $0.sources[0].name += "x" }, { $0.signals.removeLast() }, { $0.fixed.removeAll() },
      { $0.capture.removeAll() }, { $0.configuration.timing = Timing(tickMicroseconds: 2_000) },
      { $0.add([BoardInputDevice(selector: .tag, pattern: "", isGrabbed: false)]) },
    ]
    for change in others { #expect(fingerprint(change) != same) }
  }

  @Test("reading more than there is gives zeros and is noticed")
  func exhaustion() {
    let writer = ByteWriter()
    _ = writer.code([UInt32(7), 8])
    _ = writer.code("text")
    for count in writer.bytes.indices {
      let reader = ByteReader(Array(writer.bytes[..<count]))
      _ = reader.code([UInt32]?.none)
      _ = reader.code(String?.none)
      #expect(!reader.isAtEnd)
    }
    let reader = ByteReader(writer.bytes)
    #expect(reader.code([UInt32]?.none) == [7, 8])
    #expect(!reader.isAtEnd)
    #expect(reader.code(String?.none) == "text")
    #expect(reader.isAtEnd)
    #expect(reader.code(UInt32?.none) == 0)
    #expect(!reader.isAtEnd)
  }
}
