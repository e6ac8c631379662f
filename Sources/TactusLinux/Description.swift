// SPDX-License-Identifier: Apache-2.0
//
// What is told of the device outside: the policy's snapshot with the names that the board gives.

public import TactusCore

/// The names of what `Configuration` knows by position.
public struct DeviceNames: Equatable, Sendable {
  /// The board file's name.
  public var board: String
  /// Contacts are simulated, so that software may move them.
  public var isSimulated: Bool
  /// By position in `Configuration.controls`.
  public var controls: [String]
  /// By position in `Configuration.outputs`; a route goes by its output's name.
  public var outputs: [String]
  /// By position in `Configuration.sources`.
  public var sources: [String]
  /// The device's own sounds, by their number: one of each type of feedback, then the listener's.
  public var sounds = Feedback.allCases.map { $0.name }

  public init(
    board: String,
    isSimulated: Bool = false,
    controls: [String] = [],
    outputs: [String] = [],
    sources: [String] = []
  ) {
    self.board = board
    self.isSimulated = isSimulated
    self.controls = controls
    self.outputs = outputs
    self.sources = sources
  }
}

/// Something that happened, for people.
public struct DeviceEvent: Equatable, Sendable {
  public var tick: Tick
  /// What kind of thing: a notice's name, `route`, `feedback`, `sound`, `control`.
  public var kind: String
  /// The control, output or source concerned; empty where it is the whole device.
  public var object: String
  /// The sentence or word that completes it.
  public var text: String
  /// How many equal ones there were within ten minutes, this one included (FBK-6).
  public var count: Int

  public init(tick: Tick, kind: String, object: String, text: String, count: Int = 1) {
    self.tick = tick
    self.kind = kind
    self.object = object
    self.text = text
    self.count = count
  }
}

/// The whole device, as `Describe` tells it.
public struct Description: Sendable {
  public var names: DeviceNames
  public var configuration: Configuration
  public var snapshot = Snapshot()
  /// The players that were adopted, by position in `Configuration.sources`.
  var players: [String?] = []
  /// How often things have happened.
  var counters = Counters()
  /// The last events, oldest first.
  public private(set) var events: [DeviceEvent] = []
  /// How many events are kept; the oldest go first.
  public static let maximumEvents = 32

  public init(names: DeviceNames, configuration: Configuration) {
    self.names = names
    self.configuration = configuration
  }

  /// Keeps an event among the last ones; one that repeats another takes its place.
  public mutating func keep(_ event: DeviceEvent) {
    if event.count > 1 {
      events.removeAll { $0.kind == event.kind && $0.object == event.object }
    }
    if events.count == Description.maximumEvents { events.removeFirst() }
    events.append(event)
  }

  /// The route in use; empty where there is none.
  public var route: String { snapshot.route.map { names.outputs.name(at: Int($0)) } ?? "" }

  /// The routes that can be chosen now (VOL-15: a choice of one is none).
  public var routes: [String] {
    snapshot.outputs.indices.filter { snapshot.outputs[$0].isAvailable }
      .map { names.outputs.name(at: $0) }
  }

  /// What does not work, as `OBJECT: WORD`.
  public var faults: [String] {
    var faults: [String] = []
    for index in snapshot.outputs.indices where snapshot.outputs[index].isFaulty {
      faults.append("\(names.outputs.name(at: index)): faulty")
    }
    for index in snapshot.controls.indices {
      let control = snapshot.controls[index]
      let name = names.controls.name(at: index)
      if !control.isPresent { faults.append("\(name): absent") }
      if control.isStuck { faults.append("\(name): stuck") }
      if control.isNoisy { faults.append("\(name): noisy") }
    }
    return faults
  }
}

extension [String] {
  /// The name at a position, or its number where the board gives none.
  func name(at position: Int) -> String {
    position < count ? self[position] : "\(position)"
  }
}

// MARK: Sources

