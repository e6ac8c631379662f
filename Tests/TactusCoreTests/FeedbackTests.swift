// SPDX-License-Identifier: Apache-2.0
//
// What the device answers to the hand: the types, FBK-2; the channels, FBK-1, FBK-3, FBK-4; what is
// prepared, FBK-5; what is not repeated, FBK-6; and what programs may ask for, FBK-8.

import Testing

@testable import TactusCore

extension Configuration {
  /// `full` with light, motor and sound; the sounds are source 3.
  static func answering(
    playing: Bool = false,
    _ channels: FeedbackChannels = .all
  ) -> Configuration {
    var configuration = full(playing: playing)
    configuration.controls.append(Control(role: .microphoneSwitch))
    configuration.controls.append(Control(role: .playPause))
    configuration.hasCaptureSwitch = true
    configuration.feedbackChannels = channels
    guard channels.contains(.sound) else { return configuration }
    configuration.soundSource = UInt8(configuration.sources.count)
    configuration.sources.append(Source(category: .systemSound, hasPlayer: true))
    return configuration
  }
}

extension Bench {
  /// What was answered on which channels since a tick.
  fileprivate func answers(since tick: Tick = 0) -> [Answered] {
    history.compactMap { entry in
      guard entry.tick > tick, case .feedback(let type, let channels) = entry.effect,
        !channels.isEmpty
      else { return nil }
      return Answered(type, channels)
    }
  }

  fileprivate func plays(since tick: Tick) -> Int {
    count(since: tick) { effect in
      switch effect {
      case .feedback(_, let channels): channels.contains(.sound)
      case .playSound: true
      default: false
      }
    }
  }
}

private struct Answered: Equatable {
  var type: Feedback
  var channels: FeedbackChannels

  init(_ type: Feedback, _ channels: FeedbackChannels) {
    self.type = type
    self.channels = channels
  }
}

@Suite("Feedback")
struct FeedbackTests {
  // MARK: Types

  @Test("FBK-2 every event has its type, and heavy is none of our own")
  func meanings() {
    let table: [(FeedbackEvent, Feedback)] = [
      (.volumeStep, .selection), (.rangeEnd, .light), (.limitStop, .warning),
      (.limitRearmed, .warning), (.silentSwitchMoved, .medium), (.muteChanged, .medium),
      (.microphoneSwitched, .medium), (.routeChanged, .medium), (.refused, .failure),
      (.recordingRefused, .failure), (.fault, .failure), (.asked(.heavy), .heavy),
    ]
    for (event, feedback) in table { #expect(event.feedback == feedback) }
    for feedback in Feedback.allCases {
      #expect(FeedbackEvent.asked(feedback).feedback == feedback)
    }
  }

  /// What a hand does, and what it is answered with.
  struct Touch: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: Feedback
    let before: @Sendable (inout Bench) -> Void
    let act: @Sendable (inout Bench) -> Void

    init(
      _ name: String,
      _ type: Feedback,
      before: @escaping @Sendable (inout Bench) -> Void = { _ in },
      act: @escaping @Sendable (inout Bench) -> Void
    ) {
      testDescription = name
      self.type = type
      self.before = before
      self.act = act
    }
  }

  /// Nothing plays, the mute is on, and the silent switch too.
  private static let muteUnderSwitch: @Sendable (inout Bench) -> Void = {
    $0.session(0, .stop)
    $0.press(.mute)
    $0.set(.silentSwitch, true)
    $0.wait(100)
  }

