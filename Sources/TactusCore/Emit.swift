// SPDX-License-Identifier: Apache-2.0
//
// The last stage of a tick: what has to be written, as the difference between what is wanted and
// what was read back. Silence first, un-silence last; the amplifier line before the codec on the
// way down, after it on the way up. Also what can be seen of the policy from outside.

extension Policy {
  mutating func emit(_ effects: inout Effects) {
    writeCapture(&effects)
    for index in configuration.outputs.indices where routes.isPresent[index] {
      if !wantedAmplifier(index) { writeAmplifier(index, false, &effects) }
    }
    for index in configuration.outputs.indices where routes.isPresent[index] {
      if !wantedSwitch(index) { writeSwitch(index, false, &effects) }
    }
    for index in configuration.outputs.indices where routes.isPresent[index] {
      if isLowering(index) { writeGain(index, &effects) }
    }
    for index in configuration.sources.indices where isLoweringSource(index) {
      writeSource(index, &effects)
    }
    for index in configuration.sources.indices where !isLoweringSource(index) {
      writeSource(index, &effects)
    }
    for index in configuration.outputs.indices where routes.isPresent[index] {
      if !isLowering(index) { writeGain(index, &effects) }
      if wantedSwitch(index) { writeSwitch(index, true, &effects) }
      if wantedAmplifier(index) { writeAmplifier(index, true, &effects) }
    }
  }

  private mutating func writeCapture(_ effects: inout Effects) {
    let isOpen = microphone.isCaptureOpen
    guard configuration.hasCaptureSwitch, isCapturePresent, capture.needs(isOpen, at: now),
      effects.append(.capture(on: isOpen))
    else { return }
    capture.send(isOpen, at: now)
  }

  private mutating func isLowering(_ index: Int) -> Bool {
    outputs[index].gain.written.map { wantedGain(index) < $0 } ?? true
  }

  private mutating func isLoweringSource(_ index: Int) -> Bool {
    sources[index].register.written.map { sources[index].position < $0 } ?? true
  }

  private mutating func writeAmplifier(_ index: Int, _ on: Bool, _ effects: inout Effects) {
    guard configuration.outputs.elements[index].amplifier != nil,
      outputs[index].amplifier.needs(on, at: now),
      effects.append(.amplifier(output: UInt8(index), on: on))
    else { return }
    if !on && outputs[index].amplifier.written != false { outputs[index].amplifierOffAt = now }
    outputs[index].amplifier.send(on, at: now)
  }

  private mutating func writeSwitch(_ index: Int, _ on: Bool, _ effects: inout Effects) {
    guard configuration.outputs.elements[index].hasSwitch,
      outputs[index].codecSwitch.needs(on, at: now),
      effects.append(.switched(output: UInt8(index), on: on))
    else { return }
    outputs[index].codecSwitch.send(on, at: now)
  }

  private mutating func writeGain(_ index: Int, _ effects: inout Effects) {
    let gain = wantedGain(index)
    guard configuration.outputs.elements[index].hasVolume, outputs[index].gain.needs(gain, at: now),
      effects.append(.gain(output: UInt8(index), gain))
    else { return }
    outputs[index].gain.send(gain, at: now)
  }

  private mutating func writeSource(_ index: Int, _ effects: inout Effects) {
    let gain = sources[index].position
    guard sources[index].isPresent, sources[index].register.needs(gain, at: now),
      effects.append(.source(UInt8(index), gain))
    else { return }
    sources[index].register.send(gain, at: now)
  }

  // MARK: Seen from outside

  /// What can be seen of the device.
  public var snapshot: Snapshot {
    var policy = self
    var snapshot = Snapshot()
    policy.takeSnapshot(into: &snapshot)
    return snapshot
  }

