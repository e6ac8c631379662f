// SPDX-License-Identifier: Apache-2.0
//
// What is told of a session: its state in one word, whether it is heard, and in plain words why
// not.

import TactusCore

extension SourceState {
  /// What it is doing: `playing` and `active` have the floor, `held` and `interrupted` wait for it.
  var word: String {
    if isHeld { return "held" }
    if interruption != nil { return "interrupted" }
    if isActive { return isPlaying ? "playing" : "active" }
    return "inactive"
  }

  /// Whether something is told differently; costs no allocation.
  fileprivate func isTold(as other: SourceState) -> Bool {
    category == other.category && mode == other.mode && options == other.options
      && isActive == other.isActive && isPlaying == other.isPlaying && isHeld == other.isHeld
      && interruption == other.interruption && reasons == other.reasons
      && holders == other.holders
  }
}

// MARK: Why a source is silent

extension Description {
  /// What keeps a source from being heard: its own reasons, and those of the device.
  func reasons(of place: Int) -> SilenceReasons {
    let state = source(at: place)
    let spares = state.category == .alarm && !configuration.settings.muteSilencesAlarms
    return state.reasons.union(spares ? snapshot.reasons.subtracting(.softMute) : snapshot.reasons)
  }

  func isAudible(_ place: Int) -> Bool {
    let state = source(at: place)
    return state.isActive && state.isPlaying && reasons(of: place).isEmpty
  }

  /// Why a source is not heard, in plain words; empty when it is.
  func silence(of place: Int) -> String {
    silences(of: place).map { $0.text }.joined(separator: "; ")
  }

  /// A rule that decided, and what it came to.
  struct Ground {
    var rule: Rule
    var text: String
  }

  /// Every rule that decides about a source now, those that silence it first.
  func grounds(of place: Int) -> [Ground] {
    let state = source(at: place)
    var grounds = silences(of: place)
    if state.isActive, state.isPlaying, grounds.isEmpty {
      grounds.append(Ground(rule: state.rule, text: "it has the floor"))
    }
    if state.isWaiting {
      grounds.append(Ground(rule: .ses2, text: "it waits until those it interrupted are silent"))
    }
    if state.duck < .unity, state.isActive {
      let decibels = Int(-state.duck.millibels / 100)
      grounds.append(Ground(rule: .ses7, text: "it is lowered by \(decibels) dB for another"))
    }
    if state.shouldBeSilent {
      grounds.append(Ground(rule: .ses9, text: "it should be silent beside another's sound"))
    }
    return grounds
  }

  /// Every rule that silences the whole device now.
  var grounds: [Ground] { snapshot.reasons.all.map { ground($0, nil) } }

  private func silences(of place: Int) -> [Ground] {
    let state = source(at: place)
    let grounds = reasons(of: place).all.map { ground($0, place) }
    if !grounds.isEmpty { return grounds }
    if !state.isActive, isAdopted(place), player(of: place) == nil {
      return [Ground(rule: .ses13, text: "its player is not on the bus")]
    }
    if !state.isActive { return [Ground(rule: .ses2, text: "it is not active")] }
    return state.isPlaying ? [] : [Ground(rule: .ses2, text: "it is not playing")]
  }

  private func ground(_ reason: SilenceReason, _ place: Int?) -> Ground {
    let state = place.map { source(at: $0) } ?? SourceState()
    let rule = reason == .interrupted ? state.rule : reason.set.rule ?? state.rule
    let name = place.map { names.sources.name(at: $0) } ?? ""
    return Ground(rule: rule, text: sentence(reason, state, name))
  }

  private func sentence(_ reason: SilenceReason, _ state: SourceState, _ name: String) -> String {
    switch reason {
    case .silentSwitch:
      return "the silent switch is on and `\(name)` is \(state.category.name.camelCase)"
    case .interrupted: return "\(state.interruption?.sentence ?? "it lost the floor")\(by(state))"
    case .levelZero: return "the \((state.category.volume ?? .system).name) volume is at 0"
    case .awaitingPause:
      return "its route was unplugged and its player has not paused yet, start it again"
    case .background:
      return "its program is in background and `\(name)` is \(state.category.name.camelCase)"
    case .silencedByPerson: return "a volume key silenced this ring"
    case .softMute: return "the device is muted"
    case .starting: return "the device is starting, its codec is not safe yet"
    case .routeSettling: return "the route is changing"
    case .fault: return "the hardware does not do what it must, run tactus doctor"
    }
  }

  /// Who holds a source.
  private func by(_ state: SourceState) -> String {
    let holders = holders(of: state).map { "`\($0)`" }
    return holders.isEmpty ? "" : " (\(holders.joined(separator: ", ")))"
  }

  /// The names of the sessions that keep a source from the floor.
  func holders(of state: SourceState) -> [String] {
    (0..<Configuration.maximumSources).filter { state.holders >> UInt32($0) & 1 == 1 }
      .map { names.sources.name(at: $0) }
  }
}

extension Interruption {
  fileprivate var sentence: String {
    switch self {
    case .otherSession: "another session has the floor"
    case .call: "a call has the floor"
    case .alarm: "an alarm has the floor"
    case .ringtone: "a ringtone has the floor"
    case .microphoneMuted: "the microphone is off"
    case .routeDisconnected: "its route is gone"
    case .byPerson: "a person stopped it"
    case .fault: "the hardware failed"
    }
  }
}

extension SilenceReason {
  /// What it means to a listener, where there is no room for a sentence.
  public var phrase: String {
    switch self {
    case .silentSwitch: "silent switch is on"
    case .interrupted: "interrupted by another sound"
    case .levelZero: "volume is at zero"
    case .awaitingPause: "paused by unplugging"
    case .background: "its program is in the background"
    case .silencedByPerson: "silenced by a volume key"
    case .softMute: "muted"
    case .starting: "starting"
    case .routeSettling: "the route is changing"
    case .fault: "a fault, see tactus doctor"
    }
  }
}

extension SilenceReasons {
  /// The reasons in the set.
  fileprivate var all: [SilenceReason] { SilenceReason.allCases.filter { contains($0.set) } }
}

// MARK: Properties of sessions

extension Description {
  /// A property of a session as it is now.
  func value(of property: BusSessionProperty, _ session: BusSession) -> BusValue {
    if property == .name { return .text(session.name) }
    if property == .gain { return .number(session.gain.decibels) }
    return value(of: property, at: Int(session.place))
  }

  // Not inlined: it is long, and wanted in three places.
  @inline(never)
  private func value(of property: BusSessionProperty, at place: Int) -> BusValue {
    let state = source(at: place)
    switch property {
    case .name: return .text(names.sources.name(at: place))
    case .category: return .text(state.category.name)
    case .mode: return .text(state.mode.name)
    case .options: return .texts(state.options.names)
    case .state: return .text(state.word)
    case .gain: return .number(Gain.unity.decibels)
    case .audible: return .bool(isAudible(place))
    case .silenceReasons: return .texts(reasons(of: place).names)
    case .silence: return .text(silence(of: place))
    }
  }

  /// The properties of a session that have changed since another snapshot.
  func changes(of place: Int, since before: Snapshot) -> [BusSessionProperty] {
    let then = place < before.sources.count ? before.sources[place] : SourceState()
    if snapshot.reasons == before.reasons, source(at: place).isTold(as: then) { return [] }
    var old = self
    old.snapshot = before
    return BusSessionProperty.allCases.filter {
      value(of: $0, at: place) != old.value(of: $0, at: place)
    }
  }
}
