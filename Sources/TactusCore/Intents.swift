// SPDX-License-Identifier: Apache-2.0
//
// What people and programs ask for, and what it does to the volumes, the mutes, the route and the
// sessions.

extension Policy {
  // MARK: At the device

  mutating func take(_ intents: inout List<32, Intent>, _ effects: inout Effects) {
    for index in intents.indices {
      switch intents.elements[index] {
      case .volume(let steps, let gesture): touchVolume(steps, gesture, &effects)
      case .volumeKeyReleased: volumes.limit.noteRelease(at: now)
      case .ringer(let steps): stepRinger(steps, &effects)
      case .toggleMute: toggleMute(&effects)
      case .command(let command):
        if deliver(command, &effects) == .busy { feedback.note(.refused) }
      case .microphone(let isMuted):
        let wasMuted = microphone.isMuted
        microphone.setContacts(isClosed: isMuted)
        noteMicrophone(wasMuted: wasMuted, &effects)
      case .toggleMicrophone:
        let wasMuted = microphone.isMuted
        microphone.toggleKey()
        noteMicrophone(wasMuted: wasMuted, &effects)
      case .latchedMute(let isOn):
        volumes.isMuteLatched = isOn
        feedback.note(isKeptSilent(isOn) ? .refused : .muteChanged)
      case .silentSwitch(let isOn):
        volumes.isSilentSwitchOn = isOn
        feedback.note(.silentSwitchMoved)
      case .powerOff: end(powerOff: true)
      }
    }
  }

  private mutating func toggleMute(_ effects: inout Effects) {
    if endAlarmByMuteButton(&effects) { return }
    if volumes.isMuted { unmute(&effects) } else { setMuted(true) }
    feedback.note(isKeptSilent(volumes.isMuted) ? .refused : .muteChanged)
  }

  /// A mute was taken off, and the silent switch silences all that might be heard now: what the
  /// person wanted is refused by the switch (SIL-3).
  private mutating func isKeptSilent(_ isMuted: Bool) -> Bool {
    guard !isMuted, volumes.isSilentSwitchOn else { return false }
    return !sessions.isSounding(&configuration) { !$0.obeysSilentSwitch }
  }

  private mutating func setMuted(_ isMuted: Bool) {
    guard volumes.isMuted != isMuted else { return }
    volumes.isMuted = isMuted
    volumes.noteChange(at: now)
  }

  /// Restores the exact level; from level 0 one step, so that there is something to hear (SIL-6).
  private mutating func unmute(_ effects: inout Effects) {
    guard volumes.isMuted else { return }
    setMuted(false)
    startSourcesWithoutPlayer(&effects)
    guard let output = levelOutput, level(of: output) == .zero else { return }
    setLevel(output, min(Level(parts: Level.stepParts), cap(of: output)))
  }

  // MARK: Volume keys and knob

  private mutating func touchVolume(
    _ steps: Int32,
    _ gesture: VolumeGesture,
    _ effects: inout Effects
  ) {
    defer { if gesture == .turn { volumes.limit.noteTurn(at: now) } }
    if silenceRing() {
      controls.endRepeats()
      return
    }
    let volume = keysVolume
    volumes.lastKeyAt = now
    volumes.lastKeyVolume = volume
    if steps > 0 {
      startSourcesWithoutPlayer(&effects)
      if volumes.isMuted {
        let wasZero = levelOutput.map { level(of: $0) == .zero } ?? false
        unmute(&effects)
        if isKeptSilent(false) { feedback.note(.refused) }
        if wasZero && volume == .system {
          feedback.note(.volumeStep)
          return
        }
      }
    }
    // A latching mute button is not overridden: the volume moves, and nothing is heard (SIL-3).
    if steps > 0, volumes.isMuteLatched { feedback.note(.refused) }
    switch volume {
    case .system: stepSystem(steps, gesture, &effects)
    case .ringer, .alarm: stepRinger(steps, &effects)
    }
  }

  /// The volume that the keys set now (VOL-2).
  var keysVolume: Volume {
    mutating get {
      let hasSystem = sessions.isSounding(&configuration) { $0.volume == .system }
      if hasSystem { return .system }
      if sessions.isSounding(&configuration, where: { $0 == .alarm }) { return .ringer }
      guard hasRingerSource else { return .system }
      if let lastKeyAt = volumes.lastKeyAt, volumes.lastKeyVolume == .system,
        now - lastKeyAt < configuration.timing.keyTargetTicks
      {
        return .system
      }
      return .ringer
    }
  }

  private var hasRingerSource: Bool {
    mutating get {
      for index in configuration.sources.indices {
        let category = configuration.sources.elements[index].category
        if category == .ringtone || category == .alert { return true }
      }
      return false
    }
  }