extension Description {
  /// Names a source, or takes its name; what is behind the last one has none.
  mutating func name(source place: Int, _ name: String) {
    while names.sources.count <= place { names.sources.append("") }
    names.sources[place] = name
  }

  /// The sources that are there; where a session has the place of a configured one, that session.
  var shownSources: [Int] {
    names.sources.indices.filter { place in
      let name = names.sources[place]
      return !name.isEmpty && names.sources.lastIndex(of: name) == place
    }
  }

  /// A source as it is; one that the policy has not told of yet is at rest.
  func source(at place: Int) -> SourceState {
    place < snapshot.sources.count ? snapshot.sources[place] : SourceState()
  }
}

// MARK: Properties

extension Description {
  /// A property of the bus as it is now.
  func value(of property: BusProperty) -> BusValue {
    switch property {
    case .version: .text(tactusVersion)
    case .board: .text(names.board)
    case .level: .number(snapshot.level.fraction)
    case .ringer: .number(snapshot.ringer.fraction)
    case .keysSet: .text(snapshot.keysSet.name)
    case .muted: .bool(snapshot.isMuted)
    case .silentSwitch: .bool(snapshot.isSilentSwitchOn)
    case .silent: .bool(snapshot.isSilent)
    case .silenceReasons: .texts(snapshot.reasons.names)
    case .route: .text(route)
    case .routes: .texts(routes)
    case .balance: .integer(Int32(snapshot.balance))
    case .limitArmed: .bool(snapshot.isLimitArmed)
    case .sources: .texts(shownSources.map { names.sources.name(at: $0) })
    case .faults: .texts(faults)
    }
  }

  /// Whether a property has changed since another snapshot; costs no allocation.
  func differs(_ property: BusProperty, from before: Snapshot) -> Bool {
    switch property {
    case .version, .board, .sources: false
    case .level: snapshot.level != before.level
    case .ringer: snapshot.ringer != before.ringer
    case .keysSet: snapshot.keysSet != before.keysSet
    case .muted: snapshot.isMuted != before.isMuted
    case .silentSwitch: snapshot.isSilentSwitchOn != before.isSilentSwitchOn
    case .silent: snapshot.isSilent != before.isSilent
    case .silenceReasons: snapshot.reasons != before.reasons
    case .route: snapshot.route != before.route
    case .routes:
      snapshot.outputs.differs(from: before.outputs) { $0.isAvailable != $1.isAvailable }
    case .balance: snapshot.balance != before.balance
    case .limitArmed: snapshot.isLimitArmed != before.isLimitArmed
    case .faults:
      snapshot.outputs.differs(from: before.outputs) { $0.isFaulty != $1.isFaulty }
        || snapshot.controls.differs(from: before.controls) {
          $0.isPresent != $1.isPresent || $0.isStuck != $1.isStuck || $0.isNoisy != $1.isNoisy
        }
    }
  }
}

extension Description {
  /// Whether what was read back of outputs and sources has changed since another snapshot.
  func differsInGains(from before: Snapshot) -> Bool {
    snapshot.outputs.differs(from: before.outputs) {
      $0.appliedGain != $1.appliedGain || $0.appliedOn != $1.appliedOn
        || $0.amplifierOn != $1.amplifierOn
    } || snapshot.sources.differs(from: before.sources) { $0.appliedGain != $1.appliedGain }
  }
}

extension List {
  fileprivate func differs(
    from other: List<capacity, Element>,
    _ differ: (Element, Element) -> Bool
  ) -> Bool {
    count != other.count || indices.contains { differ(self[$0], other[$0]) }
  }
}

// MARK: Events

