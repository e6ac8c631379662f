// SPDX-License-Identifier: Apache-2.0
//
// Silence is silence: a reason that silences a sound ends at the ear in time, nothing is opened
// before it may, nothing is louder than it may be, and what cannot be silenced is reported.

import TactusCore

/// A plug that was pulled out of the route in use (RTE-2).
struct UnplugWatch {
  let output: Int
  /// Until when the sound waits for the plug to come back; a slide may have begun a little earlier.
  var due: Tick
}

extension Invariants {
  /// From a reason to silence at the ear: the fade, one PCM buffer, the confirmation, and the ticks
  /// in which edge, write and read-back each wait for the next.
  private var silenceTicks: Tick {
    timing.fadeOutTicks + timing.sourceSettleTicks + timing.confirmTicks + 3
  }

  /// How long a write fault excuses what it caused: until the last retry came through, or was given
  /// up: six in distances of 1, 2, 4 … 32 ticks, each answered one tick later.
  private var recoveryTicks: Tick { max(timing.faultRetryTicks, 63 + 7) + silenceTicks + 10 }

  mutating func checkSilence(
    _ step: Step,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    try checkReasons(step)
    try checkUnplug(step, speaker)
    try checkAppearing(step, speaker)
    noteSilence(step, speaker)
    try checkFloor(step, speaker)
    noteLoudness(step, speaker)
    noteTruth(step, speaker)
  }

  mutating func settleSilence(
    until tick: Tick,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    for index in sources.indices {
      if isAudible[index], silentFrom[index] != .max, tick - silentFrom[index] >= silenceTicks {
        try excuse(
          tick,
          snapshot,
          speaker,
          Breach(
            rule: "SIL-10",
            sentence: "source \(index) is heard although something silences it"
          )
        )
      }
      if louderFrom[index] != .max, tick - louderFrom[index] >= silenceTicks {
        try excuse(
          tick,
          snapshot,
          speaker,
          Breach(rule: "VOL-3", sentence: "source \(index) is louder than its volume")
        )
      }
    }
    for index in outputs.indices where loudFrom[index] != .max && tick - loudFrom[index] >= 2 {
      try excuse(
        tick,
        snapshot,
        speaker,
        Breach(rule: "VOL-16", sentence: "output \(index) is louder than it may ever be")
      )
    }
    if falseSilenceFrom != .max, tick - falseSilenceFrom >= 2 {
      throw Breach(rule: "SIL-9", sentence: "the status says silent, and something is heard")
    }
  }

  /// A write fault excuses, but only if it is reported as "not silent" (SIL-11).
  private func excuse(
    _ tick: Tick,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker,
    _ breach: Breach
  ) throws(Breach) {
    guard tick - lastFaultTick(speaker) <= recoveryTicks else { throw breach }
    if snapshot.isSilent {
      throw Breach(rule: "SIL-11", sentence: breach.sentence + ", and the status says silent")
    }
    if tick - quietSince > recoveryTicks, !snapshot.reasons.contains(.fault), !anyFaulty(snapshot) {
      throw Breach(rule: "SIL-11", sentence: breach.sentence + ", and no fault is reported")
    }
  }

  private func anyFaulty(_ snapshot: Snapshot) -> Bool {
    for index in outputs.indices where snapshot.outputs[index].isFaulty { return true }
    for index in sources.indices
    where snapshot.sources[index].isFaulty || snapshot.sources[index].appliedGain == nil {
      return true
    }
    return false
  }

  func lastFaultTick(_ speaker: SimulatedSpeaker) -> Tick {
    var last = lastFault
    for index in outputs.indices { last = max(last, speaker.lastFault(ofOutput: index)) }
    for index in sources.indices { last = max(last, speaker.lastFault(ofSource: index)) }
    return last
  }

  // MARK: Reasons

  /// What silences a source by the rules, from what a person can see of the device.
  func reasons(_ source: Int, _ snapshot: Snapshot) -> SilenceReasons {
    var reasons: SilenceReasons = []
    let category = sources[source].category
    let isExempt = category == .alarm && !settings.muteSilencesAlarms
    if snapshot.isMuted, !isExempt { reasons.insert(.softMute) }
    if snapshot.isSilentSwitchOn, category.obeysSilentSwitch { reasons.insert(.silentSwitch) }
    switch category.volume {
    case .system: if snapshot.level == .zero { reasons.insert(.levelZero) }
    case .ringer: if snapshot.ringer == .zero { reasons.insert(.levelZero) }
    case .alarm, nil: break
    }
    return reasons
  }

