// SPDX-License-Identifier: Apache-2.0
//
// From contacts and knobs to what a person means. A control's meaning is its role (CTL-1) and
// gestures are fixed (CTL-6); nothing here knows what a volume is.
//
//   pair     both volume buttons, where a board has both: pressed within 30 ms of each other they
//   are one gesture
//   repeat   a held volume button goes on stepping
//   intent   what a person asked for by one gesture

/// What a person asked for at the device.
enum Intent: Plain, Equatable {
  /// Steps of the volume that the keys set.
  ///
  /// `isRepeat` is a held button going on by itself.
  case volume(steps: Int32, by: VolumeGesture)
  /// A volume button was let go, or the finger left a pair.
  case volumeKeyReleased
  /// Push and turn: the ringer's volume.
  case ringer(steps: Int32)
  case toggleMute
  /// A latching mute button was moved; `isPressed` is its new position.
  case latchedMute(Bool)
  case silentSwitch(Bool)
  case powerOff
}

/// What kind of touch changed a volume; the headphone limit tells them apart (VOL-13).
enum VolumeGesture: Plain { case press, hold, turn }

/// The gesture of one volume button.
struct VolumeKey: Plain {
  /// When the press will act if the other button has not come.
  var actsAt: Tick?
  /// When a held button takes its next step; nil when this press repeats no more.
  var repeatsAt: Tick?
}

/// The state of all that a person touches.
struct Controls: Plain {
  var contacts = InlineArray<24, Contact>(repeating: Contact())
  var knob = Encoder()
  private var up = VolumeKey()
  private var down = VolumeKey()
  /// Both volume buttons act as one, since this tick.
  private var pairSince: Tick?
  private var pairHasActed = false
  private var powerHasActed = false
  private var pushHasTurned = false
  private var stuck = InlineArray<24, Bool>(repeating: false)

  // Positions in the configuration, looked up once.
  private let upIndex: Int?
  private let downIndex: Int?
  private let muteIndex: Int?
  private let pushIndex: Int?
  private let knobIndex: Int?
  private let powerIndex: Int?

  init(_ configuration: Configuration) {
    upIndex = configuration.control(.volumeUp)
    downIndex = configuration.control(.volumeDown)
    muteIndex = configuration.control(.mute)
    pushIndex = configuration.control(.knobPush)
    knobIndex = configuration.control(.knob)
    powerIndex = configuration.control(.power)
    for index in configuration.controls.indices {
      contacts[index].noiseTicks = configuration.timing.noiseWindowTicks
      contacts[index].isSwitch = Controls.isSwitch(configuration.controls.elements[index])
    }
  }

  /// Whether a control stays where it is put, so that losing its line changes nothing.
  private static func isSwitch(_ control: Control) -> Bool {
    switch control.role {
    case .silentSwitch, .microphoneSwitch, .lid, .headphoneDetect, .knob: true
    case .mute: control.latching
    case .volumeUp, .volumeDown, .knobPush, .playPause, .next, .previous, .stop, .headset, .power:
      false
    }
  }

  /// Whether a button of the pair has its partner.
  private var hasPair: Bool { upIndex != nil && downIndex != nil }

  mutating func isStuck(_ index: Int) -> Bool { stuck[index] }

  /// Whether any contact is held or bouncing, so that a lost edge would matter (levels are
  /// audited).
  mutating func needsAudit(_ configuration: inout Configuration) -> Bool {
    for index in configuration.controls.indices {
      switch configuration.controls.elements[index].role {
      case .volumeUp, .volumeDown, .knobPush, .playPause, .next, .previous, .stop, .headset, .power:
        if contacts[index].isAccepted && !stuck[index] { return true }
      case .mute:
        if contacts[index].isAccepted && !stuck[index]
          && !configuration.controls.elements[index].latching
        {
          return true
        }
      case .silentSwitch, .headphoneDetect, .knob, .microphoneSwitch, .lid: continue
      }
    }
    return false
  }

  /// The level a person has not let go of ends its repeat: a session starts, a route changes
  /// (VOL-1).
  mutating func endRepeats() {
    up.repeatsAt = nil
    down.repeatsAt = nil
  }

  // MARK: Changes

