// SPDX-License-Identifier: Apache-2.0
//
// The route rules: RTE.

import Testing

@testable import TactusCore

@Suite struct RouteTests {
  // MARK: RTE-1

  @Test("RTE-1 a plug stable for 200 ms turns the speaker off and the headphones on in one tick")
  func plug() {
    var bench = Bench(.full())
    let start = bench.policy.now
    bench.set(.headphoneDetect, true)
    bench.wait(195)
    #expect(bench.snapshot.route == 0)
    #expect(bench.hears(0, at: 0))
    bench.wait(5)
    #expect(bench.snapshot.route == 1)
    let off = bench.milliseconds(after: start) { $0 == .switched(output: 0, on: false) }
    let on = bench.milliseconds(after: start) { $0 == .switched(output: 1, on: true) }
    #expect(off == 205)
    #expect(on == off)
    #expect(bench.hardware.gains[1] == Gain(millibels: -6_000), "at the lowest gain")
    bench.wait(40)
    #expect(bench.hardware.gains[1] < Gain(millibels: referenceGain(4_000)))
    bench.wait(15)
    #expect(bench.hardware.gains[1] == Gain(millibels: referenceGain(4_000)))
    #expect(bench.count(since: start) { if case .pause = $0 { true } else { false } } == 0)
  }

  @Test("RTE-1 a chattering plug counts from its last edge, and leaves the speaker on meanwhile")
  func chatter() {
    var bench = Bench(.full())
    let start = bench.policy.now
    bench.play(.headphoneDetect, [(0, 1), (20, 0), (25, 1), (150, 0), (152, 1)])
    let last = bench.policy.now
    while bench.snapshot.route == 0 && bench.policy.now < start + 1_000 {
      #expect(bench.hears(0, at: 0))
      bench.tick()
    }
    #expect(bench.policy.now - last == 40)
  }

  @Test("RTE-1 nothing is inaudible for more than 60 ms, with volume and without")
  func gap() {
    for hasVolume in [true, false] {
      var configuration = Configuration.full()
      for output in 0...1 { configuration.outputs[output].hasVolume = hasVolume }
      var bench = Bench(configuration)
      bench.set(.headphoneDetect, true)
      var silent = 0
      for _ in 0..<200 {
        bench.tick()
        silent = bench.hears(0) ? 0 : silent + 1
        #expect(silent <= 12)
      }
      #expect(bench.hears(0, at: 1))
      #expect(!bench.hears(0, at: 0))
    }
  }

  // MARK: RTE-2

  @Test("RTE-2 the first edge of an unplug silences within its tick, whatever comes after")
  func unplug() {
    var bench = Bench(.full())
    bench.plug(true)
    let start = bench.policy.now
    bench.set(.headphoneDetect, false)
    #expect(!bench.isOpen(1))
    #expect(bench.switches(1, since: start) == [false])
    #expect(bench.gains(1, since: start) == [], "no fade")
    #expect(bench.snapshot.reasons == .routeSettling)
    bench.wait(195)
    #expect(bench.snapshot.route == 1)
    bench.wait(5)
    #expect(bench.snapshot.route == 0)
    #expect(bench.count(since: start) { $0 == .pause(source: 0) } == 1)
    #expect(bench.switches(0, since: start) == [])
    bench.session(0, .pauseAnswered)
    bench.wait(100)
    #expect(bench.switches(0, since: start) == [true])
    #expect(bench.snapshot.sources[0].isPlaying == false)
  }

  @Test(
    "RTE-2 back within 200 ms: un-silence, and nothing else happened",
    arguments: [5, 50, 100, 190] as [Int64]
  )
  func backInTime(away: Int64) {
    var bench = Bench(.full())
    bench.plug(true)
    let start = bench.policy.now
    bench.set(.headphoneDetect, false)
    bench.ticks(away / 5 - 1)
    bench.set(.headphoneDetect, true)
    bench.wait(400)
    #expect(bench.snapshot.route == 1)
    #expect(bench.switches(1, since: start) == [false, true])
    #expect(bench.hears(0, at: 1))
    #expect(bench.count(since: start) { if case .pause = $0 { true } else { false } } == 0)
    #expect(bench.count(since: start) { if case .routeChanged = $0 { true } else { false } } == 0)
    #expect(bench.feedback(since: start) == [])
  }