extension DeviceEvent {
  /// The event that an effect is for people; nil where it is none.
  public init?(_ effect: Effect, at tick: Tick, names: DeviceNames) {
    switch effect {
    case .notice(let notice, let index, let count):
      self.init(
        tick: tick,
        kind: notice.name,
        object: notice.object(at: Int(index), in: names),
        text: notice.sentence,
        count: Int(count)
      )
    case .feedback(_, .none): return nil
    case .feedback(let feedback, _):
      self.init(tick: tick, kind: "feedback", object: "", text: feedback.name)
    case .playSound(let sound):
      let name = names.sounds.name(at: Int(sound))
      self.init(tick: tick, kind: "sound", object: "", text: name)
    case .routeChanged(let change, let previous, let current):
      let from = previous.map { names.outputs.name(at: Int($0)) } ?? "none"
      let to = current.map { names.outputs.name(at: Int($0)) } ?? "none"
      self.init(tick: tick, kind: "route", object: to, text: "\(change.name), before: \(from)")
    case .pause(let source):
      let object = names.sources.name(at: Int(source))
      self.init(tick: tick, kind: "pause", object: object, text: "asked to pause")
    case .resume(let source):
      let object = names.sources.name(at: Int(source))
      self.init(tick: tick, kind: "resume", object: object, text: "asked to go on")
    case .interruptionBegan(let source, let reason, let by, let rule):
      let holder = by.map { "by \(names.sources.name(at: Int($0))), " } ?? ""
      self.init(
        tick: tick,
        kind: "interruption-began",
        object: names.sources.name(at: Int(source)),
        text: "\(holder)\(reason.name) (\(rule.name))"
      )
    case .interruptionEnded(let source, let shouldResume, let rule):
      self.init(
        tick: tick,
        kind: "interruption-ended",
        object: names.sources.name(at: Int(source)),
        text: "\(shouldResume ? "goes on" : "does not go on") (\(rule.name))"
      )
    case .command(let source, let command, let rule):
      let object = names.sources.name(at: Int(source))
      self.init(tick: tick, kind: "command", object: object, text: "\(command.name) (\(rule.name))")
    case .undelivered(let command, let reason, let rule):
      let text = "\(command.name) reached nobody: \(reason.name) (\(rule.name))"
      self.init(tick: tick, kind: "command", object: "", text: text)
    case .gain, .switched, .amplifier, .source, .lock, .balance, .capture, .readLevels, .opened,
      .hint, .persist, .finished, .reply, .prepareFeedback:
      return nil
    }
  }
}

extension Notice {
  fileprivate func object(at index: Int, in names: DeviceNames) -> String {
    switch self {
    case .stuck, .noisy, .lineLost, .lineBack, .detectStuck, .detectIdle:
      names.controls.name(at: index)
    case .outputLost, .outputBack, .notSilent, .writeFault, .writeRecovered, .foreignMixer,
      .limitRearmed:
      names.outputs.name(at: index)
    }
  }

  /// What it means, and what to do about it.
  public var sentence: String { nextStep.map { "\(meaning), \($0)" } ?? meaning }

  private var meaning: String {
    switch self {
    case .stuck: "held for more than 60 s"
    case .noisy: "changes without end"
    case .lineLost: "its line is gone"
    case .lineBack: "its line is back"
    case .outputLost: "its sound card or controls are gone"
    case .outputBack: "its sound card is back"
    case .notSilent: "not silent, its control does not obey"
    case .writeFault: "does not take what is written"
    case .writeRecovered: "takes what is written again"
    case .foreignMixer: "another program keeps moving its mixer"
    case .detectStuck: "active since the start"
    case .detectIdle: "has not moved for days"
    case .limitRearmed: "the headphone limit holds again, the level was lowered"
    }
  }

