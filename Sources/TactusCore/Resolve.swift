// SPDX-License-Identifier: Apache-2.0
//
// All decisions: from the facts to who may be heard, how loud, and where; and from there to the
// movement of each gain. What a drive must hold at this moment is decided here too; whether it has
// to be written, in `Emit`.
//
//   governed   each source follows one volume: system, ringer, or alarm (the ringer with a floor)
//   goal       what a source's gain should come to, under the gain of the codec
//   heard      sounding, and nothing but the device as a whole silences it

extension Policy {
  mutating func resolve(_ effects: inout Effects) {
    let route = routes.current.map { Int($0) }
    decision.device = deviceReasons(route)
    decideSources(route)
    let fadeOutTicks = remainingFadeTicks(route)
    moveOutputs(route)
    moveSources(route, fadeOutTicks)
    judgeOutputs(&effects)
    judgeLimit(route, &effects)
    judgeEnding(&effects)
    audit(&effects)
    persist(&effects)
  }

  // MARK: Silence (SIL-10)

  private mutating func deviceReasons(_ route: Int?) -> SilenceReasons {
    var reasons: SilenceReasons = .none
    if volumes.isSoftMuted { reasons.add(.softMute) }
    if routes.isSettling { reasons.add(.routeSettling) }
    guard let route else { return reasons.union(.starting) }
    if !outputs[route].isReady { reasons.add(.starting) }
    if outputs[route].isFaulty { reasons.add(.fault) }
    return reasons
  }

  /// The levels that govern sources on a route.
  private struct Levels: Plain {
    var system: Level
    var ringer: Level
    var alarm: Level

    subscript(_ volume: Volume) -> Level {
      switch volume {
      case .system: system
      case .ringer: ringer
      case .alarm: alarm
      }
    }
  }

  private mutating func levels(on output: Int) -> Levels {
    let settings = configuration.settings
    let ceiling = cap(of: output)
    return Levels(
      system: level(of: output),
      ringer: min(volumes.ringer, ceiling),
      alarm: min(max(volumes.ringer, settings.alarmFloor), ceiling)
    )
  }

  private mutating func decideSources(_ route: Int?) {
    guard let output = route ?? levelOutput else { return silenceAll() }
    let levels = levels(on: output)
    decideReasons(levels)
    decideWaiting()
    let hasSystem = hasHeard { $0.volume == .system }
    decision.codecVolume = codecVolume(hasSystem, levels)
    let curve = configuration.outputs.elements[output].curve
    decision.target = curve.gain(at: levels[decision.codecVolume])
    decision.isSounding = sessions.isSounding(&configuration) { $0 != .record }
    decision.isEmitting = isAnyEmitting
    let duckers = duckers()
    for index in configuration.sources.indices {
      let source = configuration.sources.elements[index]
      decision.goals[index] = source.trim + source.gain
      // The gain of an exclusive source is the codec's.
      if source.isExclusive { continue }
      moveDuck(index, duckers)
      if let volume = source.category.volume {
        let level = hasSystem ? min(levels[volume], levels.system) : levels[volume]
        if level < levels[decision.codecVolume] {
          let offset = curve.gain(at: level).millibels - decision.target.millibels
          decision.goals[index] = decision.goals[index] + Gain(millibels: offset)
        }
      }
      decision.goals[index] = decision.goals[index] + sources[index].duck
    }
  }

  private var isAnyEmitting: Bool {
    mutating get {
      for index in configuration.sources.indices
      where sessions[index].isEmitting && configuration.sources.elements[index].category != .record
      {
        return true
      }
      return false
    }
  }

  /// Sessions that have interrupted others are heard when these are silent (SES-2).
  private mutating func decideWaiting() {
    decision.waiting = 0
    let settle = configuration.timing.sourceSettleTicks
    for index in configuration.sources.indices where sessions[index].holders != 0 {
      if !sources[index].isSettledSilent(at: now, settleTicks: settle) {
        decision.waiting |= sessions[index].holders
      }
    }
  }

  private mutating func isWaiting(_ index: Int) -> Bool {
    decision.waiting & bit(index) != 0
  }

  // MARK: Ducks (SES-7)

