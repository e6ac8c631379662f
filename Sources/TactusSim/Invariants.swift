// SPDX-License-Identifier: Apache-2.0
//
// What must hold in every tick, whatever happened: written from the rules, not from the policy. The
// policy is watched from outside only: what it was told, what it asked for, what it shows, and what
// the hardware in memory really does.
//
//   watch       what is remembered from tick to tick to judge the next one
//   due         the last tick at which an obligation may still be open
//   grace       ticks that are added to every obligation while the loop is late (T-3)
//
// The invariants are in the files named beside them:
//
//   effects   bounds, order, writes, replies, state           Invariants.swift
//   intent    levels, mute, switch, route: changed by what     Intent.swift
//   silence   reasons, unplug, start, loudness                 Silence.swift
//   answers   what the hand is answered, by which cause        Answers.swift
//   calm      when all is quiet, the codec is at the intent    Calm.swift

import TactusCore

/// An invariant that did not hold.
struct Breach: Error {
  let rule: String
  let sentence: String
}

/// One step of the policy as seen from outside.
final class Step {
  /// The tick, counted by the simulation.
  var tick: Tick = 0
  /// By how many ticks the loop woke after the policy's deadline.
  var late: Tick = 0
  var inputs = Inputs(filler: .level(control: 0, state: 0))
  var effects = Effects(filler: .persist)
  var before = Snapshot()
  var after = Snapshot()
}

/// What the invariants need of an output, without its curve's bulk.
struct OutputFacts {
  let kind: RouteKind
  let hasVolume: Bool
  let hasSwitch: Bool
  let hasAmplifier: Bool
  let detect: Int?
  let maximum: Level
  /// Never louder than this (VOL-16, VOL-4).
  let cap: Gain
  /// Never louder than this while the headphone limit is armed; nil where there is none (VOL-13).
  let limit: Gain?
}

/// The invariants and what they remember.
struct Invariants {
  let configuration: Configuration
  let timing: Timing
  let settings: Settings
  let outputs: [OutputFacts]
  let sources: [Source]
  let roles: [Role]
  let canary: Bool
  var statistics = Statistics()

  var started: Tick = 0
  var isFirst = true
  var isEnding = false
  var endingDue: Tick = .max

  // Effects
  var openReplies: [UInt16] = []
  var gains: [WriteWatch<Gain>]
  var switches: [WriteWatch<Bool>]
  var amplifiers: [WriteWatch<Bool>]
  var sourceGains: [WriteWatch<Gain>]

  // State that survives
  var persisted = Saved()
  /// When the state was last written: at the latest, and, made up for after a late wake, at the
  /// earliest.
  var lastPersist: Tick = .min / 2
  var earliestPersist: Tick = .min / 2
  var unsavedSince: Tick = .max
  /// What was to be kept after the last step: not all of it can be seen to change.
  var lastKept = Saved()

  // Intent
  var up = KeyWatch(direction: 1)
  var down = KeyWatch(direction: -1)
  var isPairDown = false
  var pairSince: Tick = .max
  var limitStopped: Tick = .min / 2
  var plugMoved: Tick = .min / 2

  // Silence
  var silentFrom: [Tick]
  var louderFrom: [Tick]
  var isAudible: [Bool]
  var loudFrom: [Tick]
  var unplug: UnplugWatch?
  var held: [Bool]
  /// Per output: plugged in for good, and what its contact told last, and when, and when it was
  /// pulled out.
  var plugged: [Bool]
  var told: [Bool]
  var toldAt: [Tick]
  var pulledAt: [Tick]
  var firstPulledAt: [Tick]
  /// When the contact opened after it had been closed for good.
  var leftAt: [Tick]
  var isGainKnown: [Bool]
  var isSwitchKnown: [Bool]
  var falseSilenceFrom: Tick = .max
  /// Since when two that do not mix are heard together.
  var togetherFrom: Tick = .max
  var lastFault: Tick = .min / 2

