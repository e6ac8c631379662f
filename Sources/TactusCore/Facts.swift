// SPDX-License-Identifier: Apache-2.0
//
// The first stages of a tick: what the hardware says, and what the contacts say.

extension Policy {
  // MARK: Hardware

  /// Takes what the hardware says; answers what else is among the inputs.
  mutating func takeFacts(_ inputs: inout Inputs, _ effects: inout Effects) -> Asked {
    var asked = Asked()
    for index in inputs.indices {
      switch inputs.elements[index] {
      case .output(let output, let present): setPresent(Int(output), present, &effects)
      case .window(let output, let lowest, let top): setWindow(Int(output), lowest, top)
      case .gain(let output, let gain): readGain(Int(output), gain, &effects)
      case .switched(let output, let on): readSwitch(Int(output), on, &effects)
      case .amplifier(let output, let on): readAmplifier(Int(output), on, &effects)
      case .source(let source, let gain): readSource(Int(source), gain, &effects)
      case .sourceControl(let source, let present):
        guard Int(source) < configuration.sources.count else { continue }
        sources[Int(source)] = SourceDrive()
        sources[Int(source)].isPresent = present
      case .captureControl(let present):
        capture = Register()
        isCapturePresent = present
      case .capture(let on): readCapture(on, &effects)
      case .soundEnded: endSound(&effects)
      case .failed(let part, let position): fail(part, Int(position), &effects)
      case .request: asked.hasRequests = true
      case .session: asked.hasSessions = true
      case .edge, .level, .lost, .line: continue
      }
    }
    return asked
  }

  /// What somebody asked for in a tick: most ask for nothing, and need not be searched again.
  struct Asked: Plain {
    var hasRequests = false
    var hasSessions = false
  }

  private var retryTicks: Tick { mutating get { configuration.timing.faultRetryTicks } }

  private mutating func setPresent(_ index: Int, _ present: Bool, _ effects: inout Effects) {
    guard index < configuration.outputs.count else { return }
    let wasPresent = routes.isPresent[index]
    routes.setPresent(index, present)
    outputs[index].appear(at: now)
    guard present != wasPresent else { return }
    if present {
      effects.append(.lock(output: UInt8(index), true))
      effects.append(.balance(volumes.balance))
      if wasEverPresent[index] { tell(.outputBack, index, &effects) }
      wasEverPresent[index] = true
    } else {
      tell(.outputLost, index, &effects)
      guard routes.current == UInt8(index) else { return }
      // A button that is still held is no new act (VOL-1).
      controls.endRepeats()
      // The streams of a program that nobody can pause ended with the card; they may go on only
      // where there is nowhere else to go on at once.
      let isLast = routes.selected(&configuration) == nil
      pauseSessions(withPlayersOnly: isLast, &effects)
    }
  }

  private mutating func setWindow(_ index: Int, _ lowest: Gain, _ top: Gain) {
    guard index < configuration.outputs.count else { return }
    configuration.outputs.elements[index].curve = Curve(lowest: lowest, top: top)
  }

  private mutating func readGain(_ index: Int, _ gain: Gain, _ effects: inout Effects) {
    guard index < configuration.outputs.count, routes.isPresent[index] else { return }
    let floor = configuration.outputs.elements[index].curve.floor
    let wasFaulty = outputs[index].isFaulty
    let reading = outputs[index].gain.read(gain, at: now, retryTicks: retryTicks) { read, sent in
      Policy.isRounded(read, from: sent) || sent <= floor && read <= floor
    }
    judge(reading, .gain, index, wasFaulty, &effects)
    if reading == .foreign { takeForeignGain(index, gain, &effects) }
  }

  /// The coarsest step of a volume control that is still rounding, 10 dB.
  private static let roundingMillibels: Int32 = 1_000

  /// Whether a gain that was read can be what the hardware made of the one that was sent.
  private static func isRounded(_ read: Gain, from sent: Gain) -> Bool {
    read <= sent && read.millibels >= sent.millibels - roundingMillibels
  }