  /// While a ring is heard and nothing else, a volume key silences it and changes no volume
  /// (VOL-2a).
  private mutating func silenceRing() -> Bool {
    var hasRing = false
    for index in configuration.sources.indices where sessions[index].isSounding {
      guard decision.sources[index].isEmpty else { continue }
      switch configuration.sources.elements[index].category {
      case .ringtone, .alert: hasRing = true
      case .record, .systemSound: continue
      case .ambient, .soloAmbient, .playback, .playAndRecord, .alarm: return false
      }
    }
    guard hasRing else { return false }
    for index in configuration.sources.indices
    where sessions[index].isSounding
      && configuration.sources.elements[index].category.volume == .ringer
    {
      sessions[index].reasons.add(.silencedByPerson)
    }
    return true
  }

  private mutating func stepSystem(
    _ steps: Int32,
    _ gesture: VolumeGesture,
    _ effects: inout Effects
  ) {
    guard let output = levelOutput else { return }
    let old = level(of: output)
    let maximum = configuration.outputs.elements[output].maximumLevel
    var new = min(old.moved(steps: steps), maximum)
    if isLimited(output), new > configuration.settings.headphoneLimit {
      let isStopped = old == configuration.settings.headphoneLimit
      if isStopped, volumes.limit.allows(gesture, at: now, configuration.timing) {
        volumes.limit.disarm()
      } else {
        new = configuration.settings.headphoneLimit
        if gesture != .hold || !volumes.limit.holdsBack {
          volumes.limit.stop(gesture, at: now)
          feedback.note(.limitStop)
        }
        return setLevel(output, new)
      }
    }
    setLevel(output, new)
    let isEnd = new == .zero || new == maximum
    feedback.note(isEnd ? .rangeEnd : .volumeStep)
  }

  private mutating func stepRinger(_ steps: Int32, _ effects: inout Effects) {
    let new = volumes.ringer.moved(steps: steps)
    setRinger(new)
    feedback.note(new == .zero || new == .full ? .rangeEnd : .volumeStep)
  }

  private mutating func setRinger(_ level: Level) {
    guard volumes.ringer != level else { return }
    volumes.ringer = level
    volumes.noteChange(at: now)
  }

  // MARK: Levels

  /// The output whose level is the system level now, also while its card is away.
  var levelOutput: Int? { mutating get { routes.expected(&configuration).map { Int($0) } } }

  /// The system level of an output (VOL-7).
  mutating func level(of output: Int) -> Level {
    min(volumes.levels[output] ?? configuration.settings.firstLevel, cap(of: output))
  }

  /// The highest system level of an output now (VOL-13, VOL-16).
  mutating func cap(of output: Int) -> Level {
    let maximum = configuration.outputs.elements[output].maximumLevel
    return isLimited(output) ? min(maximum, configuration.settings.headphoneLimit) : maximum
  }

  /// Whether the headphone limit holds there now.
  mutating func isLimited(_ output: Int) -> Bool {
    configuration.outputs.elements[output].kind == .headphones
      && configuration.settings.limitsHeadphones
      && volumes.limit.isArmed
  }

  mutating func setLevel(_ output: Int, _ level: Level) {
    guard volumes.levels[output] != level else { return }
    volumes.levels[output] = level
    volumes.noteChange(at: now)
  }

  // MARK: By software

  mutating func takeRequests(_ inputs: inout Inputs, _ effects: inout Effects) {
    for index in inputs.indices {
      guard case .request(let token, let request) = inputs.elements[index] else { continue }
      let reply = answer(request, token, &effects)
      effects.append(.reply(token: token, reply))
    }
  }