  /// The sessions that lower others while they are heard, and calls, one bit for each.
  private mutating func duckers() -> UInt32 {
    var duckers: UInt32 = 0
    for index in configuration.sources.indices where sessions[index].isActive {
      let kind = configuration.sources.elements[index].kind
      if kind.isCall || kind.ducksOthers && isHeardNow(index) { duckers |= bit(index) }
    }
    return duckers
  }

  /// Moves what a source is lowered by towards what those now heard ask for; whoever keeps it from
  /// the floor does not lower it too.
  private mutating func moveDuck(_ index: Int, _ allDuckers: UInt32) {
    let duckers = allDuckers & ~sessions[index].holders
    let kind = configuration.sources.elements[index].kind
    var isDucked = false
    if duckers != 0 {
      for other in configuration.sources.indices
      where other != index && duckers & bit(other) != 0 && !areUntold(index, other) {
        let holder = configuration.sources.elements[other].kind
        isDucked = isDucked || holder.ducks(kind) || kind.isLow(beside: holder)
      }
    }
    let timing = configuration.timing
    sources[index].moveDuck(
      to: isDucked ? configuration.settings.duck : .unity,
      depth: configuration.settings.duck,
      attackTicks: timing.duckAttackTicks,
      releaseTicks: timing.duckReleaseTicks,
      isAtOnce: !isHeardNow(index)
    )
  }

  private mutating func silenceAll() {
    for index in configuration.sources.indices {
      decision.sources[index] = decision.device
      decision.goals[index] = .silence
    }
  }

  private mutating func decideReasons(_ levels: Levels) {
    for index in configuration.sources.indices {
      decision.sources[index] = reasons(index, levels).union(decision.device)
      if isDeafToMute(index) { decision.sources[index].drop(.softMute) }
      if decision.alarmSpeaker != nil, configuration.sources.elements[index].category == .alarm {
        decision.sources[index].drop(.routeSettling)
      }
    }
  }

  /// An alarm sounds though the device is muted (SIL-4).
  private mutating func isDeafToMute(_ index: Int) -> Bool {
    configuration.sources.elements[index].category == .alarm
      && !configuration.settings.muteSilencesAlarms
  }

  /// The reasons of one session, without those of the device.
  private mutating func reasons(_ index: Int, _ levels: Levels) -> SilenceReasons {
    let source = configuration.sources.elements[index]
    var reasons = sessions[index].ownReasons
    if source.category.obeysSilentSwitch && volumes.isSilentSwitchOn { reasons.add(.silentSwitch) }
    if let volume = source.category.volume, levels[volume] == .zero { reasons.add(.levelZero) }
    if sessions[index].isInBackground && source.kind.endsInBackground { reasons.add(.background) }
    return reasons
  }

  /// What silences a session at this moment of the tick, the state of the hardware aside.
  mutating func reasonsNow(_ index: Int) -> SilenceReasons {
    guard let output = routes.current.map({ Int($0) }) ?? levelOutput else { return .starting }
    var reasons = reasons(index, levels(on: output))
    if volumes.isSoftMuted && !isDeafToMute(index) { reasons.add(.softMute) }
    return reasons
  }

  /// Whether a session is heard, but for the state of the hardware.
  private mutating func isHeardNow(_ index: Int) -> Bool {
    sessions[index].isSounding && !isWaiting(index)
      && decision.sources[index].subtracting(.unsafe).isEmpty
  }

  /// Whether a session is heard, but for the state of the device, whose category matches.
  private mutating func hasHeard(_ matches: (Category) -> Bool) -> Bool {
    for index in configuration.sources.indices
    where matches(configuration.sources.elements[index].category) && isHeardNow(index) {
      return true
    }
    return false
  }

  /// The volume that the codec follows: the system's while anything it governs is heard, else the
  /// ringer's or alarm's while these are (VOL-2b, VOL-3).
  private mutating func codecVolume(_ hasSystem: Bool, _ levels: Levels) -> Volume {
    if hasSystem || exclusiveHolder != nil { return .system }
    let hasRinger = hasHeard { $0.volume == .ringer }
    let hasAlarm = hasHeard { $0 == .alarm }
    if hasAlarm && (!hasRinger || levels.alarm >= levels.ringer) { return .alarm }
    return hasRinger ? .ringer : .system
  }

