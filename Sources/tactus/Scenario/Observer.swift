// SPDX-License-Identifier: Apache-2.0
//
// Watches a policy at work and says what changed, each change once.
//
//   place    where the policy keeps a session; the scenario's number is another
//   ear      the gain of a session's source and of the outputs that are open, as read back
//   rest     a gain that has not moved for some time; ramps are told by where they come to rest
//
// A gain that comes to rest is known only later than it happens, hence `changes` sorts by time.

import TactusCore
import TactusLinux

/// Collects the changes of a scenario.
struct Observer {
  /// What changes that concern no session are about.
  static let device = "device"

  /// What was last told of a session.
  private struct Seen {
    var isOpen = false
    var kind = SessionKind(.playback)
    var state = State.inactive
    var holders: UInt32 = 0
    var reasons: SilenceReasons = []
    var duck = Gain.unity
    var isDucking = false
    /// It is a call that lowers it, and no duck.
    var isLow = false
    /// Its gain at the ear; nil while it makes no sound.
    var ear: Gain?
    var earSince: Tick = 0
    /// The names of the outputs where it is heard.
    var earOutputs: [String] = []
    /// The rule of what was last said of it, or of the volumes.
    var cause = Rule.ses12.name
    /// The cause when its gain last moved.
    var earCause = Rule.ses12.name
    /// What the last line said; nil when it made no sound.
    var told: Gain?
  }

  /// What a session is doing, in one word.
  enum State: CaseIterable, Named {
    case inactive, playing, paused, interrupted, held

    var name: String {
      switch self {
      case .inactive: "inactive"
      case .playing: "playing"
      case .paused: "paused"
      case .interrupted: "interrupted"
      case .held: "held"
      }
    }

    init(_ source: SourceState) {
      if source.interruption != nil {
        self = source.isHeld ? .held : .interrupted
      } else if source.isActive {
        self = source.isPlaying ? .playing : .paused
      } else {
        self = .inactive
      }
    }
  }

  private let configuration: Configuration
  /// The name of the session at each place; nil where none is.
  private var names = [String?](repeating: nil, count: Configuration.maximumSources)
  private var seen = [Seen](repeating: Seen(), count: Configuration.maximumSources)
  private let outputNames: [String]
  private var before: Snapshot
  private let start: Tick
  /// The tick of the last change, ramps included.
  private(set) var lastMove: Tick
  private var found: [Change] = []
  private var now: Tick = 0

  /// Begins to watch at a device at rest.
  init(_ configuration: Configuration, outputNames: [String], at rest: Snapshot, start: Tick) {
    self.configuration = configuration
    self.outputNames = outputNames
    before = rest
    self.start = start
    lastMove = rest.tick
  }

  /// Takes what is already going on for known.
  mutating func begin(_ names: [String], _ snapshot: Snapshot) {
    for (place, name) in names.prefix(self.names.count).enumerated() where !name.isEmpty {
      self.names[place] = name
    }
    see(Effects(filler: .readLevels), snapshot)
    for place in seen.indices { seen[place].told = seen[place].ear }
    found.removeAll()
  }

  /// The changes found since the last time, in the order of their discovery.
  mutating func takeChanges() -> [Change] {
    defer { found.removeAll() }
    return found
  }

  /// Takes gains that have not moved up to a tick for such as have come to rest.
  mutating func rest(at tick: Tick) {
    now = max(now, tick)
    for place in seen.indices where now - seen[place].earSince >= restTicks { tellRest(place) }
  }

  /// All changes by rising time; those of one time in the order of their discovery.
  mutating func changes() -> [Change] {
    now = before.tick
    for place in seen.indices { tellRest(place) }
    var sorted: [Change] = []
    for change in found {
      let after = sorted.lastIndex { $0.tick <= change.tick }
      sorted.insert(change, at: after.map { $0 + 1 } ?? 0)
    }
    return sorted
  }

  /// A session has a place; whoever had it before is gone.
  mutating func name(_ place: UInt8, _ name: String, at tick: Tick) {
    now = tick
    if seen[Int(place)].isOpen { tellClosed(Int(place)) }
    names[Int(place)] = name
  }

