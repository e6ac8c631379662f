// SPDX-License-Identifier: Apache-2.0
//
// A run of the policy on a speaker in memory, from one seed: the board, the hands, the programs and
// the faults all follow from it, so that a failing run can be repeated by its number.
//
// The policy sleeps as the daemon lets it: until its deadline or until something happens. While it
// sleeps a copy of it is called in every tick with nothing, and must end where the sleeper ends
// (T-2); now and then it is forced through every tick of the sleep, so that it cannot rely on its
// own deadline to do nothing.

public import TactusCore

/// How a run ended.
public enum Outcome {
  /// Every invariant held.
  case held(Statistics)
  case violated(Violation)
}

/// An invariant that did not hold, and how to see it again.
public struct Violation {
  public let seed: UInt64
  public let ticks: Tick
  /// The tick in which it was noticed.
  public let tick: Tick
  /// The rule that was broken.
  public let rule: String
  /// What was seen, as a sentence without its full stop.
  public let sentence: String
  /// The last ticks before it in which something happened, at most 50.
  public let records: [Record]
  /// The device as it shows itself then.
  public let snapshot: Snapshot
  let canary: Bool

  /// The command that repeats the run.
  public var replayCommand: String {
    "tactus sim --seed \(seed) --ticks \(ticks)" + (canary ? " --canary" : "")
  }

  /// One line for people.
  public var description: String {
    "seed \(seed), tick \(tick): \(rule): " + sentence
  }
}

/// One tick in which something happened.
public struct Record {
  public let tick: Tick
  public let inputs: [Input]
  public let effects: [Effect]
}

/// A run.
public struct Simulation {
  /// Runs `ticks` ticks from `seed`.
  ///
  /// `canary` adds an invariant that cannot hold ("the level never reaches 9/16"), which shows that
  /// a broken invariant is noticed.
  public static func run(seed: UInt64, ticks: Tick, canary: Bool = false) -> Outcome {
    var simulation = Simulation(seed: seed, ticks: ticks, canary: canary)
    guard let breach = simulation.run() else { return .held(simulation.invariants.statistics) }
    var again = Simulation(seed: seed, ticks: ticks, canary: canary)
    again.isRecording = true
    _ = again.run()
    return .violated(
      Violation(
        seed: seed,
        ticks: ticks,
        tick: simulation.now,
        rule: breach.rule,
        sentence: breach.sentence,
        records: again.records,
        snapshot: again.policy.snapshot,
        canary: canary
      )
    )
  }

  private static let maximumRecords = 50

  private let board: Board
  private let end: Tick
  private var speaker: SimulatedSpeaker
  private var scene: Scene
  private var invariants: Invariants
  private var policy: Policy
  /// The simulation's tick at which the policy's own count began.
  private var base: Tick = 0
  private var now: Tick = 0
  private let step = Step()
  /// What the copy is given while the policy sleeps.
  private var idle = Inputs(filler: .level(control: 0, state: 0))
  private var sleeps = 0
  /// The copy that is stepped through every tick that the policy sleeps.
  private var shadow: Policy
  private var shadowEffects = Effects(filler: .persist)
  private var shadowSnapshot = Snapshot()
  private var isRecording = false
  private var records: [Record] = []

  private init(seed: UInt64, ticks: Tick, canary: Bool) {
    var random = Random(seed: seed)
    board = Board(random: &random)
    end = ticks
    speaker = SimulatedSpeaker(
      configuration: board.configuration,
      codecs: board.codecs,
      seed: random.next()
    )
    scene = Scene(board.configuration, random: Random(seed: random.next()))
    invariants = Invariants(board, canary: canary)
    policy = Policy(configuration: board.configuration)
    shadow = policy
  }

  /// Runs to the end; nil when everything held.
  private mutating func run() -> Breach? {
    do throws(Breach) {
      try begin(at: 1, saved: nil)
      while now < end { try advance() }
      invariants.statistics.passed(end)
      return nil
    } catch {
      return error
    }
  }

  private mutating func begin(at tick: Tick, saved: Saved?) throws(Breach) {
    now = tick - 1
    base = tick - 1
    policy = Policy(configuration: board.configuration, saved: saved)
    policy.takeSnapshot(into: &step.after)
    speaker.start(at: tick)
    try invariants.restart(at: tick, saved: saved, first: step.after)
  }

