// SPDX-License-Identifier: Apache-2.0
//
// Plays a scenario: the policy on a board at rest, hands and programs as the scenario says, and
// hardware that obeys. The clock is the policy's own: it sleeps until something happens, as the
// daemon does.

import TactusCore
import TactusLinux

/// Plays a scenario through the policy.
/// - Returns: every change, by rising time.
func rehearse(_ scenario: Scenario, on board: Board) -> [Change] {
  var rehearsal = Rehearsal(scenario, on: board)
  return rehearsal.run()
}

private struct Rehearsal {
  /// How long a board at rest takes to be ready, with time to spare.
  private static let startMilliseconds: Int64 = 2_000
  /// A scenario without an end is over when nothing has changed for so long.
  private static let restMilliseconds: Int64 = 5_000

  /// A movement of a hand.
  private struct Movement {
    enum Part {
      case put(control: Int, state: UInt8)
      case turn(control: Int, clockwise: Bool, transitions: Int)
    }
    let tick: Tick
    let part: Part
  }

  /// What a request was about, for its answer.
  private struct Asked {
    let object: String
    let verb: String
    /// What became of a command is told by an effect.
    let isCommand: Bool
  }

  private let scenario: Scenario
  private let configuration: Configuration
  private var policy: Policy
  private var hardware: ObedientHardware
  private var observer: Observer
  private let start: Tick
  private var next = 0
  /// Movements to come, the latest first.
  private var movements: [Movement] = []
  /// The place of each session.
  private var places: [UInt8?]
  private var adopted: [Bool]
  private var asked: [Asked] = []
  /// What this tick asks of sessions that are not open.
  private var refused: [(object: String, verb: String)] = []

  init(_ scenario: Scenario, on board: Board) {
    var configuration = board.configuration
    configuration.sources.removeAll()
    configuration.hasCaptureSwitch = true
    self.scenario = scenario
    self.configuration = configuration
    policy = Policy(configuration: configuration)
    hardware = ObedientHardware(configuration)
    start = configuration.timing.ticks(milliseconds: Rehearsal.startMilliseconds)
    places = [UInt8?](repeating: nil, count: scenario.names.count)
    adopted = [Bool](repeating: false, count: scenario.names.count)
    var effects = Effects(filler: .readLevels)
    while policy.now < start - 1 {
      var inputs = Inputs(filler: .level(control: 0, state: 0))
      for answer in hardware.takeAnswers() { inputs.append(answer) }
      policy.tick(at: policy.now + 1, &inputs, &effects)
      hardware.apply(effects)
    }
    observer = Observer(
      configuration,
      outputNames: board.outputs.map { $0.name },
      at: policy.snapshot,
      start: start
    )
  }

  mutating func run() -> [Change] {
    let timing = configuration.timing
    let end = scenario.end.map { start + timing.ticks(milliseconds: $0) }
    while let tick = nextTick {
      if let end, tick > end { break }
      if end == nil, !hasWork {
        guard tick - observer.lastMove < timing.ticks(milliseconds: Rehearsal.restMilliseconds)
        else { break }
      }
      step(to: tick)
    }
    return observer.changes()
  }

  /// Something of the scenario is still to come.
  private var hasWork: Bool { next < scenario.steps.count || !movements.isEmpty }

  /// When something next happens.
  private var nextTick: Tick? {
    if !hardware.answers.isEmpty { return policy.now + 1 }
    var tick = policy.deadline
    if next < scenario.steps.count {
      let due = self.due(scenario.steps[next])
      tick = min(tick ?? due, due)
    }
    if let movement = movements.last { tick = min(tick ?? movement.tick, movement.tick) }
    return tick.map { max($0, policy.now + 1) }
  }

  private func due(_ step: ScenarioStep) -> Tick {
    start + configuration.timing.ticks(milliseconds: step.milliseconds)
  }

  private mutating func step(to tick: Tick) {
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    asked = []
    refused = []
    for answer in hardware.takeAnswers() { inputs.append(answer) }
    move(at: tick, &inputs)
    // What finds no room comes in the next tick.
    while next < scenario.steps.count, due(scenario.steps[next]) <= tick, inputs.count < 200 {
      take(scenario.steps[next].event, at: tick, &inputs)
      next += 1
    }
    var effects = Effects(filler: .readLevels)
    policy.tick(at: tick, &inputs, &effects)
    hardware.apply(effects)
    nameOpened(effects)
    observer.see(effects, policy.snapshot)
    for (object, verb) in refused { observer.seeNotOpen(object, verb) }
    for position in effects.indices {
      guard case .reply(let token, let reply) = effects[position], !asked[Int(token)].isCommand
      else { continue }
      observer.seeAnswer(reply, to: asked[Int(token)].object, asked[Int(token)].verb)
    }
  }

  private mutating func nameOpened(_ effects: Effects) {
    for position in effects.indices {
      guard case .opened(let token, let place) = effects[position] else { continue }
      observer.name(place, asked[Int(token)].object, at: policy.now)
    }
  }

  // MARK: Hands

  private mutating func move(at tick: Tick, _ inputs: inout Inputs) {
    while let movement = movements.last, movement.tick <= tick, inputs.count < 200 {
      movements.removeLast()
      switch movement.part {
      case .put(let control, let state):
        if let input = hardware.put(control, state) { inputs.append(input) }
      case .turn(let control, let clockwise, let transitions):
        let isInverted = configuration.controls[control].inverted
        for _ in 0..<transitions {
          inputs.append(hardware.turn(control, clockwise: clockwise, inverted: isInverted))
        }
      }
    }
  }