  /// Takes what one tick did.
  mutating func see(_ effects: Effects, _ snapshot: Snapshot) {
    now = snapshot.tick
    var told: UInt32 = 0
    for position in effects.indices { see(effects[position], snapshot, &told) }
    seeDevice(snapshot, effects)
    for place in snapshot.sources.indices { see(place, snapshot, told) }
    for position in effects.indices { seeAfterwards(effects[position]) }
    before = snapshot
  }

  /// What was asked of a session that was never opened.
  mutating func seeNotOpen(_ object: String, _ verb: String) {
    seeAnswer(.noSuchSource, to: object, verb)
  }

  /// The answer to what was asked, where it is not simply done.
  mutating func seeAnswer(_ reply: Reply, to object: String, _ verb: String) {
    now = max(now, before.tick)
    guard
      let rule = reply.rule(
        isLimitArmed: before.isLimitArmed,
        isByPerson: verb == "play"
      )
    else {
      if verb == "gain" { noteCause(Rule.vol10.name, of: object, .answer) }
      return
    }
    tell(
      object,
      .answer,
      "\(verb): \(reply.sentence)",
      rule,
      [text("verb", verb), text("reply", reply.name)]
    )
  }
}

// MARK: Lines

extension Observer {
  private mutating func tell(
    at tick: Tick? = nil,
    _ object: String,
    _ kind: Change.Kind,
    _ text: String,
    _ rule: String,
    _ members: [Json.Member] = []
  ) {
    lastMove = max(lastMove, now)
    if kind.movesGains { noteCause(rule, of: object, kind) }
    found.append(
      Change(
        tick: (tick ?? now) - start,
        object: object,
        kind: kind,
        text: text,
        rule: rule,
        members: members
      )
    )
  }

  /// A gain moves for the reason that was last given.
  private mutating func noteCause(_ rule: String, of object: String, _ kind: Change.Kind) {
    let isForAll = kind == .volume || kind == .ringer || kind == .route
    for place in seen.indices where isForAll || names[place] == object {
      seen[place].cause = rule
    }
  }

  private func text(_ name: String, _ value: String) -> Json.Member {
    Json.Member(name, .text(value))
  }

  private func texts(_ name: String, _ values: [String]) -> Json.Member {
    Json.Member(name, .array(values.map { .text($0) }))
  }

  private func name(of place: UInt8) -> String { names[Int(place)] ?? "?" }
}

// MARK: Effects

extension Observer {
  private mutating func see(_ effect: Effect, _ snapshot: Snapshot, _ told: inout UInt32) {
    switch effect {
    case .interruptionBegan(let place, let reason, let other, let rule):
      told |= 1 << UInt32(place)
      tellBegan(place, reason, by: other, rule, snapshot)
    case .interruptionEnded(let place, let shouldResume, let rule):
      let text = "interruption ended, \(shouldResume ? "should resume" : "should not resume")"
      let member = Json.Member("shouldResume", .bool(shouldResume))
      tell(name(of: place), .interruptionEnded, text, rule.name, [member])
    case .command(let place, let command, let rule):
      tellCommand(name(of: place), command, why: nil, rule)
    case .undelivered(let command, let why, let rule):
      tellCommand(Observer.device, command, why: why, rule)
    case .pause(let place):
      let isUnplug = snapshot.sources[Int(place)].reasons.contains(.awaitingPause)
      tell(name(of: place), .pauseSent, "told to pause", (isUnplug ? Rule.rte2 : .ses13).name)
    case .resume(let place):
      tell(name(of: place), .resumeSent, "told to go on", snapshot.sources[Int(place)].rule.name)
    case .routeChanged(let reason, let previous, let current):
      tellRoute(reason, previous, current, snapshot)
    case .notice(let notice, _, let count):
      tell(
        Observer.device,
        .notice,
        "notice \(notice.name)" + (count > 1 ? " (\(Int(count)) times)" : ""),
        notice.rule,
        [text("notice", notice.name), Json.Member("count", .integer(Int64(count)))]
      )
    case .gain, .switched, .amplifier, .source, .lock, .balance, .capture, .readLevels, .opened,
      .persist, .finished, .reply, .feedback, .hint, .prepareFeedback, .playSound:
      break
    }
  }

