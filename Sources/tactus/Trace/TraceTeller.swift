// SPDX-License-Identifier: Apache-2.0
//
// What happened in a trace, tick by tick: what came in, and what changed by which rule. Write after
// write of a fade is told by where it comes to rest.

import TactusCore
import TactusLinux

/// One tick that did something.
struct TraceLine {
  var tick: Tick
  /// What hands, programs and the hardware did.
  var inputs: [String] = []
  var changes: [Change] = []
  /// What was asked of the hardware, where everything is to be told.
  var effects: [String] = []

  var isEmpty: Bool { inputs.isEmpty && changes.isEmpty && effects.isEmpty }
}

/// One tick with all that led to it and came of it.
struct TraceMoment {
  let tick: Tick
  /// The sources that have a name from this tick on.
  let named: [UInt8]
  let inputs: [Input]
  let effects: [Effect]
  let snapshot: Snapshot
  let configuration: Configuration
  let names: DeviceNames
}

extension TracePlayer.Step {
  /// The step that a player has just made.
  func moment(_ player: TracePlayer) -> TraceMoment {
    TraceMoment(
      tick: tick,
      named: named,
      inputs: inputs,
      effects: replayed,
      snapshot: player.policy.snapshot,
      configuration: player.policy.configuration,
      names: player.names
    )
  }
}

/// Turns moments into lines.
struct TraceTeller {
  /// Every write and everything that was read back, too.
  let tellsAll: Bool
  private var observer: Observer
  private var before: Snapshot

  /// Takes the state that it begins with for known.
  init(_ policy: Policy, _ names: DeviceNames, tellsAll: Bool) {
    let snapshot = policy.snapshot
    self.tellsAll = tellsAll
    before = snapshot
    observer = Observer(
      policy.configuration,
      outputNames: names.outputs(policy.configuration.outputs.count),
      at: snapshot,
      start: 0
    )
    observer.begin(names.sources, snapshot)
  }

  /// What a moment did; changes that are told late have an earlier tick.
  mutating func tell(_ moment: TraceMoment) -> TraceLine {
    for place in moment.named where Int(place) < moment.names.sources.count {
      observer.name(place, moment.names.sources[Int(place)], at: moment.tick)
    }
    var effects = Effects(filler: .readLevels)
    for effect in moment.effects { effects.append(effect) }
    observer.see(effects, moment.snapshot)
    var line = TraceLine(tick: moment.tick)
    line.changes = observer.takeChanges()
    nameNotices(moment, &line)
    let labels = Labels(moment.names)
    if tellsAll {
      line.inputs = moment.inputs.map { $0.text(labels) }
      line.effects = moment.effects.map { $0.text(labels) }
    }
    line.inputs += touches(moment)
    if !tellsAll {
      line.inputs += asked(moment, labels)
      if line.inputs.isEmpty, line.changes.contains(where: { $0.kind == .volume }) {
        line.inputs = readings(moment, labels)
      }
    }
    before = moment.snapshot
    return line
  }

  /// The gains that have come to rest since, up to a tick.
  mutating func rest(at tick: Tick) -> [Change] {
    observer.rest(at: tick)
    return observer.takeChanges()
  }

  /// What a notice is about.
  private func nameNotices(_ moment: TraceMoment, _ line: inout TraceLine) {
    var objects: [String] = []
    for effect in moment.effects {
      guard case .notice = effect else { continue }
      objects.append(DeviceEvent(effect, at: moment.tick, names: moment.names)?.object ?? "")
    }
    var next = 0
    for index in line.changes.indices where line.changes[index].kind == .notice {
      guard next < objects.count else { return }
      line.changes[index] = line.changes[index].about(objects[next])
      next += 1
    }
  }

  // MARK: What came in

  /// What each control did: `volume-up pressed (edges 1 0 1)`.
  private func touches(_ moment: TraceMoment) -> [String] {
    let snapshot = moment.snapshot
    var description = Description(names: moment.names, configuration: moment.configuration)
    description.snapshot = snapshot
    let events = description.controlEvents(since: before)
    var texts: [String] = []
    for index in snapshot.controls.indices {
      let name = Labels(moment.names).control(UInt8(index))
      var edges = ""
      var count = 0
      for case .edge(UInt8(index), let state) in moment.inputs {
        edges += " \(Int(state))"
        count += 1
      }
      let event = events.first { $0.object == name }
      let health = health(snapshot, index)
      guard event != nil || !health.isEmpty || count > 0 else { continue }
      let isKnob = moment.configuration.controls[index].role == .knob
      let unaccepted = health.isEmpty ? isKnob ? "moves" : "bounces" : ""
      var words = [event?.text ?? unaccepted].filter { !$0.isEmpty }
      words += health
      let isPlain = event != nil && count <= 1 || count == 0
      texts.append("\(name) \(words.joined(separator: ", "))\(isPlain ? "" : " (edges\(edges))")")
    }
    return texts
  }