  var answers = AnswerWatch()

  // Calm
  var quietSince: Tick = 0
  var isCalmChecked = false

  init(_ board: Board, canary: Bool) {
    configuration = board.configuration
    timing = configuration.timing
    settings = configuration.settings
    self.canary = canary
    var outputs: [OutputFacts] = []
    for index in configuration.outputs.indices {
      let output = configuration.outputs[index]
      let isLimited = output.kind == .headphones && settings.limitsHeadphones
      outputs.append(
        OutputFacts(
          kind: output.kind,
          hasVolume: output.hasVolume,
          hasSwitch: output.hasSwitch,
          hasAmplifier: output.amplifier != nil,
          detect: output.detect.map { Int($0) },
          maximum: output.maximumLevel,
          cap: output.curve.gain(at: output.maximumLevel),
          limit: isLimited ? output.curve.gain(at: settings.headphoneLimit) : nil
        )
      )
    }
    self.outputs = outputs
    var sources: [Source] = []
    for index in configuration.sources.indices { sources.append(configuration.sources[index]) }
    self.sources = sources
    var roles: [Role] = []
    for index in configuration.controls.indices { roles.append(configuration.controls[index].role) }
    self.roles = roles
    gains = Array(repeating: WriteWatch(), count: outputs.count)
    switches = Array(repeating: WriteWatch(), count: outputs.count)
    amplifiers = Array(repeating: WriteWatch(), count: outputs.count)
    sourceGains = Array(repeating: WriteWatch(), count: sources.count)
    silentFrom = Array(repeating: .max, count: sources.count)
    louderFrom = Array(repeating: .max, count: sources.count)
    isAudible = Array(repeating: false, count: sources.count)
    plugged = Array(repeating: false, count: outputs.count)
    told = plugged
    toldAt = Array(repeating: 0, count: outputs.count)
    pulledAt = Array(repeating: .min / 2, count: outputs.count)
    firstPulledAt = pulledAt
    leftAt = pulledAt
    held = Array(repeating: false, count: sources.count)
    loudFrom = Array(repeating: .max, count: outputs.count)
    isGainKnown = Array(repeating: false, count: outputs.count)
    isSwitchKnown = Array(repeating: false, count: outputs.count)
  }

  // MARK: The three calls of the simulation

  /// The policy begins anew, with what it had kept.
  mutating func restart(at tick: Tick, saved: Saved?, first: Snapshot) throws(Breach) {
    started = tick
    isFirst = true
    isEnding = false
    endingDue = .max
    openReplies = []
    for index in outputs.indices {
      gains[index] = WriteWatch()
      switches[index] = WriteWatch()
      amplifiers[index] = WriteWatch()
      loudFrom[index] = .max
      pulledAt[index] = .min / 2
      leftAt[index] = .min / 2
      isGainKnown[index] = false
      isSwitchKnown[index] = false
    }
    for index in sources.indices {
      sourceGains[index] = WriteWatch()
      silentFrom[index] = .max
      louderFrom[index] = .max
      held[index] = false
    }
    up = KeyWatch(direction: 1)
    down = KeyWatch(direction: -1)
    isPairDown = false
    pairSince = .max
    unplug = nil
    falseSilenceFrom = .max
    togetherFrom = .max
    lastPersist = .min / 2
    earliestPersist = .min / 2
    unsavedSince = .max
    lastKept = saved ?? Saved()
    limitStopped = .min / 2
    plugMoved = tick
    answers = AnswerWatch(soundlessSince: tick)
    touched(at: tick)
    try checkKept(saved ?? Saved(), first)
  }

  /// Something came from outside; calm begins anew.
  mutating func touched(at tick: Tick) {
    quietSince = tick
    isCalmChecked = false
  }

