// SPDX-License-Identifier: Apache-2.0
//
// The rules of the tick: T.

import Testing

@testable import TactusCore

@Suite struct TickTests {
  @Test("T-1 milliseconds become ticks rounded up, for every period of 1…20 ms", arguments: 1...20)
  func roundingUp(period: Int64) {
    let timing = Timing(tickMicroseconds: Int32(period) * 1_000)
    for milliseconds in Int64(0)...100 {
      let ticks = timing.ticks(milliseconds: milliseconds)
      #expect(ticks * period >= milliseconds, "\(milliseconds) ms are not cut short")
      #expect((ticks - 1) * period < milliseconds, "\(milliseconds) ms take no tick too many")
    }
  }

  @Test(
    "T-1 the period is 1…20 ms, 5 ms unless told otherwise",
    arguments: [(999, 1_000), (1_000, 1_000), (1_001, 1_001), (20_000, 20_000), (20_001, 20_000)]
  )
  func period(asked: Int32, given: Int32) {
    #expect(Timing(tickMicroseconds: asked).tickMicroseconds == given)
    #expect(Timing().tickMicroseconds == 5_000)
  }

  @Test(
    "T-1 every duration is its rule's number, whatever the period",
    arguments: [1, 3, 5, 7, 20]
  )
  func durations(period: Int64) {
    let timing = Timing(tickMicroseconds: Int32(period) * 1_000)
    let rules: [(Tick, Int64)] = [
      (timing.fadeOutTicks, 50), (timing.fadeInTicks, 250), (timing.routeFadeTicks, 50),
      (timing.startTicks, 10), (timing.sourceSettleTicks, 20), (timing.repeatDelayTicks, 400),
      (timing.repeatIntervalTicks, 100), (timing.pairWindowTicks, 30),
      (timing.pairHoldTicks, 1_000), (timing.stuckTicks, 60_000), (timing.powerHoldTicks, 2_000),
      (timing.plugTicks, 200), (timing.pauseAnswerTicks, 1_000), (timing.keyTargetTicks, 3_000),
      (timing.limitWindowTicks, 3_000), (timing.limitKnobRestTicks, 300),
      (timing.limitRearmTicks, 72_000_000), (timing.auditTicks, 500),
      (timing.persistDelayTicks, 500), (timing.persistIntervalTicks, 5_000),
      (timing.detectStuckTicks, 10_000), (timing.detectIdleTicks, 604_800_000),
      (timing.foreignWindowTicks, 10_000),
    ]
    for (ticks, milliseconds) in rules {
      #expect(ticks == (milliseconds + period - 1) / period, "\(milliseconds) ms")
    }
    #expect(timing.confirmTicks == 3)
    #expect(timing.lateTicks == 200)
  }

  @Test("T-1 a duration of n ticks has elapsed at the n-th tick after, not one before")
  func elapsed() {
    var bench = Bench(.plain())
    bench.set(.volumeUp, true)
    bench.ticks(79)
    #expect(bench.level == 4_625)
    bench.tick()
    #expect(bench.level == 5_250)
  }

  @Test(
    "T-1 timers go before the releases of their tick: at 400 ms the repeat comes, before it not",
    arguments: [(79, 1), (80, 2), (99, 2), (100, 3)] as [(Int64, Int32)]
  )
  func timersBeforeReleases(releasedAt: Int64, steps: Int32) {
    var bench = Bench(.plain())
    bench.set(.volumeUp, true)
    bench.ticks(releasedAt - 1)
    bench.set(.volumeUp, false)
    bench.wait(1_000)
    #expect(bench.level == 4_000 + steps * 625)
  }

  @Test("T-1 an edge belongs to the tick that drains it")
  func edges() {
    var bench = Bench(.plain())
    let start = bench.policy.now
    bench.set(.volumeUp, true)
    #expect(bench.ticks(since: start) { if case .gain = $0 { true } else { false } } == [start + 1])
  }

