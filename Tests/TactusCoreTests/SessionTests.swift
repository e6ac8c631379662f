// SPDX-License-Identifier: Apache-2.0
//
// Who has the floor: every kind of session beside every other, every way in which an interruption
// ends, nesting, changes, limits.

import Testing

@testable import TactusCore

/// A kind of session with a name that a failed test prints.
struct NamedKind: Sendable, CustomTestStringConvertible {
  let name: String
  let kind: SessionKind

  init(
    _ name: String,
    _ category: TactusCore.Category,
    _ mode: Mode = .standard,
    _ options: SessionOptions = .none
  ) {
    self.name = name
    kind = SessionKind(category, mode: mode, options: options)
  }

  var testDescription: String { name }

  var source: Source {
    Source(category: kind.category, mode: kind.mode, options: kind.options, hasPlayer: true)
  }

  /// Every kind that differs in any cell.
  static let all: [NamedKind] = [
    NamedKind("ambient", .ambient), NamedKind("soloAmbient", .soloAmbient),
    NamedKind("playback", .playback), NamedKind("spoken", .playback, .spokenAudio),
    NamedKind("mixing", .playback, .standard, .mixWithOthers),
    NamedKind("ducking", .playback, .standard, .duckOthers),
    NamedKind("prompting", .playback, .standard, .interruptSpokenAudio),
    NamedKind("spokenMixing", .playback, .spokenAudio, .mixWithOthers),
    NamedKind("record", .record), NamedKind("playAndRecord", .playAndRecord),
    NamedKind("recordMixing", .playAndRecord, .standard, .mixWithOthers),
    NamedKind("call", .playAndRecord, .voiceChat), NamedKind("ringtone", .ringtone),
    NamedKind("alert", .alert), NamedKind("systemSound", .systemSound),
    NamedKind("alarm", .alarm),
  ]

  static func named(_ name: String) -> NamedKind { all.first { $0.name == name }! }
}

/// What becomes of one session when another starts, written down from the rules.
enum Meeting: String, Sendable {
  /// Both sound.
  case both
  /// The one present is 20 dB lower.
  case ducked
  /// The one present is interrupted.
  case interrupted
  /// The newcomer waits.
  case held
  /// The newcomer is refused.
  case busy
  /// The newcomer is 20 dB lower.
  case low
  /// The one present goes on, 20 dB lower, though it governs itself.
  case lowered
}

@Suite("Sessions", .serialized)
struct SessionTests {
  /// A bench whose only sources are opened ones.
  private func bench(isSwitchOn: Bool = false) -> Bench {
    var configuration = Configuration.full(playing: false)
    configuration.sources.removeAll()
    var bench = Bench(configuration)
    bench.ask(.setLevel(.ringer, Level(percent: 40)))
    if isSwitchOn { bench.set(.silentSwitch, true) }
    bench.wait(300)
    return bench
  }

  // MARK: Every kind beside every other

  /// The table of the rules, newcomer against present, by hand: it is not made by the code under
  /// test.
  static func expected(_ newcomer: String, _ present: String) -> Meeting {
    let programs: Set<String> = [
      "ambient", "soloAmbient", "playback", "spoken", "mixing", "ducking", "prompting",
      "spokenMixing", "record", "playAndRecord", "recordMixing",
    ]
    let mixable: Set<String> = [
      "ambient", "mixing", "ducking", "prompting", "spokenMixing", "recordMixing",
    ]
    let spoken: Set<String> = ["spoken", "spokenMixing"]
    if newcomer == "systemSound" || present == "systemSound" { return .both }
    switch (newcomer, present) {
    case ("call", "alarm"): return .lowered
    case ("call", _): return .interrupted
    case (_, "call"): return programs.contains(newcomer) ? .busy : .low
    case ("alarm", "alarm"): return .both
    case ("alarm", _): return .interrupted
    case (_, "alarm"): return .held
    case (_, "ringtone") where programs.contains(newcomer):
      // A ring lowers what mixes, also what starts while it rings.
      return mixable.contains(newcomer) ? .low : .held
    case (_, "alert") where programs.contains(newcomer) && newcomer != "record": return .low
    case ("ringtone", _) where programs.contains(present):
      return mixable.contains(present) ? .ducked : .interrupted
    case ("alert", _) where programs.contains(present) && present != "record": return .ducked
    case (_, "prompting") where spoken.contains(newcomer): return .held
    case ("prompting", _) where spoken.contains(present): return .interrupted
    case ("ducking", "ducking"), ("ducking", "prompting"), ("prompting", "ducking"),
      ("prompting", "prompting"):
      return .both
    case (_, "ducking") where programs.contains(newcomer) && newcomer != "record": return .low
    case (_, "prompting") where programs.contains(newcomer) && newcomer != "record": return .low
    case ("ducking", _) where programs.contains(present) && present != "record": return .ducked
    case ("prompting", _) where programs.contains(present) && present != "record": return .ducked
    default:
      let isBothNonmixable =
        programs.contains(newcomer) && programs.contains(present)
        && !mixable.contains(newcomer) && !mixable.contains(present)
      return isBothNonmixable ? .interrupted : .both
    }
  }

