// SPDX-License-Identifier: Apache-2.0
//
// The silence rules: SIL.

import Testing

@testable import TactusCore

/// Everything that can silence one session, together.
struct SilencingCase: CustomTestStringConvertible {
  var category: TactusCore.Category
  var isSwitchOn: Bool
  var isMuted: Bool
  var isLevelZero: Bool
  var muteSilencesAlarms: Bool

  /// All combinations.
  static let all = TactusCore.Category.allCases.flatMap { category in
    (0..<16).map { bits in
      SilencingCase(
        category: category,
        isSwitchOn: bits & 1 != 0,
        isMuted: bits & 2 != 0,
        isLevelZero: bits & 4 != 0,
        muteSilencesAlarms: bits & 8 != 0
      )
    }
  }

  /// What the rules say: who obeys the switch, whom the mute spares, and which levels can be zero.
  var expected: SilenceReasons {
    var reasons: Set<UInt16> = []
    let obeysSwitch: [TactusCore.Category] = [
      .ambient, .soloAmbient, .ringtone, .alert, .systemSound,
    ]
    if isSwitchOn && obeysSwitch.contains(category) {
      reasons.insert(SilenceReasons.silentSwitch.rawValue)
    }
    if isMuted && (category != .alarm || muteSilencesAlarms) {
      reasons.insert(SilenceReasons.softMute.rawValue)
    }
    if isLevelZero && category != .alarm { reasons.insert(SilenceReasons.levelZero.rawValue) }
    return SilenceReasons(rawValue: reasons.reduce(0, |))
  }

  var testDescription: String {
    "\(category) switch \(isSwitchOn) mute \(isMuted) zero \(isLevelZero) all \(muteSilencesAlarms)"
  }
}

/// The three kinds of ways to the ear: a codec with volume and switch, with volume alone, with
/// neither.
private let outputKinds = [(true, true), (true, false), (false, false), (false, true)]

@Suite struct SilenceTests {
  @Test(
    "SIL-1 SIL-4 SIL-7 who is silent and why: category × switch × mute × level zero",
    arguments: SilencingCase.all
  )
  func whoIsSilent(silencing: SilencingCase) {
    for (hasVolume, hasSwitch) in outputKinds {
      var configuration = Configuration.one(
        silencing.category,
        hasVolume: hasVolume,
        hasSwitch: hasSwitch
      )
      configuration.settings.muteSilencesAlarms = silencing.muteSilencesAlarms
      var bench = Bench(configuration)
      if silencing.isLevelZero {
        bench.ask(.setLevel(.system, .zero))
        bench.ask(.setLevel(.ringer, .zero))
      }
      if silencing.isMuted { bench.ask(.setMute(true)) }
      bench.set(.silentSwitch, silencing.isSwitchOn)
      bench.wait(400)
      guard silencing.category != .record else { continue }
      #expect(bench.reasons(0) == silencing.expected)
      #expect(bench.hears(0) == silencing.expected.isEmpty)
      #expect(bench.snapshot.isSilent == !silencing.expected.isEmpty)
    }
  }

  @Test(
    "SIL-1 the switch begins to silence in its tick and has silenced after the fade of 50 ms",
    arguments: [TactusCore.Category.ambient, .soloAmbient, .ringtone, .alert, .systemSound]
  )
  func switchTiming(category: TactusCore.Category) {
    for (hasVolume, hasSwitch) in outputKinds {
      var bench = Bench(.one(category, hasVolume: hasVolume, hasSwitch: hasSwitch))
      #expect(bench.hears(0))
      let start = bench.policy.now
      bench.set(.silentSwitch, true)
      #expect(bench.effects(at: start + 1).contains { $0.isWrite })
      #expect(bench.hears(0))
      bench.ticks(8)
      #expect(bench.hears(0), "faded, not cut")
      bench.ticks(2)
      #expect(!bench.hears(0))
    }
  }

  @Test("SIL-1 with nobody left who may sound the codec's switch does it, else the source's gain")
  func whoDoesTheSilencing() {
    var configuration = Configuration.one(.ambient)
    configuration.sources.append(Source(category: .playback, playsAtStart: true))
    var bench = Bench(configuration)
    bench.set(.silentSwitch, true)
    bench.wait(200)
    #expect(bench.isOpen(0))
    #expect(bench.hardware.sources[0].isSilence)
    #expect(bench.hears(1))

    var alone = Bench(.one(.ambient))
    let start = alone.policy.now
    alone.set(.silentSwitch, true)
    alone.wait(200)
    #expect(alone.switches(0, since: start) == [false])
  }