  /// What a person is to do about it; nil where there is nothing to do, which is for the trace and
  /// the journal only (FBK-6).
  public var nextStep: String? {
    switch self {
    case .stuck: "look whether it is jammed or wired to the other polarity"
    case .noisy: "check its wiring and bias"
    case .lineLost: "connect its GPIO chip again, nothing else is needed"
    case .outputLost: "connect the card again, nothing else is needed"
    case .notSilent: "switch the amplifier off"
    case .writeFault: "run tactus doctor"
    case .foreignMixer: "find it with tactus doctor"
    case .detectStuck: "check invert or choose the route by hand"
    case .detectIdle: "check its wiring"
    case .limitRearmed: "only the device's own keys may cross it"
    case .lineBack, .outputBack, .writeRecovered: nil
    }
  }

  /// The notices whose next step is not needed any more once this one has come.
  fileprivate var ended: [Notice] {
    switch self {
    case .lineBack: [.lineLost]
    case .outputBack: [.outputLost]
    case .writeRecovered: [.writeFault, .notSilent]
    case .stuck, .noisy, .lineLost, .outputLost, .notSilent, .writeFault, .foreignMixer,
      .detectStuck, .detectIdle, .limitRearmed:
      []
    }
  }
}

extension Description {
  /// Keeps an event among the last ones, if there is something that a person can do about it or
  /// wants to know; answers whether that is so.
  mutating func take(_ event: DeviceEvent) -> Bool {
    guard let notice = Notice(name: event.kind), notice.nextStep == nil else {
      keep(event)
      return true
    }
    let ended = notice.ended.map { $0.name }
    events.removeAll { ended.contains($0.kind) && $0.object == event.object }
    return false
  }
}

extension Description {
  /// What the hands did between two snapshots.
  public func controlEvents(since before: Snapshot) -> [DeviceEvent] {
    guard snapshot.controls.count == before.controls.count else { return [] }
    return snapshot.controls.indices.compactMap { index in
      let control = snapshot.controls[index]
      guard control.changes != before.controls[index].changes else { return nil }
      guard index < configuration.controls.count else { return nil }
      let role = configuration.controls[index].role
      let text = role == .knob ? "turned" : role.word(for: control.state != 0)
      return DeviceEvent(
        tick: snapshot.tick,
        kind: "control",
        object: names.controls.name(at: index),
        text: text
      )
    }
  }
}

extension Role {
  fileprivate func word(for isOn: Bool) -> String {
    switch self {
    case .headphoneDetect: isOn ? "plugged in" : "unplugged"
    case .silentSwitch, .microphoneSwitch: isOn ? "on" : "off"
    case .lid: isOn ? "closed" : "open"
    case .volumeUp, .volumeDown, .mute, .knob, .knobPush, .playPause, .play, .pause, .next,
      .previous, .stop, .headset, .microphoneMute, .power:
      isOn ? "pressed" : "released"
    }
  }
}

// MARK: JSON

extension Description {
  /// The answer to `Describe`.
  ///
  /// Levels are 0…1, gains decibels (−99999.99 is silence), null what is not known.
  public var json: Json { json(with: DaemonFacts()) }