  @Test(
    "SES-1 SES-2 SES-7 SES-8 SES-14 every kind of session beside every other",
    arguments: NamedKind.all,
    NamedKind.all
  )
  func meeting(newcomer: NamedKind, present: NamedKind) {
    var bench = bench()
    let first = bench.start(present.name)
    bench.wait(300)
    let second = bench.open(newcomer.name)
    let since = bench.policy.now
    let reply = bench.ask(.session(second, .activate))
    bench.wait(900)
    let old = bench.snapshot.sources[Int(first)]
    let new = bench.snapshot.sources[Int(second)]
    let began = bench.ticks(since: since) {
      if case .interruptionBegan = $0 { true } else { false }
    }
    let meeting: Meeting
    if reply == .busy {
      meeting = .busy
      #expect(!new.isActive && new.interruption == nil && began.isEmpty)
    } else if reply == .held {
      meeting = .held
      #expect(!new.isActive && new.isHeld && began == [since + 1])
      #expect(new.reasons.contains(.interrupted))
    } else if old.interruption != nil {
      meeting = .interrupted
      #expect(!old.isActive && began == [since + 1])
      #expect(old.reasons.contains(.interrupted) && old.holders == 1 << UInt32(second))
    } else if new.duck.millibels == -2_000 {
      meeting = .low
    } else if old.duck.millibels == -2_000 {
      meeting = old.category == .alarm ? .lowered : .ducked
    } else {
      meeting = .both
    }
    #expect(meeting == Self.expected(newcomer.name, present.name))
    let isOldSilent = meeting == .interrupted || old.category == .record
    #expect(bench.hears(Int(first)) == !isOldSilent || present.kind.category == .record)
    if meeting != .held && meeting != .busy { #expect(new.isActive && !new.isWaiting) }
  }

  @Test("SES-1 options belong to playback and playAndRecord, modes to those that have them")
  func allowed() {
    for category in TactusCore.Category.allCases {
      for mode in Mode.allCases {
        for options in 0..<8 {
          let kind = SessionKind(
            category,
            mode: mode,
            options: SessionOptions(rawValue: UInt8(options))
          )
          let isUse = !kind.isOfProgram
          let takesOptions = category == .playback || category == .playAndRecord
          let isRight =
            (options == 0 || takesOptions) && (mode == .standard || !isUse)
            && (mode != .voiceChat || category == .playAndRecord)
          #expect(kind.isAllowed == isRight)
          var bench = bench()
          let place = bench.open(
            Source(category: category, mode: mode, options: kind.options, hasPlayer: true)
          )
          #expect((place != nil) == isRight)
        }
      }
    }
  }

  // MARK: The silent switch and background

  @Test(
    "SIL-1 SES-11 who is heard: kind × silent switch × background",
    arguments: NamedKind.all
  )
  func whoIsHeard(named: NamedKind) {
    for isSwitchOn in [false, true] {
      for isInBackground in [false, true] {
        var bench = bench(isSwitchOn: isSwitchOn)
        let place = bench.open(named.name)
        if isInBackground { bench.ask(.session(place, .background)) }
        let reply = bench.ask(.session(place, .activate))
        bench.wait(200)
        let category = named.kind.category
        let stops = isInBackground && (category == .ambient || category == .soloAmbient)
        #expect(reply == (stops ? .inBackground : .done))
        let isSilent = stops || isSwitchOn && category.obeysSilentSwitch
        guard category != .record else { continue }
        #expect(bench.hears(Int(place)) == !isSilent)
        #expect(
          bench.reasons(Int(place)).contains(.silentSwitch)
            == (isSwitchOn && category.obeysSilentSwitch)
        )
        #expect(bench.reasons(Int(place)).contains(.background) == stops)
      }
    }
  }

