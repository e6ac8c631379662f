// SPDX-License-Identifier: Apache-2.0
//
// Players and the published ALSA configuration: aplay plays a tone to `tactus:NAME`, snd-aloop
// hands it back, and its level is measured.

import Glibc
import TactusCore
import TactusLinux
import Testing

extension RealSoundTests {
  @Suite struct PlayerTests {
    private static let tone = "/run/tactus-tone.wav"
    private static let recording = "/run/tactus-recording.wav"
    /// Only the daemon writes there, and it does not run in these tests.
    private static let folder = "/run/tactus"

    private let configuration = AsoundConfiguration(
      cardID: "Loopback",
      sources: ["music", "bell"],
      defaultSource: "music"
    )
    /// A program's environment where 60-tactus.conf is installed.
    private let environment: String

    init() throws {
      let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
      environment =
        "ALSA_CONFIG_PATH=/usr/share/alsa/alsa.conf:/\(tests)/deploy/alsa/60-tactus.conf"
      mkdir(Self.folder, 0o755)
      try AsoundConfiguration.withdraw()
      let made = shell(
        "[ -f \(Self.tone) ] || sox -n -r 48000 -c 2 -b 16 \(Self.tone) synth 20 sine 997 vol 0.5"
      )
      try #require(made.code == 0, "\(made.output)")
    }

    /// Plays the tone where that must fail.
    private func playInVain(_ device: String) -> String {
      let played = shell("\(environment) timeout 30 aplay -q -D \(device) \(Self.tone)")
      #expect(played.code != 0 && played.code != 124)
      return played.output
    }

    /// Lets a program play the tone until `stop`.
    private func play(_ device: String) throws -> Int32 {
      let program = "\(environment) exec aplay -q -D \(device) \(Self.tone)"
      let started = shell("(\(program)) > /run/tactus-player.log 2>&1 & echo $!")
      let process = try #require(Int32(started.output.dropLast()))
      usleep(400_000)
      return process
    }

    private func stop(_ players: Int32...) {
      // Not SIGTERM: a shell that a test's thread starts has it blocked.
      for player in players { kill(player, SIGKILL) }
      for _ in 0..<100 where !SoundCard.holders(cardID: "Loopback").isEmpty { usleep(10_000) }
      #expect(SoundCard.holders(cardID: "Loopback").isEmpty)
    }

    /// Root mean square of what sounds now, full scale being 1; and the greatest sample.
    private func listen() throws -> (level: Double, peak: Double) {
      let heard = shell(
        """
        arecord -q -D hw:Loopback,1 -f S16_LE -r 48000 -c 2 -s 24000 \(Self.recording)
        sox \(Self.recording) -n stat 2>&1 | awk -F: '/RMS *amp|Maximum amp/ {print $2}'
        """
      )
      let figures = heard.output.split(separator: "\n").map { $0.filter { $0 != " " } }
      let peak = try #require(figures.first.flatMap { Double($0) }, "\(heard.output)")
      return (level: try #require(Double(figures[1])), peak: peak)
    }

    /// Gain of what is heard against what is played, a sine of half scale.
    private func heardDecibels() throws -> Double {
      20 * log10(try listen().level / 0.5 * 2.0.squareRoot())
    }

    @Test("VOL-8a a source's gain is heard: −20 dB are −20 dB, and raw 0 is digital silence")
    func gain() throws {
      let card = try SoundCard(id: "Loopback")
      let control = try card.makeSourceControl(named: "music", configuration.volume)
      _ = try card.makeSourceControl(named: "bell", configuration.volume)
      try configuration.publish()

      try card.write(control.values(601), to: control)
      let player = try play("tactus:music")
      var heard = try heardDecibels()
      #expect(abs(heard) < 0.1)
      let raw = configuration.volume.scale.raw(notAbove: Gain(millibels: -2_000))
      try card.write(control.values(raw), to: control)
      usleep(100_000)
      heard = try heardDecibels()
      #expect(abs(heard + 20) < 0.5)
      let holders = SoundCard.holders(cardID: "Loopback")
      #expect(holders.contains { $0.isPlayback && $0.deviceNumber == 0 && $0.program == "aplay" })

      try card.write(control.values(0), to: control)
      usleep(100_000)
      let silence = try listen()
      #expect(silence.level == 0 && silence.peak == 0)
      stop(player)
    }

    @Test("VOL-8a no source but those configured, and none while the daemon is not there")
    func unknown() throws {
      let card = try SoundCard(id: "Loopback")
      for source in configuration.sources {
        _ = try card.makeSourceControl(named: source, configuration.volume)
      }
      _ = playInVain("tactus:music")
      try configuration.publish()
      #expect(playInVain("tactus:nosuch").hasSuffix("No such file or directory\n"))
      let names = try card.controls().map { $0.name }.filter { $0.hasPrefix("Tactus ") }
      #expect(names.sorted() == ["Tactus bell Playback Volume", "Tactus music Playback Volume"])
      try AsoundConfiguration.withdraw()
      _ = playInVain("tactus:music")
      try AsoundConfiguration.withdraw()
    }

    @Test("VOL-8a a player that asks for another shape cannot open, and changes nothing")
    func mismatch() throws {
      let card = try SoundCard(id: "Loopback")
      let control = try card.makeSourceControl(named: "music", configuration.volume)
      var other = configuration
      other.volume = SourceVolume(minimumMillibels: -6_000)
      try other.publish()
      _ = playInVain("tactus:music")
      #expect(try card.read(control).allEqual(0))
      #expect(try card.control(control.address).number == control.number)
    }

    @Test("VOL-8a a player goes on obeying when the daemon is started anew")
    func restart() throws {
      try configuration.publish()
      let player: Int32
      do {
        let card = try SoundCard(id: "Loopback")
        let control = try card.makeSourceControl(named: "bell", configuration.volume)
        try card.write(control.values(601), to: control)
        player = try play("tactus:bell")
        let heard = try heardDecibels()
        #expect(abs(heard) < 0.1)
      }
      let card = try SoundCard(id: "Loopback")
      let control = try card.makeSourceControl(named: "bell", configuration.volume)
      usleep(100_000)
      #expect(try listen().peak == 0)
      try card.write(control.values(401), to: control)
      usleep(100_000)
      let heard = try heardDecibels()
      #expect(abs(heard + 20) < 0.5)
      stop(player)
    }

    @Test("VOL-3 a program that names no device plays to the default source; two are mixed")
    func defaultDevice() throws {
      let card = try SoundCard(id: "Loopback")
      let music = try card.makeSourceControl(named: "music", configuration.volume)
      let bell = try card.makeSourceControl(named: "bell", configuration.volume)
      try configuration.publish()
      try card.write(music.values(601), to: music)
      let players = try (play("default"), play("tactus:bell"))
      var heard = try heardDecibels()
      #expect(abs(heard) < 0.1)
      try card.write(bell.values(401), to: bell)
      try card.write(music.values(0), to: music)
      usleep(100_000)
      heard = try heardDecibels()
      #expect(abs(heard + 20) < 0.5)
      stop(players.0, players.1)
    }
  }
}