  /// Takes an accepted change of a contact.
  mutating func changed(
    _ index: Int,
    to isPressed: Bool,
    at now: Tick,
    _ configuration: inout Configuration,
    _ intents: inout List<32, Intent>
  ) {
    if !isPressed { stuck[index] = false }
    let control = configuration.controls.elements[index]
    switch control.role {
    case .volumeUp:
      volumeKey(isUp: true, isPressed, at: now, configuration.timing, &intents)
    case .volumeDown:
      volumeKey(isUp: false, isPressed, at: now, configuration.timing, &intents)
    case .mute:
      if control.latching {
        intents.append(.latchedMute(isPressed))
      } else if isPressed {
        intents.append(.toggleMute)
      }
    case .silentSwitch:
      intents.append(.silentSwitch(isPressed))
    case .knobPush:
      push(isPressed, &intents)
    case .power:
      if isPressed { powerHasActed = false }
    case .headphoneDetect, .knob: break  // routes read the one, `turned` the other
    case .microphoneSwitch, .lid, .playPause, .next, .previous, .stop, .headset: break
    }
  }

  /// Takes a button for let go of whose line is gone or noisy: what goes on while it is held ends,
  /// and what its release would do is not done.
  mutating func letGo(
    _ index: Int,
    at now: Tick,
    _ configuration: inout Configuration,
    _ intents: inout List<32, Intent>
  ) {
    guard contacts[index].letGo(at: now) else { return }
    if index == pushIndex { pushHasTurned = true }
    changed(index, to: false, at: now, &configuration, &intents)
  }

  /// Takes the push of a knob: it acts on release, and only if the knob was not turned meanwhile.
  private mutating func push(_ isPressed: Bool, _ intents: inout List<32, Intent>) {
    if isPressed {
      pushHasTurned = false
    } else if !pushHasTurned, muteIndex == nil {
      intents.append(.toggleMute)
    }
  }

  /// Takes the detents of one tick, summed.
  mutating func turned(_ steps: Int32, _ intents: inout List<32, Intent>) {
    if let pushIndex, contacts[pushIndex].isAccepted, !contacts[pushIndex].isInherited {
      pushHasTurned = true
      intents.append(.ringer(steps: steps))
    } else {
      intents.append(.volume(steps: steps, by: .turn))
    }
  }

  private mutating func volumeKey(
    isUp: Bool,
    _ isPressed: Bool,
    at now: Tick,
    _ timing: Timing,
    _ intents: inout List<32, Intent>
  ) {
    guard isPressed else {
      if pairSince != nil {
        endPairWhenBothAreReleased()
      } else {
        setRepeat(isUp: isUp, nil)
      }
      intents.append(.volumeKeyReleased)
      return
    }
    let other = isUp ? down : up
    if hasPair, let otherActs = other.actsAt, now < otherActs, isHeld(isUp: !isUp) {
      up = VolumeKey()
      down = VolumeKey()
      pairSince = now
      pairHasActed = false
    } else if pairSince == nil {
      let key = VolumeKey(
        actsAt: hasPair ? now + timing.pairWindowTicks : now,
        repeatsAt: now + timing.repeatDelayTicks
      )
      if isUp { up = key } else { down = key }
    }
  }

  /// Whether a press holds it; one that was held before the first sample takes part in no gesture.
  private mutating func isHeld(isUp: Bool) -> Bool {
    guard let index = isUp ? upIndex : downIndex else { return false }
    return contacts[index].isAccepted && !contacts[index].isInherited
  }

  /// Both buttons are down and not on their way up.
  private var isPairDown: Bool {
    mutating get {
      guard let upIndex, let downIndex else { return false }
      return contacts[upIndex].isRaw && contacts[downIndex].isRaw
    }
  }

  private mutating func endPairWhenBothAreReleased() {
    if !isHeld(isUp: true) && !isHeld(isUp: false) { pairSince = nil }
    pairHasActed = true
  }

  private mutating func setRepeat(isUp: Bool, _ tick: Tick?) {
    if isUp { up.repeatsAt = tick } else { down.repeatsAt = tick }
  }

  // MARK: Timers