  static let touches: [Touch] = [
    Touch("a step", .selection) { $0.press(.volumeUp) },
    Touch("a step of the ringer", .selection, before: { $0.session(0, .stop) }) {
      $0.press(.volumeDown)
    },
    Touch("the end", .light, before: { $0.ask(.setLevel(.system, .full)) }) { $0.press(.volumeUp) },
    Touch("the other end", .light, before: { $0.ask(.setLevel(.system, Level(sixteenths: 1))) }) {
      $0.press(.volumeDown)
    },
    Touch("the silent switch", .medium) { $0.set(.silentSwitch, true) },
    Touch("the silent switch off", .medium, before: { $0.set(.silentSwitch, true) }) {
      $0.set(.silentSwitch, false)
    },
    Touch("mute", .medium) { $0.press(.mute) },
    Touch("un-mute", .medium, before: { $0.press(.mute) }) { $0.press(.mute) },
    Touch("headphones in", .medium) { $0.plug(true) },
    Touch("headphones out", .medium, before: { $0.plug(true) }) { $0.plug(false) },
    Touch("the microphone's switch", .medium) { $0.set(.microphoneSwitch, true) },
    Touch(
      "the headphone limit",
      .warning,
      before: {
        $0.plug(true)
        $0.ask(.setLevel(.system, Level(sixteenths: 10)))
      },
      act: { $0.press(.volumeUp) }
    ),
    Touch(
      "crossing it",
      .selection,
      before: {
        $0.plug(true)
        $0.ask(.setLevel(.system, Level(sixteenths: 10)))
        $0.press(.volumeUp)
        $0.wait(200)
      },
      act: { $0.press(.volumeUp) }
    ),
    Touch(
      "un-mute that the silent switch refuses",
      .failure,
      before: muteUnderSwitch,
      act: { $0.press(.mute) }
    ),
    Touch(
      "louder while muted under the silent switch",
      .failure,
      before: muteUnderSwitch,
      act: { $0.press(.volumeUp) }
    ),
    Touch(
      "play during a call",
      .failure,
      before: {
        $0.session(0, .pause)
        let call = $0.open("call")
        $0.ask(.session(call, .activateNotPlaying))
      },
      act: { $0.press(.playPause) }
    ),
  ]

  @Test("FBK-2 what a hand does is answered once, with its type", arguments: touches)
  func hands(touch: Touch) {
    var bench = Bench(.answering(playing: true))
    touch.before(&bench)
    bench.wait(1_000)
    let start = bench.policy.now
    touch.act(&bench)
    bench.wait(500)
    #expect(bench.feedback(since: start) == [touch.type])
  }

  @Test("FBK-2 a latching mute button is not overridden: louder is answered as refused")
  func latchedMute() {
    var configuration = Configuration.answering(playing: true)
    configuration.controls[2].latching = true
    var bench = Bench(configuration)
    bench.set(.mute, true)
    bench.wait(100)
    let start = bench.policy.now
    bench.press(.volumeUp)
    #expect(bench.feedback(since: start) == [.failure])
    #expect(bench.level > 4_000)
  }

  @Test("FBK-2 of several events within one tick the weightiest is told, once")
  func weight() {
    var bench = Bench(.answering(playing: true))
    let start = bench.policy.now
    bench.give(.edge(control: bench.index(.mute), state: 1))
    for state: UInt8 in [0b01, 0b00, 0b10, 0b11] {
      bench.give(.edge(control: bench.index(.knob), state: state))
    }
    bench.tick()
    #expect(bench.feedback(since: start) == [.medium])
  }

  @Test("FBK-3 what is important is told before what is not, also by light alone")
  func importance() {
    var configuration = Configuration.answering(playing: true)
    configuration.settings.feedback.ledPercent = 0
    configuration.settings.feedback.hapticPercent = 0
    configuration.settings.feedback.soundPercent = 0
    var bench = Bench(configuration)
    // The route is changed by the plug 40 ticks after its edge, behind what the contacts say.
    bench.set(.headphoneDetect, true)
    let plugged = bench.policy.now
    bench.ticks(39)
    bench.give(.edge(control: bench.index(.microphoneSwitch), state: 1))
    bench.tick()
    #expect(bench.count(since: plugged) { if case .routeChanged = $0 { true } else { false } } == 1)
    #expect(bench.answers(since: plugged) == [Answered(.medium, .led)])
  }

  // MARK: Causes

  @Test("FBK-1 what software changes is not answered at the device")
  func software() {
    let requests: [Request] = [
      .setLevel(.system, .full), .setLevel(.ringer, .zero), .setGain(.system, .unity),
      .step(.system, -3), .setMute(true), .toggleMute, .setMute(false), .chooseRoute(1),
      .setBalance(20), .session(0, .play), .session(0, .pause), .command(.toggle),
      .command(.next),
    ]
    var bench = Bench(.answering(playing: true))
    bench.plug(true)
    let start = bench.policy.now
    for request in requests {
      bench.ask(request)
      bench.wait(300)
    }
    #expect(bench.feedback(since: start) == [])
    #expect(bench.count(since: start) { $0 == .prepareFeedback } == 0)
  }

  // MARK: Channels

  /// What stands between an event and the channels.
  enum Circumstance: CaseIterable, Sendable { case none, silentSwitch, softMute, recording, call }