  private func isPlaying(_ source: Int, _ snapshot: Snapshot) -> Bool {
    snapshot.sources[source].isActive && snapshot.sources[source].isPlaying
  }

  /// Each reason is there while its cause is, and no longer (SIL-1, SIL-4, SIL-7, SIL-10).
  private func checkReasons(_ step: Step) throws(Breach) {
    let ruled: SilenceReasons = [.softMute, .silentSwitch, .levelZero]
    for index in sources.indices where isPlaying(index, step.after) {
      let shown = step.after.sources[index].reasons.union(step.after.reasons).intersection(ruled)
      var expected = reasons(index, step.after)
      // The device's list may name the mute although an alarm is exempt from it.
      if step.after.reasons.contains(.softMute), step.after.isMuted { expected.insert(.softMute) }
      guard shown == expected else {
        throw Breach(
          rule: "SIL-10",
          sentence:
            "source \(index) has reasons \(shown.rawValue), by the rules \(expected.rawValue)"
        )
      }
    }
  }

  private mutating func noteSilence(_ step: Step, _ speaker: SimulatedSpeaker) {
    for index in sources.indices {
      let isExempt = sources[index].category == .alarm && !settings.muteSilencesAlarms
      var shown = step.after.sources[index].reasons.union(step.after.reasons)
      if isExempt { shown.remove(.softMute) }
      // An alarm that is on the speaker already goes on while headphones are pulled (RTE-2).
      if sources[index].category == .alarm,
        !step.after.sources[index].reasons.contains(.routeSettling)
      {
        shown.remove(.routeSettling)
      }
      // "Not silent" is the report of a sound, not the reason of a silence.
      shown.remove(.fault)
      // Who has lost the floor is silent, whether its program obeys or not (SES-2).
      let isCastOut = shown.contains(.interrupted) && speaker.emits(index)
      let mustBeSilent = !shown.isEmpty || !reasons(index, step.after).isEmpty || held[index]
      let wasAudible = isAudible[index]
      isAudible[index] = false
      for output in outputs.indices where speaker.isAudible(source: index, output: output) {
        isAudible[index] = true
      }
      if !mustBeSilent || !isPlaying(index, step.after) && !held[index] && !isCastOut {
        silentFrom[index] = .max
      } else if silentFrom[index] == .max || step.late > 0 && isAudible[index] && !wasAudible {
        // In ticks that were made up for, the reason may have ended and come anew.
        silentFrom[index] = step.tick
      }
    }
  }

  /// Two that do not mix are never heard together, but for the moment of giving way (SES-14).
  private mutating func checkFloor(_ step: Step, _ speaker: SimulatedSpeaker) throws(Breach) {
    guard let (one, other) = heardTogether(step.after),
      step.tick - lastFaultTick(speaker) > recoveryTicks, step.late == 0
    else {
      togetherFrom = .max
      return
    }
    if togetherFrom == .max { togetherFrom = step.tick }
    guard step.tick - togetherFrom < timing.confirmTicks else {
      throw Breach(rule: "SES-14", sentence: "sources \(one) and \(other) are heard together")
    }
  }

  private func heardTogether(_ snapshot: Snapshot) -> (Int, Int)? {
    var heard: Int?
    for index in sources.indices where isAudible[index] && isPlaying(index, snapshot) {
      let kind = kind(snapshot.sources[index])
      guard kind.isNonmixable, kind.category != .record else { continue }
      if let other = heard { return (other, index) }
      heard = index
    }
    return nil
  }

  // MARK: Unplug (RTE-2)

  private mutating func checkUnplug(
    _ step: Step,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    notePlug(step)
    noteChoice(step)
    noteReleases(step)
    if let watch = unplug, step.tick >= watch.due { unplug = nil }
    if step.late > 0 {
      unplug = nil
      for index in held.indices { held[index] = false }
    }
    guard step.tick - lastFaultTick(speaker) > recoveryTicks, step.late == 0 else { return }
    for index in sources.indices where sources[index].category != .alarm {
      for output in outputs.indices where speaker.isAudible(source: index, output: output) {
        let playsOn = isPlaying(index, step.before) && isPlaying(index, step.after)
        if let unplug, playsOn || output == unplug.output {
          throw Breach(
            rule: "RTE-2",
            sentence: "source \(index) is open on output \(output) after the plug was pulled"
          )
        }
        if held[index], speaker.emits(index), isPlaying(index, step.after) {
          throw Breach(
            rule: "RTE-2",
            sentence: "source \(index) goes on by itself on output \(output) after an unplug"
          )
        }
      }
    }
  }