  @Test("SES-11 in background ambient and soloAmbient stop, give leave, and do not resume")
  func background() {
    for category in ["ambient", "soloAmbient"] {
      var bench = bench()
      let music = bench.start("playback")
      let game = bench.start(category)
      let isInterrupting = category == "soloAmbient"
      #expect((bench.snapshot.sources[Int(music)].interruption != nil) == isInterrupting)
      bench.ask(.session(game, .background))
      #expect(!bench.snapshot.sources[Int(game)].isActive)
      #expect(bench.snapshot.sources[Int(music)].isActive)
      #expect(bench.ask(.session(game, .activate)) == .inBackground)
      bench.ask(.session(game, .foreground))
      #expect(bench.ask(.session(game, .activate)) == .done)
    }
  }

  @Test("SES-2 a session that the silent switch silences affects nobody until it may be heard")
  func silencedAffectsNobody() {
    for name in ["soloAmbient", "ringtone"] {
      var bench = bench(isSwitchOn: true)
      let music = bench.start("playback")
      let silenced = bench.start(name)
      bench.wait(200)
      #expect(bench.snapshot.sources[Int(music)].isActive && bench.hears(Int(music)))
      bench.set(.silentSwitch, false)
      bench.wait(50)
      #expect(bench.snapshot.sources[Int(music)].interruption != nil)
      // What has begun stands until its own end.
      bench.set(.silentSwitch, true)
      bench.wait(200)
      #expect(bench.snapshot.sources[Int(music)].interruption != nil)
      bench.ask(.session(silenced, .deactivateNotifying))
      #expect(bench.snapshot.sources[Int(music)].isActive)
    }
  }

  // MARK: Ends of interruptions

  /// How an interruption ends.
  enum End: CaseIterable, Sendable { case notifying, silent, missing, died }

  /// What the interrupted one was doing.
  enum Doing: CaseIterable, Sendable { case playing, pausedByPerson, stopped }

  @Test(
    "SES-4 the twelve cells: what was doing × how the interruption ends",
    arguments: Doing.allCases,
    End.allCases
  )
  func resumption(doing: Doing, end: End) {
    for isDuring in [false, true] {
      for always in [false, true] {
        var bench = bench()
        var source = NamedKind.named("playback").source
        source.resumesAlways = always
        let music = bench.open(source)!
        bench.ask(.session(music, .activate))
        if !isDuring { act(doing, on: music, &bench) }
        let other = bench.start("playback")
        if isDuring { act(doing, on: music, &bench) }
        let since = bench.policy.now
        switch end {
        case .notifying: bench.ask(.session(other, .deactivateNotifying))
        case .silent: bench.ask(.session(other, .deactivate))
        case .missing: bench.wait(100)
        case .died: bench.session(other, .died)
        }
        let hasLeave = end == .notifying || end == .died || always && end != .missing
        let resumes = doing == .playing && hasLeave
        let state = bench.snapshot.sources[Int(music)]
        #expect(state.isPlaying == resumes)
        #expect(state.isActive == resumes)
        let told = bench.history.compactMap { entry -> Bool? in
          guard entry.tick > since, case .interruptionEnded(music, let should, _) = entry.effect
          else { return nil }
          return should
        }
        if doing == .stopped || end == .missing {
          #expect(told.isEmpty)
        } else {
          #expect(told == [resumes])
        }
      }
    }
  }

  private func act(_ doing: Doing, on place: UInt8, _ bench: inout Bench) {
    switch doing {
    case .playing: break
    case .pausedByPerson: bench.ask(.session(place, .pause))
    case .stopped: bench.ask(.session(place, .stop))
    }
  }