  /// The exclusive source, while its player holds the card.
  private var exclusiveHolder: Int? {
    mutating get {
      for index in configuration.sources.indices
      where configuration.sources.elements[index].isExclusive && sessions[index].holdsCard {
        return index
      }
      return nil
    }
  }

  /// Whether the codec may be open: some session that is active may be heard.
  ///
  /// Whoever holds the card decides alone: nobody else can sound, and nothing else silences it.
  ///
  /// While none is active, the sources that the system volume governs decide, so that mute and
  /// level 0 are really silent though an alarm would sound; a device without such has only others.
  private mutating func mayOpen(_ output: Int) -> Bool {
    guard ending == .none, decision.device.isDisjoint(with: .unsafe) else { return false }
    if let holder = exclusiveHolder {
      return sessions[holder].isActive && decision.sources[holder].isEmpty
    }
    var hasActive = false
    var hasSystem = false
    var isSystemAllowed = false
    var isAnyAllowed = false
    for index in configuration.sources.indices
    where index < configuredSources || sessions[index].isActive {
      let isAllowed = decision.sources[index].isEmpty
      if sessions[index].isActive {
        if isAllowed { return true }
        hasActive = true
      }
      isAnyAllowed = isAnyAllowed || isAllowed
      if configuration.sources.elements[index].category.volume == .system {
        hasSystem = true
        isSystemAllowed = isSystemAllowed || isAllowed
      }
    }
    if configuration.sources.isEmpty {
      return decision.device.isEmpty && level(of: output) != .zero
    }
    return !hasActive && (hasSystem ? isSystemAllowed : isAnyAllowed)
  }

  /// Whether every source that must not be heard is silent at the ear (SIL-4).
  private mutating func othersAreSilent() -> Bool {
    let settle = configuration.timing.sourceSettleTicks
    for index in configuration.sources.indices where !decision.sources[index].isEmpty {
      if !sources[index].isSettledSilent(at: now, settleTicks: settle) { return false }
    }
    return true
  }

  // MARK: Outputs

  private mutating func moveOutputs(_ route: Int?) {
    let timing = configuration.timing
    if routes.isSettling { openingFadeTicks = timing.routeFadeTicks }
    decision.alarmSpeaker = alarmSpeaker(route)
    for index in configuration.outputs.indices {
      let isRoute = index == route
      let isForAlarm = isAlarmSpeaker(index)
      let isWanted =
        isForAlarm
        || isRoute && mayOpen(index)
          && (outputs[index].phase != .closed || othersAreSilent())
      let target = isRoute ? decision.target : gainBesideRoute(index)
      outputs[index].restingGain = target
      let isCut = isRoute ? !decision.device.isDisjoint(with: .unsafe) : !isForAlarm
      outputs[index].move(
        at: now,
        isWanted: isWanted,
        isCut: isCut,
        target: target.millibels,
        floor: configuration.outputs.elements[index].curve.floor.millibels,
        fadeInTicks: fadeInTicks(),
        fadeOutTicks: decision.isEmitting ? timing.fadeOutTicks : 0,
        mayRise: mayRise(index)
      )
      if isRoute && outputs[index].phase == .open { openingFadeTicks = timing.fadeInTicks }
      noteSoundless(index, isRoute)
    }
  }

  // MARK: Alarms on the speaker (RTE-7)

  private mutating func isAlarmSpeaker(_ index: Int) -> Bool {
    decision.alarmSpeaker == UInt8(index)
  }

  /// The gain of an output that is not the route: its own level's, or the alarm's.
  private mutating func gainBesideRoute(_ index: Int) -> Gain {
    let level = isAlarmSpeaker(index) ? levels(on: index).alarm : level(of: index)
    return configuration.outputs.elements[index].curve.gain(at: level)
  }

  /// The speaker where an alarm sounds beside the headphones in use.
  ///
  /// Outputs of one codec have one stream, so every other session must be silent, and both or none
  /// must have a volume. While the plug moves it goes on there, but none begins (RTE-2).
  private mutating func alarmSpeaker(_ route: Int?) -> UInt8? {
    guard ending == .none, let route, configuration.outputs.elements[route].kind == .headphones,
      let speaker = configuration.output(.speaker), routes.isPresent[speaker],
      configuration.outputs.elements[speaker].hasVolume
        == configuration.outputs.elements[route].hasVolume,
      outputs[speaker].isReady, !outputs[speaker].isFaulty,
      !decision.device.contains(.routeSettling) || isAlarmSpeaker(speaker), isAlarmAlone()
    else { return nil }
    return UInt8(speaker)
  }

