// SPDX-License-Identifier: Apache-2.0
//
// What was recorded once, again on another board file or with another debounce time: the hands and
// the programs as they were, hardware that obeys, and the policy as that board would have it.
//
//   recording   raw edges of real contacts, or the trace of a daemon
//   move        one thing of it, in the terms of the new board
//   left out    what the new board has no place for

import TactusCore
import TactusLinux

/// What hands and programs do, and on which device.
struct Reenactment {
  /// One thing that happens.
  enum Move {
    case edge(control: Int, state: UInt8)
    case lost(control: Int, count: UInt16)
    case line(control: Int, isPresent: Bool)
    case request(Request)
    /// A program opens a session that the recording has at another place.
    case open(peer: UInt16, Source, place: UInt8, name: String)
    case session(place: UInt8, SessionEvent)
  }

  /// A board at rest is ready after so long, with time to spare.
  private static let startMilliseconds: Int64 = 2_000
  /// What the last move causes is waited for.
  private static let restMilliseconds: Int64 = 2_000

  let configuration: Configuration
  let names: DeviceNames
  /// By rising time, in ticks since the first.
  private(set) var moves: [(tick: Tick, move: Move)] = []
  /// How many edges each name has that the board does not have.
  private(set) var leftOut: [(name: String, count: Int)] = []
  /// Where the contacts stand before the first move.
  private var contacts: [UInt8]

  private init(_ configuration: Configuration, _ names: DeviceNames) {
    self.configuration = configuration
    self.names = names
    contacts = configuration.controls.indices.map {
      configuration.controls[$0].role == .knob ? 0b11 : 0
    }
  }

  private mutating func leaveOut(_ name: String) {
    if let index = leftOut.firstIndex(where: { $0.name == name }) {
      leftOut[index].count += 1
    } else {
      leftOut.append((name, 1))
    }
  }
}

// MARK: From edges

extension Reenactment {
  /// Raw edges on a board.
  /// - Parameters:
  ///   - recording: The edges.
  ///   - board: Where they happen.
  ///   - recorded: The board where they were recorded, if it is known, for the roles of its names.
  init(_ recording: EdgeRecording, on board: Board, recordedOn recorded: Board?) {
    self.init(board.configuration, board.deviceNames)
    let period = UInt64(board.configuration.timing.tickMicroseconds) * 1_000
    let first = recording.edges.first?.nanoseconds ?? 0
    var isKnown = [Bool](repeating: false, count: board.controls.count)
    var states = contacts
    for edge in recording.edges {
      guard let index = board.position(of: edge.control, recordedOn: recorded) else {
        leaveOut(edge.control)
        continue
      }
      let bit: UInt8 = edge.line == .a ? 2 : 1
      let isOn = edge.isHigh == board.controls[index].isActiveHigh
      if !isKnown[index], edge.line == .single {
        // Before its first edge a contact stood the other way.
        contacts[index] = isOn ? 0 : 1
      }
      isKnown[index] = true
      states[index] = isOn ? states[index] | bit : states[index] & ~bit
      let tick = Tick((edge.nanoseconds - first) / period)
      moves.append((tick, .edge(control: index, state: states[index])))
    }
  }
}

extension BoardControl {
  /// Whether its lines are active while they are high.
  fileprivate var isActiveHigh: Bool {
    guard case .lines(_, _, _, let polarity) = contact else { return true }
    return polarity == .activeHigh
  }
}

extension Board {
  /// The control of a name; else the first one with the role of that name.
  fileprivate func position(of name: String, recordedOn recorded: Board?) -> Int? {
    if let index = controls.firstIndex(where: { $0.name == name }) { return index }
    let role = recorded?.controls.first { $0.name == name }?.role ?? Role(name: name)
    guard let role else { return nil }
    return controls.firstIndex { $0.role == role && $0.contact != .keys }
  }

  /// What it calls what.
  var deviceNames: DeviceNames {
    DeviceNames(
      board: name,
      controls: controls.map { $0.name },
      outputs: outputs.map { $0.name },
      sources: sources.map { $0.name }
    )
  }
}

// MARK: From a trace