  @Test("SES-3 new playback that a person starts gives no leave, however it ends")
  func newPlayback() {
    for end: SessionEvent in [.deactivateNotifying, .died, .stop, .deactivate] {
      var bench = bench()
      let music = bench.start("playback")
      let other = bench.open("playback")
      bench.ask(.session(other, .play))
      bench.ask(.session(other, end))
      #expect(!bench.snapshot.sources[Int(music)].isActive)
      #expect(bench.snapshot.sources[Int(music)].interruption == nil)
    }
    // A recording is no new playback.
    var bench = bench()
    let music = bench.start("playback")
    let memo = bench.open("record")
    bench.ask(.session(memo, .play))
    bench.ask(.session(memo, .stop))
    #expect(bench.snapshot.sources[Int(music)].isPlaying)
  }

  // MARK: Nesting

  @Test("SES-5 three deep: the inner end resumes only what it held; each holder must give leave")
  func nesting() {
    for leaves in [
      [true, true, true], [true, true, false], [true, false, true], [false, true, true],
    ] {
      var bench = bench()
      let order = ["playback", "record", "playAndRecord", "soloAmbient"].map { bench.start($0) }
      // The innermost ends first.
      for depth in (1...3).reversed() {
        guard bench.snapshot.sources[Int(order[depth])].isActive else { break }
        bench.ask(.session(order[depth], leaves[depth - 1] ? .deactivateNotifying : .deactivate))
        let isBack = leaves[(depth - 1)...].allSatisfy { $0 }
        #expect(bench.snapshot.sources[Int(order[depth - 1])].isActive == isBack)
        if isBack {
          for below in 0..<(depth - 1) {
            #expect(bench.snapshot.sources[Int(order[below])].interruption != nil)
          }
        } else {
          // Who does not resume ends those it held, without leave.
          for place in order.dropLast() {
            #expect(bench.snapshot.sources[Int(place)].interruption == nil)
            #expect(!bench.snapshot.sources[Int(place)].isActive)
          }
        }
      }
    }
  }

  @Test("SES-5 the outer one ends first: the inner one keeps the floor, then all resumes")
  func outerEndsFirst() {
    var bench = bench()
    let music = bench.start("playback")
    let ring = bench.start("ringtone")
    let call = bench.start("call")
    #expect(bench.snapshot.sources[Int(ring)].interruption == .call)
    bench.session(ring, .died)
    #expect(bench.snapshot.sources[Int(music)].holders == 1 << UInt32(call))
    bench.ask(.session(call, .deactivateNotifying))
    #expect(bench.snapshot.sources[Int(music)].isPlaying)
  }

  @Test("SES-2 what was held starts when the last holder ends, with or without notice")
  func held() {
    for end: SessionEvent in [.deactivate, .deactivateNotifying, .died] {
      var bench = bench()
      let ring = bench.start("ringtone")
      let alarm = bench.start("alarm")
      let music = bench.open("playback")
      #expect(bench.ask(.session(music, .activate)) == .held)
      bench.ask(.session(alarm, end))
      #expect(bench.snapshot.sources[Int(music)].isHeld == (end != .deactivate))
      bench.ask(.session(ring, .deactivate))
      #expect(bench.snapshot.sources[Int(music)].isPlaying)
    }
  }

  @Test("SES-14 volume up starts no source that was left out beside a call that is silent")
  func leftOutBesideSilentCall() {
    var configuration = Configuration.full(playing: false)
    configuration.sources.removeAll()
    configuration.sources.append(Source(category: .playback))
    var bench = Bench(configuration)
    bench.session(0, .activate)
    let other = bench.start("playback")
    bench.ask(.session(other, .deactivate))
    #expect(bench.reasons(0).contains(.interrupted))
    let call = bench.open("call")
    bench.ask(.session(call, .activateNotPlaying))
    bench.press(.volumeUp)
    #expect(!bench.snapshot.sources[0].isActive)
    bench.ask(.session(call, .activate))
    bench.wait(500)
    #expect(bench.hears(Int(call)) && !bench.hears(0))
    bench.ask(.session(call, .deactivateNotifying))
    bench.wait(500)
    #expect(bench.hears(0))
  }