  private static let subsets = (0..<8 as Range<UInt8>).map { FeedbackChannels(rawValue: $0) }

  private func bench(
    _ board: FeedbackChannels,
    on: FeedbackChannels,
    _ circumstance: Circumstance
  ) -> Bench {
    var configuration = Configuration.answering(board)
    configuration.settings.feedback.ledPercent = on.contains(.led) ? 60 : 0
    configuration.settings.feedback.hapticPercent = on.contains(.haptic) ? 1 : 0
    configuration.settings.feedback.soundPercent = on.contains(.sound) ? 100 : 0
    var bench = Bench(configuration)
    // It goes on with silent input when the microphone is off.
    func record(_ mode: Mode) {
      var source = Source(category: .playAndRecord, mode: mode, hasPlayer: true)
      source.overridesMutedMicrophone = true
      let place = bench.open(source)
      bench.ask(.session(place ?? 0, .activate))
    }
    switch circumstance {
    case .none: break
    case .silentSwitch: bench.set(.silentSwitch, true)
    case .softMute: bench.ask(.setMute(true))
    case .recording: record(.standard)
    case .call: record(.voiceChat)
    }
    bench.wait(500)
    return bench
  }

  /// The channels by the rules, spelled out.
  private func expected(
    _ board: FeedbackChannels,
    on: FeedbackChannels,
    _ circumstance: Circumstance,
    isImportant: Bool
  ) -> FeedbackChannels {
    let allowed: [FeedbackChannels] =
      switch circumstance {
      case .none: [.led, .haptic, .sound]
      case .silentSwitch, .softMute: [.led, .haptic]
      case .recording, .call: [.led]
      }
    let possible = allowed.filter { board.contains($0) }
    let chosen = possible.filter { on.contains($0) }
    if !chosen.isEmpty || !isImportant { return chosen.reduce(.none) { $0.union($1) } }
    if let first = possible.first(where: { $0 != .sound || on.contains(.sound) }) { return first }
    // Nothing is left that may be used: what cannot be heard is still felt.
    return board.contains(.led) ? .led : board.contains(.haptic) ? .haptic : .none
  }

  @Test(
    "FBK-3, FBK-4 every set of channels, of settings and of circumstances",
    arguments: Circumstance.allCases
  )
  func channels(circumstance: Circumstance) {
    for board in FeedbackTests.subsets {
      for on in FeedbackTests.subsets {
        var bench = bench(board, on: on, circumstance)
        var start = bench.policy.now
        bench.set(.microphoneSwitch, true)
        let important = expected(board, on: on, circumstance, isImportant: true)
        let told = important.isEmpty ? [] : [Answered(.medium, important)]
        #expect(bench.answers(since: start) == told, "microphone, \(board) of \(on)")
        bench.give(.soundEnded)
        bench.wait(500)
        start = bench.policy.now
        bench.set(.silentSwitch, circumstance != .silentSwitch)
        // A contact that opens counts when it has been quiet.
        bench.ticks(3)
        let changed: Circumstance =
          switch circumstance {
          case .none: .silentSwitch
          case .silentSwitch: .none
          case .softMute, .recording, .call: circumstance
          }
        let light = expected(board, on: on, changed, isImportant: false)
        let answered = light.isEmpty ? [] : [Answered(.medium, light)]
        #expect(bench.answers(since: start) == answered, "switch, \(board) of \(on)")
      }
    }
  }

  @Test("FBK-3 an important event reaches every channel that is on, two where the board has two")
  func important() {
    var bench = Bench(.answering())
    let start = bench.policy.now
    bench.set(.microphoneSwitch, true)
    #expect(bench.answers(since: start) == [Answered(.medium, .all)])
  }