  /// Puts what can be seen into a snapshot, without a copy of either.
  public mutating func takeSnapshot(into snapshot: inout Snapshot) {
    snapshot.tick = now
    snapshot.level = levelOutput.map { level(of: $0) } ?? .zero
    snapshot.ringer = volumes.ringer
    snapshot.keysSet = keysVolume
    snapshot.isMuted = volumes.isSoftMuted
    snapshot.isMicrophoneMuted = isMicrophoneMuted
    snapshot.isCaptureOn = capture.applied
    snapshot.isSilentSwitchOn = volumes.isSilentSwitchOn
    snapshot.hasHardwareSilentSwitch = configuration.control(.silentSwitch) != nil
    snapshot.route = routes.current
    snapshot.routeKind = routes.current.map { configuration.outputs.elements[Int($0)].kind }
    snapshot.balance = volumes.balance
    snapshot.isLimitArmed = volumes.limit.isArmed && configuration.settings.limitsHeadphones
    snapshot.reasons = decision.device
    snapshot.isSilent = isEverythingSilent
    snapshot.lateTicks = lateTicks
    snapshot.outputs.removeAll()
    for index in configuration.outputs.indices { snapshot.outputs.append(outputState(index)) }
    snapshot.sources.removeAll()
    for index in configuration.sources.indices { snapshot.sources.append(sourceState(index)) }
    snapshot.controls.removeAll()
    for index in configuration.controls.indices { snapshot.controls.append(controlState(index)) }
  }

  private var isEverythingSilent: Bool {
    mutating get {
      for index in configuration.outputs.indices where !isSilenceConfirmed(index) { return false }
      return true
    }
  }

  private mutating func outputState(_ index: Int) -> OutputState {
    var state = OutputState()
    state.isPresent = routes.isPresent[index]
    state.isAvailable = routes.isAvailable(index, &configuration)
    state.level = level(of: index)
    state.appliedGain = outputs[index].gain.applied
    state.appliedOn = outputs[index].codecSwitch.applied
    state.amplifierOn = outputs[index].amplifier.applied
    state.isFaulty = outputs[index].isFaulty
    return state
  }

  private mutating func sourceState(_ index: Int) -> SourceState {
    var state = SourceState()
    let source = configuration.sources.elements[index]
    state.isOpen = sessions[index].isOpen
    state.category = source.category
    state.mode = source.mode
    state.options = source.options
    state.interruption = sessions[index].interruption
    state.holders = sessions[index].holders
    state.isHeld = sessions[index].isHeld
    state.isWaiting = decision.waiting & bit(index) != 0
    state.isInBackground = sessions[index].isInBackground
    state.shouldBeSilent = sessions[index].isToldToBeSilent
    state.duck = sources[index].duck
    state.wantedGain = sources[index].position
    state.rule = sessions[index].rule
    state.isActive = sessions[index].isActive
    state.isPlaying = sessions[index].isPlaying
    state.reasons = decision.sources[index]
    state.appliedGain = sources[index].register.applied
    state.isFaulty = sources[index].register.isFaulty
    return state
  }

  private mutating func controlState(_ index: Int) -> ControlState {
    var state = ControlState()
    state.isStuck = controls.isStuck(index)
    if configuration.controls.elements[index].role == .knob {
      state.isPresent = controls.knob.isPresent
      state.state = controls.knob.state
      state.lostEdges = controls.knob.lostEdges
      state.illegalJumps = controls.knob.illegalJumps
      state.changes = controls.knob.detents
      return state
    }
    let contact = controls.contacts[index]
    state.isPresent = contact.isPresent
    state.state = contact.isAccepted ? 1 : 0
    state.glitches = contact.glitches
    state.lostEdges = contact.lostEdges
    state.isNoisy = contact.isNoisy
    state.changes = contact.changes
    return state
  }

  /// What must survive a restart (VOL-12).
  public var saved: Saved {
    var saved = Saved()
    saved.levels = volumes.levels
    saved.ringer = volumes.ringer
    saved.isMuted = volumes.isMuted
    saved.chosenRoute = routes.chosen
    saved.balance = volumes.balance
    return saved
  }
}
