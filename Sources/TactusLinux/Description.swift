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
  /// What kind of thing: a notice's name, `route`, `feedback`, `control`.
  public var kind: String
  /// The control, output or source concerned; empty where it is the whole device.
  public var object: String
  /// The sentence or word that completes it.
  public var text: String

  public init(tick: Tick, kind: String, object: String, text: String) {
    self.tick = tick
    self.kind = kind
    self.object = object
    self.text = text
  }
}

/// The whole device, as `Describe` tells it.
public struct Description {
  public var names: DeviceNames
  public var configuration: Configuration
  public var snapshot = Snapshot()
  /// The last events, oldest first.
  public private(set) var events: [DeviceEvent] = []
  /// How many events are kept; the oldest go first.
  public static let maximumEvents = 32

  public init(names: DeviceNames, configuration: Configuration) {
    self.names = names
    self.configuration = configuration
  }

  /// Keeps an event among the last ones.
  public mutating func keep(_ event: DeviceEvent) {
    if events.count == Description.maximumEvents { events.removeFirst() }
    events.append(event)
  }

  /// The route in use; empty where there is none.
  public var route: String { snapshot.route.map { names.outputs[safe: Int($0)] } ?? "" }

  /// The routes that can be chosen now (VOL-15: a choice of one is none).
  public var routes: [String] {
    snapshot.outputs.indices.filter { snapshot.outputs[$0].isAvailable }
      .map { names.outputs[safe: $0] }
  }

  /// What does not work, as `OBJECT: WORD`.
  public var faults: [String] {
    var faults: [String] = []
    for index in snapshot.outputs.indices where snapshot.outputs[index].isFaulty {
      faults.append("\(names.outputs[safe: index]): faulty")
    }
    for index in snapshot.controls.indices {
      let control = snapshot.controls[index]
      let name = names.controls[safe: index]
      if !control.isPresent { faults.append("\(name): absent") }
      if control.isStuck { faults.append("\(name): stuck") }
      if control.isNoisy { faults.append("\(name): noisy") }
    }
    return faults
  }
}

extension [String] {
  /// The name at a position, or its number where the board gives none.
  subscript(safe position: Int) -> String {
    position < count ? self[position] : "\(position)"
  }
}

// MARK: JSON

extension Description {
  /// The answer to `Describe`.
  ///
  /// Levels are 0…1, gains decibels (−99999.99 is silence), null what is not known.
  public var json: Json {
    let ticks = Double(configuration.timing.tickMicroseconds) / 1_000_000
    return .object([
      Json.Member("version", .text(tactusVersion)),
      Json.Member("board", .text(names.board)),
      Json.Member("simulated", .bool(names.isSimulated)),
      Json.Member("tick", .integer(snapshot.tick)),
      Json.Member("seconds", .number(Double(snapshot.tick) * ticks)),
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
      Json.Member("reasons", .texts(snapshot.reasons.names)),
      Json.Member("route", snapshot.route == nil ? .null : .text(route)),
      Json.Member("balance", .integer(Int64(snapshot.balance))),
      Json.Member("routes", .array(snapshot.outputs.indices.map(outputJson))),
      Json.Member("sources", .array(snapshot.sources.indices.map(sourceJson))),
      Json.Member("controls", .array(snapshot.controls.indices.map(controlJson))),
      Json.Member("limit", .object([Json.Member("armed", .bool(snapshot.isLimitArmed))])),
      Json.Member("late", .integer(snapshot.lateTicks)),
      Json.Member("faults", .texts(faults)),
      Json.Member("events", .array(events.map { $0.json(secondsPerTick: ticks) })),
    ])
  }

  private func outputJson(_ index: Int) -> Json {
    let state = snapshot.outputs[index]
    let kind = index < configuration.outputs.count ? configuration.outputs[index].kind.name : ""
    return .object([
      Json.Member("name", .text(names.outputs[safe: index])),
      Json.Member("kind", .text(kind)),
      Json.Member("present", .bool(state.isPresent)),
      Json.Member("available", .bool(state.isAvailable)),
      Json.Member("level", .number(state.level.fraction)),
      Json.Member("gainDecibels", .decibels(state.appliedGain)),
      Json.Member("on", .known(state.appliedOn)),
      Json.Member("amplifier", .known(state.amplifierOn)),
      Json.Member("faulty", .bool(state.isFaulty)),
    ])
  }

  private func sourceJson(_ index: Int) -> Json {
    let state = snapshot.sources[index]
    let category =
      index < configuration.sources.count ? configuration.sources[index].category.name : ""
    return .object([
      Json.Member("name", .text(names.sources[safe: index])),
      Json.Member("category", .text(category)),
      Json.Member("active", .bool(state.isActive)),
      Json.Member("playing", .bool(state.isPlaying)),
      Json.Member("reasons", .texts(state.reasons.names)),
      Json.Member("gainDecibels", .decibels(state.appliedGain)),
    ])
  }

  private func controlJson(_ index: Int) -> Json {
    let state = snapshot.controls[index]
    let role = index < configuration.controls.count ? configuration.controls[index].role.name : ""
    return .object([
      Json.Member("name", .text(names.controls[safe: index])),
      Json.Member("role", .text(role)),
      Json.Member("present", .bool(state.isPresent)),
      Json.Member("state", .integer(Int64(state.state))),
      Json.Member("changes", .integer(state.changes)),
      Json.Member("glitches", .integer(state.glitches)),
      Json.Member("lostEdges", .integer(state.lostEdges)),
      Json.Member("illegalJumps", .integer(state.illegalJumps)),
      Json.Member("stuck", .bool(state.isStuck)),
      Json.Member("noisy", .bool(state.isNoisy)),
    ])
  }
}

extension DeviceEvent {
  fileprivate func json(secondsPerTick: Double) -> Json {
    .object([
      Json.Member("tick", .integer(tick)),
      Json.Member("seconds", .number(Double(tick) * secondsPerTick)),
      Json.Member("kind", .text(kind)),
      Json.Member("object", .text(object)),
      Json.Member("text", .text(text)),
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