  @Test("RTE-2 the 200 ms count from the first edge: chatter of a plug on its way out adds nothing")
  func chatterOnTheWayOut() {
    var bench = Bench(.full())
    bench.plug(true)
    let start = bench.policy.now
    bench.play(.headphoneDetect, [(0, 0), (100, 1), (103, 0), (180, 1), (183, 0)])
    bench.ticks(start + 40 - bench.policy.now)
    #expect(bench.snapshot.route == 1)
    bench.tick()
    #expect(bench.snapshot.route == 0)
  }

  @Test("RTE-2 one that has not answered within 1000 ms stays silent until started explicitly")
  func answer() {
    for (after, isHeard) in [(Int64(995), true), (1_000, true), (1_005, false)] {
      var bench = Bench(.full())
      bench.plug(true)
      let start = bench.policy.now
      bench.set(.headphoneDetect, false)
      bench.wait(200)
      #expect(bench.ticks(since: start) { $0 == .pause(source: 0) } == [bench.policy.now])
      bench.ticks(after / 5 - 1)
      bench.session(0, .pauseAnswered)
      bench.session(0, .playing)
      bench.wait(400)
      #expect(bench.hears(0) == isHeard, "answered after \(after) ms")
      bench.session(0, .play)
      bench.wait(400)
      #expect(bench.hears(0, at: 0))
    }
  }

  @Test("RTE-2 a source whose player never answers is not heard on the speaker, however long")
  func noAnswer() {
    var bench = Bench(.full())
    bench.plug(true)
    bench.set(.headphoneDetect, false)
    for _ in 0..<1_000 {
      bench.tick()
      #expect(!bench.hears(0))
    }
    #expect(bench.reasons(0) == .awaitingPause)
  }

  @Test(
    "RTE-2 paused are music and games, not alarms, rings, sounds, calls, recordings, or opt-outs",
    arguments: TactusCore.Category.allCases,
    Mode.allCases
  )
  func whoIsPaused(category: TactusCore.Category, mode: Mode) {
    for optsOut in [false, true] {
      var configuration = Configuration.full(playing: false)
      configuration.sources[0] = Source(
        category: category,
        mode: mode,
        pausesOnUnplug: !optsOut,
        hasPlayer: true,
        playsAtStart: true
      )
      var bench = Bench(configuration)
      bench.plug(true)
      let start = bench.policy.now
      bench.plug(false)
      let isCall = category == .playAndRecord && mode == .voiceChat
      let pauses: [TactusCore.Category] = [.ambient, .soloAmbient, .playback, .playAndRecord]
      let isPaused = pauses.contains(category) && !isCall && !optsOut
      #expect(bench.count(since: start) { $0 == .pause(source: 0) } == (isPaused ? 1 : 0))
      guard category != .record else { continue }
      #expect(bench.hears(0, at: 0) == !isPaused)
    }
  }

  @Test("RTE-2 the next route opens at once for what goes on, though others have not answered")
  func opensForTheRest() {
    var configuration = Configuration.full()
    configuration.sources[1].playsAtStart = true
    var bench = Bench(configuration)
    bench.plug(true)
    bench.set(.headphoneDetect, false)
    bench.wait(200)
    #expect(!bench.hears(1))
    bench.ticks(10)
    #expect(bench.hears(1, at: 0))
    for _ in 0..<100 {
      bench.tick()
      #expect(!bench.hears(0))
    }
  }

  @Test("RTE-2 unplugging a route that is not in use does nothing")
  func unusedRoute() {
    var bench = Bench(.full())
    bench.plug(true)
    bench.ask(.chooseRoute(0))
    bench.session(0, .play)
    bench.wait(400)
    let start = bench.policy.now
    bench.plug(false)
    #expect(bench.snapshot.route == 0)
    #expect(bench.count(since: start) { $0.isWrite } == 0)
    #expect(bench.count(since: start) { if case .pause = $0 { true } else { false } } == 0)
    #expect(bench.hears(0, at: 0))
  }

