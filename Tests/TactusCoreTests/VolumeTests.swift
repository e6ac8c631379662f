// SPDX-License-Identifier: Apache-2.0
//
// The volume rules: VOL.

import Testing

@testable import TactusCore

@Suite struct VolumeTests {
  // MARK: VOL-1

  @Test(
    "VOL-1 a press is one step of a sixteenth; off the grid it keeps its offset, and ends clamp",
    arguments: [
      (0, 625, 0), (1, 626, 0), (624, 1_249, 0), (626, 1_251, 1), (4_000, 4_625, 3_375),
      (9_375, 10_000, 8_750), (9_999, 10_000, 9_374), (10_000, 10_000, 9_375),
    ] as [(Int32, Int32, Int32)]
  )
  func step(before: Int32, up: Int32, down: Int32) {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(parts: before)))
    bench.press(.volumeUp)
    #expect(bench.level == up)
    bench.ask(.setLevel(.system, Level(parts: before)))
    bench.press(.volumeDown)
    #expect(bench.level == down)
  }

  @Test("VOL-1 a held button repeats after 400 ms, then every 100 ms, until it is released")
  func repeats() {
    var bench = Bench(.plain())
    let start = bench.policy.now
    bench.set(.volumeUp, true)
    bench.wait(790)
    bench.set(.volumeUp, false)
    bench.wait(1_000)
    let writes = bench.ticks(since: start) { if case .gain = $0 { true } else { false } }
    #expect(writes.map { ($0 - start - 1) * 5 } == [0, 400, 500, 600, 700])
  }

  @Test("VOL-1 a repeat stops at the end and writes nothing more")
  func repeatToTheEnd() {
    var bench = Bench(.plain())
    bench.set(.volumeUp, true)
    bench.wait(3_000)
    let start = bench.policy.now
    bench.wait(1_000)
    #expect(bench.level == 10_000)
    #expect(bench.gains(0, since: start) == [])
  }

  @Test("VOL-1 the start of a session ends the repeat, until the button is pressed anew")
  func sessionEndsRepeat() {
    var bench = Bench(.full(playing: false))
    bench.set(.volumeDown, true)
    bench.wait(500)
    bench.session(0, .activate)
    let level = bench.level
    let ringer = bench.snapshot.ringer
    bench.wait(1_000)
    #expect(bench.level == level)
    #expect(bench.snapshot.ringer == ringer)
    bench.set(.volumeDown, false)
    bench.wait(50)
    bench.press(.volumeDown)
    #expect(bench.level == level - 625)
  }

  @Test("VOL-1 a change of route and an unplug end the repeat", arguments: [true, false])
  func routeEndsRepeat(plugs: Bool) {
    var bench = Bench(.full())
    if !plugs { bench.plug(true) }
    bench.set(.volumeDown, true)
    bench.wait(50)
    bench.set(.headphoneDetect, plugs)
    bench.wait(250)
    let levels = bench.snapshot.outputs
    bench.wait(1_000)
    #expect(bench.snapshot.outputs[0].level == levels[0].level)
    #expect(bench.snapshot.outputs[1].level == levels[1].level)
  }

  @Test("VOL-1 a detent of the knob is one step", arguments: [-3, -1, 1, 3])
  func detent(count: Int) {
    var bench = Bench(.full())
    bench.turn(count)
    #expect(bench.level == 4_000 + 625 * Int32(count))
  }

  // MARK: VOL-2

  @Test(
    "VOL-2 who sounds decides whose volume the keys set, and 3 s after the last key it is settled",
    arguments: [nil] + TactusCore.Category.allCases.map { $0 },
    [nil, 10, 2_995, 3_000, 10_000] as [Int64?]
  )
  func keys(sounding: TactusCore.Category?, lastKeyAge: Int64?) {
    var configuration = Configuration.full(playing: false)
    configuration.sources.removeAll()
    configuration.sources.append(Source(category: .playback))
    configuration.sources.append(Source(category: .ringtone))
    configuration.sources.append(Source(category: sounding ?? .playback))
    var bench = Bench(configuration)
    if let lastKeyAge {
      bench.session(0, .activate)
      bench.set(.volumeUp, true)
      bench.set(.volumeUp, false)
      bench.ticks(5)
      #expect(bench.level == 4_625, "the key acts 30 ms after its edge")
      bench.give(.session(0, .deactivate))
      bench.ticks(lastKeyAge / 5 - 1)
    }
    if sounding != nil { bench.give(.session(2, .activate)) }
    bench.tick()
    let isRecent = lastKeyAge.map { $0 < 3_000 } ?? false
    let expected: Volume
    switch sounding {
    case .ambient, .soloAmbient, .playback, .playAndRecord: expected = .system
    case .alarm: expected = .ringer
    case nil, .record, .ringtone, .alert, .systemSound: expected = isRecent ? .system : .ringer
    }
    #expect(bench.snapshot.keysSet == expected)
  }

  @Test("VOL-2 a key sets the volume that is shown, and no other")
  func keysSet() {
    var bench = Bench(.full(playing: false))
    #expect(bench.snapshot.ringer == Level(percent: 60))
    bench.press(.volumeUp)
    #expect(bench.snapshot.ringer == Level(parts: 6_625))
    #expect(bench.level == 4_000)
    bench.session(0, .activate)
    #expect(bench.snapshot.keysSet == .system)
    bench.press(.volumeUp)
    #expect(bench.snapshot.ringer == Level(parts: 6_625))
    #expect(bench.level == 4_625)
  }

  @Test("VOL-2 where nothing rings, keys always set the system volume")
  func nothingRings() {
    for category in [TactusCore.Category.systemSound, .playback, .ambient] {
      var configuration = Configuration.one(category)
      configuration.sources[0].playsAtStart = false
      var bench = Bench(configuration)
      bench.press(.volumeUp)
      #expect(bench.level == 4_625)
    }
  }

  @Test("VOL-2 the ringer volume is one for all routes")
  func oneRinger() {
    var bench = Bench(.full(playing: false))
    bench.ask(.setLevel(.ringer, Level(percent: 30)))
    bench.plug(true)
    #expect(bench.snapshot.ringer == Level(percent: 30))
  }

  // MARK: VOL-2a

  @Test("VOL-2a the first key silences the ring until it starts anew, and changes no volume")
  func silencesRing() {
    var bench = Bench(.full(playing: false))
    bench.session(1, .activate)
    bench.wait(300)
    #expect(bench.hears(1))
    bench.press(.volumeDown)
    bench.wait(200)
    #expect(!bench.hears(1))
    #expect(bench.reasons(1) == .silencedByPerson)
    #expect(bench.snapshot.ringer == Level(percent: 60))
    #expect(bench.level == 4_000)
    bench.press(.volumeDown)
    #expect(bench.snapshot.ringer == Level(parts: 5_375))
    #expect(!bench.hears(1))
    bench.session(1, .deactivate)
    bench.session(1, .activate)
    bench.wait(300)
    #expect(bench.hears(1))
  }

  @Test("VOL-2a a ring is silenced by a key also within the 3 s of the last key")
  func silencesRingAtOnce() {
    var bench = Bench(.full())
    bench.press(.volumeUp)
    bench.session(0, .deactivate)
    bench.session(1, .activate)
    bench.wait(100)
    bench.press(.volumeUp)
    #expect(bench.reasons(1) == .silencedByPerson)
    #expect(bench.level == 4_625)
    #expect(bench.snapshot.ringer == Level(percent: 60))
  }

  @Test("VOL-2a a ring held down for does not go on to change a volume")
  func silencingDoesNotRepeat() {
    var bench = Bench(.full(playing: false))
    bench.session(1, .activate)
    bench.wait(100)
    bench.press(.volumeDown, for: 2_000)
    #expect(bench.snapshot.ringer == Level(percent: 60))
    #expect(bench.level == 4_000)
  }

  @Test("VOL-2a while music sounds too, the key sets its volume and the ring goes on")
  func ringWithMusic() {
    var bench = Bench(.full(music: .ambient))
    bench.session(1, .activate)
    bench.press(.volumeUp)
    #expect(bench.level == 4_625)
    #expect(bench.reasons(1) == .none)
  }

  @Test("VOL-2a a recording makes no sound, so the ring beside it is silenced by the first key")
  func ringWithRecording() {
    var configuration = Configuration.full(playing: false)
    configuration.sources.append(Source(category: .record, playsAtStart: true))
    var bench = Bench(configuration)
    bench.session(1, .activate)
    bench.wait(100)
    bench.press(.volumeUp)
    #expect(bench.reasons(1) == .silencedByPerson)
    #expect(bench.snapshot.ringer == Level(percent: 60))
  }

  @Test("VOL-2a the key silences the ring alone, not the music that plays at level 0")
  func silencesNothingElse() {
    var bench = Bench(.full(music: .ambient))
    bench.ask(.setLevel(.system, .zero))
    bench.session(1, .activate)
    bench.wait(300)
    bench.press(.volumeUp)
    #expect(bench.reasons(1) == .silencedByPerson)
    #expect(bench.reasons(0) == .levelZero)
    bench.ask(.setLevel(.system, Level(percent: 40)))
    bench.wait(400)
    #expect(bench.hears(0))
    #expect(!bench.hears(1))
  }

  @Test("VOL-2a while nothing but an alarm sounds, keys set the ringer, which governs it")
  func keysUnderAlarm() {
    var bench = Bench(.full(playing: false))
    bench.session(2, .activate)
    bench.wait(100)
    bench.press(.volumeUp)
    #expect(bench.snapshot.ringer == Level(parts: 6_625))
    #expect(bench.level == 4_000)
    #expect(bench.loudness(2, at: 0) == gain(6_625))
  }

  @Test("VOL-2a no mixer change, boot ceiling or limit writes the ringer")
  func onlyTheListener() {
    var saved = Saved()
    saved.ringer = .full
    var bench = Bench(.full(playing: false), saved: saved)
    bench.plug(true)
    bench.session(1, .activate)
    bench.wait(400)
    bench.give(.gain(output: 1, Gain(millibels: -4_000)))
    bench.wait(400)
    #expect(bench.snapshot.ringer == .full)
  }

  // MARK: VOL-2b, VOL-3

  /// Which of a call, a ring and an alarm sound, started in this order: an alarm interrupts a ring,
  /// and beside a call both are 20 dB lower (SES-2).
  static let companies: [Set<Int>] = [
    [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2],
  ]

  @Test(
    "VOL-2b VOL-3 everybody's loudness, alone and together",
    arguments: companies,
    [0, 1_000, 4_000, 6_000, 10_000] as [Int32]
  )
  func loudness(company: Set<Int>, system: Int32) {
    for ringer in [0, 1_000, 6_000, 10_000] as [Int32] {
      for hasVolume in [true, false] {
        var configuration = Configuration.full(playing: false, music: .playAndRecord)
        configuration.sources[0].mode = .voiceChat
        configuration.outputs[0].hasVolume = hasVolume
        var bench = Bench(configuration)
        bench.ask(.setLevel(.system, Level(parts: system)))
        bench.ask(.setLevel(.ringer, Level(parts: ringer)))
        for source in company.sorted() { bench.session(UInt8(source), .activate) }
        bench.wait(600)
        let isCallHeard = company.contains(0) && system > 0
        let alarm = max(ringer, 4_000)
        let levels = [
          system,
          isCallHeard ? min(ringer, system) : ringer,
          isCallHeard ? min(alarm, system) : alarm,
        ]
        let duck: Int32 = company.contains(0) ? 2_000 : 0
        for source in company {
          let isInterrupted = source == 1 && company.contains(2)
          let isHeard = levels[source] > 0 && (source != 1 || ringer > 0) && !isInterrupted
          let loudness = bench.loudness(source, at: 0)
          #expect((loudness != nil) == isHeard, "\(source) of \(company) at \(system), \(ringer)")
          guard let loudness else { continue }
          let expected = gain(levels[source]) - (source == 0 ? 0 : duck)
          #expect(abs(loudness - expected) <= 1, "\(source) of \(company)")
        }
      }
    }
  }

  @Test("VOL-2b alone, the codec is at the ringer's gain before the ring is heard")
  func codecFirst() {
    for ringer in [1_000, 10_000] as [Int32] {
      var bench = Bench(.full(playing: false))
      bench.ask(.setLevel(.ringer, Level(parts: ringer)))
      bench.wait(300)
      bench.session(1, .activate)
      for _ in 0..<20 {
        bench.tick()
        #expect(bench.loudness(1, at: 0).map { $0 <= gain(ringer) } ?? true)
      }
      #expect(bench.loudness(1, at: 0) == gain(ringer))
    }
  }

  @Test("VOL-2b VOL-3 on headphones neither ring nor alarm passes an armed limit")
  func limitedRing() {
    var bench = Bench(.full(playing: false))
    bench.plug(true)
    bench.ask(.setLevel(.ringer, .full))
    for source in 1...2 {
      bench.session(UInt8(source), .activate)
      bench.wait(400)
      #expect(bench.loudness(source, at: 1) == gain(6_250))
      bench.session(UInt8(source), .deactivate)
    }
  }

  @Test("VOL-3 the alarm's floor is 40 %, or as configured", arguments: [0, 20, 40, 70] as [Int32])
  func alarmFloor(percent: Int32) {
    var configuration = Configuration.full(playing: false)
    configuration.settings.alarmFloor = Level(percent: percent)
    #expect(Settings().alarmFloor == Level(percent: 40))
    var bench = Bench(configuration)
    bench.ask(.setLevel(.ringer, Level(percent: 30)))
    bench.session(2, .activate)
    bench.wait(400)
    #expect(bench.loudness(2, at: 0) == gain(max(percent, 30) * 100))
  }

  // MARK: VOL-4

  @Test("VOL-4 a 60 dB window gives the decibels of the rule at each sixteenth")
  func curve() {
    let curve = Curve(lowest: Gain(millibels: -10_300), top: .unity)
    let expected: [(Int32, Double)] = [
      (1, -48.4), (2, -40.4), (3, -34.2), (4, -29.3), (5, -25.1), (6, -21.5), (8, -15.6),
      (10, -10.7), (12, -6.6), (16, 0),
    ]
    for (sixteenths, decibels) in expected {
      let gain = curve.gain(at: Level(sixteenths: sixteenths))
      #expect(abs(Double(gain.millibels) / 100 - decibels) < 0.06, "at \(sixteenths)/16")
    }
    #expect(abs(Double(curve.gain(at: Level(percent: 40)).millibels) / 100 + 20.2) < 0.06)
    #expect(curve.floor == Gain(millibels: -6_000))
  }

  @Test("VOL-4 a window of 24 dB is linear in dB, a wider one is not")
  func linear() {
    let linear = Curve(lowest: Gain(millibels: -2_400), top: .unity)
    #expect(linear.gain(at: Level(percent: 50)) == Gain(millibels: -1_200))
    #expect(linear.gain(at: Level(percent: 25)) == Gain(millibels: -1_800))
    let wide = Curve(lowest: Gain(millibels: -2_401), top: .unity)
    #expect(wide.gain(at: Level(percent: 50)) > Gain(millibels: -1_100))
  }

  @Test("VOL-4 a codec's range that turns up late makes the curve anew")
  func lateWindow() {
    var bench = Bench(.plain())
    bench.give(.window(output: 0, lowest: Gain(millibels: -2_000), top: Gain(millibels: -600)))
    bench.wait(100)
    #expect(bench.hardware.gains[0] == Gain(millibels: -600 - 840))
    #expect(bench.level == 4_000)
  }

  // MARK: VOL-6

  @Test("VOL-6 somebody else's change is adopted, and neither written back nor forgotten")
  func adopted() {
    var bench = Bench(.full())
    bench.wait(600)
    let start = bench.policy.now
    bench.hardware.gains[0] = Gain(millibels: gain(7_000))
    bench.give(.gain(output: 0, Gain(millibels: gain(7_000))))
    bench.wait(600)
    #expect(abs(bench.level - 7_000) <= 1)
    #expect(bench.gains(0, since: start) == [])
    #expect(bench.hears(0))
  }

  @Test("VOL-6 what is too loud is overwritten at once, however often it was moved in one tick")
  func movedOften() {
    var bench = Bench(.full())
    bench.wait(600)
    let start = bench.policy.now
    let loud = Gain(millibels: 600)
    bench.hardware.gains[0] = loud
    for _ in 0..<6 { bench.give(.gain(output: 0, loud)) }
    bench.ticks(3)
    #expect(bench.gains(0, since: start) != [])
    #expect(bench.hardware.gains[0] != loud)
  }

  @Test("VOL-6 our own echo is no change of somebody else's")
  func echo() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(percent: 63)))
    bench.wait(50)
    for _ in 0..<5 {
      bench.give(.gain(output: 0, bench.hardware.gains[0]))
      bench.tick()
    }
    #expect(bench.level == 6_300)
    #expect(bench.notices() == [])
  }

  /// What keeps a foreign change from being adopted.
  enum Obstacle: CaseIterable { case mute, ramp, otherRoute, starting, ownMixer, ring }

  @Test(
    "VOL-6 while anything silences, ramps or starts, or elsewhere, it is overwritten",
    arguments: Obstacle.allCases
  )
  func overwritten(obstacle: Obstacle) {
    var configuration = Configuration.full(playing: obstacle != .ring)
    configuration.settings.ownsMixer = obstacle == .ownMixer
    var bench = Bench(configuration)
    var output = 0
    switch obstacle {
    case .mute:
      bench.press(.mute)
      bench.wait(200)
    case .ramp:
      bench.press(.mute)
      bench.wait(200)
      bench.set(.mute, true)
      bench.wait(100)
    case .otherRoute: output = 1
    case .starting:
      bench.give(.output(0, present: false))
      bench.tick()
      bench.give(.output(0, present: true))
      bench.tick()
    case .ownMixer: break
    case .ring:
      bench.session(1, .activate)
      bench.wait(400)
    }
    let foreign = Gain(millibels: -100)
    bench.hardware.gains[output] = foreign
    bench.give(.gain(output: UInt8(output), foreign))
    bench.wait(600)
    #expect(bench.snapshot.outputs[0].level == Level(percent: 40))
    #expect(bench.snapshot.outputs[1].level == Level(percent: 40))
    #expect(bench.hardware.gains[output] != foreign)
  }

  @Test("VOL-6 the third change within 10 s is told, naming the control's output; a later one not")
  func stubborn() {
    for (pause, isTold) in [(Int64(4_950), true), (5_050, false)] {
      var bench = Bench(.full())
      bench.press(.mute)
      bench.wait(200)
      for _ in 0..<3 {
        bench.give(.gain(output: 0, Gain(millibels: -100)))
        bench.wait(pause)
      }
      #expect(bench.notices().contains(.foreignMixer) == isTold)
    }
  }

  @Test("VOL-6 a foreign change does not pass max-level, an armed limit, or the window's top")
  func foreignIsCapped() {
    var capped = Configuration.full()
    capped.outputs[0].maximumLevel = Level(percent: 70)
    var bench = Bench(capped)
    bench.give(.gain(output: 0, .unity))
    bench.wait(100)
    #expect(bench.level == 7_000)
    #expect(bench.hardware.gains[0].millibels == gain(7_000))

    var limited = Bench(.full())
    limited.plug(true)
    limited.give(.gain(output: 1, .unity))
    limited.wait(100)
    #expect(limited.level == 6_250)
    #expect(limited.hardware.gains[1].millibels == gain(6_250))

    var topped = Bench(.full())
    topped.hardware.gains[0] = Gain(millibels: 600)
    topped.give(.gain(output: 0, Gain(millibels: 600)))
    topped.wait(100)
    #expect(topped.hardware.gains[0] == .unity)
  }

  // MARK: VOL-7

  @Test("VOL-7 each route remembers its level")
  func routeLevels() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(percent: 90)))
    bench.plug(true)
    #expect(bench.level == 4_000)
    bench.ask(.setLevel(.system, Level(percent: 20)))
    bench.plug(false)
    #expect(bench.level == 9_000)
    bench.plug(true)
    #expect(bench.level == 2_000)
  }

  @Test(
    "VOL-7 at boot the level is the stored one under the ceiling, on headphones the limit too",
    arguments: [
      (nil, 4_000, 4_000), (0, 0, 0), (3_500, 3_500, 3_500), (6_250, 6_250, 6_250),
      (6_251, 6_251, 6_250), (7_500, 7_500, 6_250), (7_501, 7_500, 6_250), (10_000, 7_500, 6_250),
    ] as [(Int32?, Int32, Int32)]
  )
  func boot(stored: Int32?, speaker: Int32, headphones: Int32) {
    var saved = Saved()
    for output in 0...1 { saved.levels[output] = stored.map { Level(parts: $0) } }
    let bench = Bench(.full(), saved: saved)
    #expect(bench.snapshot.outputs[0].level.parts == speaker)
    #expect(bench.snapshot.outputs[1].level.parts == headphones)
    #expect(bench.hardware.gains[0].millibels == gain(speaker) || speaker == 0)
  }

  @Test("VOL-7 the ceiling is for the boot alone")
  func ceilingOnce() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, .full))
    bench.plug(true)
    bench.plug(false)
    #expect(bench.level == 10_000)
  }

  // MARK: VOL-8

  @Test("VOL-8 F46 at 100 % hardware and 35 % stored: first 35 %, silent, and only then open")
  func bootLoud() throws {
    var saved = Saved()
    saved.levels[0] = Level(percent: 35)
    let bench = Bench(.full(), saved: saved)
    #expect(bench.gains(0).first == gain(3_500))
    let written = bench.ticks { $0 == .gain(output: 0, Gain(millibels: gain(3_500))) }[0]
    let silenced = bench.ticks { $0 == .switched(output: 0, on: false) }[0]
    let opened = bench.ticks { $0 == .switched(output: 0, on: true) }[0]
    #expect(silenced <= written)
    #expect(opened > written, "not before it was read back")
  }

  @Test("VOL-8 a codec that comes back is silent, written, read back, and then open")
  func reappearance() {
    var bench = Bench(.full())
    bench.give(.output(0, present: false))
    bench.give(.output(1, present: false))
    bench.wait(1_000)
    bench.hardware.gains[0] = .unity
    bench.hardware.switches[0] = true
    let start = bench.policy.now
    bench.give(.output(0, present: true))
    bench.tick()
    #expect(bench.switches(0, since: start) == [false])
    #expect(bench.gains(0, since: start) == [gain(4_000)])
    #expect(!bench.isOpen(0))
    bench.session(0, .play)
    bench.wait(500)
    #expect(bench.hears(0))
    #expect(bench.hardware.gains[0].millibels == gain(4_000))
  }

  @Test("VOL-8a sources stay at silence until the codec is ready")
  func sourcesWait() {
    var bench = Bench(.full(), starts: false)
    bench.wait(300)
    for source in 0...2 {
      #expect(bench.hardware.sources[source].isSilence)
      #expect(bench.sourceGains(UInt8(source)) == [nil])
    }
    bench.give(.output(0, present: true))
    bench.wait(500)
    #expect(bench.hears(0))
  }

  // MARK: VOL-9

  @Test("VOL-9 the steps of one tick are summed and written once")
  func summed() {
    var bench = Bench(.full())
    let start = bench.policy.now
    for _ in 0..<3 {
      for state: UInt8 in [0b01, 0b00, 0b10, 0b11] {
        bench.give(.edge(control: bench.index(.knob), state: state))
      }
    }
    bench.tick()
    #expect(bench.level == 4_000 + 3 * 625)
    #expect(bench.gains(0, since: start) == [gain(4_000 + 3 * 625)])
  }

  @Test("VOL-9 F25 nothing is written at a limit", arguments: [true, false])
  func nothingAtTheEnd(isTop: Bool) {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, isTop ? .full : .zero))
    bench.wait(500)
    let start = bench.policy.now
    bench.turn(isTop ? 10 : -10)
    bench.wait(500)
    #expect(bench.count(since: start) { $0.isWrite } == 0)
    #expect(bench.feedback(since: start) == Array(repeating: .light, count: 10))
  }

  @Test("VOL-9 a balance is sent once, and every gain is written again under it")
  func balance() {
    var bench = Bench(.full())
    let start = bench.policy.now
    #expect(bench.ask(.setBalance(-30)) == .done)
    bench.wait(100)
    #expect(bench.snapshot.balance == -30)
    #expect(bench.count(since: start) { $0 == .balance(-30) } == 1)
    #expect(bench.gains(0, since: start) == [gain(4_000)])
    for wrong: Int8 in [-101, 101, -128, 127] {
      #expect(bench.ask(.setBalance(wrong)) == .notOnThisDevice)
    }
    for right: Int8 in [-100, 100, 0] { #expect(bench.ask(.setBalance(right)) == .done) }
  }

  // MARK: VOL-10

  @Test("VOL-10 a player's trim lowers only itself")
  func trim() {
    var configuration = Configuration.full()
    configuration.sources[0].trim = Gain(millibels: -600)
    configuration.sources.append(Source(category: .playback, playsAtStart: true))
    let bench = Bench(configuration)
    #expect(bench.loudness(0, at: 0) == gain(4_000) - 600)
    #expect(bench.loudness(3, at: 0) == gain(4_000))
    #expect(bench.level == 4_000)
  }

  @Test("VOL-10 no session event changes a volume", arguments: SessionEvent.allCases)
  func eventsChangeNoVolume(event: SessionEvent) {
    var bench = Bench(.full())
    for source: UInt8 in 0...2 { bench.session(source, event) }
    #expect(bench.level == 4_000)
    #expect(bench.snapshot.ringer == Level(percent: 60))
    #expect(!bench.snapshot.isMuted)
  }

  // MARK: VOL-12

  @Test("VOL-12 the state is written 500 ms after the last change, and at most once in 5 s")
  func persisted() {
    var bench = Bench(.full())
    bench.wait(6_000)
    let start = bench.policy.now
    bench.ask(.setLevel(.system, Level(percent: 50)))
    bench.wait(300)
    bench.ask(.setLevel(.system, Level(percent: 51)))
    let last = bench.policy.now
    bench.wait(495)
    #expect(bench.count(since: start) { $0 == .persist } == 0)
    bench.wait(5)
    #expect(bench.ticks(since: start) { $0 == .persist } == [last + 100])
    bench.ask(.setLevel(.system, Level(percent: 52)))
    bench.wait(20_000)
    #expect(bench.ticks(since: start) { $0 == .persist } == [last + 100, last + 1_100])
  }

  @Test("VOL-12 changes without end are written all the same, every 5 s")
  func persistedMeanwhile() {
    var bench = Bench(.full())
    bench.wait(6_000)
    let start = bench.policy.now
    for number in 0..<100 as Range<Int32> {
      bench.ask(.setLevel(.system, Level(percent: 20 + number % 2)))
      bench.wait(195)
    }
    let writes = bench.ticks(since: start) { $0 == .persist }
    #expect((3...4).contains(writes.count))
    #expect(zip(writes, writes.dropFirst()).allSatisfy { $1 - $0 >= 1_000 })
  }

  @Test("VOL-12 levels, soft mute, route choice, ringer and balance are kept; reasons are not")
  func kept() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(percent: 33)))
    bench.ask(.setLevel(.ringer, Level(percent: 44)))
    bench.ask(.setBalance(5))
    bench.ask(.chooseRoute(0))
    bench.press(.mute)
    bench.set(.silentSwitch, true)
    bench.wait(200)
    let saved = bench.policy.saved
    #expect(saved.chosenRoute == 0)
    let again = Bench(.full(), saved: saved)
    #expect(again.level == 3_300)
    #expect(again.snapshot.ringer == Level(percent: 44))
    #expect(again.snapshot.balance == 5)
    #expect(again.snapshot.isMuted)
    #expect(!again.snapshot.isSilentSwitchOn)
    #expect(again.snapshot.reasons == .softMute)
  }

  @Test("VOL-12 nothing that was kept, or a route that no longer is, gives defaults")
  func defaults() {
    var saved = Saved()
    saved.chosenRoute = 4
    for bench in [Bench(.full()), Bench(.full(), saved: saved)] {
      #expect(bench.level == 4_000)
      #expect(bench.snapshot.ringer == Level(percent: 60))
      #expect(!bench.snapshot.isMuted)
      #expect(bench.snapshot.route == 0)
    }
  }

  @Test("VOL-12 what changes nothing is not written")
  func unchanged() {
    var bench = Bench(.full())
    bench.wait(6_000)
    let start = bench.policy.now
    bench.ask(.setLevel(.system, Level(percent: 40)))
    bench.ask(.setMute(false))
    bench.wait(6_000)
    bench.ask(.setLevel(.system, Level(percent: 40)))
    bench.wait(6_000)
    #expect(bench.count(since: start) { $0 == .persist } <= 1)
  }

  // MARK: VOL-15, VOL-16

  @Test("VOL-15 one view: level, ringer, mute, silence and the routes")
  func view() {
    var bench = Bench(.full())
    bench.ask(.setMute(true))
    bench.wait(200)
    let snapshot = bench.snapshot
    #expect(snapshot.level == Level(percent: 40))
    #expect(snapshot.ringer == Level(percent: 60))
    #expect(snapshot.isMuted)
    #expect(snapshot.isSilent)
    #expect(snapshot.reasons == .softMute)
    #expect(snapshot.route == 0)
    #expect(snapshot.outputs.count == 2)
    #expect(snapshot.outputs[0].isAvailable)
    #expect(!snapshot.outputs[1].isAvailable)
  }

  @Test("VOL-16 max-level stops keys, knob, software and stored levels, per route")
  func maximum() {
    var configuration = Configuration.full()
    configuration.outputs[0].maximumLevel = Level(percent: 50)
    configuration.settings.limitsHeadphones = false
    var saved = Saved()
    saved.levels[0] = Level(percent: 70)
    var bench = Bench(configuration, saved: saved)
    #expect(bench.level == 5_000)
    bench.ask(.setLevel(.system, Level(percent: 40)))
    let start = bench.policy.now
    bench.press(.volumeUp)
    #expect(bench.feedback(since: start) == [.selection])
    bench.press(.volumeUp)
    #expect(bench.level == 5_000)
    #expect(bench.feedback(since: start) == [.selection, .light])
    bench.turn(2)
    #expect(bench.level == 5_000)
    #expect(bench.ask(.setLevel(.system, Level(parts: 5_001))) == .limited)
    #expect(bench.ask(.setLevel(.system, Level(parts: 5_000))) == .done)
    #expect(bench.ask(.step(.system, 1)) == .limited)
    #expect(bench.level == 5_000)
    bench.plug(true)
    #expect(bench.ask(.setLevel(.system, .full)) == .done)
    #expect(bench.level == 10_000)
  }

  @Test("VOL-16 nothing comes out above max-level, neither ring nor alarm")
  func maximumForAll() {
    var configuration = Configuration.full(playing: false)
    configuration.outputs[0].maximumLevel = Level(percent: 20)
    var bench = Bench(configuration)
    for source in 1...2 {
      bench.session(UInt8(source), .activate)
      bench.wait(400)
      #expect(bench.loudness(source, at: 0) == gain(2_000))
      bench.session(UInt8(source), .deactivate)
    }
  }

  @Test("VOL-16 a max-level that is lowered holds at once, without a click")
  func lowered() {
    var bench = Bench(.full())
    var configuration = bench.policy.configuration
    configuration.outputs[0].maximumLevel = Level(percent: 30)
    let start = bench.policy.now
    bench.policy.reconfigure(configuration)
    bench.wait(100)
    #expect(bench.level == 3_000)
    #expect(bench.gains(0, since: start) == [gain(3_000)])
    #expect(bench.switches(0, since: start) == [])
  }

  /// Millibels of the 60 dB window at a level.
  private func gain(_ parts: Int32) -> Int32 { referenceGain(parts) }
}

/// The formula of VOL-4 over a window of 60 dB below 0 dB, in floating point.
func referenceGain(_ parts: Int32, floor: Double = -60, top: Double = 0) -> Int32 {
  let floorRatio = power(10, (floor - top) / 60)
  let ratio = floorRatio + Double(parts) / 10_000 * (1 - floorRatio)
  return Int32((100 * (top + 60 * logarithm(ratio))).rounded())
}