  /// Sleeps until something happens, and steps.
  private mutating func advance() throws(Breach) {
    var wake = min(end, max(scene.next, now + 1))
    if let deadline = policy.deadline { wake = min(wake, base + deadline) }
    if let event = speaker.nextEvent { wake = min(wake, max(event, now + 1)) }
    wake = min(wake + scene.lateness(), end)
    step.late = policy.deadline.map { max(wake - (base + $0), 0) } ?? 0
    if step.late > 0 { invariants.extendObligations(by: step.late, until: wake, speaker) }
    try invariants.settle(until: wake - 1, step.after, speaker)
    prepareIdle()
    while scene.next <= wake {
      scene.act(at: scene.next, &speaker, &invariants.statistics)
      invariants.touched(at: wake)
    }
    if let ticks = scene.restart { return try restart(at: wake + ticks) }
    step.tick = wake
    step.inputs.removeAll()
    speaker.gather(at: wake, into: &step.inputs)
    try stepPolicy(to: wake)
    speaker.apply(step.effects, at: wake)
    now = wake
    if isRecording { record() }
    try invariants.observe(
      step,
      deadline: policy.deadline.map { $0 + base },
      saved: policy.saved,
      speaker
    )
    try endIfFinished()
  }

  /// The daemon is gone; what happens meanwhile is heard by nobody.
  private mutating func restart(at tick: Tick) throws(Breach) {
    scene.restart = nil
    speaker.release()
    while scene.next < tick {
      scene.act(at: scene.next, &speaker, &invariants.statistics)
    }
    scene.restart = nil
    while let event = speaker.nextEvent, event < tick {
      step.inputs.removeAll()
      speaker.gather(at: tick - 1, into: &step.inputs)
    }
    try begin(at: tick, saved: invariants.persisted)
  }

  /// After its last word the policy must be silent; then the power comes back.
  private mutating func endIfFinished() throws(Breach) {
    for position in step.effects.indices {
      guard case .finished = step.effects[position] else { continue }
      try invariants.checkFinished(step.after, now, speaker)
      try restart(at: now + 40)
      return
    }
  }

  private mutating func stepPolicy(to wake: Tick) throws(Breach) {
    let isComparable = step.late == 0 && wake - now > 1
    if isComparable { invariants.statistics.met(.sleptThrough) }
    if isComparable {
      shadow = policy
      for tick in (now + 1)..<wake {
        shadow.tick(at: tick - base, &idle, &shadowEffects)
        guard shadowEffects.isEmpty else {
          throw Breach(rule: "T-2", sentence: "an idle tick before the deadline does something")
        }
      }
    }
    policy.tick(at: wake - base, &step.inputs, &step.effects)
    swap(&step.before, &step.after)
    policy.takeSnapshot(into: &step.after)
    if step.late > 0 {
      invariants.statistics.met(
        step.late > board.configuration.timing.lateTicks ? .longLateWake : .lateWake
      )
    }
    guard isComparable else { return }
    shadow.tick(at: wake - base, &step.inputs, &shadowEffects)
    shadow.takeSnapshot(into: &shadowSnapshot)
    guard shadowEffects.isSame(as: step.effects), shadow.deadline == policy.deadline,
      shadowSnapshot.isSame(as: step.after)
    else {
      throw Breach(rule: "T-2", sentence: "idle ticks end elsewhere than one long sleep")
    }
  }

  /// Nothing, or, every 4th time, a level that is known already: it forces the copy to step through
  /// ticks that it would skip by its own deadline.
  private mutating func prepareIdle() {
    sleeps += 1
    idle.removeAll()
    guard sleeps % 4 == 0 else { return }
    for control in speaker.contacts.indices
    where !speaker.contacts[control].isKnob && speaker.isTold(control) {
      idle.append(.level(control: UInt8(control), state: speaker.contacts[control].told))
      return
    }
  }

  private mutating func record() {
    guard !step.inputs.isEmpty || !step.effects.isEmpty else { return }
    if records.count == Simulation.maximumRecords { records.removeFirst() }
    var inputs: [Input] = []
    for position in step.inputs.indices { inputs.append(step.inputs[position]) }
    var effects: [Effect] = []
    for position in step.effects.indices { effects.append(step.effects[position]) }
    records.append(Record(tick: now, inputs: inputs, effects: effects))
  }
}
