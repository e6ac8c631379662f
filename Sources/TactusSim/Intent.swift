// SPDX-License-Identifier: Apache-2.0
//
// The intent changes by its causes alone, and by the right amount: levels, ringer, mute, silent
// switch, route. A tick with one cause is judged exactly; with several, every one that could
// explain a change is accepted.

import TactusCore

/// A volume button as the rules see it (VOL-1, CTL-6).
struct KeyWatch {
  let direction: Int32
  var isHeld = false
  var pressed: Tick = .min / 2
  var released: Tick = .min / 2
  var lastStep: Tick = .min / 2
  /// Presses that have not moved anything yet.
  var pending: Int32 = 0
  /// The last press moved something already, so that the next step of it is a repeat.
  var hasActed = false
  /// Until when the pending press must have done something.
  var due: Tick = .max
  /// Ticks the loop was late since the last step: so many more repeats may come at once.
  var lateness: Tick = 0

  init(direction: Int32) { self.direction = direction }

  mutating func extend(by ticks: Tick) {
    if due != .max { due += ticks }
    lateness = ticks
  }

  /// How many steps it may make at most in this tick.
  func allowance(at tick: Tick, _ timing: Timing) -> Int32 {
    var steps = tick <= pressed + timing.pairWindowTicks + 1 + lateness ? pending : 0
    let isLong = tick - pressed >= timing.repeatDelayTicks - 1
    // A repeat comes before a release in the same tick (T-1).
    if isHeld || released == tick || lateness > 0, isLong,
      tick - lastStep >= timing.repeatIntervalTicks - 1
    {
      steps += 1 + Int32(lateness / timing.repeatIntervalTicks)
    }
    return steps
  }

  mutating func note(_ presses: Int32, isHeld: Bool, at tick: Tick, window: Tick) {
    if presses > 0 {
      pressed = tick
      pending += presses
      hasActed = false
      due = tick + window + 1
    }
    if self.isHeld, !isHeld { released = tick }
    self.isHeld = isHeld
  }

  mutating func acted(at tick: Tick) {
    // What was made up for after a late wake happened at some earlier tick.
    lastStep = lateness > 0 ? .min / 2 : tick
    // A press of this very tick, beside an older one, may have yet to act.
    pending = pressed == tick && pending > 1 ? 1 : 0
    hasActed = true
    due = .max
  }
}

/// What was done to the device in one tick.
struct Causes {
  var upPresses: Int32 = 0
  var downPresses: Int32 = 0
  var mutePresses: Int32 = 0
  /// The mute button moved, or was read after its line was away.
  var isMuteRead = false
  var knobPushes: Int32 = 0
  var detents: Int32 = 0
  var requests = 0
  var request: Request?
  var foreign = [false, false, false, false, false]
  var sessions = 0
  var outputs = 0
  var plug = false

  var isByHand: Bool { upPresses + downPresses + mutePresses + knobPushes + detents > 0 }
}

extension Invariants {
  mutating func checkIntent(_ step: Step, _ speaker: SimulatedSpeaker) throws(Breach) {
    let causes = noteCauses(step)
    defer {
      up.lateness = 0
      down.lateness = 0
    }
    guard !isFirst else {
      // There is nothing to compare with, so whether a press acted cannot be seen.
      up.due = .max
      down.due = .max
      return
    }
    try checkBounds(step)
    try checkMute(step, causes)
    try checkLevels(step, causes)
    try checkRinger(step, causes)
    try checkSilentSwitch(step, causes)
    try checkRoute(step, causes)
    noteActs(step, causes)
    try checkAnswers(step, causes, speaker)
  }

  mutating func settleKeys(until tick: Tick) throws(Breach) {
    if tick > up.due || tick > down.due {
      throw Breach(rule: "CTL-6", sentence: "a press of a volume button did nothing")
    }
  }

  // MARK: Causes