  /// Judges the obligations that end up to and including `tick`, with nothing done since the last
  /// step.
  mutating func settle(
    until tick: Tick,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    try settleKeys(until: tick)
    try settleSilence(until: tick, snapshot, speaker)
    try settleState(until: tick)
    if !isCalmChecked, tick - max(quietSince, lastFaultTick(speaker)) >= calmTicks {
      isCalmChecked = true
      statistics.met(.calm)
      try checkCalm(snapshot, speaker)
    }
  }

  /// The policy made a step and the hardware obeyed, or did not.
  mutating func observe(
    _ step: Step,
    deadline: Tick?,
    saved: Saved,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    statistics.steps += 1
    if let deadline, deadline <= step.tick {
      throw Breach(rule: "T-6", sentence: "the next deadline is not later than the tick")
    }
    noteInputs(step)
    try checkEffects(step, speaker)
    try checkReplies(step)
    try checkIntent(step, speaker)
    try checkSilence(step, speaker)
    try checkState(step, saved)
    count(step)
    isFirst = false
  }

  // MARK: Effects

  /// The loop wakes late: every obligation has so many ticks more (T-3).
  mutating func extendObligations(by ticks: Tick, until tick: Tick, _ speaker: SimulatedSpeaker) {
    touched(at: tick)
    // A fault that ended while the loop slept has not been retried yet.
    if lastFaultTick(speaker) >= tick - ticks { lastFault = tick }
    for index in sources.indices {
      if silentFrom[index] != .max { silentFrom[index] += ticks }
      if louderFrom[index] != .max { louderFrom[index] += ticks }
    }
    for index in outputs.indices where loudFrom[index] != .max { loudFrom[index] += ticks }
    up.extend(by: ticks)
    down.extend(by: ticks)
    if falseSilenceFrom != .max { falseSilenceFrom += ticks }
    if togetherFrom != .max { togetherFrom += ticks }
    if unsavedSince != .max { unsavedSince = tick }
    if endingDue != .max { endingDue += ticks }
    unplug?.due += ticks
    if answers.due != .max { answers.due += ticks }
  }

  /// Read-backs confirm writes; everything else that touches a part makes its state unknown.
  private mutating func noteInputs(_ step: Step) {
    for position in step.inputs.indices {
      switch step.inputs[position] {
      case .gain(let output, let gain):
        gains[Int(output)].read(gain)
        isGainKnown[Int(output)] = true
      case .switched(let output, let on):
        switches[Int(output)].read(on)
        if !on { isSwitchKnown[Int(output)] = true }
      case .amplifier(let output, let on):
        amplifiers[Int(output)].read(on)
        if !on { isSwitchKnown[Int(output)] = true }
      case .source(let source, let gain): sourceGains[Int(source)].read(gain)
      case .failed(let part, let index):
        statistics.met(.failingWrite)
        lastFault = step.tick
        switch part {
        case .gain: gains[Int(index)] = WriteWatch()
        case .outputSwitch: switches[Int(index)] = WriteWatch()
        case .amplifier: amplifiers[Int(index)] = WriteWatch()
        case .source: sourceGains[Int(index)] = WriteWatch()
        case .capture: break
        }
      case .output(let output, _):
        gains[Int(output)] = WriteWatch()
        switches[Int(output)] = WriteWatch()
        amplifiers[Int(output)] = WriteWatch()
        isGainKnown[Int(output)] = false
        isSwitchKnown[Int(output)] = false
      case .request(let token, _):
        openReplies.append(token)
        statistics.met(.request)
        touched(at: step.tick)
      case .edge, .lost, .line, .session, .soundEnded: touched(at: step.tick)
      default: break
      }
    }
  }