extension Reenactment {
  /// The hands and programs of a trace on a board, with the trace's own sources.
  init(_ trace: Trace, on board: Board) {
    var player = TracePlayer(trace)
    let recorded = player.policy.configuration
    var configuration = board.configuration
    configuration.sources.removeAll()
    for index in 0..<player.policy.configuredSources {
      configuration.sources.append(recorded.sources[index])
    }
    var names = board.deviceNames
    names.sources = Array(player.names.sources.prefix(configuration.sources.count))
    self.init(configuration, names)
    var controls: [Int?] = []
    let snapshot = player.policy.snapshot
    for index in recorded.controls.indices {
      let name = Labels(player.names).control(UInt8(index))
      let found =
        board.controls.firstIndex { $0.name == name }
        ?? board.controls.firstIndex { $0.role == recorded.controls[index].role }
      controls.append(found)
      if let found { contacts[found] = snapshot.controls[index].state }
    }
    let outputs = recorded.outputs.indices.map { index in
      configuration.output(recorded.outputs[index].kind)
    }
    var first: Tick?
    while let step = player.next() {
      let tick = step.tick - (first ?? step.tick)
      first = first ?? step.tick
      for input in step.inputs {
        take(input, step, at: tick, player.names, controls, outputs)
      }
    }
  }

  private mutating func take(
    _ input: Input,
    _ step: TracePlayer.Step,
    at tick: Tick,
    _ names: DeviceNames,
    _ controls: [Int?],
    _ outputs: [Int?]
  ) {
    func control(_ position: UInt8) -> Int? {
      Int(position) < controls.count ? controls[Int(position)] : nil
    }
    switch input {
    case .edge(let position, let state):
      guard let index = control(position) else {
        return leaveOut(Labels(names).control(position))
      }
      moves.append((tick, .edge(control: index, state: state)))
    case .lost(let position, let count):
      if let index = control(position) { moves.append((tick, .lost(control: index, count: count))) }
    case .line(let position, let isPresent):
      guard let index = control(position) else { return }
      moves.append((tick, .line(control: index, isPresent: isPresent)))
    case .request(let token, .open(let peer, let source)):
      for case .opened(token, let place) in step.recorded {
        let name = Labels(names).session(place)
        moves.append((tick, .open(peer: peer, source, place: place, name: name)))
      }
    case .request(_, .shutDown): break
    case .request(_, .chooseRoute(let output)):
      guard Int(output) < outputs.count, let index = outputs[Int(output)] else { return }
      moves.append((tick, .request(.chooseRoute(UInt8(index)))))
    case .request(_, let request): moves.append((tick, .request(request)))
    case .session(let place, let event): moves.append((tick, .session(place: place, event)))
    case .level, .output, .window, .gain, .switched, .amplifier, .source, .sourceControl,
      .captureControl, .capture, .soundEnded, .failed:
      break
    }
  }
}

// MARK: Running

/// What came of a reenactment.
struct Outcome {
  /// What happened, by rising tick since the first move.
  var lines: [TraceLine] = []
  /// Before the first move, and at the end.
  var before: Snapshot
  var after: Snapshot
  /// Edges of each control.
  var edges: [Int]
}