  /// Hints, and the answer to the hand, come behind what they follow from.
  private mutating func seeAfterwards(_ effect: Effect) {
    switch effect {
    case .hint(let place, let shouldBeSilent):
      let text = "secondary audio \(shouldBeSilent ? "should be silent" : "may sound again")"
      let member = Json.Member("shouldBeSilent", .bool(shouldBeSilent))
      tell(name(of: place), .hint, text, Rule.ses9.name, [member])
    case .feedback(let feedback, let channels):
      tell(
        Observer.device,
        .feedback,
        "feedback \(feedback.name)"
          + (channels.isEmpty ? "" : " by \(channels.names.joined(separator: ", "))"),
        Rule.fbk2.name,
        [text("feedback", feedback.name), texts("channels", channels.names)]
      )
    default: break
    }
  }

  private mutating func tellBegan(
    _ place: UInt8,
    _ reason: Interruption,
    by other: UInt8?,
    _ rule: Rule,
    _ snapshot: Snapshot
  ) {
    let state = State(snapshot.sources[Int(place)])
    var line = state == .held ? "held" : "interrupted"
    if let other { line += " by \(name(of: other))" }
    line += ", \(reason.name)"
    var members = [text("state", state.name), text("reason", reason.name)]
    members.append(Json.Member("by", other.map { .text(name(of: $0)) } ?? .null))
    tell(name(of: place), .interruptionBegan, line, rule.name, members)
  }

  private mutating func tellCommand(
    _ object: String,
    _ command: TactusCore.Command,
    why: Undelivered?,
    _ rule: Rule
  ) {
    var line = "command \(command.name)"
    if let why { line += " dropped, \(why.sentence)" }
    tell(
      object,
      .command,
      line,
      rule.name,
      [
        text("command", command.name), Json.Member("delivered", .bool(why == nil)),
        Json.Member("why", why.map { .text($0.name) } ?? .null),
      ]
    )
  }

  private mutating func tellRoute(
    _ reason: RouteChange,
    _ previous: UInt8?,
    _ current: UInt8?,
    _ snapshot: Snapshot
  ) {
    let old = previous.map { outputNames[Int($0)] }
    let new = current.map { outputNames[Int($0)] }
    var line = "route \(old ?? "none") → \(new ?? "none")"
    if let current { line += ", \(percent(snapshot.outputs[Int(current)].level))" }
    line += ", \(reason.name)"
    tell(
      Observer.device,
      .route,
      line,
      reason.rule,
      [
        Json.Member("route", new.map { .text($0) } ?? .null),
        Json.Member("previous", old.map { .text($0) } ?? .null), text("reason", reason.name),
        Json.Member("levelPercent", .integer(snapshot.level.percent)),
      ]
    )
  }
}

// MARK: The device

extension Observer {
  private mutating func seeDevice(_ snapshot: Snapshot, _ effects: Effects) {
    if snapshot.level != before.level, snapshot.route == before.route {
      let rule = ruleOfVolume(effects)
      let member = Json.Member("levelPercent", .integer(snapshot.level.percent))
      tell(Observer.device, .volume, "volume \(percent(snapshot.level))", rule, [member])
    }
    if snapshot.ringer != before.ringer {
      let member = Json.Member("levelPercent", .integer(snapshot.ringer.percent))
      tell(Observer.device, .ringer, "ringer \(percent(snapshot.ringer))", "VOL-2", [member])
    }
    tellSwitch(.mute, "mute", before.isMuted, snapshot.isMuted, "SIL-4")
    let switches = (before.isSilentSwitchOn, snapshot.isSilentSwitchOn)
    tellSwitch(.silentSwitch, "silent switch", switches.0, switches.1, Rule.sil1.name)
    let microphones = (!before.isMicrophoneMuted, !snapshot.isMicrophoneMuted)
    tellSwitch(.microphone, "microphone", microphones.0, microphones.1, Rule.ses10.name)
    if let isOn = snapshot.isCaptureOn, isOn != before.isCaptureOn {
      let line = "capture \(isOn ? "open" : "closed"), read back"
      tell(Observer.device, .capture, line, Rule.ses10.name, [Json.Member("on", .bool(isOn))])
    }
    if snapshot.isLimitArmed != before.isLimitArmed {
      let line = "headphone limit \(snapshot.isLimitArmed ? "armed" : "crossed")"
      let member = Json.Member("armed", .bool(snapshot.isLimitArmed))
      tell(Observer.device, .limit, line, "VOL-13", [member])
    }
    let fault = device(snapshot.reasons)
    if fault != device(before.reasons) {
      tellReasons(Observer.device, device(before.reasons), fault)
    }
  }