  private mutating func isAlarmAlone() -> Bool {
    guard exclusiveHolder == nil else { return false }
    let settle = configuration.timing.sourceSettleTicks
    var hasAlarm = false
    for index in configuration.sources.indices {
      if configuration.sources.elements[index].category == .alarm {
        hasAlarm = hasAlarm || isHeardNow(index)
      } else if sessions[index].isEmitting,
        !sources[index].isSettledSilent(at: now, settleTicks: settle)
      {
        return false
      }
    }
    return hasAlarm
  }

  /// A sound that was silenced, or heard elsewhere, comes back by a fade; one that starts begins at
  /// its gain (SIL-8).
  private mutating func fadeInTicks() -> Tick {
    guard decision.isSounding else { return 0 }
    for index in configuration.sources.indices
    where sessions[index].isSounding && decision.sources[index].isEmpty && decision.goesOn[index] {
      return openingFadeTicks
    }
    return configuration.timing.startTicks
  }

  private mutating func noteWhatGoesOn(_ route: Int?) {
    let isOpen = route.map { outputs[$0].phase == .open } ?? false
    for index in configuration.sources.indices {
      if !sessions[index].isEmitting {
        decision.goesOn[index] = false
      } else if isOpen && hasGain(index) && !isWaiting(index)
        || !decision.sources[index].isEmpty
      {
        decision.goesOn[index] = true
      }
    }
  }

  /// What sets its gain is there.
  private mutating func hasGain(_ index: Int) -> Bool {
    sources[index].isPresent || configuration.sources.elements[index].isExclusive
  }

  /// The amplifier is on, and no sounding source is still on its way down.
  private mutating func mayRise(_ index: Int) -> Bool {
    if configuration.outputs.elements[index].amplifier != nil
      && !outputs[index].amplifier.holds(true)
    {
      return false
    }
    guard configuration.outputs.elements[index].hasVolume else { return true }
    for source in configuration.sources.indices {
      if now - sources[source].loweredAt < configuration.timing.sourceSettleTicks { return false }
    }
    return true
  }

  private mutating func noteSoundless(_ index: Int, _ isRoute: Bool) {
    if isRoute && decision.isSounding {
      outputs[index].soundlessSince = nil
    } else if outputs[index].soundlessSince == nil {
      outputs[index].soundlessSince = now
    }
  }

  // MARK: What the registers must hold now

  mutating func wantedGain(_ index: Int) -> Gain {
    let drive = outputs[index]
    guard drive.phase == .closed else { return Gain(millibels: drive.position) }
    return drive.restingGain
  }

  mutating func wantedSwitch(_ index: Int) -> Bool {
    let drive = outputs[index]
    guard drive.phase == .closed else { return true }
    // The amplifier falls silent first, and has its time (RTE-10).
    guard let amplifier = configuration.outputs.elements[index].amplifier,
      let since = drive.amplifierOffAt,
      drive.codecSwitch.written == true, !wantedAmplifier(index)
    else { return false }
    return now < since + amplifier.disableTicks
  }

  mutating func wantedAmplifier(_ index: Int) -> Bool {
    let drive = outputs[index]
    guard let amplifier = configuration.outputs.elements[index].amplifier,
      routes.current == UInt8(index) || isAlarmSpeaker(index), drive.isReady, !drive.isFaulty
    else { return false }
    if ending != .none && drive.phase == .closed { return false }
    if let idleAt = idleOffAt(index), now >= idleAt { return false }
    let isOn = drive.amplifier.written == true
    if drive.phase == .closed { return configuration.outputs.elements[index].hasSwitch && isOn }
    return isOn || now >= drive.openedAt + amplifier.enableTicks
  }

  /// When an amplifier without sound falls silent (RTE-10).
  mutating func idleOffAt(_ index: Int) -> Tick? {
    guard let amplifier = configuration.outputs.elements[index].amplifier,
      amplifier.idleOffTicks > 0
    else { return nil }
    return outputs[index].soundlessSince.map { $0 + amplifier.idleOffTicks }
  }