  @Test("SES-2 a start that is refused changes nothing")
  func refusedStart() {
    var bench = bench()
    let call = bench.start("call")
    let music = bench.open("playback")
    #expect(bench.ask(.session(music, .activate)) == .busy)
    let before = bench.policy.sessions[Int(music)]
    #expect(bench.ask(.session(music, .play)) == .busy)
    let after = bench.policy.sessions[Int(music)]
    #expect(after.isStartedByPerson == before.isStartedByPerson)
    #expect(!after.isActive && !after.isPending && after.startNumber == before.startNumber)
    // Nobody's new playback: what a later program interrupts may resume after it (SES-3).
    bench.ask(.session(call, .deactivate))
    let first = bench.start("playback")
    bench.ask(.session(music, .activate))
    bench.ask(.session(music, .deactivateNotifying))
    #expect(bench.snapshot.sources[Int(first)].isActive)
  }

  @Test("SES-2 what resumes under the silent switch has its effect when the switch goes off")
  func resumesUnderSwitch() {
    var bench = bench()
    let ring = bench.start("ringtone")
    let alarm = bench.start("alarm")
    bench.set(.silentSwitch, true)
    bench.ask(.session(alarm, .deactivateNotifying))
    #expect(bench.snapshot.sources[Int(ring)].isActive)
    let music = bench.start("playback")
    #expect(bench.snapshot.sources[Int(music)].isActive)
    bench.set(.silentSwitch, false)
    bench.wait(500)
    #expect(bench.hears(Int(ring)) && !bench.snapshot.sources[Int(music)].isActive)
  }

  @Test("SES-6 play by a person works while interrupted, but not under a call, alarm or ring")
  func playByPerson() {
    for (holder, reply) in [
      ("playback", Reply.done), ("call", .busy), ("alarm", .held), ("ringtone", .held),
    ] {
      var bench = bench()
      let music = bench.start("playback")
      let other = bench.start(holder)
      #expect(bench.ask(.session(music, .play)) == reply)
      #expect(bench.snapshot.sources[Int(music)].isActive == (reply == .done))
      #expect(bench.snapshot.sources[Int(other)].isActive == (reply != .done))
    }
  }

