// SPDX-License-Identifier: Apache-2.0
//
// The text that players' ALSA reads, and how it is put in place. PlayerTests show what comes of it.

import Foundation
import TactusLinux
import Testing

@Suite struct AsoundConfigurationTests {
  private let speaker = AsoundConfiguration(
    cardID: "sndrpihifiberry",
    sources: ["music", "bell"],
    defaultSource: "music",
    group: "audio"
  )

  @Test("VOL-8a a period is a tick of 5 ms, and four are the buffer")
  func mix() {
    let mix = """
      pcm.tactus_mix {
        type dmix
        ipc_key \(key(of: speaker))
        ipc_key_add_uid no
        ipc_perm 0660
        ipc_gid "audio"
        slave {
          pcm { type hw card "sndrpihifiberry" device 0 subdevice 0 }
          format S16_LE
          rate 48000
          channels 2
          period_size 240
          buffer_size 960
        }
      }

      """
    #expect(speaker.text.contains(mix))
  }

  @Test("VOL-8a a source asks for the control that the daemon makes")
  func source() {
    var quieter = speaker
    quieter.volume = SourceVolume(minimumMillibels: -5_100)
    let source = """
      pcm.tactus_source_bell {
        type plug
        slave.pcm {
          type softvol
          slave.pcm "tactus_mix"
          control { name "Tactus bell Playback Volume" card "sndrpihifiberry" count 2 }
          min_dB -51.00
          max_dB 0.0
          resolution 511
        }
      }

      """
    #expect(quieter.text.contains(source))
    #expect(!speaker.text.contains(source))
  }

  @Test("the default is a source of its own where one is called so")
  func defaults() {
    let alias = "pcm.tactus_source_default \"tactus_source_music\"\n"
    #expect(speaker.text.contains(alias))
    let plain = AsoundConfiguration(cardID: "A", sources: ["default"], defaultSource: "default")
    #expect(!plain.text.contains(alias))
    #expect(plain.text.contains("pcm.tactus_source_default {\n"))
    for text in [speaker.text, plain.text] {
      #expect(text.contains("[ TACTUS_PCM ] default \"tactus:default\" }\n"))
    }
  }

  @Test("recording is there where the board can record")
  func capture() {
    #expect(!speaker.text.contains("capture") && !speaker.text.contains("dsnoop"))
    var board = speaker
    board.canRecord = true
    #expect(board.text.contains("capture.pcm { type plug slave.pcm \"tactus_microphone\" }\n"))
    #expect(
      board.text.contains(
        "pcm.tactus_microphone {\n  type dsnoop\n  ipc_key \(key(of: speaker) + 1)\n"
      )
    )
  }

  @Test("a codec for 32 bits gets them, and a system without the group does without")
  func variants() {
    var board = speaker
    board.format = "S32_LE"
    board.group = nil
    board.deviceNumber = 1
    #expect(board.text.contains("format S32_LE") && !board.text.contains("S16_LE"))
    #expect(!board.text.contains("ipc_gid"))
    #expect(board.text.contains("device 1 subdevice 0"))
  }

  @Test(
    "a board's rate is what is mixed, and a period stays a tick of 5 ms",
    arguments: [(44_100, 220), (48_000, 240), (96_000, 480), (192_000, 960), (8_000, 40)]
  )
  func rates(rateHertz: Int32, periodFrames: Int32) {
    var board = speaker
    board.rateHertz = rateHertz
    let slave = """
          rate \(rateHertz)
          channels 2
          period_size \(periodFrames)
          buffer_size \(4 * periodFrames)

      """
    #expect(board.text.contains(slave))
  }

  @Test("an exclusive source is the card itself, and only that one")
  func exclusive() {
    var board = speaker
    board.exclusiveSource = "music"
    let music = """
      pcm.tactus_source_music { type hw card "sndrpihifiberry" device 0 subdevice 0 }

      """
    #expect(board.text.contains(music))
    #expect(!board.text.contains("Tactus music Playback Volume"))
    #expect(board.text.contains("Tactus bell Playback Volume"))
    #expect(!speaker.text.contains(music))
  }

  @Test("the shared memory's key is the card's: the same at every start, another for another card")
  func keys() {
    var other = speaker
    other.cardID = "Zero"
    #expect(key(of: speaker) == 1_333_895_942)
    #expect(key(of: other) != key(of: speaker))
    other.cardID = speaker.cardID
    other.sources = ["music"]
    #expect(key(of: other) == key(of: speaker))
    other.deviceNumber = 1
    #expect(key(of: other) != key(of: speaker))
  }

  @Test("VOL-8a the file is replaced as a whole, and removing it twice is no failure")
  func publish() throws {
    let folder = NSTemporaryDirectory() + "tactus-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/asound.conf"
    try "old".write(toFile: path, atomically: false, encoding: .utf8)
    let reader = try #require(FileHandle(forReadingAtPath: path))
    try speaker.publish(at: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == speaker.text)
    // Who has opened the old file reads the old file.
    #expect(reader.availableData == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["asound.conf"])
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect((rights as? Int).map { $0 & 0o444 } == 0o444)
    try AsoundConfiguration.withdraw(at: path)
    #expect(!FileManager.default.fileExists(atPath: path))
    try AsoundConfiguration.withdraw(at: path)
    #expect(throws: SystemError.self) { try speaker.publish(at: folder + "/none/asound.conf") }
  }

  @Test("VOL-8a players.conf, which the virtual device's players read, is what the daemon writes")
  func players() throws {
    let configuration = AsoundConfiguration(
      cardID: "Loopback",
      sources: ["music", "bell"],
      defaultSource: "music",
      group: "audio"
    )
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("players.conf")
    #expect(try String(contentsOf: file, encoding: .utf8) == configuration.text)
  }

  private func key(of configuration: AsoundConfiguration) -> Int {
    let line = configuration.text.split(separator: "\n").first { $0.hasPrefix("  ipc_key ") }
    return line.flatMap { Int($0.dropFirst(10)) } ?? 0
  }
}

@Suite struct PCMHolderTests {
  @Test("the owner of an open substream is read from the kernel's list, with its name")
  func holders() throws {
    let root = NSTemporaryDirectory() + "tactus-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (path, text) in [
      ("asound/DAC/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 1234\ntrigger_time: 1.2\n"),
      ("asound/DAC/pcm0c/sub0/status", "closed\n"),
      ("asound/DAC/pcm10c/sub1/status", "state: OPEN\nowner_pid   : 77\n"),
      ("1234/comm", "pipewire\n"),
    ] {
      let file = URL(fileURLWithPath: "\(root)/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try text.write(to: file, atomically: false, encoding: .utf8)
    }
    let holders = SoundCard.holders(cardID: "DAC", root: root)
    #expect(
      holders == [
        PCMHolder(deviceNumber: 0, isPlayback: true, process: 1234, program: "pipewire"),
        PCMHolder(deviceNumber: 10, isPlayback: false, process: 77, program: ""),
      ]
    )
    #expect(SoundCard.holders(cardID: "None", root: root).isEmpty)
  }
}