  private mutating func noteCauses(_ step: Step) -> Causes {
    var causes = Causes()
    let tick = step.tick
    for index in roles.indices {
      let old = step.before.controls[index]
      let new = step.after.controls[index]
      if new.glitches > old.glitches { statistics.met(.glitch) }
      if new.lostEdges > old.lostEdges { statistics.met(.lostEdge) }
      let changes = Int32(truncatingIfNeeded: new.changes - old.changes)
      guard changes > 0 else { continue }
      let presses = (changes + (old.state == 0 && new.state != 0 ? 1 : 0)) / 2
      switch roles[index] {
      case .volumeUp:
        causes.upPresses += presses
        up.note(presses, isHeld: new.state == 1, at: tick, window: pairWindow)
      case .volumeDown:
        causes.downPresses += presses
        down.note(presses, isHeld: new.state == 1, at: tick, window: pairWindow)
      case .mute:
        causes.mutePresses += presses
        causes.isMuteRead = true
      case .knobPush: causes.knobPushes += changes
      case .knob:
        causes.detents += changes
        statistics.met(.detent, times: Int(changes))
      case .headphoneDetect: causes.plug = true
      default: break
      }
      statistics.met(.press, times: Int(presses))
    }
    notePair(at: tick)
    for position in step.inputs.indices {
      switch step.inputs[position] {
      case .request(_, let request):
        causes.requests += 1
        causes.request = request
        if case .shutDown = request {
          isEnding = true
          endingDue = tick + timing.ticks(milliseconds: 2_000)
        }
      case .gain(let output, let gain):
        if gain != step.before.outputs[Int(output)].appliedGain {
          causes.foreign[Int(output)] = true
        }
      case .session: causes.sessions += 1
      case .output: causes.outputs += 1
      case .edge(let control, _), .level(let control, _), .line(let control, _):
        if roles[Int(control)] == .headphoneDetect { plugMoved = tick }
        if roles[Int(control)] == .mute { causes.isMuteRead = true }
        // What a line said in the tick in which it went does not count.
        if case .line(_, present: false) = step.inputs[position] {
          if roles[Int(control)] == .volumeUp { up.due = .max }
          if roles[Int(control)] == .volumeDown { down.due = .max }
        }
      default: break
      }
    }
    return causes
  }

  /// How long a press may wait for the other button of its pair.
  private var pairWindow: Tick {
    roles.contains(.volumeUp) && roles.contains(.volumeDown) ? timing.pairWindowTicks : 0
  }

  /// Both volume buttons together are one gesture, not two steps (F14).
  private mutating func notePair(at tick: Tick) {
    if up.isHeld && down.isHeld {
      if pairSince == .max { pairSince = tick }
      if abs(up.pressed - down.pressed) <= timing.pairWindowTicks + 1 { isPairDown = true }
      up.due = .max
      down.due = .max
    } else {
      pairSince = .max
      if !up.isHeld && !down.isHeld { isPairDown = false }
    }
    if abs(up.pressed - down.pressed) <= timing.pairWindowTicks + 1 {
      up.due = .max
      down.due = .max
    }
  }

  /// Whatever can be seen of a press counts as its effect.
  private mutating func noteActs(_ step: Step, _ causes: Causes) {
    // By output: the system level is another one's too when the route is (VOL-7).
    var isUp = step.after.ringer > step.before.ringer
    var isDown = step.after.ringer < step.before.ringer
    for index in outputs.indices {
      let old = step.before.outputs[index].level
      let new = step.after.outputs[index].level
      isUp = isUp || new > old
      isDown = isDown || new < old
    }
    var isSeen = isUp || isDown || step.before.isMuted != step.after.isMuted
    // A limit that is armed again lowers the level, too.
    var isLowered = false
    for position in step.effects.indices {
      if case .notice(.limitRearmed, _, _) = step.effects[position] { isLowered = true }
      if case .feedback(let feedback, _) = step.effects[position] {
        isSeen = true
        // What weighs more may stand for it.
        if feedback == .warning || feedback == .failure { limitStopped = step.tick }
      }
    }
    for index in sources.indices {
      if step.after.sources[index].reasons.contains(.silencedByPerson) { isSeen = true }
      // A ring that a key silenced may have ended in the same tick.
      let hasEnded = step.before.sources[index].isPlaying && !step.after.sources[index].isPlaying
      if hasEnded, sources[index].category.volume == .ringer { isSeen = true }
    }
    let cannotAct = step.after.route == nil || isEnding
    guard isSeen || cannotAct else { return }
    let isByKey =
      causes.requests == 0 && causes.mutePresses == 0 && causes.detents == 0
      && !causes.foreign.contains(true) && step.before.route == step.after.route && !isLowered
    if isByKey, isUp, up.allowance(at: step.tick, timing) > 0 {
      if up.hasActed { statistics.met(.repeated) }
      up.acted(at: step.tick)
    } else if isByKey, isDown, down.allowance(at: step.tick, timing) > 0 {
      if down.hasActed { statistics.met(.repeated) }
      down.acted(at: step.tick)
    } else {
      // Whose effect it was cannot be seen: nobody owes one any more.
      up.due = .max
      down.due = .max
    }
  }

