// SPDX-License-Identifier: Apache-2.0
//
// The device's own sounds: which files are taken, what the settings make of them, how one takes the
// place of another. That they are heard is Tests/VirtualDevice/scenarios/sounds.py.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

/// A WAV file, right unless told otherwise.
struct Wave {
  var rate: UInt32 = 48_000
  var channels: UInt16 = 1
  var bits: UInt16 = 16
  var encoding: UInt16 = 1
  var frames = 480
  /// What stands before the samples.
  var extra: [UInt8] = []
  /// Nil is some noise or other.
  var sample: ((Int) -> Int16)?

  var bytes: [UInt8] {
    let frame = UInt32(channels) * UInt32(bits) / 8
    var data = [UInt8](repeating: 1, count: frames * Int(frame))
    if let sample { data = (0..<frames * Int(channels)).flatMap { little(sample($0), 2) } }
    var format = little(encoding, 2) + little(channels, 2) + little(rate, 4)
    format += little(rate * frame, 4) + little(frame, 2) + little(bits, 2)
    let body =
      Array("WAVEfmt ".utf8) + little(16, 4) + format + extra + Array("data".utf8)
      + little(data.count, 4) + data
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  private func little(_ number: some BinaryInteger, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

@Suite struct SoundTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ bytes: [UInt8], _ name: String = "sound.wav") -> String {
    folder.put(name, bytes)
    return "\(folder.path)/\(name)"
  }

  private func error(of bytes: [UInt8]) throws -> WaveError? {
    let path = write(bytes)
    do throws(WaveError) {
      _ = try WaveFile(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test("a file of one channel is on both, one of two as it is; other parts are passed over")
  func samples() throws {
    let list: [UInt8] = Array("LIST".utf8) + [3, 0, 0, 0] + Array("abc".utf8) + [0]
    let one = try WaveFile(path: write(Wave(extra: list, sample: { Int16($0 - 7) }).bytes))
    #expect((one.frameCount, one.channelCount) == (480, 1))
    #expect((one.sample(3, channel: 0), one.sample(3, channel: 1)) == (-4, -4))
    let two = try WaveFile(path: write(Wave(channels: 2, sample: { Int16($0) }).bytes))
    #expect(two.frameCount == 480)
    #expect((two.sample(3, channel: 0), two.sample(3, channel: 1)) == (6, 7))
  }

  @Test("FBK-4 a file that is no sound of the device is told by what is wrong")
  func wrongFiles() throws {
    #expect(try error(of: Wave().bytes) == nil)
    #expect(try error(of: Wave(rate: 44_100).bytes) == .rate(44_100))
    #expect(try error(of: Wave(channels: 3).bytes) == .channels(3))
    #expect(try error(of: Wave(bits: 24).bytes) == .bits(24))
    #expect(try error(of: Wave(encoding: 3).bytes) == .encoding(3))
    #expect(try error(of: Wave(frames: 0).bytes) == .empty)
    #expect(try error(of: Wave(frames: 30 * 48_000).bytes) == nil)
    #expect(try error(of: Wave(frames: 30 * 48_000 + 1).bytes) == .long(seconds: 31))
    #expect(try error(of: []) == .notWave)
    #expect(try error(of: Array("OggS and so on, long enough to be read".utf8)) == .notWave)
    let whole = Wave().bytes
    #expect(try error(of: whole.dropLast()) == .cutShort)
    for count in 1..<44 { #expect(try error(of: Array(whole.prefix(count))) != nil) }
    #expect(throws: WaveError.unreadable(ENOENT)) { try WaveFile(path: "/nonexistent") }
    #expect(throws: WaveError.self) { try WaveFile(path: "/dev") }
  }

  @Test("the program's reports come back as they were")
  func reports() {
    let all: [SoundReport] = [
      .ready, .company(true), .company(false), .started(atNanoseconds: 0x0102_0304_0506_0708),
      .ended, .failed("tactus:sounds: cannot open (Device or resource busy)"),
    ]
    for report in all { #expect(SoundReport(report.message[...]) == report) }
    #expect(SoundReport([]) == nil)
    #expect(SoundReport([99]) == nil)
    let long = SoundReport.failed(String(repeating: "x", count: 1_000)).message
    #expect(long.count == SoundReport.sizeMaximum)
  }

  @Test("FBK-4 the newest sound takes the place of the other, which fades out in 2.5 ms")
  func oneAtATime() throws {
    let low = try WaveFile(path: write(Wave(frames: 4_800, sample: { _ in 1_000 }).bytes, "low"))
    let high = try WaveFile(path: write(Wave(frames: 300, sample: { _ in 8_000 }).bytes, "high"))
    var voices = SoundVoices(percent: 50)
    var frames = [Int16](repeating: 0, count: 960)
    #expect(voices.fill(&frames, count: 480) == nil)
    #expect(frames.allSatisfy { $0 == 0 })
    voices.play(low)
    #expect(voices.fill(&frames, count: 480) == nil)
    #expect(frames.allSatisfy { $0 == 500 })
    voices.play(high)
    #expect(voices.fill(&frames, count: 480) == 300)
    #expect(frames[0] == 4_500)
    #expect(frames[2 * 60] == 4_250)
    #expect(frames[2 * SoundVoices.fadeFrames..<600].allSatisfy { $0 == 4_000 })
    #expect(frames[600...].allSatisfy { $0 == 0 })
    voices.play(low)
    voices.play(nil)
    #expect(voices.fill(&frames, count: 480) == nil)
    #expect(frames[240...].allSatisfy { $0 == 0 })
  }

  @Test("each type of feedback has its sound at its own place")
  func positions() {
    let names = BoardSound.builtIn.map { $0.name }
    for type in Feedback.allCases { #expect(names[Int(type.sound)] == type.name) }
  }

  private func load(_ settings: String) throws -> Loaded<Board> {
    let board = """
      name: radio
      status: verified
      chip: pinctrl-bcm2711
      card: sndrpihifiberry
      routes:
        - {name: speaker, volume: none, mute: none}
      signals:
        - role: sounds
        - {role: led, shows: status, line: 17}
      """
    return Board.load(
      board: write(Array(board.utf8), "board.yaml"),
      settingsPath: write(Array(settings.utf8), "tactus.yaml"),
      folders: BoardFolders()
    )
  }

  @Test("the listener's files take the places of the built-in ones, and are added")
  func replaced() throws {
    let bell = write(Wave().bytes, "bell.wav")
    let light = write(Wave().bytes, "light.wav")
    _ = write(Wave().bytes, "Door Bell.wav")
    let path = folder.path
    let loaded = try load("sounds: {folder: \(path), ring: \(bell), success: \(bell)}")
    let board = try #require(loaded.value)
    let names = Feedback.allCases.map { $0.name } + ["ring", "bell"]
    #expect(board.sounds.map { $0.name } == names)
    #expect(board.sounds[0].path == bell)
    #expect(board.sounds[1].path == "/usr/share/tactus/sounds/warning.wav")
    #expect(URL(filePath: board.sounds[3].path).lastPathComponent == "light.wav")
    #expect(light.hasSuffix("light.wav"))
    #expect(loaded.diagnostics.count == 1)
    #expect(loaded.diagnostics[0].message.contains("not a name (Door Bell)"))
    let source = try #require(board.configuration.soundSource)
    #expect(board.sources[Int(source)] == .sounds)
    let told = board.configuration.sources[Int(source)]
    #expect((told.category, told.hasPlayer, told.isAdopted) == (.systemSound, true, false))
    #expect(board.configuration.feedbackChannels == .sound.union(.led))
  }

  @Test("what is wrong with a file is said once, with the command that converts it")
  func messages() throws {
    let path = write(Wave(rate: 44_100).bytes, "bell.wav")
    let loaded = try load("sounds: {doorbell: \(path), failure: \(path), medium: /nonexistent.wav}")
    let board = try #require(loaded.value)
    #expect(board.sounds == BoardSound.builtIn)
    let command = "sox \(path) -r 48000 -b 16 -c 2 new.wav trim 0 30"
    let wrong = "\(path) has 44100 Hz, not 48000, convert it: \(command); until then "
    #expect(
      loaded.diagnostics.map { $0.message } == [
        wrong + "there is no doorbell", wrong + "the built-in failure is played",
        "/nonexistent.wav cannot be read (No such file or directory), write the path of a WAV file"
          + " that tactusd may read; until then the built-in medium is played",
      ]
    )
    #expect(loaded.diagnostics.allSatisfy { $0.severity == .warning })
  }

  @Test("FBK-3 only 0 % is off")
  func percent() throws {
    let board = try #require(try load("feedback: {led: 0 %, haptic: 0.1 %, sound: 62.5 %}").value)
    let settings = board.configuration.settings.feedback
    #expect((settings.ledPercent, settings.hapticPercent, settings.soundPercent) == (0, 1, 63))
  }

  @Test("a board that plays no sounds says so of those in the settings")
  func noSounds() throws {
    let board = try #require(BoardFolders().path(of: "hifiberry-dacplus"))
    let bell = write(Wave().bytes, "bell.wav")
    let loaded = Board.load(
      board: board,
      settingsPath: write(Array("sounds: {bell: \(bell)}".utf8), "tactus.yaml"),
      folders: BoardFolders()
    )
    #expect(loaded.value?.sounds == [])
    #expect(loaded.diagnostics.contains { $0.message.contains("plays none, add - role: sounds") })
  }
}