  private mutating func answer(
    _ request: Request,
    _ token: UInt16,
    _ effects: inout Effects
  ) -> Reply {
    switch request {
    case .setLevel(let volume, let level): return set(volume, level)
    case .setGain(let volume, let gain):
      guard let output = levelOutput else { return .notOnThisDevice }
      return set(volume, configuration.outputs.elements[output].curve.level(of: gain))
    case .step(let volume, let steps): return step(volume, Int32(steps))
    case .setMute(let isOn): return setMute(isOn, &effects)
    case .toggleMute: return setMute(!volumes.isMuted, &effects)
    case .setSilent(let isOn):
      guard configuration.control(.silentSwitch) == nil else { return .refusedByHardwareSwitch }
      volumes.isSilentSwitchOn = isOn
      return .done
    case .chooseRoute(let route): return choose(route, &effects)
    case .command(let command): return deliver(command, &effects)
    case .open(let peer, let source):
      return open(source, peer: peer, token: token, &effects)
    case .setCategory(let index, let category):
      return change(Int(index), &effects) { kind in kind.become(category) }
    case .setMode(let index, let mode): return change(Int(index), &effects) { $0.mode = mode }
    case .setOptions(let index, let options):
      return change(Int(index), &effects) { $0.options = options }
    case .setSessionGain(let index, let gain):
      guard gain <= .unity else { return .gainAboveZero }
      return edit(Int(index)) { $0.gain = gain }
    case .setCommands(let index, let commands): return edit(Int(index)) { $0.commands = commands }
    case .setPausesOnUnplug(let index, let pauses):
      return edit(Int(index)) { $0.pausesOnUnplug = pauses }
    case .setBalance(let balance):
      guard balance >= -100 && balance <= 100 else { return .notOnThisDevice }
      return set(balance: balance, &effects)
    case .session(let source, let event):
      return take(event, ofSession: Int(source), &effects)
    case .feedback(let peer, let feedback): return play(feedback, for: peer)
    case .playSound(let peer, let sound): return play(sound: sound, for: peer)
    case .prepareFeedback(let peer): return prepareFeedback(for: peer)
    case .shutDown:
      end(powerOff: false)
      return .done
    }
  }

  /// A person's word by software: never across a limit (VOL-13), and it leaves the mute (SIL-5).
  private mutating func set(_ volume: Volume, _ level: Level) -> Reply {
    switch volume {
    case .ringer:
      setRinger(level)
      return .done
    case .alarm: return .notOnThisDevice
    case .system:
      guard let output = levelOutput else { return .notOnThisDevice }
      let allowed = min(level, cap(of: output))
      setLevel(output, allowed)
      return allowed == level ? .done : .limited
    }
  }

  private mutating func step(_ volume: Volume, _ steps: Int32) -> Reply {
    switch volume {
    case .ringer: return set(.ringer, volumes.ringer.moved(steps: steps))
    case .alarm: return .notOnThisDevice
    case .system:
      guard let output = levelOutput else { return .notOnThisDevice }
      return set(.system, level(of: output).moved(steps: steps))
    }
  }

  private mutating func setMute(_ isOn: Bool, _ effects: inout Effects) -> Reply {
    if isOn {
      setMuted(true)
      return .done
    }
    if volumes.isMuteLatched { return .refusedByHardwareSwitch }
    unmute(&effects)
    return volumes.isSilentSwitchOn ? .stillSilent : .done
  }

  private mutating func choose(_ route: UInt8, _ effects: inout Effects) -> Reply {
    guard Int(route) < configuration.outputs.count, routes.isChoosable(Int(route), &configuration)
    else { return .noSuchRoute }
    routes.choose(route, &configuration)
    startSourcesWithoutPlayer(&effects)
    volumes.noteChange(at: now)
    useSelectedRoute(.override)
    return .done
  }

  private mutating func set(balance: Int8, _ effects: inout Effects) -> Reply {
    guard volumes.balance != balance else { return .done }
    volumes.balance = balance
    volumes.noteChange(at: now)
    effects.append(.balance(balance))
    for index in configuration.outputs.indices where configuration.outputs.elements[index].hasVolume
    {
      outputs[index].gain.forget()
    }
    return .done
  }

  private mutating func end(powerOff: Bool) {
    guard ending == .none else { return }
    ending = .silencing(since: now, powerOff: powerOff)
  }

  // MARK: Sessions at the device

  /// A person asks to hear something: what no player can start again starts again (RTE-2).
  ///
  /// That goes for a source that was left out after an interruption, too, as long as nothing else
  /// sounds.
  private mutating func startSourcesWithoutPlayer(_ effects: inout Effects) {
    let isQuiet = !sessions.isSounding(&configuration) { _ in true }
    for index in configuration.sources.indices
    where !configuration.sources.elements[index].hasPlayer {
      sessions[index].startAgain()
      let isGoverned = configuration.sources.elements[index].category.volume == .system
      guard isQuiet, isGoverned, sessions[index].isLeftOut else { continue }
      _ = start(index, isPlaying: true, byPerson: false, &effects)
    }
  }

  /// The route in use is gone: what must not go on elsewhere is paused, and what would resume there
  /// will not (RTE-2).
  mutating func pauseSessions(withPlayersOnly: Bool = false, _ effects: inout Effects) {
    for index in configuration.sources.indices {
      let source = configuration.sources.elements[index]
      guard source.isPausedByUnplug, source.hasPlayer || !withPlayersOnly else { continue }
      if sessions[index].isSounding {
        sessions[index].reasons.add(.awaitingPause)
        sessions[index].isPausedByUnplug = true
        sessions[index].notePause(at: now)
        sessions[index].rule = .rte2
        if source.asksFirst {
          effects.append(.interruptionBegan(UInt8(index), .routeDisconnected, by: nil, .rte2))
        }
        effects.append(.pause(source: UInt8(index)))
      } else if sessions[index].waitsToResume {
        sessions[index].wasPlaying = false
        sessions[index].isPausedByUnplug = true
      }
    }
  }