  private mutating func notePlug(_ step: Step) {
    for index in outputs.indices {
      if let detect = outputs[index].detect { notePlug(index, detect, step) }
    }
    var isLeft = outputs.indices.map { step.before.outputs[$0].isAvailable }
    for position in step.inputs.indices {
      guard case .output(let output, false) = step.inputs[position] else { continue }
      isLeft[Int(output)] = false
      // There is nothing left to wait for: it will not come back within its 200 ms (RTE-8).
      if unplug?.output == Int(output) { unplug = nil }
      guard step.before.route == output, !isFirst else { continue }
      hold(step)
      // Where nothing is left to go on with, it goes on when its own output is back, be it at once.
      if step.after.route == nil || !isLeft.contains(true) { releaseSourcesWithoutPlayer() }
    }
  }

  private mutating func notePlug(_ output: Int, _ detect: Int, _ step: Step) {
    var last: UInt8?
    var wasOut = false
    for position in step.inputs.indices {
      switch step.inputs[position] {
      case .edge(let control, let state), .level(let control, let state):
        if Int(control) == detect { last = state }
      case .line(let control, false):
        if Int(control) == detect { last = 0 }
      default: break
      }
      wasOut = wasOut || last == 0
    }
    guard let last else { return }
    // In for good: a plug that still slides in is not the route's yet, even if a person chose it.
    // Pulled in the very tick in which it would be, it never was.
    if plugged[output] != told[output], step.tick - toldAt[output] > timing.plugTicks {
      plugged[output] = told[output]
    }
    let wasPlugged = plugged[output] && told[output] && !isFirst
    let isBack = told[output] && step.tick - toldAt[output] >= debounceTicks(detect)
    if isFirst { plugged[output] = last == 1 }
    if told[output] != (last == 1) { toldAt[output] = step.tick }
    told[output] = last == 1
    // The time runs from the first pull, also if the contact closed again for less than it must.
    if wasOut, wasPlugged {
      if isBack { leftAt[output] = step.tick }
      let isNew = isBack && step.tick - pulledAt[output] > timing.plugTicks
      if isNew { firstPulledAt[output] = step.tick }
      pulledAt[output] = step.tick
    }
    if last == 1 {
      guard step.tick - pulledAt[output] <= timing.plugTicks else { return }
      unplug = nil
      for index in held.indices { held[index] = false }
      statistics.met(.unplugAndBack)
    } else if unplug == nil, step.before.route == UInt8(output), wasPlugged {
      unplug = UnplugWatch(output: output, due: firstPulledAt[output] + timing.plugTicks - 3)
      statistics.met(.unplug)
      hold(step)
    }
  }

  private func debounceTicks(_ control: Int) -> Tick {
    configuration.controls[control].debounceTicks
  }

  /// A person chose another route before the 200 ms were over: what was pulled is in use no more,
  /// so its unplug does nothing, and the sound is where the latest act wants it (RTE-4).
  private mutating func noteChoice(_ step: Step) {
    guard let route = step.after.route, let output = step.before.route, output != route,
      !told[Int(output)], step.tick - leftAt[Int(output)] < timing.plugTicks
    else { return }
    for position in step.inputs.indices {
      guard case .request(_, .chooseRoute(route)) = step.inputs[position] else { continue }
      unplug = nil
      for index in held.indices { held[index] = false }
    }
  }

  /// Who must not go on by itself elsewhere.
  private mutating func hold(_ step: Step) {
    for index in sources.indices {
      let source = sources[index]
      let isPaused: Bool
      switch source.category {
      case .ambient, .soloAmbient, .playback: isPaused = true
      case .playAndRecord: isPaused = source.mode != .voiceChat
      case .record, .ringtone, .alert, .systemSound, .alarm: isPaused = false
      }
      if isPaused, source.pausesOnUnplug, isPlaying(index, step.before) { held[index] = true }
    }
  }