  @Test("SIL-2 F50 a switch that is on at boot lets nothing out, and can be switched off")
  func switchOnAtBoot() {
    var bench = Bench(.one(.ambient), starts: false)
    bench.give(.level(control: bench.index(.silentSwitch), state: 1))
    bench.give(.output(0, present: true))
    bench.tick()
    for _ in 0..<200 {
      bench.tick()
      #expect(!bench.hears(0))
    }
    #expect(bench.snapshot.isSilentSwitchOn)
    bench.set(.silentSwitch, false)
    bench.wait(400)
    #expect(!bench.snapshot.isSilentSwitchOn)
    #expect(bench.hears(0))
  }

  @Test("SIL-3 software does not clear a hardware switch, and is told so")
  func hardwareSwitch() {
    var bench = Bench(.one(.ambient))
    bench.set(.silentSwitch, true)
    bench.wait(200)
    #expect(bench.ask(.setSilent(false)) == .refusedByHardwareSwitch)
    #expect(bench.snapshot.isSilentSwitchOn)
    #expect(!bench.hears(0))
  }

  @Test("SIL-3 where no switch is fitted, software is the switch")
  func softwareSwitch() {
    var configuration = Configuration.plain()
    configuration.sources[0].category = .ambient
    var bench = Bench(configuration)
    #expect(bench.ask(.setSilent(true)) == .done)
    bench.wait(200)
    #expect(bench.reasons(0) == .silentSwitch)
    #expect(!bench.hears(0))
    #expect(bench.ask(.setSilent(false)) == .done)
    bench.wait(400)
    #expect(bench.hears(0))
  }

  @Test("SIL-3 clearing the mute under the switch succeeds and answers what still silences")
  func muteUnderSwitch() {
    var bench = Bench(.one(.ambient))
    bench.ask(.setMute(true))
    bench.set(.silentSwitch, true)
    #expect(bench.ask(.setMute(false)) == .stillSilent)
    #expect(!bench.snapshot.isMuted)
    #expect(bench.reasons(0) == .silentSwitch)
  }

  @Test("SIL-3 a latching mute is not cleared by software, and is where it is put")
  func latchingMute() {
    var configuration = Configuration.one(.playback)
    configuration.controls[1].latching = true
    var bench = Bench(configuration)
    bench.set(.mute, true)
    bench.wait(200)
    #expect(!bench.hears(0))
    #expect(bench.ask(.setMute(false)) == .refusedByHardwareSwitch)
    bench.wait(200)
    #expect(!bench.hears(0))
    bench.set(.mute, false)
    bench.wait(400)
    #expect(bench.hears(0))
  }

  @Test("SIL-4 under an alarm every other source is silent at the ear before the codec opens")
  func alarmUnderMute() {
    for hasVolume in [true, false] {
      var configuration = Configuration.full()
      configuration.outputs[0].hasVolume = hasVolume
      var bench = Bench(configuration)
      bench.press(.mute)
      bench.wait(200)
      #expect(!bench.isOpen(0))
      bench.session(2, .activate)
      for _ in 0..<100 {
        bench.tick()
        #expect(!bench.hears(0))
      }
      #expect(bench.hears(2))
      bench.session(2, .deactivateNotifying)
      for _ in 0..<100 {
        bench.tick()
        #expect(!bench.hears(0))
      }
      #expect(bench.snapshot.isMuted)
      #expect(!bench.isOpen(0))
      bench.press(.mute)
      bench.wait(400)
      #expect(bench.hears(0))
    }
  }

  @Test("SIL-4 the soft mute silences an alarm only where the listener says so")
  func muteSilencesAlarms() {
    var configuration = Configuration.one(.alarm)
    configuration.settings.muteSilencesAlarms = true
    var bench = Bench(configuration)
    bench.ask(.setMute(true))
    bench.wait(100)
    #expect(bench.reasons(0) == .softMute)
    #expect(!bench.hears(0))
  }

  @Test(
    "SIL-5 volume-up un-mutes and then steps, also at maximum; from level 0 it is one step in all",
    arguments: [(0, 625), (1, 626), (4_000, 4_625), (9_375, 10_000), (10_000, 10_000)]
      as [(Int32, Int32)]
  )
  func volumeUpUnmutes(before: Int32, after: Int32) {
    var bench = Bench(.one(.playback))
    bench.ask(.setLevel(.system, Level(parts: before)))
    bench.ask(.setMute(true))
    bench.wait(200)
    bench.press(.volumeUp)
    #expect(!bench.snapshot.isMuted)
    #expect(bench.level == after)
  }