  // MARK: RTE-3

  @Test(
    "RTE-3 plugging never starts what was paused, unless the listener wants it",
    arguments: [
      false, true,
    ]
  )
  func replug(resumes: Bool) {
    var configuration = Configuration.full()
    configuration.settings.resumesOnReplug = resumes
    var bench = Bench(configuration)
    bench.plug(true)
    bench.plug(false)
    bench.session(0, .pauseAnswered)
    let start = bench.policy.now
    bench.plug(true)
    #expect(bench.count(since: start) { $0 == .resume(source: 0) } == (resumes ? 1 : 0))
    #expect(bench.snapshot.sources[0].isPlaying == false)
  }

  @Test(
    "RTE-3 what a person paused is not resumed by a replug",
    arguments: [
      SessionEvent.pause, .stop,
    ]
  )
  func pausedByPerson(event: SessionEvent) {
    var configuration = Configuration.full()
    configuration.settings.resumesOnReplug = true
    var bench = Bench(configuration)
    bench.plug(true)
    bench.plug(false)
    bench.session(0, .pauseAnswered)
    bench.session(0, event)
    let start = bench.policy.now
    bench.plug(true)
    #expect(bench.count(since: start) { $0 == .resume(source: 0) } == 0)
  }

  // MARK: RTE-4

  /// What can happen to routes, one after the other.
  enum Act: CaseIterable { case plug, unplug, chooseSpeaker, chooseHeadphones, lose, find }

  /// All sequences of three acts.
  static let sequences: [[Act]] = Act.allCases.flatMap { first in
    Act.allCases.flatMap { second in Act.allCases.map { [first, second, $0] } }
  }

  @Test("RTE-4 the latest act of a person wins, whatever went before", arguments: sequences)
  func acts(sequence: [Act]) {
    var bench = Bench(.full())
    bench.plug(true)
    bench.plug(false)
    // Plugged, the headphones' card present, the speaker chosen over plugged headphones.
    var isIn = false
    var isPresent = true
    var wantsSpeaker = false
    var wantedWhenLost = false
    var actsSinceLost = 0
    for act in sequence {
      switch act {
      case .plug:
        if !isIn {
          wantsSpeaker = false
          actsSinceLost += 1
        }
        isIn = true
        bench.plug(true)
      case .unplug:
        isIn = false
        bench.plug(false)
      case .chooseSpeaker:
        wantsSpeaker = true
        actsSinceLost += 1
        #expect(bench.ask(.chooseRoute(0)) == .done)
      case .chooseHeadphones:
        let isThere = isIn && isPresent
        #expect(bench.ask(.chooseRoute(1)) == (isThere ? .done : .noSuchRoute))
        if isThere {
          wantsSpeaker = false
          actsSinceLost += 1
        }
      case .lose:
        if isPresent {
          wantedWhenLost = isIn && !wantsSpeaker
          actsSinceLost = 0
        }
        isPresent = false
        bench.give(.output(1, present: false))
      case .find:
        if !isPresent && wantedWhenLost && actsSinceLost == 0 { wantsSpeaker = false }
        isPresent = true
        bench.give(.output(1, present: true))
      }
      bench.wait(600)
      let expected: UInt8 = isIn && isPresent && !wantsSpeaker ? 1 : 0
      #expect(bench.snapshot.route == expected, "after \(act) of \(sequence)")
    }
  }

  @Test("RTE-4 a device that returns by itself is not taken if a person chose meanwhile")
  func returnsTooLate() {
    for chooses in [false, true] {
      var configuration = Configuration.full()
      configuration.outputs[1].detect = nil
      configuration.outputs[1].kind = .line
      var bench = Bench(configuration)
      #expect(bench.snapshot.route == 1, "priority")
      bench.give(.output(1, present: false))
      bench.wait(300)
      #expect(bench.snapshot.route == 0)
      if chooses { bench.ask(.chooseRoute(0)) }
      bench.give(.output(1, present: true))
      bench.wait(300)
      #expect(bench.snapshot.route == (chooses ? 0 : 1))
    }
  }

