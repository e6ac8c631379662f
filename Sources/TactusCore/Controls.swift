// SPDX-License-Identifier: Apache-2.0
//
// From contacts and knobs to what a person means. A control's meaning is its role (CTL-1) and
// gestures are fixed (CTL-6); nothing here knows what a volume is.
//
//   pair     both volume buttons, where a board has both: pressed within 30 ms of each other they
//   are one gesture
//   repeat   a held volume button goes on stepping
//   key      a button of input devices (CTL-5): it does not bounce, and a USB knob may press it
//   several times within one tick
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
  /// A word to whatever plays (CTL-2).
  case command(Command)
  /// The microphone's switch or the lid was moved; on is closed (SES-10).
  case microphone(isMuted: Bool)
  /// The microphone's key was pressed.
  case toggleMicrophone
  /// A latching mute button was moved; `isPressed` is its new position.
  case latchedMute(Bool)
  case silentSwitch(Bool)
  case powerOff
}

/// What kind of touch changed a volume; the headphone limit tells them apart (VOL-13).
enum VolumeGesture: Plain { case press, hold, turn }

/// The gesture of a headset's button (CTL-6).
struct HeadsetButton: Plain {
  /// Presses of the gesture under way; 0 is none.
  private(set) var presses: Int32 = 0
  /// When the last of them was let go of; nil while it is held.
  private var releasedAt: Tick?

  /// Takes a press; answers the command of a gesture that is complete with it.
  mutating func press() -> Command? {
    presses += 1
    releasedAt = nil
    guard presses == 3 else { return nil }
    presses = 0
    return .previous
  }

  mutating func release(at now: Tick) {
    if presses > 0 { releasedAt = now }
  }

  /// Forgets the gesture under way.
  mutating func forget() { self = HeadsetButton() }

  /// The command of a gesture to which no press has come in time; goes after this tick's presses,
  /// since one that comes just in time belongs to it.
  mutating func act(at now: Tick, _ timing: Timing) -> Command? {
    guard let due = deadline(timing), now >= due else { return nil }
    let command: Command = presses == 1 ? .toggle : .next
    forget()
    return command
  }

  /// When it acts if no further press comes.
  func deadline(_ timing: Timing) -> Tick? { releasedAt.map { $0 + timing.headsetTicks } }
}

/// The gesture of one volume button.
struct VolumeKey: Plain {
  /// When the press will act if the other button has not come.
  var actsAt: Tick?
  /// When a held button takes its next step; nil when this press repeats no more.
  var repeatsAt: Tick?
}

/// The state of all that a person touches.
struct Controls: Plain {
  /// So many presses of one key within one tick are told apart; of its volume keys all are.
  private static let keyPressesMaximum: Int32 = 3

  var contacts = InlineArray<32, Contact>(repeating: Contact())
  var knob = Encoder()
  private var up = VolumeKey()
  private var down = VolumeKey()
  private var keyUp = VolumeKey()
  private var keyDown = VolumeKey()
  private var headset = HeadsetButton()
  private var headsetKey = HeadsetButton()
  /// Both volume buttons act as one, since this tick.
  private var pairSince: Tick?
  private var pairHasActed = false
  private var powerHasActed = false
  private var pushHasTurned = false
  private var stuck = InlineArray<32, Bool>(repeating: false)

  // Positions in the configuration, looked up once.
  private let upIndex: Int?
  private let downIndex: Int?
  private let keyUpIndex: Int?
  private let keyDownIndex: Int?
  private let muteIndex: Int?
  private let pushIndex: Int?
  private let knobIndex: Int?
  private let powerIndex: Int?