  /// A person or the program starts it again; without a player any act of a person does.
  private mutating func noteReleases(_ step: Step) {
    for position in step.inputs.indices {
      switch step.inputs[position] {
      case .session(let source, _), .request(_, .session(let source, _)):
        if Int(source) < held.count { held[Int(source)] = false }
      case .request: releaseSourcesWithoutPlayer()
      case .output: break
      default: break
      }
    }
    for position in step.effects.indices {
      switch step.effects[position] {
      case .resume(let source), .command(let source, _, _): held[Int(source)] = false
      default: break
      }
    }
    for index in roles.indices
    where step.after.controls[index].changes != step.before.controls[index].changes {
      if roles[index] != .headphoneDetect { releaseSourcesWithoutPlayer() }
    }
    if step.after.isMuted != step.before.isMuted { releaseSourcesWithoutPlayer() }
    let isBack = step.after.route != step.before.route && step.tick - plugMoved < 1_000_000
    if isBack, let route = step.after.route, outputs[Int(route)].detect != nil {
      releaseSourcesWithoutPlayer()
    }
  }

  private mutating func releaseSourcesWithoutPlayer() {
    for index in sources.indices where !sources[index].hasPlayer { held[index] = false }
  }

  // MARK: Start and return (VOL-8)

  /// An output that appears is closed before anything else.
  private func checkAppearing(
    _ step: Step,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    guard step.late == 0, step.tick - lastFaultTick(speaker) > recoveryTicks else { return }
    for position in step.inputs.indices {
      guard case .output(let output, true) = step.inputs[position] else { continue }
      let index = Int(output)
      guard outputs[index].hasSwitch || outputs[index].hasAmplifier else { continue }
      for source in sources.indices where speaker.isAudible(source: source, output: index) {
        throw Breach(rule: "VOL-8", sentence: "output \(index) appears and is not silenced at once")
      }
    }
  }

  // MARK: Loudness

  private mutating func noteLoudness(_ step: Step, _ speaker: SimulatedSpeaker) {
    for output in outputs.indices {
      var cap = outputs[output].cap
      if step.after.isLimitArmed, let limit = outputs[output].limit { cap = min(cap, limit) }
      var isLoud = false
      for source in sources.indices {
        let gain = speaker.gainAtEar(source: source, output: output)
        if gain > cap, isPlaying(source, step.after) { isLoud = true }
      }
      if !isLoud {
        loudFrom[output] = .max
      } else if loudFrom[output] == .max {
        loudFrom[output] = step.tick
      }
    }
    for source in sources.indices {
      let isLouder = isPlaying(source, step.after) && isLouderThanAsked(source, step.after, speaker)
      if !isLouder {
        louderFrom[source] = .max
      } else if louderFrom[source] == .max {
        louderFrom[source] = step.tick
      }
    }
  }

  /// Above the volume that governs it, on the route (VOL-2, VOL-3, VOL-10).
  private func isLouderThanAsked(
    _ source: Int,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) -> Bool {
    guard let route = snapshot.route else { return false }
    let gain = speaker.gainAtEar(source: source, output: Int(route))
    if gain.isSilence { return false }
    let level = governingLevel(source, snapshot)
    // A foreign gain that was adopted may be between two levels.
    let step = speaker.ways[Int(route)].hasVolume ? speaker.ways[Int(route)].codec.stepMillibels : 0
    let asked = configuration.outputs[Int(route)].curve.gain(at: level)
    return gain.millibels > asked.millibels + step
  }

  /// The level that governs a source when nothing else sounds.
  func governingLevel(_ source: Int, _ snapshot: Snapshot) -> Level {
    switch sources[source].category.volume {
    case .system: snapshot.level
    case .ringer: snapshot.ringer
    case .alarm: max(snapshot.ringer, settings.alarmFloor)
    case nil: .full
    }
  }

  // MARK: The end

  /// Whoever says that it is finished is silent (SIL-11, CTL-7).
  func checkFinished(
    _ snapshot: Snapshot,
    _ tick: Tick,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    guard tick - lastFaultTick(speaker) > recoveryTicks else { return }
    for index in sources.indices where isAudible[index] && isPlaying(index, snapshot) {
      throw Breach(rule: "CTL-7", sentence: "finished, and source \(index) is heard")
    }
  }

  // MARK: Truth (SIL-9)

  private mutating func noteTruth(_ step: Step, _ speaker: SimulatedSpeaker) {
    var isHeard = false
    for source in sources.indices where isAudible[source] && isPlaying(source, step.after) {
      isHeard = true
    }
    if !step.after.isSilent || !isHeard {
      falseSilenceFrom = .max
    } else if falseSilenceFrom == .max {
      falseSilenceFrom = step.tick
    }
  }
}