  @Test("RTE-4 without an act, history decides, then priority")
  func history() {
    var configuration = Configuration.full()
    configuration.outputs[1].detect = nil
    var third = configuration.outputs[0]
    third.kind = .line
    third.priority = 5
    configuration.outputs.append(third)
    var bench = Bench(configuration)
    #expect(bench.snapshot.route == 2)
    bench.ask(.chooseRoute(0))
    bench.ask(.chooseRoute(2))
    bench.wait(200)
    bench.give(.output(2, present: false))
    bench.wait(200)
    #expect(bench.snapshot.route == 0, "used later than 1, though of lower priority")
    bench.give(.output(0, present: false))
    bench.wait(200)
    #expect(bench.snapshot.route == 1)
  }

  @Test("RTE-4 plugged headphones at boot are the route; a choice that was kept is too")
  func atBoot() {
    var bench = Bench(.full(), starts: false)
    bench.give(.level(control: bench.index(.headphoneDetect), state: 1))
    for output: UInt8 in 0...1 { bench.give(.output(output, present: true)) }
    bench.wait(300)
    #expect(bench.snapshot.route == 1)
    #expect(!bench.hears(0, at: 0))
  }

  // MARK: RTE-5, RTE-6

  @Test("RTE-5 a change of route alters neither the soft mute nor another route's level")
  func untouched() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(percent: 55)))
    bench.press(.mute)
    bench.plug(true)
    bench.ask(.setLevel(.system, Level(percent: 22)))
    bench.ask(.chooseRoute(0))
    bench.wait(400)
    #expect(bench.snapshot.isMuted)
    #expect(bench.snapshot.outputs[0].level == Level(percent: 55))
    #expect(bench.snapshot.outputs[1].level == Level(percent: 22))
    for output in 0...1 { #expect(!bench.isOpen(output)) }
  }

  private func changes(_ bench: Bench, since tick: Tick) -> [Effect] {
    bench.history.filter { entry in
      guard entry.tick > tick, case .routeChanged = entry.effect else { return false }
      return true
    }.map(\.effect)
  }

  @Test("RTE-6 each change of route is told once, with its reason and the route before")
  func reasons() {
    var bench = Bench(.full())
    #expect(
      changes(bench, since: 0) == [.routeChanged(.newDeviceAvailable, previous: nil, current: 0)]
    )
    func expect(_ reason: RouteChange, _ previous: UInt8?, _ current: UInt8?, since: Tick) {
      #expect(
        changes(bench, since: since)
          == [.routeChanged(reason, previous: previous, current: current)]
      )
    }
    var start = bench.policy.now
    bench.plug(true)
    expect(.newDeviceAvailable, 0, 1, since: start)
    start = bench.policy.now
    bench.ask(.chooseRoute(0))
    bench.wait(300)
    expect(.override, 1, 0, since: start)
    start = bench.policy.now
    bench.ask(.chooseRoute(1))
    bench.wait(300)
    expect(.override, 0, 1, since: start)
    start = bench.policy.now
    bench.plug(false)
    expect(.oldDeviceUnavailable, 1, 0, since: start)
    start = bench.policy.now
    bench.give(.output(0, present: false))
    bench.wait(300)
    expect(.noSuitableRoute, 0, nil, since: start)
    start = bench.policy.now
    bench.give(.output(0, present: true))
    bench.wait(300)
    expect(.newDeviceAvailable, nil, 0, since: start)
  }

  @Test("RTE-6 a choice of the route in use changes nothing and tells nothing")
  func noChange() {
    var bench = Bench(.full())
    let start = bench.policy.now
    #expect(bench.ask(.chooseRoute(0)) == .done)
    bench.wait(300)
    #expect(changes(bench, since: start) == [])
    #expect(bench.count(since: start) { $0.isWrite } == 0)
    for route: UInt8 in [2, 5, 255] { #expect(bench.ask(.chooseRoute(route)) == .noSuchRoute) }
  }

  // MARK: RTE-8

  @Test("RTE-8 a card that vanishes is told of once, and once when it is back")
  func cardAway() {
    var bench = Bench(.full())
    for _ in 0..<3 {
      bench.give(.output(0, present: false))
      bench.wait(1_000)
    }
    #expect(bench.notices() == [.outputLost])
    #expect(bench.snapshot.route == nil)
    for _ in 0..<3 {
      bench.give(.output(0, present: true))
      bench.wait(1_000)
    }
    #expect(bench.notices() == [.outputLost, .outputBack])
    #expect(bench.snapshot.route == 0)
    #expect(bench.hardware.gains[0] == Gain(millibels: referenceGain(4_000)))
  }

  @Test("RTE-8 a vanished card is an unplug: playing sessions are paused")
  func cardAwayPauses() {
    var bench = Bench(.full())
    let start = bench.policy.now
    bench.give(.output(0, present: false))
    bench.tick()
    #expect(bench.count(since: start) { $0 == .pause(source: 0) } == 1)
    bench.session(0, .pauseAnswered)
    bench.give(.output(0, present: true))
    bench.wait(500)
    #expect(!bench.hears(0))
    bench.session(0, .play)
    bench.wait(500)
    #expect(bench.hears(0, at: 0))
  }

  @Test("RTE-2 a button held since before the card vanished starts nothing again")
  func cardAwayWhileHeld() {
    // Wherever the vanishing falls between two repeats.
    for delay in stride(from: 400, through: 600, by: 5) as StrideThrough<Int64> {
      var configuration = Configuration.full()
      configuration.sources[0].hasPlayer = false
      var bench = Bench(configuration)
      bench.plug(true)
      bench.session(0, .play)
      bench.wait(500)
      bench.set(.volumeDown, true)
      bench.set(.volumeDown, false)
      bench.wait(100)
      bench.set(.volumeUp, true)
      bench.wait(delay)
      bench.give(.output(1, present: false))
      bench.wait(300)
      #expect(bench.reasons(0).contains(.awaitingPause), "\(delay) ms")
      #expect(!bench.hears(0))
    }
  }

  @Test("RTE-8 without a card keys are taken, and nothing is written to it")
  func keysWithoutCard() {
    var bench = Bench(.full())
    bench.give(.output(0, present: false))
    bench.wait(300)
    let start = bench.policy.now
    bench.session(0, .play)
    bench.press(.volumeUp)
    #expect(bench.snapshot.outputs[0].level == Level(parts: 4_625))
    #expect(bench.gains(0, since: start) == [])
    bench.give(.output(0, present: true))
    bench.tick()
    #expect(bench.gains(0, since: start) == [referenceGain(4_625)])
  }

  // MARK: RTE-9

  @Test("RTE-9 a detect line active for 10 s since boot is reported, once, and not before")
  func detectStuck() {
    var bench = Bench(.full(), starts: false)
    bench.give(.level(control: bench.index(.headphoneDetect), state: 1))
    for output: UInt8 in 0...1 { bench.give(.output(output, present: true)) }
    bench.tick()
    bench.ticks(1_999)
    #expect(bench.notices() == [])
    bench.tick()
    #expect(bench.notices() == [.detectStuck])
    bench.ticks(4_000)
    #expect(bench.notices() == [.detectStuck])
    #expect(bench.ask(.chooseRoute(0)) == .done)
    bench.wait(300)
    #expect(bench.hears(0, at: 0))
  }

  @Test("RTE-9 a detect line that never moved for 7 days is reported, and can be chosen against")
  func detectIdle() {
    var bench = Bench(.full(playing: false))
    let week: Tick = 7 * 24 * 3_600 * 200
    while let deadline = bench.policy.deadline, deadline < week { bench.wake() }
    bench.tick(at: week)
    #expect(bench.notices() == [])
    bench.tick(at: week + 1)
    #expect(bench.notices() == [.detectIdle])
    #expect(bench.ask(.chooseRoute(1)) == .done)
    bench.wait(300)
    #expect(bench.snapshot.route == 1)
  }

  @Test("RTE-9 a detect line that moved is believed")
  func detectMoves() {
    var bench = Bench(.full(playing: false))
    bench.plug(true)
    bench.plug(false)
    #expect(bench.policy.deadline == nil || bench.policy.deadline ?? 0 < 10_000)
    #expect(bench.ask(.chooseRoute(1)) == .noSuchRoute)
  }

  // MARK: RTE-10

  private func amplified(enable: Tick, disable: Tick, idle: Tick = 0) -> Configuration {
    var configuration = Configuration.full()
    configuration.outputs[0].amplifier = Amplifier(
      enableTicks: enable,
      disableTicks: disable,
      idleOffTicks: idle
    )
    return configuration
  }

  @Test("RTE-10 the amplifier is enabled after the codec is open and has settled")
  func enabled() {
    for enable in [0, 1, 10, 40] as [Tick] {
      let bench = Bench(amplified(enable: enable, disable: 0))
      let open = bench.ticks { $0 == .switched(output: 0, on: true) }[0]
      let on = bench.ticks { $0 == .amplifier(output: 0, on: true) }[0]
      #expect(on - open == enable)
      #expect(bench.hears(0))
    }
  }

  @Test("RTE-10 the amplifier is silent before the codec closes, for its time")
  func disabled() throws {
    for disable in [0, 1, 10] as [Tick] {
      var bench = Bench(amplified(enable: 0, disable: disable))
      let start = bench.policy.now
      bench.set(.headphoneDetect, true)
      bench.wait(500)
      let off = try #require(
        bench.ticks(since: start) { $0 == .amplifier(output: 0, on: false) }.first
      )
      let closed = try #require(
        bench.ticks(since: start) { $0 == .switched(output: 0, on: false) }.first
      )
      #expect(closed - off == disable)
    }
  }

  @Test("RTE-10 idle-off silences the amplifier after its time without sound; the default never")
  func idleOff() {
    var bench = Bench(amplified(enable: 0, disable: 0, idle: 200))
    bench.session(0, .notPlaying)
    bench.ticks(199)
    #expect(bench.hardware.amplifiers[0])
    bench.ticks(1)
    #expect(!bench.hardware.amplifiers[0])
    bench.session(0, .playing)
    bench.wait(500)
    #expect(bench.hears(0))

    var never = Bench(amplified(enable: 0, disable: 0))
    never.session(0, .notPlaying)
    never.wait(60_000)
    #expect(never.hardware.amplifiers[0])
  }

  @Test("RTE-10 at shutdown everything is silent before it is finished, and the state written")
  func shutDown() throws {
    var bench = Bench(amplified(enable: 0, disable: 10))
    let start = bench.policy.now
    #expect(bench.ask(.shutDown) == .done)
    bench.wait(1_000)
    let finished = bench.ticks(since: start) { $0 == .finished(powerOff: false) }
    #expect(finished.count == 1)
    let off = try #require(
      bench.ticks(since: start) { $0 == .amplifier(output: 0, on: false) }.last
    )
    #expect(off < finished[0])
    #expect(bench.ticks(since: start) { $0 == .persist }.last == finished[0])
    #expect(!bench.hardware.amplifiers[0])
    #expect(!bench.hardware.switches[0])
    let ended = bench.policy.now
    bench.session(0, .play)
    bench.wait(1_000)
    #expect(bench.count(since: ended) { $0.isUnsilencing } == 0)
  }

  @Test("RTE-10 a shutdown ends also when the hardware says nothing")
  func shutDownInSilence() {
    var bench = Bench(amplified(enable: 0, disable: 10))
    bench.keepsQuiet = { $0.isWrite }
    let start = bench.policy.now
    bench.ask(.shutDown)
    bench.wait(1_000)
    #expect(bench.count(since: start) { $0 == .finished(powerOff: false) } == 1)
  }
}