  @Test("T-2 a tick with nothing to do changes nothing")
  func idleTicks() {
    var bench = Bench(.full(playing: false))
    bench.wait(1_000)
    let before = bench.snapshot
    let saved = bench.history.count
    bench.ticks(1_000)
    #expect(bench.snapshot.facts == before.facts)
    #expect(bench.history.count == saved)
  }

  @Test(
    "T-3 up to 200 missed ticks are stepped one by one; more are jumped, and levels re-read",
    arguments: [1, 2, 80, 199, 200, 201, 1_000]
  )
  func lateWake(missed: Tick) {
    var bench = Bench(.plain())
    bench.set(.volumeUp, true)
    bench.ticks(2)
    var stepped = bench
    let due = bench.policy.deadline ?? 0
    stepped.ticks(due + missed - bench.policy.now)
    let start = bench.policy.now
    bench.tick(at: due + missed)
    #expect(bench.snapshot.lateTicks == missed)
    #expect(bench.policy.now == stepped.policy.now)
    if missed <= 200 {
      #expect(bench.level == stepped.level)
    } else {
      #expect(bench.count(since: start) { $0 == .readLevels } >= 1)
      #expect(bench.level <= stepped.level)
    }
  }

  @Test("T-3 waking at the deadline is not late, and an input that comes before it neither")
  func inTime() {
    var bench = Bench(.plain())
    for _ in 0..<20 { bench.wake() }
    bench.set(.volumeUp, true)
    #expect(bench.snapshot.lateTicks == 0)
  }

  @Test("T-4 facts come before intents: a step goes from what somebody else has just set")
  func factsFirst() {
    var bench = Bench(.plain())
    let half = bench.policy.configuration.outputs[0].curve.gain(at: Level(percent: 50))
    bench.give(.gain(output: 0, half))
    bench.set(.volumeUp, true)
    #expect(bench.level == 5_000 + 625)
  }

  @Test(
    "T-4 intents come before the decisions of their tick: what is muted as it starts stays mute"
  )
  func silenceFirst() {
    var bench = Bench(.one(.ambient))
    bench.ask(.setMute(true))
    bench.wait(200)
    bench.give(.request(token: 9, .setMute(false)))
    bench.set(.silentSwitch, true)
    for _ in 0..<100 {
      #expect(!bench.hears(0))
      bench.tick()
    }
  }

  @Test("T-4 sessions come before the route: what starts in the tick of an unplug is paused too")
  func sessionsBeforeRoute() {
    var bench = Bench(.full(playing: false))
    bench.plug(true)
    bench.set(.headphoneDetect, false)
    bench.ticks(39)
    let start = bench.policy.now
    bench.give(.session(0, .activate))
    bench.tick()
    #expect(bench.snapshot.route == 0)
    #expect(bench.count(since: start) { $0 == .pause(source: 0) } == 1)
  }

  @Test("T-5 an idle device answers in the tick of the edge")
  func answersAtOnce() {
    var bench = Bench(.plain())
    bench.wait(2_000)
    let start = bench.policy.now
    bench.set(.volumeUp, true)
    #expect(bench.gains(0, since: start).count == 1)
    #expect(bench.milliseconds(after: start) { if case .gain = $0 { true } else { false } } == 5)
  }

  @Test("T-6 while a session sounds the only wakeup is the level audit, every 500 ms")
  func audit() {
    var bench = Bench(.plain())
    bench.wait(2_000)
    while bench.policy.now < 2_000 { bench.wake() }
    let start = bench.policy.now
    let before = bench.history.count
    for _ in 0..<20 { bench.wake() }
    #expect(bench.policy.now - start == 20 * 100)
    #expect(bench.history[before...].allSatisfy { $0.effect == .readLevels })
    #expect(bench.history.count - before == 20)
  }

  @Test("T-6 when nothing sounds there is no wakeup at all")
  func idle() {
    var configuration = Configuration.plain()
    configuration.sources[0].playsAtStart = false
    var bench = Bench(configuration)
    bench.wait(10_000)
    #expect(bench.policy.deadline == nil)
  }