  private mutating func checkEffects(
    _ step: Step,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    guard !step.effects.isFull else {
      throw Breach(rule: "VOL-9", sentence: "the list of effects is full")
    }
    var written: UInt64 = 0
    var isOpening = false
    var switchedOff: UInt64 = 0
    for position in step.effects.indices {
      if case .balance = step.effects[position] { forgetGains() }
    }
    for position in step.effects.indices {
      let effect = step.effects[position]
      switch effect {
      case .gain(let output, let gain):
        try once(0, output, &written)
        try gains[Int(output)].write(
          gain,
          settled: speaker.ways[Int(output)].codec.quantised(gain),
          "a volume"
        )
        guard outputs[Int(output)].hasVolume else {
          throw Breach(rule: "VOL-9", sentence: "a volume is written that does not exist")
        }
      case .switched(let output, let on):
        try once(8, output, &written)
        try switches[Int(output)].write(on, settled: on, "a switch")
        guard outputs[Int(output)].hasSwitch else {
          throw Breach(rule: "VOL-9", sentence: "a switch is written that does not exist")
        }
        if on {
          isOpening = true
          try mayOpen(Int(output))
        } else {
          switchedOff |= 1 << UInt64(output)
          if isOpening { throw Breach.order }
        }
      case .amplifier(let output, let on):
        try once(16, output, &written)
        try amplifiers[Int(output)].write(on, settled: on, "an amplifier line")
        guard outputs[Int(output)].hasAmplifier else {
          throw Breach(rule: "VOL-9", sentence: "an amplifier line is written that does not exist")
        }
        if on {
          isOpening = true
          try mayOpen(Int(output))
        } else if isOpening {
          throw Breach.order
        } else if switchedOff & (1 << UInt64(output)) != 0 {
          throw Breach(rule: "SIL-11", sentence: "the codec is silenced before its amplifier line")
        }
      case .source(let source, let gain):
        try once(24, source, &written)
        try sourceGains[Int(source)].write(
          gain,
          settled: Codec.softvol.quantised(gain),
          "a source's gain"
        )
      case .finished:
        isEnding = true
        endingDue = .max
        statistics.met(.finished)
      case .lock, .balance, .capture, .readLevels, .pause, .resume, .opened, .interruptionBegan,
        .interruptionEnded, .hint, .command, .undelivered, .routeChanged, .persist, .reply, .notice,
        .feedback, .prepareFeedback, .playSound:
        break
      }
    }
  }

  /// A new balance is written with the gains, though these are as before.
  private mutating func forgetGains() {
    for index in outputs.indices { gains[index] = WriteWatch() }
  }

  /// One write per part and tick (VOL-9).
  private mutating func once(_ part: UInt64, _ index: UInt8, _ written: inout UInt64) throws(Breach)
  {
    let bit: UInt64 = 1 << (part + UInt64(index))
    guard written & bit == 0 else {
      throw Breach(rule: "VOL-9", sentence: "a control is written twice in a tick")
    }
    written |= bit
    statistics.writes += 1
  }

  /// Nothing is opened before it was silenced, written and read back (VOL-8).
  private func mayOpen(_ output: Int) throws(Breach) {
    if outputs[output].hasVolume, !isGainKnown[output] {
      throw Breach(rule: "VOL-8", sentence: "an output is opened before its volume was read back")
    }
    if outputs[output].hasSwitch || outputs[output].hasAmplifier, !isSwitchKnown[output] {
      throw Breach(rule: "VOL-8", sentence: "an output is opened before its silence was read back")
    }
  }

  /// Every request is answered once, in its tick.
  private mutating func checkReplies(_ step: Step) throws(Breach) {
    for position in step.effects.indices {
      guard case .reply(let token, let reply) = step.effects[position] else { continue }
      guard let place = openReplies.firstIndex(of: token) else {
        throw Breach(rule: "SIL-3", sentence: "an answer nobody waits for")
      }
      openReplies.remove(at: place)
      if reply == .limited { statistics.met(.limitedReply) }
    }
    if !openReplies.isEmpty {
      throw Breach(rule: "SIL-3", sentence: "a request is not answered in its tick")
    }
  }

  // MARK: State that survives (VOL-12)