  // MARK: Sources

  /// How long a fade to silence that begins now may take: no longer than the one that the codec has
  /// begun, and that something else may break off.
  private mutating func remainingFadeTicks(_ route: Int?) -> Tick {
    let timing = configuration.timing
    guard let route, outputs[route].phase == .closing else { return timing.fadeOutTicks }
    let floor = configuration.outputs.elements[route].curve.floor.millibels
    return min(outputs[route].fallTicks(to: floor), timing.fadeOutTicks)
  }

  private mutating func moveSources(_ route: Int?, _ fadeOutTicks: Tick) {
    let timing = configuration.timing
    let phase = route.map { outputs[$0].phase } ?? .closed
    for index in configuration.sources.indices {
      let isEmitting = sessions[index].isEmitting
      var goal = sourceGoal(index, route)
      // While the codec's own fade is under way, the source waits for it, or makes it where the
      // codec has no volume; one that has begun its own goes on with it.
      if let route, goal.isSilence, phase == .closing, hasOwnSilence(route),
        !sources[index].isFalling
      {
        if sources[index].position.isSilence || configuration.outputs.elements[route].hasVolume {
          continue
        }
        let faded = decision.goals[index] + Gain(millibels: outputs[route].position)
        goal = min(faded, sources[index].position)
      }
      let isAtOnce = phase == .closed || phase == .opening || !isEmitting
      let riseTicks = decision.goesOn[index] ? timing.fadeInTicks : timing.startTicks
      sources[index].move(
        at: now,
        to: goal,
        fadeInTicks: isAtOnce ? 0 : riseTicks,
        fadeOutTicks: isAtOnce && phase != .opening || !isEmitting ? 0 : fadeOutTicks
      )
    }
    noteWhatGoesOn(route)
  }

  private mutating func hasOwnSilence(_ route: Int?) -> Bool {
    guard let route else { return false }
    return configuration.outputs.elements[route].hasSwitch
      || configuration.outputs.elements[route].amplifier != nil
  }

  /// What a source's gain should be: silence for its own reasons, and wherever the codec cannot
  /// give it.
  private mutating func sourceGoal(_ index: Int, _ route: Int?) -> Gain {
    guard let route, !decision.device.contains(.starting), !outputs[route].isNotSilent
    else { return .silence }
    let own = decision.sources[index].subtracting(SilenceReasons.unsafe.union(.softMute))
    if !own.isEmpty || isWaiting(index) { return .silence }
    if index >= configuredSources && !sessions[index].isActive { return .silence }
    // The codec may be open for an alarm, or was until now: the mute holds at the source (SIL-4).
    let isMutedForAlarm =
      decision.sources[index].contains(.softMute)
      && (mayOpen(route) || decision.alarmSpeaker != nil
        || outputs[route].phase != .closed && sources[index].position.isSilence)
    if isMutedForAlarm { return .silence }
    let goal = decision.goals[index]
    if configuration.outputs.elements[route].hasVolume {
      return outputs[route].phase == .closed && !hasOwnSilence(route) ? .silence : goal
    }
    // The speaker beside the route has the same stream, and no volume of its own either.
    let speaker = decision.alarmSpeaker.map { outputs[Int($0)].position }
    switch outputs[route].phase {
    case .closed:
      if let speaker { return goal + Gain(millibels: speaker) }
      return hasOwnSilence(route) ? goal + decision.target : .silence
    case .opening, .open, .closing:
      return goal + Gain(millibels: min(outputs[route].position, speaker ?? .max))
    }
  }

  // MARK: Truth (VOL-8, SIL-11)

  /// Whether an output is known to be silent.
  mutating func isSilenceConfirmed(_ index: Int) -> Bool {
    guard routes.isPresent[index] else { return true }
    let output = configuration.outputs.elements[index]
    if output.amplifier != nil && outputs[index].amplifier.holds(false) { return true }
    if output.hasSwitch { return outputs[index].codecSwitch.holds(false) }
    guard output.amplifier == nil else { return false }
    return areSourcesSilent()
  }

  private mutating func areSourcesSilent() -> Bool {
    for index in configuration.sources.indices
    where sources[index].isPresent && !sources[index].register.holds(.silence) {
      return false
    }
    return true
  }