  /// The same with what the daemon knows beside the policy.
  func json(with facts: DaemonFacts) -> Json {
    .object([
      Json.Member("version", .text(tactusVersion)),
      Json.Member("board", .text(names.board)),
      Json.Member("simulated", .bool(names.isSimulated)),
      Json.Member("tick", .integer(snapshot.tick)),
      Json.Member("seconds", .number(configuration.timing.seconds(snapshot.tick))),
      Json.Member("level", .number(snapshot.level.fraction)),
      Json.Member("levelPercent", .integer(snapshot.level.percent)),
      Json.Member("ringer", .number(snapshot.ringer.fraction)),
      Json.Member("ringerPercent", .integer(snapshot.ringer.percent)),
      Json.Member("keysSet", .text(snapshot.keysSet.name)),
      Json.Member("muted", .bool(snapshot.isMuted)),
      Json.Member(
        "silentSwitch",
        .object([
          Json.Member("on", .bool(snapshot.isSilentSwitchOn)),
          Json.Member("hardware", .bool(snapshot.hasHardwareSilentSwitch)),
        ])
      ),
      Json.Member("silent", .bool(snapshot.isSilent)),
      Json.Member("indication", .text(snapshot.indication.name)),
      Json.Member("reasons", .texts(snapshot.reasons.names)),
      Json.Member("why", .array(grounds.map { $0.json })),
      Json.Member("route", snapshot.route == nil ? .null : .text(route)),
      Json.Member("balance", .integer(Int64(snapshot.balance))),
      Json.Member("routes", .array(snapshot.outputs.indices.map { outputJson($0, facts) })),
      Json.Member("sources", .array(shownSources.map(sourceJson))),
      Json.Member("controls", .array(snapshot.controls.indices.map { controlJson($0, facts) })),
      Json.Member("limit", limitJson),
      Json.Member("feedback", feedbackJson),
      Json.Member("late", .integer(snapshot.lateTicks)),
      Json.Member("counters", counters.json),
      Json.Member("stateFolder", .text(facts.stateFolder)),
      Json.Member("stateFault", facts.stateFault.map { .text($0) } ?? .null),
      Json.Member("faults", .texts(faults)),
      Json.Member("events", .array(events.map { $0.json(configuration.timing) })),
    ])
  }

  /// The headphone limit (VOL-13); its level is null where the settings switch it off.
  private var limitJson: Json {
    let settings = configuration.settings
    let level = settings.limitsHeadphones ? settings.headphoneLimit : nil
    return .object([
      Json.Member("armed", .bool(snapshot.isLimitArmed)),
      Json.Member("level", level.map { .number($0.fraction) } ?? .null),
    ])
  }

  /// The ways to answer a person that the board has, how strong each is, 0 for off, and the
  /// device's own sounds, where it can play them.
  private var feedbackJson: Json {
    let settings = configuration.settings.feedback
    let percents = [settings.ledPercent, settings.hapticPercent, settings.soundPercent]
    let present = configuration.feedbackChannels.names
    let channels = zip(FeedbackChannels.all.names, percents).filter { present.contains($0.0) }
    let hasSounds = configuration.feedbackChannels.contains(.sound)
    return .object([
      Json.Member(
        "channels",
        .array(
          channels.map { name, percent in
            .object([
              Json.Member("name", .text(name)), Json.Member("percent", .integer(Int64(percent))),
            ])
          }
        )
      ),
      Json.Member("sounds", .texts(hasSounds ? names.sounds : [])),
    ])
  }

  private func outputJson(_ index: Int, _ facts: DaemonFacts) -> Json {
    let state = snapshot.outputs[index]
    let kind = index < configuration.outputs.count ? configuration.outputs[index].kind.name : ""
    return .object([
      Json.Member("name", .text(names.outputs.name(at: index))),
      Json.Member("kind", .text(kind)),
      Json.Member("present", .bool(state.isPresent)),
      Json.Member("available", .bool(state.isAvailable)),
      Json.Member("level", .number(state.level.fraction)),
      Json.Member("maximumLevel", .number(maximumLevel(of: index).fraction)),
      Json.Member("gainDecibels", .decibels(state.appliedGain)),
      Json.Member("on", .known(state.appliedOn)),
      Json.Member("amplifier", .known(state.amplifierOn)),
      Json.Member("faulty", .bool(state.isFaulty)),
      Json.Member(
        "foreignMoves",
        .integer(index < facts.foreignMoves.count ? Int64(facts.foreignMoves[index]) : 0)
      ),
    ])
  }

  /// The cap of an output's level (VOL-16).
  private func maximumLevel(of output: Int) -> Level {
    output < configuration.outputs.count ? configuration.outputs[output].maximumLevel : .full
  }