  private func checkKept(_ saved: Saved, _ first: Snapshot) throws(Breach) {
    for index in outputs.indices {
      let stored = saved.levels[index] ?? settings.firstLevel
      var expected = min(stored, outputs[index].maximum)
      var boot = min(expected, settings.startCeiling)
      if outputs[index].limit != nil { boot = min(boot, settings.headphoneLimit) }
      if outputs[index].limit != nil { expected = min(expected, settings.headphoneLimit) }
      let level = first.outputs[index].level
      guard level == boot || level == expected else {
        throw Breach(
          rule: "VOL-7",
          sentence: "output \(index) starts at \(level.parts), stored \(stored.parts)"
        )
      }
    }
    if first.ringer != saved.ringer ?? settings.ringer {
      throw Breach(rule: "VOL-2", sentence: "the ringer volume changed by a restart")
    }
    if saved.isMuted && !first.isMuted {
      throw Breach(rule: "VOL-12", sentence: "the soft mute was lost by a restart")
    }
  }

  private mutating func checkState(_ step: Step, _ saved: Saved) throws(Breach) {
    for position in step.effects.indices {
      guard case .persist = step.effects[position] else { continue }
      statistics.met(.persisted)
      let isDue = step.tick - earliestPersist >= timing.persistIntervalTicks
      if !isDue, !isEnding {
        throw Breach(rule: "VOL-12", sentence: "the state is written again within 5 s")
      }
      guard saved.isMuted == step.after.isMuted || isMuteLatching,
        saved.ringer == step.after.ringer,
        isSameLevel(saved, step.after)
      else {
        throw Breach(rule: "VOL-12", sentence: "what is written is not what is so")
      }
      persisted = saved
      lastPersist = step.tick
      earliestPersist = step.tick - step.late
      unsavedSince = .max
    }
    var isSame =
      step.before.ringer == step.after.ringer
      && (isMuteLatching
        ? saved.isMuted == lastKept.isMuted : step.before.isMuted == step.after.isMuted)
    for index in outputs.indices
    where step.before.outputs[index].level != step.after.outputs[index].level { isSame = false }
    // What a program sets or a plug chooses may be kept although nothing of it shows here.
    // So may what a key and the knob did in one tick and took back from each other.
    let isPutOff =
      unsavedSince != .max
      && (hasRequest(step) || step.before.route != step.after.route || hasVolumeAnswer(step)
        || step.before.isMuted != step.after.isMuted || isPairDown || !saved.isSame(as: lastKept))
    lastKept = saved
    if !isSame || isPutOff, !isFirst {
      unsavedSince = step.tick
      if hasPersist(step) { unsavedSince = .max }
    }
  }

  private func hasPersist(_ step: Step) -> Bool {
    for position in step.effects.indices {
      if case .persist = step.effects[position] { return true }
    }
    return false
  }

  private func hasVolumeAnswer(_ step: Step) -> Bool {
    for position in step.effects.indices {
      switch step.effects[position] {
      case .feedback(.selection, _), .feedback(.light, _): return true
      default: continue
      }
    }
    return false
  }

  private func hasRequest(_ step: Step) -> Bool {
    for position in step.inputs.indices {
      if case .request = step.inputs[position] { return true }
    }
    return false
  }

  /// A route that was never set has no level of its own to keep.
  private func isSameLevel(_ saved: Saved, _ snapshot: Snapshot) -> Bool {
    guard let route = snapshot.route, let level = saved.levels[Int(route)] else { return true }
    return level == snapshot.level
  }

  private func settleState(until tick: Tick) throws(Breach) {
    if tick > endingDue {
      throw Breach(rule: "CTL-7", sentence: "asked to end, and not finished after 2 s")
    }
    guard unsavedSince != .max, !isEnding else { return }
    let due = max(
      unsavedSince + timing.persistDelayTicks,
      lastPersist + timing.persistIntervalTicks
    )
    if tick > due + 2 {
      throw Breach(rule: "VOL-12", sentence: "a change is not written in time")
    }
  }