  // MARK: Levels

  private func checkBounds(_ step: Step) throws(Breach) {
    for index in outputs.indices {
      let level = step.after.outputs[index].level
      if level > outputs[index].maximum {
        throw Breach(rule: "VOL-16", sentence: "output \(index) is above its max-level")
      }
      if outputs[index].limit != nil, step.after.isLimitArmed, step.after.route == UInt8(index),
        level > settings.headphoneLimit
      {
        throw Breach(rule: "VOL-13", sentence: "the armed headphone limit is passed")
      }
      if canary, level >= Level(sixteenths: 9), step.after.route == UInt8(index) {
        throw Breach(rule: "canary", sentence: "the level never reaches 9/16")
      }
    }
    if let route = step.after.route, step.after.level != step.after.outputs[Int(route)].level {
      throw Breach(rule: "VOL-7", sentence: "the system level is not the route's")
    }
  }

  /// The highest level that anything may set now.
  private func ceiling(_ output: Int, _ snapshot: Snapshot) -> Level {
    let isLimited = outputs[output].limit != nil && snapshot.isLimitArmed
    return isLimited
      ? min(outputs[output].maximum, settings.headphoneLimit) : outputs[output].maximum
  }

  private mutating func checkLevels(_ step: Step, _ causes: Causes) throws(Breach) {
    for index in outputs.indices {
      let old = step.before.outputs[index].level
      let new = step.after.outputs[index].level
      // Without a route, the level is that of the one that is waited for (F42).
      let isCurrent =
        step.before.route == UInt8(index) || step.after.route == UInt8(index)
        || step.before.route == nil || step.after.route == nil && step.late > 0
        || isChosen(index, step)
      if old != new {
        guard isCurrent || isCut(index, new, step) else {
          throw Breach(rule: "RTE-5", sentence: "the level of a route not in use changed")
        }
        try explain(index, from: old, to: new, step, causes)
      } else if isCurrent {
        try checkRequest(index, old, new, step, causes)
      }
    }
    try checkLimit(step, causes)
  }

  /// It was the route within the tick: chosen in the last moment in which it could be.
  private func isChosen(_ output: Int, _ step: Step) -> Bool {
    for position in step.inputs.indices {
      guard case .request(_, .chooseRoute(let route)) = step.inputs[position] else { continue }
      if Int(route) == output { return true }
    }
    return false
  }

  /// The headphone limit or a ceiling lowered it (VOL-7, VOL-13).
  private func isCut(_ output: Int, _ new: Level, _ step: Step) -> Bool {
    guard outputs[output].limit != nil, new < step.before.outputs[output].level else {
      return false
    }
    let isNewlyArmed = step.after.isLimitArmed && !step.before.isLimitArmed
    let isPlugging = step.tick - plugMoved <= timing.plugTicks + 3 || step.late > 0
    return new == settings.headphoneLimit && (isNewlyArmed || isPlugging)
  }

  private func explain(
    _ output: Int,
    from old: Level,
    to new: Level,
    _ step: Step,
    _ causes: Causes
  ) throws(Breach) {
    if isCut(output, new, step) { return }
    if causes.foreign[output] { return }
    let isBoth =
      causes.detents > 0
      && up.allowance(at: step.tick, timing) + down.allowance(at: step.tick, timing) > 0
    if isBoth { return }
    if causes.requests > 0, isByRequest(causes) {
      return try checkRequest(output, old, new, step, causes)
    }
    let wasUnmuted = step.before.isMuted && !step.after.isMuted
    let oneStep = min(Level(parts: Level.stepParts), ceiling(output, step.after))
    if wasUnmuted, old == .zero, new == oneStep { return }
    if isByKeys(output, from: old, to: new, step, causes) { return }
    throw Breach(
      rule: "VOL-5",
      sentence: "the level of output \(output) went from \(old.parts) to \(new.parts) without cause"
    )
  }

  private func isByRequest(_ causes: Causes) -> Bool {
    guard causes.requests == 1, let request = causes.request else { return true }
    switch request {
    case .setLevel(.system, _), .setGain(.system, _), .step(.system, _), .setMute, .toggleMute:
      return true
    default: return false
    }
  }