  /// The reasons of the device that no other line tells.
  private func device(_ reasons: SilenceReasons) -> SilenceReasons {
    reasons.subtracting(.softMute)
  }

  private mutating func tellSwitch(
    _ kind: Change.Kind,
    _ what: String,
    _ old: Bool,
    _ new: Bool,
    _ rule: String
  ) {
    guard old != new else { return }
    let line = "\(what) \(new ? "on" : "off")"
    tell(Observer.device, kind, line, rule, [Json.Member("on", .bool(new))])
  }

  private mutating func tellReasons(
    _ object: String,
    _ old: SilenceReasons,
    _ new: SilenceReasons
  ) {
    let member = texts("reasons", new.names)
    if new.isEmpty {
      let rule = old.rule?.name ?? Rule.ses2.name
      tell(object, .silence, "no longer silenced", rule, [member])
    } else {
      let added = new.subtracting(old)
      let rule = (added.isEmpty ? new : added).rule?.name ?? Rule.ses2.name
      tell(object, .silence, "silenced: \(new.names.joined(separator: ", "))", rule, [member])
    }
  }

  /// The headphone limit answers with a warning, a volume key with another feedback, and what
  /// software sets has none.
  private func ruleOfVolume(_ effects: Effects) -> String {
    var rule = "VOL-5"
    for position in effects.indices {
      switch effects[position] {
      case .notice(.limitRearmed, _, _), .feedback(.warning, _): return "VOL-13"
      case .feedback(.selection, _), .feedback(.light, _): rule = "VOL-1"
      default: break
      }
    }
    return rule
  }
}

// MARK: Sessions

extension Observer {
  private mutating func see(_ place: Int, _ snapshot: Snapshot, _ told: UInt32) {
    guard let name = names[place] else { return }
    let source = snapshot.sources[place]
    guard source.isOpen else {
      if seen[place].isOpen { tellClosed(place) }
      return
    }
    seeKind(place, name, source)
    seeState(place, name, source, isTold: told & 1 << UInt32(place) != 0)
    seeReasons(place, name, source)
    seeDuck(place, name, source, snapshot)
    seeEar(place, source, snapshot)
  }

  private mutating func tellClosed(_ place: Int) {
    tellRest(place)
    tell(name(of: UInt8(place)), .closed, "closed", Rule.ses12.name)
    seen[place] = Seen()
    names[place] = nil
  }

  private mutating func seeKind(_ place: Int, _ name: String, _ source: SourceState) {
    let kind = SessionKind(source.category, mode: source.mode, options: source.options)
    let isNew = !seen[place].isOpen
    let isSame =
      kind.category == seen[place].kind.category && kind.mode == seen[place].kind.mode
      && kind.options == seen[place].kind.options
    guard isNew || !isSame else { return }
    seen[place].isOpen = true
    seen[place].kind = kind
    var words = [kind.category.name]
    if kind.mode != .standard { words.append(kind.mode.name) }
    words += kind.options.names
    let line = (isNew ? "opened: " : "now: ") + words.joined(separator: ", ")
    tell(
      name,
      isNew ? .opened : .kind,
      line,
      (isNew ? Rule.ses12 : .ses15).name,
      [
        text("category", kind.category.name), text("mode", kind.mode.name),
        texts("options", kind.options.names),
      ]
    )
  }

  private mutating func seeState(
    _ place: Int,
    _ name: String,
    _ source: SourceState,
    isTold: Bool
  ) {
    let state = State(source)
    let isInterruption = state == .interrupted || state == .held
    if state != seen[place].state, !(isTold && isInterruption) {
      var line = state.name
      if state == .playing && source.isWaiting { line += ", as soon as the others are silent" }
      tell(name, .state, line, source.rule.name, [text("state", state.name)])
    }
    if source.holders != seen[place].holders, isInterruption, !isTold {
      let holders = (0..<UInt8(Configuration.maximumSources)).filter {
        source.holders & 1 << UInt32($0) != 0
      }
      let words = holders.map { self.name(of: $0) }
      let line = "waits for \(words.isEmpty ? "nobody" : words.joined(separator: ", "))"
      tell(name, .holders, line, Rule.ses5.name, [texts("holders", words)])
    }
    seen[place].state = state
    seen[place].holders = source.holders
  }