  // MARK: Coverage

  private mutating func count(_ step: Step) {
    for position in step.effects.indices {
      switch step.effects[position] {
      case .pause: statistics.met(.pauseSent)
      case .resume: statistics.met(.resumeSent)
      case .routeChanged(let change, _, _): count(change)
      case .notice(let notice, _, _): count(notice)
      case .feedback(let feedback, _): count(feedback)
      default: break
      }
    }
    let reasons = step.after.reasons
    if reasons != step.before.reasons {
      if reasons.contains(.softMute) { statistics.met(.softMute) }
      if reasons.contains(.starting) { statistics.met(.starting) }
      if reasons.contains(.routeSettling) { statistics.met(.routeSettling) }
      if reasons.contains(.fault) { statistics.met(.fault) }
    }
    for index in sources.indices {
      let new = step.after.sources[index].reasons.subtracting(step.before.sources[index].reasons)
      guard !new.isEmpty else { continue }
      if new.contains(.silentSwitch) { statistics.met(.silentSwitch) }
      if new.contains(.levelZero) { statistics.met(.levelZero) }
      if new.contains(.awaitingPause) { statistics.met(.awaitingPause) }
      if new.contains(.silencedByPerson) { statistics.met(.silencedByPerson) }
    }
    if step.after.ringer != step.before.ringer { statistics.met(.ringer) }
    if step.after.isMuted != step.before.isMuted { statistics.met(.mute) }
  }

  private mutating func count(_ change: RouteChange) {
    switch change {
    case .newDeviceAvailable: statistics.met(.newDeviceAvailable)
    case .oldDeviceUnavailable: statistics.met(.oldDeviceUnavailable)
    case .override: statistics.met(.override)
    case .noSuitableRoute: statistics.met(.noSuitableRoute)
    case .configurationChange: break
    }
  }

  private mutating func count(_ notice: Notice) {
    switch notice {
    case .stuck: statistics.met(.stuck)
    case .noisy: statistics.met(.noisy)
    case .lineLost: statistics.met(.lineLost)
    case .lineBack: statistics.met(.lineBack)
    case .outputLost: statistics.met(.outputLost)
    case .outputBack: statistics.met(.outputBack)
    case .notSilent: statistics.met(.notSilent)
    case .writeFault: statistics.met(.writeFault)
    case .writeRecovered: statistics.met(.writeRecovered)
    case .foreignMixer: statistics.met(.foreignMixer)
    case .detectStuck: statistics.met(.detectStuck)
    case .limitRearmed: statistics.met(.limitRearmed)
    case .detectIdle: break
    }
  }

  private mutating func count(_ feedback: Feedback) {
    switch feedback {
    case .selection: statistics.met(.selection)
    case .light: statistics.met(.light)
    case .warning: statistics.met(.warning)
    case .medium: statistics.met(.medium)
    case .failure: statistics.met(.failure)
    case .success, .heavy: break
    }
  }
}

extension Breach {
  static let order = Breach(
    rule: "SIL-10",
    sentence: "something is opened before something else is silenced"
  )
}

/// What is known of one part from the policy's writes and their read-backs.
struct WriteWatch<Value: Equatable> {
  private var asked: Value?
  private var expected: Value?
  private var isConfirmed = false

  init() {}

  /// A write; what was asked for and confirmed is not asked for again (VOL-9).
  mutating func write(_ value: Value, settled: Value, _ name: String) throws(Breach) {
    if isConfirmed, asked == value {
      throw Breach(rule: "VOL-9", sentence: name + " is written that was read back as wanted")
    }
    asked = value
    expected = settled
    isConfirmed = false
  }

  mutating func read(_ value: Value) {
    isConfirmed = value == expected
    if !isConfirmed { asked = nil }
  }
}
