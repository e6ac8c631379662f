// SPDX-License-Identifier: Apache-2.0
//
// The sources' controls and their players: what the kernel and alsa-lib's softvol really do with
// them, with sound measured behind snd-aloop.

import Glibc
import TactusCore
import TactusLinux
import Testing

@Suite struct SourceVolumeTests {
  @Test("the default is 60 dB in steps of 0.1 dB, and silence")
  func preset() {
    let volume = SourceVolume()
    #expect(volume.minimumMillibels == -6_010)
    #expect(volume.resolution == 602)
    let scale = volume.scale
    #expect(scale.source == .driver)
    #expect(scale.gain(atRaw: 0) == .silence)
    #expect(scale.gain(atRaw: 1) == Gain(millibels: -6_000))
    #expect(scale.gain(atRaw: 401) == Gain(millibels: -2_000))
    #expect(scale.gain(atRaw: 601) == .unity)
    #expect(scale.raw(notAbove: Gain(millibels: -2_000)) == 401)
    #expect(scale.raw(notAbove: Gain(millibels: -2_001)) == 400)
    #expect(scale.raw(notAbove: .silence) == 0)
    #expect(scale.raw(notAbove: Gain(millibels: 500)) == 601)
  }

  @Test(
    "a chosen range is whole steps and within softvol's 1024 values",
    arguments: [
      (-6_000, -6_000, 601), (-6_001, -6_010, 602), (-6_009, -6_010, 602), (-10_230, -10_230, 1024),
      (-30_000, -10_230, 1024), (0, -10, 2), (-10, -10, 2), (-11, -20, 3),
    ]
  )
  func chosen(asked: Int32, minimum: Int32, resolution: Int32) {
    let volume = SourceVolume(minimumMillibels: asked)
    #expect(volume.minimumMillibels == minimum)
    #expect(volume.resolution == resolution)
  }

  @Test("names that alsa-lib would take apart or cut off are refused")
  func names() {
    for name in ["music", "a", "door-bell2", "abcdefghijklmnopqrstuvwxyz0123"] {
      #expect(SourceVolume.isSourceName(name))
    }
    for name in ["", "Music", "a b", "a,b", "ä", "a:b", "abcdefghijklmnopqrstuvwxyz01234", "a_b"] {
      #expect(!SourceVolume.isSourceName(name))
    }
    #expect(SourceVolume.controlName(source: "abcdefghijklmnopqrstuvwxyz0123").utf8.count <= 43)
  }
}

extension RealSoundTests {
  @Suite struct SourceControlTests {
    private static let address = ControlAddress("Tactus music Playback Volume")
    private static let configurationPath = "/run/tactus-test-asound.conf"

    /// A handle without the control.
    private func cleanCard() throws -> SoundCard {
      driver("snd_aloop", "unbind")
      driver("snd_aloop", "bind")
      return try SoundCard(id: "Loopback")
    }

    @Test("VOL-8a the control is born silent and locked, in the shape that softvol asks for")
    func born() throws {
      let card = try cleanCard()
      let other = try SoundCard(id: "Loopback")
      let control = try card.makeSourceControl(named: "music", SourceVolume())
      #expect(control.address == Self.address)
      #expect(control.isUserMade && control.kind == .integer && control.channelCount == 2)
      #expect(control.rawMinimum == 0 && control.rawMaximum == 601)
      #expect(try card.read(control).allEqual(0))
      let process = try #require(try card.control(Self.address).lockingProcess)
      #expect(throws: MixerError.controlLocked(Self.address, byProcess: process)) {
        try other.write(control.values(601), to: control)
      }
      try card.write(control.values(100), to: control)
      #expect(try other.read(control).allEqual(100))
      let scale = DecibelScale(table: try card.gainTable(of: control), rawRange: 0...601)
      #expect(scale.source == .driver)
      #expect(scale.gain(atRaw: 401) == Gain(millibels: -2_000))
    }

    @Test("a control left by a daemon that died keeps its number, and is silenced and locked anew")
    func adopted() throws {
      do {
        let card = try cleanCard()
        let control = try card.makeSourceControl(named: "music", SourceVolume())
        try card.write(control.values(200), to: control)
      }
      let card = try SoundCard(id: "Loopback")
      let left = try card.control(Self.address)
      #expect(left.lockingProcess == nil)
      #expect(try card.read(left).allEqual(200))
      let control = try card.makeSourceControl(named: "music", SourceVolume())
      #expect(control.number == left.number)
      #expect(try card.read(control).allEqual(0))
      #expect(try card.control(Self.address).lockingProcess != nil)
    }

    @Test("a control of another shape is replaced, unless somebody holds it")
    func replaced() throws {
      let card = try cleanCard()
      let other = try SoundCard(id: "Loopback")
      let old = try other.makeSourceControl(
        named: "music",
        SourceVolume(minimumMillibels: -6_000)
      )
      let process = try #require(try card.control(Self.address).lockingProcess)
      #expect(throws: MixerError.controlLocked(Self.address, byProcess: process)) {
        _ = try card.makeSourceControl(named: "music", SourceVolume())
      }
      try other.unlock(old)
      let control = try card.makeSourceControl(named: "music", SourceVolume())
      #expect(control.rawMaximum == 601)
      #expect(control.number != old.number)
      #expect(throws: MixerError.controlVanished(Self.address)) { _ = try other.read(old) }
    }

    @Test("VOL-8a alsactl restore and amixer cannot touch it")
    func restored() throws {
      let card = try cleanCard()
      let control = try card.makeSourceControl(named: "music", SourceVolume())
      try card.write(control.values(200), to: control)
      #expect(shell("alsactl -f /run/tactus-test.state store Loopback").code == 0)
      try card.write(control.values(0), to: control)
      _ = shell("alsactl -f /run/tactus-test.state restore Loopback")
      _ = shell("alsactl -F -f /run/tactus-test.state restore Loopback")
      #expect(shell("amixer -c Loopback cset name='\(Self.address.name)' 601").code != 0)
      #expect(try card.read(try card.control(Self.address)).allEqual(0))
      #expect(try card.control(Self.address).number == control.number)
    }
  }
}