  @Test("SES-14 sources that nobody tells of do nothing to each other")
  func untold() {
    var configuration = Configuration.full(playing: false)
    configuration.sources.removeAll()
    for category: TactusCore.Category in [.playback, .playback, .alert] {
      var source = Source(category: category)
      source.isUntold = true
      configuration.sources.append(source)
    }
    var bench = Bench(configuration)
    for place: UInt8 in 0...2 { bench.session(place, .activate) }
    bench.wait(600)
    for place in 0...1 {
      #expect(bench.hears(place) && bench.snapshot.sources[place].duck == .unity)
    }
    let call = bench.start("call")
    for place in 0...2 { #expect(bench.snapshot.sources[place].interruption == .call) }
    bench.ask(.session(call, .deactivateNotifying))
    bench.wait(600)
    for place in 0...2 { #expect(bench.hears(place)) }
  }

  // MARK: Timing

  @Test("SES-2 with nobody to silence a session is heard within 2 ticks")
  func permittedAtOnce() {
    var bench = bench()
    let music = bench.open("playback")
    bench.wait(300)
    bench.give(.session(music, .activate))
    bench.ticks(2)
    #expect(!bench.hardware.sources[Int(music)].isSilence)
  }

  @Test("SES-2 the interrupted one is silent after its fade, before the other is heard")
  func silenceFirst() {
    var bench = bench()
    let music = bench.start("playback")
    bench.wait(500)
    let other = bench.open("soloAmbient")
    bench.ask(.session(other, .activate))
    let start = bench.now
    var heardAt: Int64?
    while bench.now < start + 500 {
      bench.tick()
      guard !bench.hardware.sources[Int(other)].isSilence else { continue }
      #expect(bench.hardware.sources[Int(music)].isSilence)
      heardAt = heardAt ?? bench.now - start
    }
    #expect(heardAt.map { (50...90).contains($0) } == true)
  }

  // MARK: Changes (SES-15)

  @Test("SES-15 a voice memo switches between record and playback without giving up the floor")
  func voiceMemo() {
    var bench = bench()
    let music = bench.start("playback")
    let memo = bench.start("record")
    let since = bench.policy.now
    #expect(bench.ask(.setCategory(memo, .playback)) == .done)
    #expect(bench.snapshot.sources[Int(memo)].isActive)
    #expect(bench.snapshot.sources[Int(music)].interruption != nil)
    #expect(bench.ask(.setCategory(memo, .ambient)) == .done)
    #expect(bench.snapshot.sources[Int(music)].isPlaying)
    let told = bench.count(since: since) {
      if case .interruptionEnded(music, true, _) = $0 { true } else { false }
    }
    #expect(told == 1)
  }

  @Test(
    "SES-15 a change is admitted as if those it interrupted were back; a refusal changes nothing"
  )
  func changeIsRefused() {
    var bench = bench()
    let first = bench.start("call")
    let second = bench.start("call")
    #expect(bench.snapshot.sources[Int(first)].interruption == .call)
    #expect(bench.ask(.setMode(second, .standard)) == .busy)
    #expect(bench.snapshot.sources[Int(second)].mode == .voiceChat)
    #expect(bench.snapshot.sources[Int(second)].isActive)
    #expect(bench.ask(.setCategory(second, .alarm)) == .done)
    #expect(bench.snapshot.sources[Int(first)].isActive)
  }

  @Test(
    "SES-1 changing the category clears the options; of an inactive session nothing else changes"
  )
  func categoryClearsOptions() {
    var bench = bench()
    let place = bench.open("ducking")
    #expect(bench.ask(.setCategory(place, .playAndRecord)) == .done)
    #expect(bench.snapshot.sources[Int(place)].options.isEmpty)
    #expect(!bench.snapshot.sources[Int(place)].isActive)
    #expect(bench.ask(.setCategory(place, .ambient)) == .done)
    #expect(bench.ask(.setOptions(place, .duckOthers)) == .notAllowed)
  }

  // MARK: Limits (SES-12)

  @Test(
    "SES-12 8 of a peer, 28 in all, the last 4 for alarms and calls; a closed place is free again"
  )
  func limits() {
    var bench = bench()
    for index in 0..<28 {
      #expect(bench.open(NamedKind.named("ambient").source, peer: UInt16(index / 8)) != nil)
    }
    #expect(bench.ask(.open(peer: 0, NamedKind.named("ambient").source)) == .tooManyOfPeer)
    #expect(bench.ask(.open(peer: 9, NamedKind.named("playback").source)) == .tooManySessions)
    for name in ["alarm", "call", "alarm", "call"] {
      #expect(bench.open(NamedKind.named(name).source, peer: 9) != nil)
    }
    #expect(bench.ask(.open(peer: 10, NamedKind.named("alarm").source)) == .tooManySessions)
    bench.session(3, .died)
    bench.session(4, .died)
    #expect(bench.ask(.session(3, .activate)) == .noSuchSource)
    #expect(bench.ask(.open(peer: 11, NamedKind.named("playback").source)) == .tooManySessions)
    #expect(bench.open(NamedKind.named("alarm").source, peer: 11) == 3)
  }

  @Test("SES-12 a closed session ends like one that notifies others, and its place forgets it")
  func closing() {
    var bench = bench()
    let music = bench.start("playback")
    let prompt = bench.start("playAndRecord")
    bench.session(prompt, .died)
    #expect(bench.snapshot.sources[Int(music)].isPlaying)
    #expect(bench.snapshot.sources.count == Int(music) + 1)
    let again = bench.open("ambient")
    #expect(again == prompt)
    #expect(!bench.snapshot.sources[Int(again)].isActive)
  }

  @Test("VOL-10 a session lowers only itself, and never rises above 0 dB")
  func ownGain() {
    var bench = bench()
    let music = bench.start("ambient")
    let other = bench.start("ambient")
    bench.wait(300)
    let before = bench.loudness(Int(other), at: 0)
    #expect(bench.ask(.setSessionGain(music, Gain(millibels: 1))) == .gainAboveZero)
    #expect(bench.ask(.setSessionGain(music, Gain(millibels: -600))) == .done)
    bench.wait(100)
    #expect(bench.loudness(Int(music), at: 0) == before.map { $0 - 600 })
    #expect(bench.loudness(Int(other), at: 0) == before)
  }
}