  /// What a control did that it should not.
  private func health(_ snapshot: Snapshot, _ index: Int) -> [String] {
    guard index < before.controls.count else { return [] }
    let (now, then) = (snapshot.controls[index], before.controls[index])
    var words: [String] = []
    if now.glitches > then.glitches { words.append("glitch") }
    if now.illegalJumps > then.illegalJumps { words.append("illegal jump") }
    if now.lostEdges > then.lostEdges {
      words.append("\(Int(now.lostEdges - then.lostEdges)) edges lost")
    }
    return words
  }

  /// What was asked for, and what came or went.
  private func asked(_ moment: TraceMoment, _ labels: Labels) -> [String] {
    var texts: [String] = []
    for input in moment.inputs {
      switch input {
      case .request(_, let request): texts.append("asked: \(request.text(labels))")
      case .line, .output, .sourceControl, .captureControl, .failed, .session:
        texts.append(input.text(labels))
      case .edge, .level, .lost, .window, .gain, .switched, .amplifier, .source, .capture,
        .soundEnded:
        break
      }
    }
    return texts
  }

  /// What was read of the codec, where somebody else has moved it.
  private func readings(_ moment: TraceMoment, _ labels: Labels) -> [String] {
    var texts: [String] = []
    for input in moment.inputs {
      if case .gain = input { texts.append(input.text(labels)) }
    }
    return texts
  }
}

extension DeviceNames {
  /// The names of so many outputs.
  func outputs(_ count: Int) -> [String] {
    (0..<count).map { Labels(self).output(UInt8($0)) }
  }
}

extension Change {
  /// The same with what it is about, where that is a part of the device.
  fileprivate func about(_ part: String) -> Change {
    guard !part.isEmpty else { return self }
    return Change(
      tick: tick,
      object: object,
      kind: kind,
      text: "\(text) \(part)",
      rule: rule,
      members: members + [Json.Member("part", .text(part))]
    )
  }
}

// MARK: Whole traces

/// All lines of a trace, by rising tick.
func tell(_ trace: Trace, within range: TraceRange, all: Bool) -> [TraceLine] {
  var player = TracePlayer(trace)
  var teller = TraceTeller(player.policy, player.names, tellsAll: all)
  var lines: [TraceLine] = []
  while let step = player.next() {
    let line = teller.tell(step.moment(player))
    if !line.isEmpty { lines.append(line) }
  }
  return sorted(lines, late: teller.rest(at: .max / 2)).filter { range.contains($0.tick) }
}

/// Lines with every change at its own tick.
func sorted(_ lines: [TraceLine], late: [Change]) -> [TraceLine] {
  var late = late
  var sorted: [TraceLine] = []
  for line in lines {
    var line = line
    late += line.changes.filter { $0.tick < line.tick }
    line.changes = line.changes.filter { $0.tick >= line.tick }
    if !line.isEmpty { sorted.append(line) }
  }
  for change in late { sorted.add(change) }
  return sorted
}

extension [TraceLine] {
  /// Adds a change to the line of its tick.
  fileprivate mutating func add(_ change: Change) {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].tick < change.tick { low = middle + 1 } else { high = middle }
    }
    if low == count || self[low].tick != change.tick {
      insert(TraceLine(tick: change.tick), at: low)
    }
    self[low].changes.append(change)
  }
}

// MARK: Writing

extension TraceLine {
  /// `20:14:03.215  volume-up pressed → volume 56 % (VOL-1)`.
  func row(_ times: TraceTimes, on page: Page) -> Row {
    var row = Row(limit: 10_000)
    row.add(times.precise(tick), .dim)
    row.add("  ")
    add(to: &row, on: page)
    return row
  }

  /// All but the time.
  func add(to row: inout Row, on page: Page) {
    row.add(inputs.joined(separator: ", "), .cyan)
    for (index, change) in changes.enumerated() {
      if index > 0 { row.add("; ") } else if !inputs.isEmpty { row.add(" \(page.glyphs.arrow) ") }
      let isDevice = change.object == Observer.device
      row.add("\(isDevice ? "" : "\(change.object) ")\(change.text)")
      row.add(" \(change.rule)", .dim)
    }
    if !effects.isEmpty { row.add(" | \(effects.joined(separator: ", "))", .dim) }
  }

  /// One object: `tick`, `seconds` since the daemon began, `time`, `inputs`, `changes`.
  func json(_ times: TraceTimes) -> Json {
    var members = [
      Json.Member("tick", .integer(tick)),
      Json.Member("seconds", .number(times.seconds(tick))),
      Json.Member("time", times.utc(tick).map { .text($0) } ?? .null),
      Json.Member("inputs", .array(inputs.map { .text($0) })),
      Json.Member("changes", .array(changes.map { $0.json })),
    ]
    if !effects.isEmpty {
      members.append(Json.Member("effects", .array(effects.map { .text($0) })))
    }
    return .object(members)
  }
}

extension Change {
  /// For programs, without its time.
  var json: Json {
    .object(
      [Json.Member("object", .text(object)), Json.Member("change", .text(kind.name))] + members
        + [Json.Member("text", .text(text)), Json.Member("rule", .text(rule))]
    )
  }
}