  private mutating func readSwitch(_ index: Int, _ on: Bool, _ effects: inout Effects) {
    guard index < configuration.outputs.count, routes.isPresent[index] else { return }
    let wasFaulty = outputs[index].isFaulty
    let reading = outputs[index].codecSwitch.read(on, at: now, retryTicks: retryTicks, accepts: ==)
    judge(reading, .outputSwitch, index, wasFaulty, &effects)
    if reading == .foreign { noteForeign(index, &effects) }
  }

  private mutating func readAmplifier(_ index: Int, _ on: Bool, _ effects: inout Effects) {
    guard index < configuration.outputs.count else { return }
    let wasFaulty = outputs[index].isFaulty
    let reading = outputs[index].amplifier.read(on, at: now, retryTicks: retryTicks, accepts: ==)
    judge(reading, .amplifier, index, wasFaulty, &effects)
  }

  private mutating func readSource(_ index: Int, _ gain: Gain, _ effects: inout Effects) {
    guard index < configuration.sources.count else { return }
    let wasFaulty = sources[index].register.isFaulty
    let reading = sources[index].register.read(gain, at: now, retryTicks: retryTicks) {
      read,
      sent in
      if sent.isSilence { return read.isSilence }
      return Policy.isRounded(read, from: sent)
        || sent.millibels <= SourceDrive.floor && read.millibels <= SourceDrive.floor
    }
    judge(reading, .source, index, wasFaulty, &effects)
  }

  private mutating func readCapture(_ on: Bool, _ effects: inout Effects) {
    let wasFaulty = capture.isFaulty
    let reading = capture.read(on, at: now, retryTicks: retryTicks, accepts: ==)
    judge(reading, .capture, 0, wasFaulty, &effects)
  }

  private mutating func fail(_ part: Part, _ index: Int, _ effects: inout Effects) {
    let wasFaulty: Bool
    switch part {
    case .capture:
      wasFaulty = capture.isFaulty
      capture.fail(at: now, retryTicks: retryTicks)
    case .source:
      guard index < configuration.sources.count else { return }
      wasFaulty = sources[index].register.isFaulty
      sources[index].register.fail(at: now, retryTicks: retryTicks)
    case .gain, .outputSwitch, .amplifier:
      guard index < configuration.outputs.count else { return }
      wasFaulty = outputs[index].isFaulty
      switch part {
      case .gain: outputs[index].gain.fail(at: now, retryTicks: retryTicks)
      case .outputSwitch: outputs[index].codecSwitch.fail(at: now, retryTicks: retryTicks)
      case .amplifier, .source, .capture:
        outputs[index].amplifier.fail(at: now, retryTicks: retryTicks)
      }
    }
    judge(.refused, part, index, wasFaulty, &effects)
  }

  /// Tells once when writes have become hopeless, and once when they succeed again.
  private mutating func judge(
    _ reading: Reading,
    _ part: Part,
    _ index: Int,
    _ wasFaulty: Bool,
    _ effects: inout Effects
  ) {
    let isFaulty: Bool
    switch part {
    case .source: isFaulty = sources[index].register.isFaulty
    case .capture: isFaulty = capture.isFaulty
    case .gain, .outputSwitch, .amplifier: isFaulty = outputs[index].isFaulty
    }
    guard isFaulty != wasFaulty else { return }
    tell(isFaulty ? .writeFault : .writeRecovered, index, &effects)
  }

  // MARK: Somebody else's changes (VOL-6)

  private mutating func takeForeignGain(_ index: Int, _ gain: Gain, _ effects: inout Effects) {
    let isAdoptable =
      routes.current == UInt8(index) && outputs[index].phase == .open
      && decision.device.isEmpty && decision.codecVolume == .system
      && !configuration.settings.ownsMixer
    guard isAdoptable else { return noteForeign(index, &effects) }
    let wanted = configuration.outputs.elements[index].curve.level(of: gain)
    let level = min(wanted, cap(of: index))
    setLevel(index, level)
    if level == wanted, gain <= configuration.outputs.elements[index].curve.top {
      outputs[index].gain.adopt(configuration.outputs.elements[index].curve.gain(at: level))
    } else {
      noteForeign(index, &effects)
    }
  }