  private func sourceJson(_ index: Int) -> Json {
    let state = source(at: index)
    var members = [
      Json.Member("name", .text(names.sources.name(at: index))),
      Json.Member("category", .text(state.category.name)),
      Json.Member("mode", .text(state.mode.name)),
      Json.Member("options", .texts(state.options.names)),
      Json.Member("opened", .bool(index >= configuration.sources.count)),
      Json.Member("state", .text(state.word)),
      Json.Member("active", .bool(state.isActive)),
      Json.Member("playing", .bool(state.isPlaying)),
      Json.Member("heldBy", .texts(holders(of: state))),
      Json.Member("reasons", .texts(state.reasons.names)),
      Json.Member("silence", .text(silence(of: index))),
      Json.Member("gainDecibels", .decibels(state.appliedGain)),
      Json.Member("why", .array(grounds(of: index).map { $0.json })),
    ]
    if isAdopted(index) {
      members.append(Json.Member("player", player(of: index).map { .text($0) } ?? .null))
    }
    return .object(members)
  }

  /// Whether a configured source belongs to a player that knows nothing of sessions (SES-13).
  func isAdopted(_ index: Int) -> Bool {
    index < configuration.sources.count && configuration.sources[index].isAdopted
  }

  func player(of index: Int) -> String? { index < players.count ? players[index] : nil }

  private func controlJson(_ index: Int, _ facts: DaemonFacts) -> Json {
    let state = snapshot.controls[index]
    let role = index < configuration.controls.count ? configuration.controls[index].role.name : ""
    let start = index * EdgeCounts.size
    func counts(_ places: Range<Int>) -> [Json] {
      places.map {
        start + $0 < facts.edges.count ? .integer(Int64(facts.edges[start + $0])) : .integer(0)
      }
    }
    return .object([
      Json.Member("name", .text(names.controls.name(at: index))),
      Json.Member("role", .text(role)),
      Json.Member("present", .bool(state.isPresent)),
      Json.Member("state", .integer(Int64(state.state))),
      Json.Member("changes", .integer(state.changes)),
      Json.Member("glitches", .integer(state.glitches)),
      Json.Member("lostEdges", .integer(state.lostEdges)),
      Json.Member("illegalJumps", .integer(state.illegalJumps)),
      Json.Member("stuck", .bool(state.isStuck)),
      Json.Member("noisy", .bool(state.isNoisy)),
      Json.Member("edges", counts(0..<1)[0]),
      Json.Member("gaps", .array(counts(EdgeCounts.gapPlaces))),
      Json.Member("rests", .array(counts(EdgeCounts.restPlaces))),
    ])
  }
}

extension Description.Ground {
  fileprivate var json: Json {
    .object([Json.Member("rule", .text(rule.name)), Json.Member("text", .text(text))])
  }
}

extension DeviceEvent {
  fileprivate func json(_ timing: Timing) -> Json {
    .object([
      Json.Member("tick", .integer(tick)),
      Json.Member("seconds", .number(timing.seconds(tick))),
      Json.Member("kind", .text(kind)),
      Json.Member("object", .text(object)),
      Json.Member("text", .text(text)),
      Json.Member("count", .integer(Int64(count))),
    ])
  }
}

extension Json {
  fileprivate static func texts(_ texts: [String]) -> Json { .array(texts.map { .text($0) }) }

  fileprivate static func known(_ bool: Bool?) -> Json { bool.map { .bool($0) } ?? .null }

  fileprivate static func decibels(_ gain: Gain?) -> Json {
    gain.map { .number($0.decibels) } ?? .null
  }
}

extension Timing {
  /// Ticks as seconds.
  fileprivate func seconds(_ ticks: Tick) -> Double {
    Double(ticks * Tick(tickMicroseconds)) / 1_000_000
  }
}

extension Level {
  /// 0…1.
  public var fraction: Double { Double(parts) / 10_000 }

  /// The nearest whole percent.
  public var percent: Int64 { (Int64(parts) + 50) / 100 }
}

extension Gain {
  /// Decibels; −99999.99 is silence, as ALSA writes it.
  public var decibels: Double { Double(millibels) / 100 }
}