  /// Keys and knob move by whole steps in their direction, as often as they may.
  private func isByKeys(
    _ output: Int,
    from old: Level,
    to new: Level,
    _ step: Step,
    _ causes: Causes
  ) -> Bool {
    var ups = up.allowance(at: step.tick, timing)
    var downs = down.allowance(at: step.tick, timing)
    if causes.detents > 0 || step.late > 0 && roles.contains(.knob) {
      let most = max(causes.detents, 1) * 4 + Int32(step.late)
      ups += most
      downs += most
    }
    let top = ceiling(output, step.after)
    for steps in stride(from: -min(downs, 16), through: min(ups, 16), by: 1) where steps != 0 {
      let moved = min(old.moved(steps: steps), max(top, old))
      if moved == new || min(old.moved(steps: steps), settings.headphoneLimit) == new {
        return true
      }
    }
    return false
  }

  /// A single request is followed to the letter, as far as a limit allows.
  private func checkRequest(
    _ output: Int,
    _ old: Level,
    _ new: Level,
    _ step: Step,
    _ causes: Causes
  ) throws(Breach) {
    guard causes.requests == 1, let request = causes.request, !isEnding,
      !causes.isByHand, !causes.foreign[output], causes.outputs == 0, step.late == 0,
      up.allowance(at: step.tick, timing) == 0, down.allowance(at: step.tick, timing) == 0,
      step.before.route == UInt8(output), step.after.route == UInt8(output),
      step.before.isLimitArmed == step.after.isLimitArmed
    else { return }
    let top = ceiling(output, step.after)
    let expected: Level
    switch request {
    case .setLevel(.system, let level): expected = min(level, top)
    case .step(.system, let steps):
      expected = max(min(old.moved(steps: Int32(steps)), top), min(old, Level.zero))
    case .setGain(.system, let gain):
      expected = min(configuration.outputs[output].curve.level(of: gain), top)
    default: return
    }
    guard new == expected else {
      throw Breach(
        rule: "VOL-5",
        sentence: "asked for \(expected.parts), output \(output) is at \(new.parts)"
      )
    }
  }

  /// The limit is crossed by a person's new act alone (VOL-13).
  private mutating func checkLimit(_ step: Step, _ causes: Causes) throws(Breach) {
    guard step.before.isLimitArmed, !step.after.isLimitArmed else { return }
    statistics.met(.limitCrossed)
    // Without a route, the level is that of the one that is waited for (F42).
    guard var route = step.after.route else { return }
    // Crossed in a tick that was made up for, and unplugged in a later one.
    if step.late > 0, let former = step.before.route, outputs[Int(route)].limit == nil {
      route = former
    }
    guard outputs[Int(route)].limit != nil else {
      throw Breach(rule: "VOL-13", sentence: "the headphone limit is crossed without headphones")
    }
    let old = step.before.outputs[Int(route)].level
    let isKnob = causes.detents > 0
    let isNewPress = up.pending > 0
    // Knob and button in one tick: one comes to the limit, the other crosses.
    guard old == settings.headphoneLimit || isKnob && isNewPress || step.late > 0 else {
      throw Breach(rule: "VOL-13", sentence: "the headphone limit is crossed without a stop at it")
    }
    guard isKnob || isNewPress || step.late > 0 else {
      throw Breach(rule: "VOL-13", sentence: "the headphone limit is crossed by no new press")
    }
    let window = timing.limitWindowTicks + timing.pairWindowTicks + 2
    let rest = isKnob ? limitStopped : max(up.released, limitStopped)
    guard step.tick - rest <= window || step.late > 0 else {
      throw Breach(rule: "VOL-13", sentence: "the headphone limit is crossed 3 s too late")
    }
  }

  private mutating func checkRinger(_ step: Step, _ causes: Causes) throws(Breach) {
    let old = step.before.ringer
    let new = step.after.ringer
    guard old != new else { return }
    if causes.requests > 1 || causes.requests == 1 && causes.isByHand { return }
    // Keys of the same tick go on from where a request leaves it (T-4).
    var base = old
    if let request = causes.request {
      switch request {
      case .setLevel(.ringer, let level):
        if level == new { return }
        base = level
      case .step(.ringer, let steps):
        base = old.moved(steps: Int32(steps))
        if base == new { return }
      case .setGain(.ringer, _): return
      case .setMute, .toggleMute:
        if old == .zero, new.parts == Level.stepParts { return }
      default: break
      }
    }
    var ups = up.allowance(at: step.tick, timing)
    var downs = down.allowance(at: step.tick, timing)
    if causes.detents > 0 || step.late > 0 {
      ups += 16
      downs += 16
    }
    for steps in stride(from: -min(downs, 16), through: min(ups, 16), by: 1)
    where steps != 0 && (old.moved(steps: steps) == new || base.moved(steps: steps) == new) {
      return
    }
    throw Breach(
      rule: "VOL-2a",
      sentence: "the ringer volume went from \(old.parts) to \(new.parts) without a listener"
    )
  }