  private mutating func noteForeign(_ index: Int, _ effects: inout Effects) {
    if outputs[index].foreign.note(at: now, windowTicks: configuration.timing.foreignWindowTicks) {
      tell(.foreignMixer, index, &effects)
    }
  }

  // MARK: Contacts

  mutating func takeControls(
    _ inputs: inout Inputs,
    _ intents: inout List<32, Intent>,
    _ effects: inout Effects
  ) {
    elapseContacts(&intents)
    controls.elapse(at: now, &configuration, &intents)
    var touches = Touches()
    var detents: Int32 = 0
    for position in inputs.indices {
      switch inputs.elements[position] {
      case .edge(let control, let state):
        take(Int(control), state, isHeard: true, &touches, &detents)
      case .level(let control, let state):
        take(Int(control), state, isHeard: false, &touches, &detents)
      case .lost(let control, let count):
        noteLost(Int(control), Int64(count))
      case .line(let control, let present):
        setLine(Int(control), present, &touches, &intents, &effects)
      default: continue
      }
    }
    for index in configuration.controls.indices where touches.edges[index] > 0 {
      takeEdges(index, &touches, &intents, &effects)
    }
    if detents != 0 { controls.turned(detents, &intents) }
    controls.act(at: now, &configuration, &intents)
    judgeHealth(&effects)
  }

  private mutating func elapseContacts(_ intents: inout List<32, Intent>) {
    for index in configuration.controls.indices {
      let debounce = configuration.controls.elements[index].debounceTicks
      let change = controls.contacts[index].elapse(at: now, debounceTicks: debounce)
      if change != .none {
        controls.changed(index, to: change == .pressed, at: now, &configuration, &intents)
      }
    }
  }

  /// Takes one state of one control, heard as an edge or read as a level.
  private mutating func take(
    _ index: Int,
    _ state: UInt8,
    isHeard: Bool,
    _ touches: inout Touches,
    _ detents: inout Int32
  ) {
    guard index < configuration.controls.count else { return }
    let control = configuration.controls.elements[index]
    if control.role == .knob {
      guard isHeard, controls.knob.isSampled else { return controls.knob.sample(state) }
      let turned = controls.knob.turn(
        to: state,
        at: now,
        control: control,
        restTicks: configuration.timing.encoderRestTicks
      )
      feedback.noteFinger()
      if turned != 0 { detents += turned * controls.knob.factor(at: now, control: control) }
      return
    }
    let isOn = state != 0
    guard controls.contacts[index].isSampled else {
      controls.contacts[index].sample(isOn, at: now)
      return takeFirstSample(index, isOn)
    }
    let raw = touches.edges[index] > 0 ? touches.states[index] : controls.contacts[index].isRaw
    if !isHeard {
      guard isOn != raw else { return }
      // Beside edges of this tick the next one may only be on its way.
      if touches.edges[index] == 0 { controls.contacts[index].lostEdges += 1 }
    }
    if isOn && !raw {
      touches.presses[index] += 1
      feedback.noteFinger()
    }
    touches.edges[index] += 1
    touches.states[index] = isOn
    if let output = output(detectedBy: index) { routes.jacks[output].take(isOn, at: now) }
  }