  /// Lets held and pending gestures go on; goes before this tick's changes (T-1).
  mutating func elapse(
    at now: Tick,
    _ configuration: inout Configuration,
    _ intents: inout List<32, Intent>
  ) {
    let timing = configuration.timing
    elapseKey(isUp: true, at: now, timing, &intents)
    elapseKey(isUp: false, at: now, timing, &intents)
    if let pairSince, !pairHasActed, isPairDown, now >= pairSince + timing.pairHoldTicks {
      pairHasActed = true
      intents.append(.toggleMute)
    }
    if let powerIndex, !powerHasActed, contacts[powerIndex].isAccepted,
      contacts[powerIndex].isRaw, !contacts[powerIndex].isInherited,
      now >= contacts[powerIndex].changedAt + timing.powerHoldTicks
    {
      powerHasActed = true
      intents.append(.powerOff)
    }
  }

  /// Lets presses act whose partner has not come; goes after this tick's changes.
  mutating func act(
    at now: Tick,
    _ configuration: inout Configuration,
    _ intents: inout List<32, Intent>
  ) {
    if let actsAt = up.actsAt, now >= actsAt {
      up.actsAt = nil
      intents.append(.volume(steps: 1, by: .press))
    }
    if let actsAt = down.actsAt, now >= actsAt {
      down.actsAt = nil
      intents.append(.volume(steps: -1, by: .press))
    }
  }

  private mutating func elapseKey(
    isUp: Bool,
    at now: Tick,
    _ timing: Timing,
    _ intents: inout List<32, Intent>
  ) {
    let key = isUp ? up : down
    guard let repeatsAt = key.repeatsAt, now >= repeatsAt, let index = isUp ? upIndex : downIndex
    else { return }
    guard contacts[index].isRaw, !stuck[index], !isHeld(isUp: !isUp) else {
      if !contacts[index].isAccepted || stuck[index] {
        setRepeat(isUp: isUp, nil)
      } else {
        setRepeat(isUp: isUp, now + timing.repeatIntervalTicks)
      }
      return
    }
    setRepeat(isUp: isUp, now + timing.repeatIntervalTicks)
    intents.append(.volume(steps: isUp ? 1 : -1, by: .hold))
  }

  /// Marks buttons held for more than a minute; answers the one that has just become stuck.
  mutating func judgeStuck(at now: Tick, _ configuration: inout Configuration) -> Int? {
    for index in configuration.controls.indices {
      guard !stuck[index], isMomentary(index, &configuration), contacts[index].isAccepted,
        now >= contacts[index].changedAt + configuration.timing.stuckTicks
      else { continue }
      stuck[index] = true
      return index
    }
    return nil
  }

  private mutating func isMomentary(_ index: Int, _ configuration: inout Configuration) -> Bool {
    let control = configuration.controls.elements[index]
    switch control.role {
    case .silentSwitch, .headphoneDetect, .knob, .microphoneSwitch, .lid: return false
    case .mute: return !control.latching
    case .volumeUp, .volumeDown, .knobPush, .playPause, .next, .previous, .stop, .headset, .power:
      return true
    }
  }

  /// The next tick at which a gesture or a debounce goes on by itself.
  mutating func deadline(_ configuration: inout Configuration) -> Tick? {
    var deadline: Tick?
    let timing = configuration.timing
    for index in configuration.controls.indices {
      let contact = contacts[index]
      soonest(
        &deadline,
        contact.deadline(debounceTicks: configuration.controls.elements[index].debounceTicks)
      )
      if contact.isAccepted, !stuck[index], isMomentary(index, &configuration) {
        soonest(&deadline, contact.changedAt + timing.stuckTicks)
      }
    }
    soonest(&deadline, up.actsAt)
    soonest(&deadline, down.actsAt)
    soonest(&deadline, up.repeatsAt)
    soonest(&deadline, down.repeatsAt)
    if let pairSince, !pairHasActed { soonest(&deadline, pairSince + timing.pairHoldTicks) }
    if let powerIndex, !powerHasActed, contacts[powerIndex].isAccepted,
      !contacts[powerIndex].isInherited
    {
      soonest(&deadline, contacts[powerIndex].changedAt + timing.powerHoldTicks)
    }
    return deadline
  }
}

/// Lowers `deadline` to `other` if that is sooner.
func soonest(_ deadline: inout Tick?, _ other: Tick?) {
  guard let other else { return }
  deadline = min(deadline ?? other, other)
}