  // MARK: Mute and switches

  private func checkMute(_ step: Step, _ causes: Causes) throws(Breach) {
    let isChanged = step.before.isMuted != step.after.isMuted
    let isLatching = isMuteLatching
    if !isChanged {
      guard causes.mutePresses % 2 == 1, !isLatching, causes.requests == 0, step.late == 0,
        !isAlarm(step.before), !isAlarm(step.after), !isEnding,
        // Volume up in the same tick un-mutes again (SIL-5).
        up.allowance(at: step.tick, timing) == 0, causes.detents == 0
      else { return }
      throw Breach(rule: "SIL-4", sentence: "the mute button did nothing")
    }
    if causes.requests > 0, let request = causes.request {
      switch request {
      case .setMute, .toggleMute, .setLevel, .setGain, .step: return
      default: if causes.requests > 1 { return }
      }
    }
    if causes.mutePresses > 0 || isLatching && causes.isMuteRead { return }
    if causes.knobPushes > 0 { return }
    let isUp = up.allowance(at: step.tick, timing) > 0 || causes.detents > 0
    if step.before.isMuted, isUp || step.late > 0 { return }
    if isPairDown, pairSince != .max || step.late > 0,
      step.tick - max(up.pressed, down.pressed) >= timing.pairHoldTicks - timing.pairWindowTicks - 1
    {
      return
    }
    throw Breach(rule: "SIL-10", sentence: "the soft mute changed without cause")
  }

  /// Whether the mute button stays where it is put.
  var isMuteLatching: Bool {
    for index in roles.indices where roles[index] == .mute {
      return configuration.controls[index].latching
    }
    return false
  }

  private func isAlarm(_ snapshot: Snapshot) -> Bool {
    for index in sources.indices
    where sources[index].category == .alarm && snapshot.sources[index].isActive {
      return true
    }
    return false
  }

  private func checkSilentSwitch(_ step: Step, _ causes: Causes) throws(Breach) {
    guard let control = roles.firstIndex(of: .silentSwitch) else {
      if step.before.isSilentSwitchOn != step.after.isSilentSwitchOn, causes.requests == 0 {
        throw Breach(rule: "SIL-10", sentence: "the silent switch changed without cause")
      }
      if causes.requests == 1, case .setSilent(let on) = causes.request,
        step.after.isSilentSwitchOn != on
      {
        throw Breach(rule: "SIL-3", sentence: "the silent switch does not follow its request")
      }
      return
    }
    let state = step.after.controls[control]
    if state.isPresent, step.after.isSilentSwitchOn != (state.state == 1) {
      throw Breach(rule: "SIL-3", sentence: "the silent switch is not where the hardware has it")
    }
  }

  // MARK: Route

  private func checkRoute(_ step: Step, _ causes: Causes) throws(Breach) {
    let old = step.before.route
    let new = step.after.route
    if let new, !step.after.outputs[Int(new)].isPresent {
      throw Breach(rule: "RTE-4", sentence: "the route is an output that is not there")
    }
    var told = 0
    for position in step.effects.indices {
      guard case .routeChanged(_, let previous, let current) = step.effects[position] else {
        continue
      }
      told += 1
      if step.late == 0, told == 1, previous != old || current != new {
        throw Breach(rule: "RTE-6", sentence: "a route change is told otherwise than it was")
      }
    }
    if old == new {
      if step.late == 0, told > 0, causes.requests == 0 {
        throw Breach(rule: "RTE-6", sentence: "a route change is told that was none")
      }
      return
    }
    if told == 0 { throw Breach(rule: "RTE-6", sentence: "a route change is not told") }
    let isPlug = step.tick - plugMoved <= timing.plugTicks + 3 || step.late > 0
    let isStarting = step.before.reasons.contains(.starting)
    guard causes.requests > 0 || causes.outputs > 0 || isPlug || isStarting else {
      throw Breach(rule: "RTE-4", sentence: "the route changed without cause")
    }
  }
}