  // MARK: Routes

  /// Lets time decide about plugs, and takes the right route into use.
  mutating func elapsePlugs(_ effects: inout Effects) {
    for index in configuration.outputs.indices {
      guard let detect = configuration.outputs.elements[index].detect else { continue }
      let event = routes.jacks[index].elapse(
        at: now,
        debounceTicks: configuration.controls.elements[Int(detect)].debounceTicks,
        plugTicks: configuration.timing.plugTicks
      )
      switch event {
      case .none: break
      case .plugged:
        plug(index, isAct: true)
        resumePaused(&effects)
      case .unplugged: unplug(index, &effects)
      }
      reportDetect(index, Int(detect), &effects)
    }
    useSelectedRoute(.configurationChange)
    announceRoute(&effects)
  }

  /// A plug is in for good.
  mutating func plug(_ index: Int, isAct: Bool) {
    routes.plugged(index, isAct: isAct)
    if isAct { useSelectedRoute(.newDeviceAvailable) }
  }

  /// Plugging resumes only what the unplug paused, and only if the listener wants it (RTE-3).
  private mutating func resumePaused(_ effects: inout Effects) {
    guard configuration.settings.resumesOnReplug else { return }
    for index in configuration.sources.indices where sessions[index].isPausedByUnplug {
      sessions[index].startAgain()
      sessions[index].rule = .rte3
      if sessions[index].isPending {
        sessions[index].wasPlaying = true
        continue
      }
      if configuration.sources.elements[index].asksFirst {
        effects.append(.interruptionEnded(UInt8(index), shouldResume: true, .rte3))
      }
      effects.append(.resume(source: UInt8(index)))
    }
  }

  private mutating func unplug(_ index: Int, _ effects: inout Effects) {
    let wasInUse = routes.current == UInt8(index)
    routes.unplugged(index)
    guard wasInUse, routes.selected(&configuration) != UInt8(index) else { return }
    pauseSessions(&effects)
    useSelectedRoute(.oldDeviceUnavailable)
  }

  /// Takes the selected route into use, if it is another one.
  ///
  /// The first reason of a tick stands.
  mutating func useSelectedRoute(_ reason: RouteChange) {
    let selected = routes.selected(&configuration)
    guard selected != routes.current else { return }
    let previous = routes.current
    routes.use(selected)
    controls.endRepeats()
    if previous != nil { openingFadeTicks = configuration.timing.routeFadeTicks }
    if let output = selected.map({ Int($0) }) {
      volumes.levels[output] = volumes.levels[output].map { min($0, cap(of: output)) }
    }
    routeChange =
      routeChange
      ?? RouteChanged(
        reason: changeReason(previous, selected, reason),
        previous: previous
      )
  }

  private mutating func changeReason(_ previous: UInt8?, _ selected: UInt8?, _ asked: RouteChange)
    -> RouteChange
  {
    if selected == nil { return .noSuitableRoute }
    if asked != .configurationChange { return asked }
    if let previous, !routes.isAvailable(Int(previous), &configuration) {
      return .oldDeviceUnavailable
    }
    return .newDeviceAvailable
  }

  private mutating func announceRoute(_ effects: inout Effects) {
    guard let change = routeChange else { return }
    routeChange = nil
    guard change.previous != routes.current else { return }
    effects.append(
      .routeChanged(change.reason, previous: change.previous, current: routes.current)
    )
    // What software chose gets no answer at the device (FBK-1).
    if change.previous != nil, change.reason != .override { feedback.note(.routeChanged) }
  }

  /// Tells once of a plug that cannot be believed (RTE-9).
  private mutating func reportDetect(_ index: Int, _ detect: Int, _ effects: inout Effects) {
    guard !detectReported[index], let due = detectReportsAt(index), now >= due else { return }
    detectReported[index] = true
    let notice: Notice = routes.jacks[index].isRaw ? .detectStuck : .detectIdle
    tell(notice, detect, &effects)
  }

  /// When a plug that never moved is worth a notice.
  mutating func detectReportsAt(_ index: Int) -> Tick? {
    let jack = routes.jacks[index]
    guard jack.isSampled, !jack.hasMoved, !detectReported[index] else { return nil }
    let timing = configuration.timing
    return jack.lastEdge + (jack.isRaw ? timing.detectStuckTicks : timing.detectIdleTicks)
  }
}