  /// A first sample is a fact, never a press (T-7, SIL-2).
  private mutating func takeFirstSample(_ index: Int, _ isOn: Bool) {
    switch configuration.controls.elements[index].role {
    case .silentSwitch: volumes.isSilentSwitchOn = isOn
    case .mute: if configuration.controls.elements[index].latching { volumes.isMuteLatched = isOn }
    case .headphoneDetect:
      guard let output = output(detectedBy: index) else { return }
      routes.jacks[output].sample(isOn, at: now)
      if isOn { plug(output, isAct: false) }
    case .microphoneSwitch, .lid:
      microphone.setContacts(isClosed: controls.isMicrophoneClosed(&configuration))
    case .volumeUp, .volumeDown, .knob, .knobPush, .playPause, .play, .pause, .next, .previous,
      .stop, .headset, .microphoneMute, .power:
      break
    }
  }

  private mutating func takeEdges(
    _ index: Int,
    _ touches: inout Touches,
    _ intents: inout List<32, Intent>,
    _ effects: inout Effects
  ) {
    let state = touches.states[index]
    if configuration.controls.elements[index].isKey {
      let presses = touches.presses[index]
      return controls.key(
        index,
        presses: presses,
        isPressed: state,
        at: now,
        &configuration,
        &intents
      )
    }
    let change = controls.contacts[index].take(
      edges: touches.edges[index],
      state: state,
      at: now,
      debounceTicks: configuration.controls.elements[index].debounceTicks
    )
    if change != .none {
      controls.changed(index, to: change == .pressed, at: now, &configuration, &intents)
    }
    if controls.contacts[index].judgeNoise(at: now) {
      tell(.noisy, index, &effects)
      controls.letGo(index, at: now, &configuration, &intents)
    }
  }

  private mutating func noteLost(_ index: Int, _ count: Int64) {
    guard index < configuration.controls.count else { return }
    if configuration.controls.elements[index].role == .knob {
      controls.knob.lostEdges += count
    } else {
      controls.contacts[index].lostEdges += count
    }
  }

  /// A line that is gone is a control let go of; a plug that is gone counts as pulled.
  private mutating func setLine(
    _ index: Int,
    _ present: Bool,
    _ touches: inout Touches,
    _ intents: inout List<32, Intent>,
    _ effects: inout Effects
  ) {
    guard index < configuration.controls.count else { return }
    let isKnob = configuration.controls.elements[index].role == .knob
    let wasPresent = isKnob ? controls.knob.isPresent : controls.contacts[index].isPresent
    guard present != wasPresent else { return }
    // A key is there while any device has it; who came or went is told by the device's name.
    if !configuration.controls.elements[index].isKey {
      tell(present ? .lineBack : .lineLost, index, &effects)
    }
    if isKnob {
      controls.knob.isPresent = present
      return
    }
    if !present {
      // What it said in this tick counts no more than what it said before.
      touches.edges[index] = 0
      controls.letGo(index, at: now, &configuration, &intents)
    }
    if let output = output(detectedBy: index), !present {
      routes.jacks[output].take(false, at: now)
    }
    controls.contacts[index].lose(present: present)
  }

  private mutating func judgeHealth(_ effects: inout Effects) {
    if let stuck = controls.judgeStuck(at: now, &configuration) {
      tell(.stuck, stuck, &effects)
    }
    var wantsLevels = false
    for index in configuration.controls.indices {
      let debounce = configuration.controls.elements[index].debounceTicks
      if controls.contacts[index].isNoisy { _ = controls.contacts[index].judgeNoise(at: now) }
      if controls.contacts[index].takeWantsReading(at: now, debounceTicks: debounce) {
        wantsLevels = true
      }
    }
    if wantsLevels { effects.append(.readLevels) }
  }

  /// What one tick's inputs say of the contacts, by their positions.
  private struct Touches: Plain {
    var edges = InlineArray<32, Int32>(repeating: 0)
    var states = InlineArray<32, Bool>(repeating: false)
    /// How often each came to be pressed.
    var presses = InlineArray<32, Int32>(repeating: 0)
  }

  /// The output whose plug this control detects.
  mutating func output(detectedBy control: Int) -> Int? {
    for index in configuration.outputs.indices
    where configuration.outputs.elements[index].detect == UInt8(control) {
      return index
    }
    return nil
  }
}