  private mutating func judgeOutputs(_ effects: inout Effects) {
    for index in configuration.outputs.indices where routes.isPresent[index] {
      guard outputs[index].phase == .closed else { continue }
      let isConfirmed = isSilenceConfirmed(index)
      let isSwitchConfirmed =
        configuration.outputs.elements[index].hasSwitch
        ? outputs[index].codecSwitch.holds(false) : isConfirmed
      if isSwitchConfirmed {
        if outputs[index].isNotSilent {
          outputs[index].isNotSilent = false
          isDirty = true
          tell(.writeRecovered, index, &effects)
        }
      } else if !isConfirmed, !outputs[index].isNotSilent, now >= silenceDueAt(index) {
        outputs[index].isNotSilent = true
        isDirty = true
        tell(.notSilent, index, &effects)
      }
      if !outputs[index].isReady, isConfirmed, holdsGain(index) {
        outputs[index].isReady = true
        isDirty = true
        if !configuration.settings.ownsMixer { effects.append(.lock(output: UInt8(index), false)) }
      }
    }
  }

  private mutating func holdsGain(_ index: Int) -> Bool {
    !configuration.outputs.elements[index].hasVolume || outputs[index].gain.holds(wantedGain(index))
  }

  /// Until when a closed output must be found silent (SIL-11).
  mutating func silenceDueAt(_ index: Int) -> Tick {
    let disable = configuration.outputs.elements[index].amplifier?.disableTicks ?? 0
    return outputs[index].closedAt + configuration.timing.confirmTicks + disable
  }

  // MARK: What time brings

  private mutating func judgeLimit(_ route: Int?, _ effects: inout Effects) {
    if isLimitNoticeDue {
      isLimitNoticeDue = false
      tell(.limitRearmed, 0, &effects)
      feedback.note(.limitRearmed)
    }
    let isAbove = isAboveLimit(route)
    let rearmTicks = configuration.timing.limitRearmTicks
    guard volumes.limit.count(isAbove: isAbove, at: now, rearmTicks: rearmTicks),
      let route, isLimitable(route)
    else { return }
    setLevel(route, configuration.settings.headphoneLimit)
    isDirty = true
    tell(.limitRearmed, route, &effects)
    feedback.note(.limitRearmed)
  }

  private mutating func isAboveLimit(_ route: Int?) -> Bool {
    guard let route, isLimitable(route), decision.isSounding else { return false }
    return outputs[route].phase == .open
      && level(of: route) > configuration.settings.headphoneLimit
  }

  /// Whether an output has a headphone limit, armed or not.
  private mutating func isLimitable(_ output: Int) -> Bool {
    configuration.outputs.elements[output].kind == .headphones
      && configuration.settings.limitsHeadphones
  }

  private mutating func judgeEnding(_ effects: inout Effects) {
    guard case .silencing(let since, let powerOff) = ending else { return }
    let limit = configuration.timing.fadeOutTicks + Ticks.endingMargin
    guard isAllSilent || now - since >= limit else { return }
    ending = .finished
    volumes.notePersisted(at: now)
    effects.append(.persist)
    effects.append(.finished(powerOff: powerOff))
  }

  /// Every output is closed, known to be silent, and both its switch and its amplifier are off.
  private var isAllSilent: Bool {
    mutating get {
      for index in configuration.outputs.indices where routes.isPresent[index] {
        guard outputs[index].phase == .closed, isSilenceConfirmed(index) else { return false }
        if configuration.outputs.elements[index].hasSwitch
          && !outputs[index].codecSwitch.holds(false)
        {
          return false
        }
        if configuration.outputs.elements[index].amplifier != nil
          && !outputs[index].amplifier.holds(false)
        {
          return false
        }
      }
      return true
    }
  }

  /// Asks for all levels every so often while a lost edge would matter, but not when that begins:
  /// what a press does must not wait behind a reading of every line.
  private mutating func audit(_ effects: inout Effects) {
    guard needsAudit else {
      lastAudit = nil
      return
    }
    guard let last = lastAudit else {
      lastAudit = now
      return
    }
    guard now - last >= configuration.timing.auditTicks else { return }
    lastAudit = now
    effects.append(.readLevels)
  }

  /// Whether a lost edge could go unnoticed and matter (T-6).
  private var needsAudit: Bool {
    mutating get {
      if ending == .finished { return false }
      return decision.isSounding || controls.needsAudit(&configuration) || isMoving
    }
  }