  @Test("SIL-5 volume-down stays muted and lowers")
  func volumeDownStaysMuted() {
    var bench = Bench(.full())
    bench.press(.mute)
    bench.press(.volumeDown)
    bench.wait(200)
    #expect(bench.snapshot.isMuted)
    #expect(bench.level == 4_000 - 625)
    #expect(!bench.hears(0))
  }

  @Test("SIL-5 a level set by software leaves the mute")
  func softwareLeavesMute() {
    var bench = Bench(.full())
    bench.press(.mute)
    for request: Request in [
      .setLevel(.system, Level(percent: 70)), .step(.system, 1), .setLevel(.ringer, .full),
      .setGain(.system, Gain(millibels: -1_000)),
    ] {
      #expect(bench.ask(request) == .done)
      #expect(bench.snapshot.isMuted)
    }
  }

  @Test("SIL-5 no volume control changes the silent switch")
  func volumeLeavesSwitch() {
    var bench = Bench(.full())
    bench.set(.silentSwitch, true)
    bench.press(.volumeUp)
    bench.press(.volumeDown)
    bench.turn(3)
    bench.turn(-3)
    bench.ask(.setLevel(.system, .full))
    #expect(bench.snapshot.isSilentSwitchOn)
  }

  @Test("SIL-6 un-mute restores the exact level, whatever it was", arguments: 0...40)
  func exactLevel(case number: Int32) {
    let parts = 1 + number * 249
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(parts: parts)))
    bench.wait(50)
    let gain = bench.hardware.gains[0]
    bench.press(.mute)
    bench.wait(200)
    bench.press(.mute)
    bench.wait(400)
    #expect(bench.level == parts)
    #expect(bench.hardware.gains[0] == gain)
  }

  @Test("SIL-6 from system level 0 an un-mute is one step, even while the keys set the ringer")
  func unmuteFromZero() {
    var bench = Bench(.full(playing: false))
    bench.ask(.setLevel(.system, .zero))
    bench.press(.mute)
    #expect(bench.snapshot.keysSet == .ringer)
    bench.press(.mute)
    #expect(bench.level == 625)
    #expect(bench.snapshot.ringer == Level(percent: 60))
  }

  @Test("SIL-6 mute is idempotent: twice muted, once un-muted is the level before")
  func idempotent() {
    var bench = Bench(.full())
    let changes = bench.policy.now
    #expect(bench.ask(.setMute(true)) == .done)
    #expect(bench.ask(.setMute(true)) == .done)
    bench.wait(200)
    #expect(bench.switches(0, since: changes) == [false])
    #expect(bench.ask(.setMute(false)) == .done)
    #expect(bench.ask(.setMute(false)) == .done)
    bench.wait(400)
    #expect(bench.level == 4_000)
    #expect(bench.hears(0))
  }

  @Test("SIL-7 level 0 is silence by the switch or the amplifier, not the codec's lowest gain")
  func levelZero() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(parts: 1)))
    bench.wait(100)
    #expect(bench.hears(0))
    bench.ask(.setLevel(.system, .zero))
    bench.wait(100)
    #expect(!bench.hardware.switches[0])
    #expect(bench.reasons(0) == .levelZero)

    var configuration = Configuration.one(.playback, hasVolume: true, hasSwitch: false)
    configuration.outputs[0].amplifier = Amplifier()
    var amplified = Bench(configuration)
    #expect(amplified.hears(0))
    amplified.ask(.setLevel(.system, .zero))
    amplified.wait(100)
    #expect(!amplified.hardware.amplifiers[0])
  }

  @Test("SIL-8 to silence: 50 ms of falling gain, then the switch")
  func fadeOut() {
    var bench = Bench(.full())
    let start = bench.policy.now
    bench.set(.mute, true)
    bench.wait(200)
    let off = bench.ticks(since: start) { $0 == .switched(output: 0, on: false) }
    let gains = bench.gains(0, since: start)
    #expect(off.count == 1)
    #expect((9...10).contains(off[0] - (start + 1)), "50 ms after the press")
    #expect(zip(gains, gains.dropFirst()).prefix(8).allSatisfy { $0 > $1 })
    #expect(gains[0] < -2_023 && gains[0] > -2_500, "it begins in the tick of the press")
    #expect(gains.prefix(9).last ?? 0 < -5_500, "it ends near the window's floor")
  }

  @Test("SIL-8 from silence: the switch first at the lowest gain, then 250 ms of rising gain")
  func fadeIn() throws {
    var bench = Bench(.full())
    bench.press(.mute)
    bench.wait(200)
    let start = bench.policy.now
    bench.set(.mute, true)
    #expect(bench.hardware.switches[0])
    #expect(bench.hardware.gains[0].millibels == -6_000)
    let order = bench.effects(at: start + 1).filter { $0.isWrite }
    #expect(order == [.gain(output: 0, Gain(millibels: -6_000)), .switched(output: 0, on: true)])
    bench.ticks(49)
    #expect(bench.hardware.gains[0].millibels < -2_023)
    bench.tick()
    #expect(bench.hardware.gains[0].millibels == -2_023)
    let gains = bench.gains(0, since: start)
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("SIL-8 a reversal goes on from the gain it has, at the slope of its way", arguments: 1...9)
  func reversal(after ticks: Int64) throws {
    var bench = Bench(.full())
    bench.set(.mute, true)
    bench.set(.mute, false)
    bench.ticks(ticks - 2 > 0 ? ticks - 2 : 0)
    bench.give(.request(token: 1, .setMute(false)))
    let before = bench.hardware.gains[0].millibels
    let start = bench.policy.now
    bench.tick()
    bench.wait(400)
    let gains = bench.gains(0, since: start)
    #expect(bench.switches(0, since: start) == [], "it was never off")
    #expect(try #require(gains.first) > before)
    let slope = (-2_023 + 6_000) / 50
    #expect(try #require(gains.first) - before <= Int32(slope + 1))
    #expect(gains.last == -2_023)
  }

  @Test("SIL-8 a sound that starts begins at its gain, within 10 ms of its start")
  func start() {
    var bench = Bench(.full(playing: false))
    bench.wait(500)
    let start = bench.policy.now
    bench.session(0, .activate)
    bench.tick()
    #expect(bench.loudness(0, at: 0) == -2_023)
    #expect(bench.gains(0, since: start).count <= 1)
  }

  @Test("SIL-8 a sound that starts while the codec is silent is at its gain 10 ms after it opens")
  func startFromSilence() throws {
    var bench = Bench(.full())
    bench.press(.mute)
    bench.wait(300)
    let start = bench.policy.now
    bench.session(2, .activate)
    bench.wait(300)
    let opened = try #require(
      bench.ticks(since: start) { $0 == .switched(output: 0, on: true) }.first
    )
    let last = try #require(
      bench.ticks(since: start) { if case .gain = $0 { true } else { false } }.last
    )
    #expect(last - opened == 2)
    #expect(bench.loudness(2, at: 0) == referenceGain(6_000))
  }

  @Test("SIL-8 having nothing to play is no silence reason")
  func nothingToPlay() {
    let bench = Bench(.full(playing: false))
    #expect(bench.snapshot.reasons == .none)
    for source in 0...2 { #expect(bench.reasons(source) == .none) }
  }

  @Test("SIL-9 what is shown is what was read back, never what was asked for")
  func truth() {
    var bench = Bench(.full())
    bench.refuses = { if case .switched(_, let on) = $0 { !on } else { false } }
    bench.press(.mute)
    bench.wait(60)
    #expect(bench.snapshot.isMuted)
    #expect(bench.snapshot.outputs[0].appliedOn == true)
    #expect(!bench.snapshot.isSilent)

    var lowered = Bench(.full())
    lowered.refuses = { if case .gain = $0 { true } else { false } }
    lowered.ask(.setLevel(.system, Level(percent: 90)))
    lowered.wait(50)
    #expect(lowered.snapshot.outputs[0].appliedGain == Gain(millibels: -2_023))
    #expect(lowered.level == 9_000)
  }

  @Test("SIL-9 the codec reads silent only when it has answered")
  func silentWhenAnswered() {
    var bench = Bench(.full())
    bench.press(.mute)
    bench.wait(200)
    #expect(bench.snapshot.isSilent)
    #expect(bench.snapshot.outputs[0].appliedOn == false)
  }

  @Test("SIL-10 each reason is ended by its own cause only")
  func ownCause() {
    var bench = Bench(.one(.ambient))
    bench.set(.silentSwitch, true)
    bench.ask(.setMute(true))
    bench.ask(.setLevel(.system, .zero))
    bench.wait(100)
    let all = SilenceReasons.silentSwitch.union(.softMute).union(.levelZero)
    #expect(bench.reasons(0) == all)
    bench.ask(.setLevel(.system, Level(percent: 30)))
    #expect(bench.reasons(0) == SilenceReasons.silentSwitch.union(.softMute))
    bench.set(.silentSwitch, false)
    bench.wait(50)
    #expect(bench.reasons(0) == .softMute)
    #expect(!bench.hears(0))
    bench.ask(.setMute(false))
    #expect(bench.reasons(0) == .none)
    bench.wait(400)
    #expect(bench.hears(0))
    #expect(bench.level == 3_000)
  }

  @Test("SIL-10 the codec is silent exactly when every session is")
  func everySession() {
    var configuration = Configuration.one(.ambient)
    configuration.sources.append(Source(category: .ringtone, playsAtStart: true))
    var bench = Bench(configuration)
    bench.ask(.setLevel(.system, .zero))
    bench.wait(300)
    #expect(bench.isOpen(0))
    bench.set(.silentSwitch, true)
    bench.wait(300)
    #expect(!bench.isOpen(0))
  }

  @Test("SIL-11 a silence not confirmed within 3 ticks drops the amplifier line")
  func unconfirmedWithAmplifier() throws {
    var configuration = Configuration.full()
    configuration.outputs[0].amplifier = Amplifier()
    var bench = Bench(configuration)
    #expect(bench.hears(0))
    bench.refuses = { $0 == .switched(output: 0, on: false) }
    bench.press(.mute)
    bench.wait(300)
    #expect(!bench.hardware.amplifiers[0])
    #expect(!bench.hears(0))
  }

  @Test("SIL-11 without an amplifier every source goes to 0, the state is fault: not silent")
  func unconfirmedWithoutAmplifier() throws {
    var bench = Bench(.full())
    bench.keepsQuiet = { $0 == .switched(output: 0, on: false) }
    bench.refuses = bench.keepsQuiet
    let start = bench.policy.now
    bench.set(.mute, true)
    bench.wait(100)
    let closed = try #require(
      bench.ticks(since: start) { $0 == .switched(output: 0, on: false) }.first
    )
    let noticed = bench.ticks(since: start) { $0 == .notice(.notSilent, 0, count: 1) }
    #expect(noticed == [closed + 3])
    let silenced = try #require(bench.ticks(since: start) { $0 == .source(0, .silence) }.first)
    #expect(silenced <= closed + 4)
    #expect(bench.snapshot.reasons.contains(.fault))
    #expect(bench.snapshot.outputs[0].isFaulty)
    #expect(!bench.snapshot.isSilent)
    #expect(bench.feedback(since: start).contains(.failure))
    for source in 0...2 { #expect(bench.hardware.sources[source].isSilence) }
    bench.refuses = { _ in false }
    bench.keepsQuiet = { _ in false }
    bench.set(.mute, false)
    bench.wait(1_500)
    #expect(!bench.snapshot.outputs[0].isFaulty)
    #expect(bench.snapshot.isSilent)
  }

  @Test("SIL-11 a silence confirmed in the third tick is no fault")
  func confirmedJustInTime() throws {
    var bench = Bench(.full())
    bench.keepsQuiet = { $0 == .switched(output: 0, on: false) }
    bench.set(.mute, true)
    while bench.switches(0, since: bench.policy.now - 1) != [false] { bench.tick() }
    bench.ticks(2)
    bench.give(.switched(output: 0, on: false))
    bench.wait(100)
    #expect(bench.notices() == [])
    #expect(bench.snapshot.isSilent)
  }

  @Test("SIL-11 the amplifier line is written before the codec")
  func amplifierFirst() throws {
    var configuration = Configuration.full()
    configuration.outputs[0].amplifier = Amplifier()
    configuration.outputs[0].detect = nil
    var bench = Bench(configuration)
    let start = bench.policy.now
    bench.set(.headphoneDetect, true)
    bench.wait(300)
    let off = try #require(
      bench.history.firstIndex {
        $0.tick > start && $0.effect == .amplifier(output: 0, on: false)
      }
    )
    let codec = try #require(
      bench.history.firstIndex { $0.tick > start && $0.effect == .switched(output: 0, on: false) }
    )
    #expect(off < codec)
  }
}