  @Test("FBK-3 a fault is told by light and motor at once, and by sound where that is safe")
  func fault() {
    var bench = Bench(.answering(playing: true))
    bench.keepsQuiet = { $0 == .switched(output: 0, on: false) }
    bench.refuses = bench.keepsQuiet
    let start = bench.policy.now
    bench.set(.mute, true)
    bench.wait(200)
    #expect(
      bench.answers(since: start).last == Answered(.failure, FeedbackChannels.led.union(.haptic))
    )
  }

  // MARK: Sound

  @Test("FBK-2 the sound of a step is heard only while nothing else is")
  func stepSound() {
    var bench = Bench(.answering(playing: true))
    var start = bench.policy.now
    bench.press(.volumeUp)
    #expect(
      bench.answers(since: start) == [Answered(.selection, FeedbackChannels.led.union(.haptic))]
    )
    bench.session(0, .stop)
    bench.wait(100)
    start = bench.policy.now
    bench.press(.volumeUp)
    #expect(bench.answers(since: start) == [Answered(.selection, .all)])
  }

  @Test("FBK-5 the gain of a sound is written before it is played, and taken back when it ends")
  func soundGain() throws {
    var bench = Bench(.answering())
    #expect(bench.hardware.sources[3].isSilence || !bench.snapshot.sources[3].isActive)
    let start = bench.policy.now
    bench.set(.mute, true)
    bench.wait(100)
    bench.set(.mute, false)
    bench.wait(100)
    bench.set(.mute, true)
    let played = try #require(
      bench.history.last { entry in
        if case .feedback(.medium, .all) = entry.effect { true } else { false }
      }
    )
    let effects = bench.effects(at: played.tick)
    #expect(bench.plays(since: start) == 1, "only un-muting can be heard")
    if case .feedback = effects.last {} else { Issue.record("\(effects)") }
    #expect(bench.snapshot.sources[3].isActive)
    #expect(bench.hears(3))
    bench.give(.soundEnded)
    bench.tick()
    #expect(!bench.snapshot.sources[3].isActive)
  }

  @Test("FBK-4 each sound ends once: the session ends with the last of them")
  func soundsEnd() {
    var bench = Bench(.answering())
    bench.press(.volumeUp)
    bench.press(.volumeUp)
    #expect(bench.snapshot.sources[3].isActive)
    bench.give(.soundEnded)
    bench.tick()
    #expect(bench.snapshot.sources[3].isActive)
    bench.give(.soundEnded)
    bench.tick()
    #expect(!bench.snapshot.sources[3].isActive)
    bench.give(.soundEnded)
    bench.press(.volumeUp)
    #expect(bench.snapshot.sources[3].isActive, "one end too many is forgotten")
  }

  @Test("FBK-4 a sound whose end is never told is over after 31 s")
  func lostEnd() {
    var bench = Bench(.answering())
    bench.press(.volumeUp)
    bench.wait(30_000)
    #expect(bench.snapshot.sources[3].isActive)
    bench.wait(1_500)
    #expect(!bench.snapshot.sources[3].isActive)
  }

  @Test("FBK-4 a sound interrupts and ducks nobody, and moves no volume of the keys")
  func soundsMix() {
    var bench = Bench(.answering(playing: true))
    let gain = bench.loudness(0, at: 0)
    let start = bench.policy.now
    bench.press(.volumeUp, for: 50)
    bench.press(.volumeDown, for: 50)
    bench.set(.silentSwitch, true)
    bench.set(.silentSwitch, false)
    bench.wait(100)
    #expect(bench.plays(since: start) == 1)
    #expect(bench.snapshot.sources[0].isActive)
    #expect(bench.loudness(0, at: 0) == gain)
    #expect(bench.snapshot.keysSet == .system)
  }

  @Test("VOL-2a the key that silences a ring does so while a click still sounds")
  func ringBesideClick() {
    var bench = Bench(.answering())
    bench.press(.volumeUp)
    let ringer = bench.snapshot.ringer
    #expect(bench.snapshot.sources[3].isActive)
    bench.session(1, .activate)
    bench.wait(500)
    bench.press(.volumeUp)
    #expect(bench.reasons(1).contains(.silencedByPerson))
    #expect(bench.snapshot.ringer == ringer)
  }

  // MARK: Ready

  @Test("FBK-5 a finger down prepares the sound, before what it means is known")
  func prepared() throws {
    var bench = Bench(.answering())
    let start = bench.policy.now
    bench.press(.volumeUp)
    let prepared = bench.ticks(since: start) { $0 == .prepareFeedback }
    let played = bench.ticks(since: start) { effect in
      if case .feedback = effect { true } else { false }
    }
    #expect(prepared.first == start + 1)
    // Both volume buttons are a pair: a step acts 30 ms after its edge.
    #expect(played == [start + 7])
  }

  @Test("FBK-5 nothing is prepared that cannot be heard", arguments: Circumstance.allCases)
  func notPrepared(circumstance: Circumstance) {
    var bench = bench(.all, on: .all, circumstance)
    let start = bench.policy.now
    bench.press(.volumeUp)
    let count = bench.count(since: start) { $0 == .prepareFeedback }
    #expect((count > 0) == (circumstance == .none))
    var mute = self.bench(FeedbackChannels.led.union(.haptic), on: .all, .none)
    mute.press(.volumeUp)
    #expect(mute.count { $0 == .prepareFeedback } == 0)
  }

  @Test("FBK-6 nothing is played unasked at the start")
  func atStart() {
    var saved = Saved()
    saved.levels[1] = .full
    saved.ringer = .full
    var bench = Bench(.answering(), saved: saved)
    bench.wait(2_000)
    for answer in bench.answers() { #expect(answer == Answered(.warning, .led)) }
    #expect(bench.answers().count == 1, "the headphone limit was re-armed by the power cycle")
  }

  // MARK: Restraint

  @Test("FBK-6 equal notices within ten minutes are one, with a count; different ones are not")
  func notices() {
    var notices = Notices()
    #expect(notices.note(.noisy, 0, at: 0, windowTicks: 100) == 1)
    #expect(notices.note(.noisy, 1, at: 1, windowTicks: 100) == 1)
    #expect(notices.note(.stuck, 0, at: 2, windowTicks: 100) == 1)
    #expect(notices.note(.noisy, 0, at: 50, windowTicks: 100) == 2)
    #expect(notices.note(.noisy, 0, at: 99, windowTicks: 100) == 3)
    #expect(notices.note(.noisy, 0, at: 100, windowTicks: 100) == 1)
    #expect(notices.note(.noisy, 1, at: 100, windowTicks: 100) == 2)
    // With more kinds than places the oldest is forgotten.
    for index in 10..<26 as Range<UInt8> {
      #expect(notices.note(.stuck, index, at: 101, windowTicks: 100) == 1)
    }
    #expect(notices.note(.noisy, 1, at: 102, windowTicks: 100) == 1)
    #expect(notices.note(.stuck, 25, at: 103, windowTicks: 100) == 2)
  }

  @Test("FBK-6 a write fault that comes and goes is answered at the device once in ten minutes")
  func repeatedFault() {
    var bench = Bench(.answering(playing: true))
    let start = bench.policy.now
    for _ in 0..<3 {
      bench.refuses = { if case .gain(output: 0, _) = $0 { true } else { false } }
      bench.ask(.step(.system, 1))
      bench.wait(3_000)
      bench.refuses = { _ in false }
      bench.wait(3_000)
    }
    let counts = bench.history.compactMap { entry -> UInt16? in
      guard case .notice(.writeFault, 0, let count) = entry.effect else { return nil }
      return count
    }
    #expect(counts == [1, 2, 3])
    #expect(bench.feedback(since: start) == [.failure])
  }

  @Test("FBK-6 a program that tries to record again and again is refused with one answer")
  func refusedRecording() {
    var bench = Bench(.answering())
    bench.set(.microphoneSwitch, true)
    bench.wait(100)
    let memo = bench.open("record")
    let start = bench.policy.now
    for _ in 0..<5 {
      #expect(bench.ask(.session(memo, .activate)) == .microphoneMuted)
      bench.wait(1_000)
    }
    #expect(bench.feedback(since: start) == [.failure])
    bench.set(.microphoneSwitch, false)
    bench.wait(100)
    bench.set(.microphoneSwitch, true)
    bench.wait(100)
    #expect(bench.ask(.session(memo, .activate)) == .microphoneMuted)
    bench.tick()
    #expect(bench.feedback(since: start).last == .failure)
  }

  @Test("FBK-6 a knob turned fast is answered at most once a tick")
  func fastKnob() {
    var bench = Bench(.answering(playing: true))
    let start = bench.policy.now
    bench.turn(-5)
    let answers = bench.ticks(since: start) { effect in
      if case .feedback = effect { true } else { false }
    }
    #expect(answers == (start + 1...start + 5).map { $0 })
  }

  // MARK: Programs

  @Test("FBK-8 a program is answered only while a session of its own is active and in front")
  func programs() throws {
    var bench = Bench(.answering())
    let opened = bench.open(Source(category: .ambient, hasPlayer: true), peer: 7)
    let session = try #require(opened)
    #expect(bench.ask(.feedback(peer: 7, .success)) == .notActive)
    #expect(bench.ask(.playSound(peer: 7, 9)) == .notActive)
    #expect(bench.ask(.prepareFeedback(peer: 7)) == .notActive)
    bench.ask(.session(session, .activate))
    bench.wait(100)
    var start = bench.policy.now
    #expect(bench.ask(.feedback(peer: 7, .success)) == .done)
    #expect(bench.answers(since: start) == [Answered(.success, .all)])
    #expect(bench.ask(.playSound(peer: 7, 9)) == .done)
    #expect(bench.history.contains { $0.effect == .playSound(9) })
    bench.ask(.session(session, .background))
    bench.wait(100)
    start = bench.policy.now
    #expect(bench.ask(.feedback(peer: 7, .heavy)) == .notActive)
    #expect(bench.ask(.feedback(peer: 0, .heavy)) == .done, "a person's tool")
    #expect(bench.answers(since: start) == [Answered(.heavy, .all)])
  }

  @Test("FBK-4 one sound at a time: one asked for by name goes before that of an answer")
  func namedSound() {
    var bench = Bench(.answering())
    let start = bench.policy.now
    bench.give(.request(token: 40, .playSound(peer: 0, 8)))
    bench.give(.request(token: 41, .feedback(peer: 0, .medium)))
    bench.tick()
    #expect(bench.answers(since: start) == [Answered(.medium, FeedbackChannels.led.union(.haptic))])
    #expect(bench.plays(since: start) == 1)
  }

  @Test(
    "FBK-4 a sound that would not be heard is not played, and says so",
    arguments: [
      Circumstance.silentSwitch, .softMute, .recording, .call,
    ]
  )
  func silencedSound(circumstance: Circumstance) {
    var bench = bench(.all, on: .all, circumstance)
    let start = bench.policy.now
    #expect(bench.ask(.playSound(peer: 0, 8)) == .stillSilent)
    #expect(bench.plays(since: start) == 0)
    #expect(!bench.snapshot.sources[3].isActive)
  }

  @Test("FBK-8 a device without the channel says so")
  func notThere() {
    var bench = Bench(.answering(.led))
    #expect(bench.ask(.playSound(peer: 0, 0)) == .notOnThisDevice)
    #expect(bench.ask(.feedback(peer: 0, .light)) == .done)
    var bare = Bench(.answering(.none))
    #expect(bare.ask(.feedback(peer: 0, .light)) == .notOnThisDevice)
  }

  // MARK: Patterns and lamps

  @Test("FBK-2 one pattern per type, and no two alike on any channel")
  func patterns() {
    for (index, one) in Feedback.allCases.enumerated() {
      for other in Feedback.allCases[(index + 1)...] {
        #expect(one.lightPattern != other.lightPattern)
        #expect(one.hapticPattern != other.hapticPattern)
      }
      let light = one.lightPattern
      let total = Int(light.pulses) * Int(light.onMilliseconds + light.offMilliseconds)
      #expect(total <= 750, "unobtrusive")
    }
  }

  @Test("SIL-9 the status lamp tells the first that is true, as it was read back")
  func indications() {
    var snapshot = Snapshot()
    #expect(snapshot.indication == .rest)
    snapshot.sources.append(SourceState())
    snapshot.sources[0].isPlaying = true
    #expect(snapshot.indication == .activity)
    snapshot.routeKind = .speaker
    #expect(snapshot.indication == .activity)
    snapshot.routeKind = .headphones
    #expect(snapshot.indication == .route)
    snapshot.isMuted = true
    #expect(snapshot.indication == .route, "asked for and not yet so")
    snapshot.isSilent = true
    #expect(snapshot.indication == .softMute)
    snapshot.isSilentSwitchOn = true
    #expect(snapshot.indication == .silent)
    snapshot.isCaptureOn = true
    #expect(snapshot.indication == .silent)
    snapshot.isCaptureOn = false
    #expect(snapshot.indication == .microphoneOff)
    snapshot.outputs.append(OutputState())
    snapshot.outputs[0].isFaulty = true
    #expect(snapshot.indication == .fault)
  }

  @Test("SIL-9 only a fault blinks, and a plain lamp is lit for whatever silences")
  func lights() {
    for indication in Indication.allCases {
      #expect(indication.light.blinks == (indication == .fault))
      let isLit: Bool =
        switch indication {
        case .fault, .microphoneOff, .silent, .softMute: true
        case .route, .activity, .rest: false
        }
      #expect(indication.light.isLit == isLit)
    }
  }
}