extension Reenactment {
  /// Plays everything to its end.
  func run() -> Outcome {
    var policy = Policy(configuration: configuration)
    var hardware = ObedientHardware(configuration, contacts: contacts)
    let timing = configuration.timing
    let start = timing.ticks(milliseconds: Reenactment.startMilliseconds)
    var effects = Effects(filler: .readLevels)
    while policy.now < start - 1 {
      var inputs = Inputs(filler: .level(control: 0, state: 0))
      for answer in hardware.takeAnswers() { inputs.append(answer) }
      policy.tick(at: policy.now + 1, &inputs, &effects)
      hardware.apply(effects)
    }
    var names = names
    var outcome = Outcome(
      before: policy.snapshot,
      after: policy.snapshot,
      edges: [Int](repeating: 0, count: configuration.controls.count)
    )
    var teller = TraceTeller(policy, names, tellsAll: false)
    var places = [UInt8?](repeating: nil, count: 256)
    for index in configuration.sources.indices { places[index] = UInt8(index) }
    var next = 0
    let end =
      start + (moves.last?.tick ?? 0) + timing.ticks(milliseconds: Reenactment.restMilliseconds)
    while true {
      var tick = policy.deadline ?? end
      if !hardware.answers.isEmpty { tick = policy.now + 1 }
      if next < moves.count { tick = min(tick, start + moves[next].tick) }
      tick = max(tick, policy.now + 1)
      guard tick < end || next < moves.count else { break }
      var inputs = Inputs(filler: .level(control: 0, state: 0))
      for answer in hardware.takeAnswers() { inputs.append(answer) }
      var openings: [(place: UInt8, name: String)] = []
      while next < moves.count, start + moves[next].tick <= tick, inputs.count < 200 {
        take(moves[next].move, &hardware, &inputs, &outcome, places, &openings)
        next += 1
      }
      policy.tick(at: tick, &inputs, &effects)
      hardware.apply(effects)
      var named: [UInt8] = []
      for position in effects.indices {
        guard case .opened(let token, let place) = effects[position] else { continue }
        guard Int(token) < openings.count else { continue }
        places[Int(openings[Int(token)].place)] = place
        while names.sources.count <= Int(place) { names.sources.append("") }
        names.sources[Int(place)] = openings[Int(token)].name
        named.append(place)
      }
      let moment = TraceMoment(
        tick: tick,
        named: named,
        inputs: inputs.indices.map { inputs[$0] },
        effects: effects.indices.map { effects[$0] },
        snapshot: policy.snapshot,
        configuration: policy.configuration,
        names: names
      )
      outcome.lines.append(teller.tell(moment))
    }
    outcome.after = policy.snapshot
    outcome.lines = sorted(outcome.lines, late: teller.rest(at: .max / 2)).map { line in
      var line = line
      line.tick -= start
      return line
    }
    return outcome
  }

  private func take(
    _ move: Move,
    _ hardware: inout ObedientHardware,
    _ inputs: inout Inputs,
    _ outcome: inout Outcome,
    _ places: [UInt8?],
    _ openings: inout [(place: UInt8, name: String)]
  ) {
    switch move {
    case .edge(let control, let state):
      outcome.edges[control] += 1
      hardware.stand(control, state)
      inputs.append(.edge(control: UInt8(control), state: state))
    case .lost(let control, let count):
      inputs.append(.lost(control: UInt8(control), count: count))
    case .line(let control, let isPresent):
      inputs.append(.line(control: UInt8(control), present: isPresent))
    case .request(let request):
      guard let request = request.moved(places) else { return }
      // Its token is nobody's opening.
      inputs.append(.request(token: .max, request))
    case .open(let peer, let source, let place, let name):
      inputs.append(.request(token: UInt16(openings.count), .open(peer: peer, source)))
      openings.append((place, name))
    case .session(let place, let event):
      guard let place = places[Int(place)] else { return }
      inputs.append(.session(place, event))
    }
  }
}

extension Request {
  /// The same about the place that a session has now; nil where it has none.
  fileprivate func moved(_ places: [UInt8?]) -> Request? {
    func now(_ place: UInt8) -> UInt8? { places[Int(place)] }
    return switch self {
    case .session(let place, let event): now(place).map { .session($0, event) }
    case .setCategory(let place, let category): now(place).map { .setCategory($0, category) }
    case .setMode(let place, let mode): now(place).map { .setMode($0, mode) }
    case .setOptions(let place, let options): now(place).map { .setOptions($0, options) }
    case .setSessionGain(let place, let gain): now(place).map { .setSessionGain($0, gain) }
    case .setCommands(let place, let set): now(place).map { .setCommands($0, set) }
    case .setPausesOnUnplug(let place, let isOn): now(place).map { .setPausesOnUnplug($0, isOn) }
    case .setLevel, .setGain, .step, .setMute, .toggleMute, .setSilent, .chooseRoute, .setBalance,
      .command, .open, .feedback, .playSound, .prepareFeedback, .shutDown:
      self
    }
  }
}