  @Test("T-6 levels are audited while a button is held, and no more when it is released")
  func heldAudit() {
    var configuration = Configuration.plain()
    configuration.sources[0].playsAtStart = false
    var bench = Bench(configuration)
    bench.set(.volumeUp, true)
    bench.wait(1_000)
    let held = bench.policy.now
    bench.wait(5_000)
    #expect(bench.count(since: held) { $0 == .readLevels } == 10)
    bench.set(.volumeUp, false)
    bench.wait(100)
    let released = bench.policy.now
    bench.wait(5_000)
    #expect(bench.count(since: released) { $0 == .readLevels } == 0)
  }

  @Test("T-7 the amplifier is silenced first, then every source and the codec, before any sound")
  func startOrder() throws {
    var configuration = Configuration.full()
    configuration.outputs[0].amplifier = Amplifier()
    var bench = Bench(configuration, starts: false)
    bench.give(.output(0, present: true))
    bench.give(.output(1, present: true))
    bench.tick()
    let effects = bench.effects(at: 1)
    let amplifier = try #require(effects.firstIndex(of: .amplifier(output: 0, on: false)))
    let writes = effects.indices.filter { effects[$0].isWrite }
    #expect(writes.first == amplifier)
    for output: UInt8 in 0...1 {
      #expect(effects.contains(.switched(output: output, on: false)))
      #expect(effects.contains(.lock(output: output, true)))
    }
    for source: UInt8 in 0...2 { #expect(effects.contains(.source(source, .silence))) }
    #expect(!effects.contains { $0.isUnsilencing })
  }

  @Test("T-7 nothing opens before the codec was read back as silent and at its gain")
  func startWaitsForTruth() {
    var bench = Bench(.plain(), starts: false)
    bench.keepsQuiet = { if case .gain = $0 { true } else { false } }
    bench.give(.level(control: 0, state: 0))
    bench.give(.output(0, present: true))
    for _ in 0..<30 {
      bench.tick()
      #expect(!bench.isOpen(0) || bench.policy.now == 1)
      #expect(bench.snapshot.reasons == .starting)
    }
    bench.give(.gain(output: 0, bench.hardware.gains[0]))
    bench.keepsQuiet = { _ in false }
    bench.wait(500)
    #expect(bench.isOpen(0))
    #expect(bench.snapshot.reasons == .none)
  }

  @Test("T-7 controls are locked while starting, and free as soon as the codec is known to be safe")
  func locks() {
    var bench = Bench(.plain())
    let locks = bench.history.compactMap { entry -> Bool? in
      if case .lock(0, let isLocked) = entry.effect { isLocked } else { nil }
    }
    #expect(locks == [true, false])
    let freed = bench.ticks { $0 == .lock(output: 0, false) }[0]
    let opened = bench.ticks { $0 == .switched(output: 0, on: true) }[0]
    #expect(freed <= opened)
    bench.wait(100)
  }

  @Test("T-7 a first sample is a fact, never a press", arguments: Role.allCases)
  func firstSample(role: Role) {
    guard role != .knob else { return }
    var configuration = Configuration.plain()
    configuration.controls.removeAll()
    configuration.controls.append(Control(role: role))
    var bench = Bench(configuration, starts: false)
    bench.give(.level(control: 0, state: 1))
    bench.give(.output(0, present: true))
    bench.wait(3_000)
    #expect(bench.level == 4_000)
    #expect(bench.snapshot.isMuted == false)
    #expect(bench.count { if case .finished = $0 { true } else { false } } == 0)
    #expect(bench.feedback() == [])
    bench.give(.edge(control: 0, state: 0))
    bench.wait(100)
    #expect(bench.level == 4_000)
    #expect(bench.snapshot.isMuted == false)
  }
}

extension Effect {
  /// Whether it writes to the hardware.
  var isWrite: Bool {
    switch self {
    case .gain, .switched, .amplifier, .source: true
    default: false
    }
  }

  /// Whether it takes away a silence that the hardware gives.
  var isUnsilencing: Bool {
    switch self {
    case .switched(_, let on), .amplifier(_, let on): on
    case .source(_, let gain): !gain.isSilence
    default: false
    }
  }
}