  init(_ configuration: Configuration) {
    upIndex = configuration.control(.volumeUp)
    downIndex = configuration.control(.volumeDown)
    keyUpIndex = configuration.control(.volumeUp, isKey: true)
    keyDownIndex = configuration.control(.volumeDown, isKey: true)
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
    case .volumeUp, .volumeDown, .knobPush, .playPause, .play, .pause, .next, .previous, .stop,
      .headset, .microphoneMute, .power:
      false
    }
  }

  /// Whether a button of the pair has its partner.
  private var hasPair: Bool { upIndex != nil && downIndex != nil }

  mutating func isStuck(_ index: Int) -> Bool { stuck[index] }

  /// Whether any contact is held or bouncing, so that a lost edge would matter (levels are
  /// audited).
  mutating func needsAudit(_ configuration: inout Configuration) -> Bool {
    for index in configuration.controls.indices
    where contacts[index].isAccepted && !stuck[index] {
      // The kernel tells of each key event that it had to drop.
      if isMomentary(index, &configuration), !configuration.controls.elements[index].isKey {
        return true
      }
    }
    return false
  }

  /// The level a person has not let go of ends its repeat: a session starts, a route changes
  /// (VOL-1).
  mutating func endRepeats() {
    up.repeatsAt = nil
    down.repeatsAt = nil
    keyUp.repeatsAt = nil
    keyDown.repeatsAt = nil
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
    let wasStuck = stuck[index]
    if !isPressed { stuck[index] = false }
    let control = configuration.controls.elements[index]
    switch control.role {
    case .volumeUp:
      volumeButton(isUp: true, isPressed, at: now, configuration.timing, &intents)
    case .volumeDown:
      volumeButton(isUp: false, isPressed, at: now, configuration.timing, &intents)
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
    case .microphoneSwitch, .lid:
      intents.append(.microphone(isMuted: isMicrophoneClosed(&configuration)))
    case .microphoneMute: if isPressed { intents.append(.toggleMicrophone) }
    case .playPause: if isPressed { intents.append(.command(.toggle)) }
    case .play: if isPressed { intents.append(.command(.play)) }
    case .pause: if isPressed { intents.append(.command(.pause)) }
    case .next: if isPressed { intents.append(.command(.next)) }
    case .previous: if isPressed { intents.append(.command(.previous)) }
    case .stop: if isPressed { intents.append(.command(.stop)) }
    case .headset:
      if wasStuck { forgetHeadset(control) }
      if let command = takeHeadset(index, control, isPressed) {
        intents.append(.command(command))
      }
    }
  }

  /// Whether the microphone's switch or the lid stands on closed.
  mutating func isMicrophoneClosed(_ configuration: inout Configuration) -> Bool {
    for index in configuration.controls.indices where contacts[index].isAccepted {
      switch configuration.controls.elements[index].role {
      case .microphoneSwitch, .lid: return true
      default: continue
      }
    }
    return false
  }

  private mutating func takeHeadset(_ index: Int, _ control: Control, _ isPressed: Bool) -> Command?
  {
    if isPressed { return control.isKey ? headsetKey.press() : headset.press() }
    // The finger left with the last edge, not when the contact had come to rest.
    let releasedAt = contacts[index].lastEdge
    if control.isKey { headsetKey.release(at: releasedAt) } else { headset.release(at: releasedAt) }
    return nil
  }

  private mutating func forgetHeadset(_ control: Control) {
    if control.isKey { headsetKey.forget() } else { headset.forget() }
  }

  // MARK: Keys

  /// Takes what a key did in one tick: how often it was pressed, and how it stands after that.
  mutating func key(
    _ index: Int,
    presses: Int32,
    isPressed: Bool,
    at now: Tick,
    _ configuration: inout Configuration,
    _ intents: inout List<32, Intent>
  ) {
    contacts[index].take(presses: presses, state: isPressed, at: now)
    switch configuration.controls.elements[index].role {
    case .volumeUp:
      volumeKey(isUp: true, presses, isPressed, at: now, configuration.timing, &intents)
      stuck[index] = false
    case .volumeDown:
      volumeKey(isUp: false, presses, isPressed, at: now, configuration.timing, &intents)
      stuck[index] = false
    default:
      let count = min(presses, Controls.keyPressesMaximum)
      for press in 0..<count {
        changed(index, to: true, at: now, &configuration, &intents)
        if press + 1 < count { changed(index, to: false, at: now, &configuration, &intents) }
      }
      if !isPressed { changed(index, to: false, at: now, &configuration, &intents) }
    }
  }

  /// Each press is a step at once.
  ///
  /// It may be the detent of a knob, and counts as one at the headphone limit, which a fast turn
  /// must not cross.
  private mutating func volumeKey(
    isUp: Bool,
    _ presses: Int32,
    _ isPressed: Bool,
    at now: Tick,
    _ timing: Timing,
    _ intents: inout List<32, Intent>
  ) {
    if presses > 0 { intents.append(.volume(steps: isUp ? presses : -presses, by: .turn)) }
    if !isPressed { intents.append(.volumeKeyReleased) }
    let repeatsAt = isPressed ? now + timing.repeatDelayTicks : nil
    if isUp { keyUp.repeatsAt = repeatsAt } else { keyDown.repeatsAt = repeatsAt }
  }

  // MARK: Buttons

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
    let control = configuration.controls.elements[index]
    if control.role == .headset { forgetHeadset(control) }
    changed(index, to: false, at: now, &configuration, &intents)
  }

  /// Takes the push of a knob: it acts on release, and only if the knob was not turned meanwhile.
  private mutating func push(_ isPressed: Bool, _ intents: inout List<32, Intent>) {
    if isPressed {
      pushHasTurned = false
    } else if !pushHasTurned {
      intents.append(muteIndex == nil ? .toggleMute : .command(.toggle))
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

  private mutating func volumeButton(
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
    if hasPair, let otherActs = other.actsAt, now < otherActs, isHeld(isUp ? downIndex : upIndex) {
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
  private mutating func isHeld(_ index: Int?) -> Bool {
    guard let index else { return false }
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
    if !isHeld(upIndex) && !isHeld(downIndex) { pairSince = nil }
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
    up = elapsed(up, 1, upIndex, partner: downIndex, at: now, timing, &intents)
    down = elapsed(down, -1, downIndex, partner: upIndex, at: now, timing, &intents)
    keyUp = elapsed(keyUp, 1, keyUpIndex, partner: keyDownIndex, at: now, timing, &intents)
    keyDown = elapsed(keyDown, -1, keyDownIndex, partner: keyUpIndex, at: now, timing, &intents)
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
    let timing = configuration.timing
    if let command = headset.act(at: now, timing) { intents.append(.command(command)) }
    if let command = headsetKey.act(at: now, timing) { intents.append(.command(command)) }
  }

  /// A volume button or key after this tick: held, it goes on stepping.
  private mutating func elapsed(
    _ key: VolumeKey,
    _ steps: Int32,
    _ index: Int?,
    partner: Int?,
    at now: Tick,
    _ timing: Timing,
    _ intents: inout List<32, Intent>
  ) -> VolumeKey {
    guard let repeatsAt = key.repeatsAt, now >= repeatsAt, let index else { return key }
    var key = key
    key.repeatsAt = now + timing.repeatIntervalTicks
    if contacts[index].isRaw, !stuck[index], !isHeld(partner) {
      intents.append(.volume(steps: steps, by: .hold))
    } else if !contacts[index].isAccepted || stuck[index] {
      key.repeatsAt = nil
    }
    return key
  }

  /// Marks buttons held for more than a minute; answers the one that has just become stuck.
  mutating func judgeStuck(at now: Tick, _ configuration: inout Configuration) -> Int? {
    let since = now - configuration.timing.stuckTicks
    for index in configuration.controls.indices {
      guard contacts[index].isAccepted, contacts[index].changedAt <= since, !stuck[index],
        isMomentary(index, &configuration)
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
    case .volumeUp, .volumeDown, .knobPush, .playPause, .play, .pause, .next, .previous, .stop,
      .headset, .microphoneMute, .power:
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
    soonest(&deadline, keyUp.repeatsAt)
    soonest(&deadline, keyDown.repeatsAt)
    soonest(&deadline, headset.deadline(timing))
    soonest(&deadline, headsetKey.deadline(timing))
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