  private mutating func plan(_ movement: Movement) {
    let later = movements.lastIndex { $0.tick > movement.tick }
    movements.insert(movement, at: later.map { $0 + 1 } ?? 0)
  }

  private mutating func press(_ control: Int, _ milliseconds: Int64, at tick: Tick) {
    let release = tick + max(configuration.timing.ticks(milliseconds: milliseconds), 1)
    plan(Movement(tick: tick, part: .put(control: control, state: 1)))
    plan(Movement(tick: release, part: .put(control: control, state: 0)))
  }

  /// A detent takes two ticks.
  private mutating func turn(_ control: Int, _ detents: Int, at tick: Tick) {
    let transitions = Int(configuration.controls[control].transitionsPerDetent)
    for detent in 0..<abs(detents) {
      plan(
        Movement(
          tick: tick + 2 * Tick(detent),
          part: .turn(control: control, clockwise: detents > 0, transitions: transitions)
        )
      )
    }
  }

  // MARK: Events

  private mutating func take(_ event: ScenarioEvent, at tick: Tick, _ inputs: inout Inputs) {
    switch event {
    case .open(let session, let peer, let source):
      adopted[session] = source.isAdopted
      ask(.open(peer: peer, source), of: scenario.names[session], "open", &inputs)
      places[session] = placeOfLast(at: tick, &inputs)
    case .activate(let session):
      // A player that knows no sessions cannot activate; all that is seen of it is that it plays.
      let event = adopted[session] ? SessionEvent.playing : .activate
      ask(session, "activate", &inputs) { .session($0, event) }
    case .session(let session, let event):
      ask(session, event.verb, &inputs) { .session($0, event) }
      if event == .died { places[session] = nil }
    case .setCategory(let session, let category):
      ask(session, "category", &inputs) { .setCategory($0, category) }
    case .setMode(let session, let mode):
      ask(session, "mode", &inputs) { .setMode($0, mode) }
    case .setOptions(let session, let options):
      ask(session, "options", &inputs) { .setOptions($0, options) }
    case .setGain(let session, let gain):
      ask(session, "gain", &inputs) { .setSessionGain($0, gain) }
    case .setCommands(let session, let commands):
      ask(session, "supports", &inputs) { .setCommands($0, commands) }
    case .setPausesOnUnplug(let session, let pauses):
      ask(session, "pause-on-unplug", &inputs) { .setPausesOnUnplug($0, pauses) }
    case .press(let control, let milliseconds):
      press(control, milliseconds, at: tick)
      move(at: tick, &inputs)
    case .turn(let control, let detents):
      turn(control, detents, at: tick)
      move(at: tick, &inputs)
    case .put(let control, let isOn):
      plan(Movement(tick: tick, part: .put(control: control, state: isOn ? 1 : 0)))
      move(at: tick, &inputs)
    case .ask(let request): ask(request, of: Observer.device, request.verb, &inputs)
    }
  }

  /// The place that the session gets that was asked for last.
  ///
  /// What comes in the same tick has to name it already. A policy is a value: a copy of it tells.
  private func placeOfLast(at tick: Tick, _ inputs: inout Inputs) -> UInt8? {
    var copy = policy
    var effects = Effects(filler: .readLevels)
    copy.tick(at: tick, &inputs, &effects)
    for position in effects.indices {
      guard case .opened(let token, let place) = effects[position] else { continue }
      if Int(token) == asked.count - 1 { return place }
    }
    return nil
  }

  private mutating func ask(
    _ request: Request,
    of object: String,
    _ verb: String,
    _ inputs: inout Inputs
  ) {
    inputs.append(.request(token: UInt16(asked.count), request))
    let isCommand = if case .command = request { true } else { false }
    asked.append(Asked(object: object, verb: verb, isCommand: isCommand))
  }

  private mutating func ask(
    _ session: Int,
    _ verb: String,
    _ inputs: inout Inputs,
    _ request: (UInt8) -> Request
  ) {
    guard let place = places[session] else {
      return refused.append((scenario.names[session], verb))
    }
    ask(request(place), of: scenario.names[session], verb, &inputs)
  }
}

extension SessionEvent {
  /// How a scenario writes it.
  fileprivate var verb: String {
    switch self {
    case .activate, .activateNotPlaying: "activate"
    case .deactivate, .deactivateNotifying: "deactivate"
    case .background, .foreground: "background"
    case .playing, .notPlaying: "playing"
    case .play: "play"
    case .pause: "pause"
    case .stop: "stop"
    case .pauseAnswered: "answer"
    case .died: "die"
    }
  }
}

extension Request {
  /// How a scenario writes it.
  fileprivate var verb: String {
    switch self {
    case .setLevel(let volume, _), .setGain(let volume, _), .step(let volume, _):
      volume == .ringer ? "set ringer" : "set volume"
    case .setMute, .toggleMute: "set mute"
    case .setSilent: "set silent"
    case .chooseRoute: "set route"
    case .setBalance: "set balance"
    case .command(let command): "command \(command.name)"
    case .session, .open, .setCategory, .setMode, .setOptions, .setSessionGain, .setCommands,
      .setPausesOnUnplug, .feedback, .playSound, .prepareFeedback, .shutDown:
      "ask"
    }
  }
}