  /// Why one that has the floor is silent; an interruption has a line of its own.
  private mutating func seeReasons(_ place: Int, _ name: String, _ source: SourceState) {
    let reasons: SilenceReasons = source.isActive ? source.reasons : .none
    let old = seen[place].reasons
    seen[place].reasons = reasons
    guard reasons != old, source.isActive else { return }
    tellReasons(name, old, reasons)
  }

  private mutating func seeDuck(
    _ place: Int,
    _ name: String,
    _ source: SourceState,
    _ snapshot: Snapshot
  ) {
    let duck = source.isActive ? source.duck : .unity
    let old = seen[place].duck
    seen[place].duck = duck
    guard source.isActive, duck != old else { return seen[place].isDucking = duck < .unity }
    let isDucking = duck < old
    guard isDucking != seen[place].isDucking else { return }
    seen[place].isDucking = isDucking
    let milliseconds = configuration.timing.milliseconds(
      isDucking ? configuration.timing.duckAttackTicks : configuration.timing.duckReleaseTicks
    )
    let depth = decibels(configuration.settings.duck.decibels, .unicode)
    let isBorn = isDucking && duck <= configuration.settings.duck
    let duckers = duckers(of: place, snapshot)
    if isDucking { seen[place].isLow = isLow(place, snapshot) }
    var line = isDucking ? "ducked" : "no longer ducked"
    if !duckers.isEmpty { line += " by \(duckers.joined(separator: ", "))" }
    if isDucking { line += ", \(depth)" }
    line += isBorn ? " from the start" : ", within \(Int(milliseconds)) ms"
    tell(
      name,
      .duck,
      line,
      (seen[place].isLow ? Rule.ses2 : .ses7).name,
      [
        Json.Member("ducked", .bool(isDucking)), texts("by", duckers),
        Json.Member("milliseconds", .integer(isBorn ? 0 : milliseconds)),
      ]
    )
  }

  private func isLow(_ place: Int, _ snapshot: Snapshot) -> Bool {
    snapshot.sources.indices.contains { other in
      snapshot.sources[other].isActive && seen[place].kind.isLow(beside: seen[other].kind)
    }
  }

  private func duckers(of place: Int, _ snapshot: Snapshot) -> [String] {
    var words: [String] = []
    for other in snapshot.sources.indices where other != place {
      let source = snapshot.sources[other]
      let kind = SessionKind(source.category, mode: source.mode, options: source.options)
      let isHeard = source.isPlaying && source.reasons.isEmpty
      let isDucker = isHeard && kind.ducks(seen[place].kind)
      guard source.isActive, isDucker || seen[place].kind.isLow(beside: kind) else { continue }
      words.append(names[other] ?? "?")
    }
    return words
  }
}

// MARK: The ear

extension Observer {
  /// A gain that has not moved for so long has come to rest, 50 ms.
  private var restTicks: Tick { configuration.timing.ticks(milliseconds: 50) }

  private mutating func seeEar(_ place: Int, _ source: SourceState, _ snapshot: Snapshot) {
    let mayGoOn = source.interruption != nil || source.reasons.contains(.awaitingPause)
    let makesSound = source.category != .record && (source.isPlaying || mayGoOn)
    let (gain, outputs) = loudest(source, snapshot)
    let ear = makesSound ? gain : nil
    guard ear != seen[place].ear else { return }
    if now - seen[place].earSince >= restTicks { tellRest(place) }
    let wasHeard = seen[place].ear.map { !$0.isSilence } ?? false
    seen[place].ear = ear
    seen[place].earSince = now
    seen[place].earOutputs = outputs
    seen[place].earCause = seen[place].cause
    lastMove = now
    guard let ear else {
      seen[place].told = nil
      return
    }
    if ear.isSilence && wasHeard { tellRest(place) }
    // Silence from the start is told by its reasons alone.
    if ear.isSilence { seen[place].told = ear }
  }