  private var isMoving: Bool {
    mutating get {
      for index in configuration.outputs.indices where outputs[index].isMoving { return true }
      return false
    }
  }

  private mutating func persist(_ effects: inout Effects) {
    guard let due = volumes.persistsAt(configuration.timing), now >= due, ending != .finished
    else { return }
    volumes.notePersisted(at: now)
    effects.append(.persist)
  }

  // MARK: The next deadline (T-6)

  mutating func nextDeadline() -> Tick? {
    var deadline: Tick?
    let timing = configuration.timing
    soonest(&deadline, controls.deadline(&configuration))
    soonest(&deadline, routes.deadline(&configuration))
    for index in configuration.outputs.indices { soonest(&deadline, outputDeadline(index)) }
    for index in configuration.sources.indices {
      soonest(&deadline, sourceDeadline(index))
      soonest(&deadline, sessions[index].formerHolderUntil)
    }
    if decision.waiting != 0 { soonest(&deadline, now + 1) }
    if configuration.hasCaptureSwitch, isCapturePresent {
      soonest(&deadline, capture.deadline(microphone.isCaptureOpen, at: now))
    }
    if needsAudit { soonest(&deadline, (lastAudit ?? now) + timing.auditTicks) }
    if ending != .finished { soonest(&deadline, volumes.persistsAt(timing)) }
    soonest(&deadline, volumes.limit.rearmsAt(rearmTicks: timing.limitRearmTicks))
    if let lastKeyAt = volumes.lastKeyAt, lastKeyAt + timing.keyTargetTicks > now {
      soonest(&deadline, lastKeyAt + timing.keyTargetTicks)
    }
    soonest(&deadline, feedback.soundUntil)
    if feedback.event != nil { soonest(&deadline, now + 1) }
    if case .silencing = ending { soonest(&deadline, now + 1) }
    if isDirty { soonest(&deadline, now + 1) }
    return deadline.map { max($0, now + 1) }
  }

  private mutating func outputDeadline(_ index: Int) -> Tick? {
    var deadline: Tick?
    soonest(&deadline, detectReportsAt(index))
    guard routes.isPresent[index] else { return deadline }
    let output = configuration.outputs.elements[index]
    let drive = outputs[index]
    if drive.isMoving { return now + 1 }
    if output.hasVolume { soonest(&deadline, drive.gain.deadline(wantedGain(index), at: now)) }
    if output.hasSwitch {
      soonest(&deadline, drive.codecSwitch.deadline(wantedSwitch(index), at: now))
    }
    if let amplifier = output.amplifier {
      soonest(&deadline, drive.amplifier.deadline(wantedAmplifier(index), at: now))
      if let offAt = drive.amplifierOffAt, offAt + amplifier.disableTicks > now {
        soonest(&deadline, offAt + amplifier.disableTicks)
      }
      if let idleAt = idleOffAt(index), idleAt > now { soonest(&deadline, idleAt) }
    }
    if drive.phase == .closed && !drive.isNotSilent && !isSilenceConfirmed(index) {
      soonest(&deadline, silenceDueAt(index))
    }
    if drive.phase == .open && drive.position != drive.restingGain.millibels {
      soonest(&deadline, now + 1)
    }
    if drive.phase == .closed,
      isAlarmSpeaker(index) || routes.current == UInt8(index) && mayOpen(index)
    {
      soonest(&deadline, now + 1)
    }
    return deadline
  }

  private mutating func sourceDeadline(_ index: Int) -> Tick? {
    let drive = sources[index]
    guard drive.isPresent else { return nil }
    if drive.isMoving || drive.isDuckMoving { return now + 1 }
    var deadline = drive.register.deadline(drive.position, at: now)
    // An alarm may wait for its silence at the ear (RTE-7).
    let settledAt = drive.loweredAt + configuration.timing.sourceSettleTicks
    if drive.position.isSilence, settledAt > now, sessions[index].isEmitting {
      soonest(&deadline, settledAt)
    }
    return deadline
  }
}

/// Durations that are no rule's.
enum Ticks {
  /// Patience at the end, after the fade, for confirmations that do not come.
  static let endingMargin: Tick = 40
}