  /// Tells where a session's gain has come to rest.
  private mutating func tellRest(_ place: Int) {
    guard let name = names[place], let ear = seen[place].ear, ear != seen[place].told else {
      return
    }
    let outputs = seen[place].earOutputs
    var line = ear.isSilence ? "silent" : "heard at \(decibels(ear.decibels, .unicode))"
    if outputs.count > 1 { line += " on \(outputs.joined(separator: " and "))" }
    seen[place].told = ear
    tell(
      at: seen[place].earSince,
      name,
      .heard,
      line,
      seen[place].earCause,
      [
        Json.Member("gainDecibels", ear.isSilence ? .null : .number(ear.decibels)),
        texts("outputs", outputs),
      ]
    )
  }

  /// The gain of a source and of the outputs that are open, where it is loudest; and these outputs.
  private func loudest(_ source: SourceState, _ snapshot: Snapshot) -> (Gain, outputs: [String]) {
    var loudest = Gain.silence
    var names: [String] = []
    for index in snapshot.outputs.indices {
      let output = snapshot.outputs[index]
      let facts = configuration.outputs[index]
      guard output.isPresent, !facts.hasSwitch || output.appliedOn == true,
        facts.amplifier == nil || output.amplifierOn == true
      else { continue }
      let codec = facts.hasVolume ? output.appliedGain ?? .silence : .unity
      let gain = (source.appliedGain ?? .silence) + codec
      guard !gain.isSilence else { continue }
      loudest = max(loudest, gain)
      names.append(outputNames[index])
    }
    return (loudest, names)
  }
}

// MARK: Words

extension RouteChange {
  fileprivate var rule: String {
    switch self {
    case .newDeviceAvailable: Rule.rte1.name
    case .oldDeviceUnavailable: Rule.rte2.name
    case .override: "RTE-4"
    case .noSuitableRoute, .configurationChange: Rule.rte6.name
    }
  }
}

extension Notice {
  fileprivate var rule: String {
    switch self {
    case .stuck, .noisy, .lineLost, .lineBack: Rule.fbk6.name
    case .outputLost, .outputBack: "RTE-8"
    case .notSilent, .writeFault, .writeRecovered: "SIL-11"
    case .foreignMixer: "VOL-6"
    case .detectStuck, .detectIdle: "RTE-9"
    case .limitRearmed: "VOL-13"
    }
  }
}

extension Undelivered {
  fileprivate var sentence: String {
    switch self {
    case .nobody: "nothing has played lately"
    case .unsupported: "it is not supported"
    case .busy: "a call has the floor"
    case .held: "an alarm or a ring sounds"
    }
  }
}

extension Reply {
  /// What a person is told of a request that was not simply done.
  fileprivate var sentence: String {
    switch self {
    case .done: "done"
    case .limited: "done as far as a limit allows"
    case .stillSilent: "done, something else still silences"
    case .refusedByHardwareSwitch: "refused by the hardware switch"
    case .noSuchRoute: "refused, this route is not there now"
    case .noSuchSource: "refused, it is not open"
    case .held: "held until an alarm or a ring ends"
    case .busy: "refused, a call has the floor"
    case .inBackground: "refused, it is in background"
    case .microphoneMuted: "refused, the microphone is off"
    case .notActive: "refused, it is not active, or in background"
    case .notAllowed: "refused, its category does not take this"
    case .gainAboveZero: "refused, a gain above 0 dB"
    case .tooManySessions: "refused, there are too many sessions"
    case .tooManyOfPeer: "refused, its peer has too many sessions"
    case .notOnThisDevice: "refused, this device has none"
    }
  }

  /// The rule behind it; nil for what needs no line.
  fileprivate func rule(isLimitArmed: Bool, isByPerson: Bool) -> String? {
    switch self {
    case .done, .held: nil
    case .limited: isLimitArmed ? "VOL-13" : Rule.vol16.name
    case .stillSilent, .refusedByHardwareSwitch: "SIL-3"
    case .noSuchRoute: "RTE-4"
    case .noSuchSource, .tooManySessions, .tooManyOfPeer: Rule.ses12.name
    case .busy: (isByPerson ? Rule.ses6 : .ses2).name
    case .inBackground: Rule.ses11.name
    case .microphoneMuted: Rule.ses10.name
    case .notActive: Rule.fbk8.name
    case .notAllowed: Rule.ses1.name
    case .gainAboveZero: Rule.vol10.name
    case .notOnThisDevice: "VOL-15"
    }
  }
}
