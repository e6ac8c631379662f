// SPDX-License-Identifier: Apache-2.0
//
// A speaker that exists only in memory: contacts that bounce, a codec with steps, amplifier lines,
// players that answer or do not. It stands where the hardware stands, behind `Inputs` and
// `Effects`, and knows no rule of the policy.
//
//   contact   what a person moves; `physical` is what its line would read now
//   part      what a write goes to: volume, switch, amplifier line, source gain
//   ear       where the sound of a source arrives through an output, with the gain of all stages
//
// Time is the caller's: whatever happens is queued for a tick and comes out of `gather`. Answers to
// a write (read-back or refusal) come one tick after it.

public import TactusCore

/// The hardware behind an output's volume.
public struct Codec: Plain {
  /// The lowest gain that is not mute.
  public var lowest: Gain
  public var highest: Gain
  /// One raw step, in millibels, at least 1.
  public var stepMillibels: Int32
  /// Whether one more raw value below `lowest` is mute.
  public var lowestIsMute: Bool

  public init(lowest: Gain, highest: Gain, stepMillibels: Int32, lowestIsMute: Bool) {
    self.lowest = lowest
    self.highest = highest
    self.stepMillibels = stepMillibels
    self.lowestIsMute = lowestIsMute
  }

  /// What the hardware does when asked for `gain`: the greatest step that is not above it.
  public func quantised(_ gain: Gain) -> Gain {
    if gain.isSilence || gain < lowest { return lowestIsMute ? .silence : lowest }
    let wanted = min(gain.millibels, highest.millibels)
    let steps = (wanted - lowest.millibels) / stepMillibels
    return Gain(millibels: lowest.millibels + steps * stepMillibels)
  }

  /// ALSA's softvol as tactusd makes it: −60…0 dB in steps of 0.1 dB, mute below.
  public static let softvol = Codec(
    lowest: Gain(millibels: -6_000),
    highest: .unity,
    stepMillibels: 10,
    lowestIsMute: true
  )
}

/// How a write goes wrong.
public enum WriteFault: UInt8, Plain {
  /// It does not.
  case none
  /// The hardware answers with an error.
  case refuses
  /// The hardware says yes and keeps its old value.
  case ignores
}

/// A speaker in memory.
public struct SimulatedSpeaker {
  struct Contact {
    let role: Role
    let isKnob: Bool
    let isKey: Bool
    let transitionsPerDetent: Int
    let isInverted: Bool
    let debounceTicks: Tick
    /// What the line reads.
    var physical: UInt8
    /// What the person wants it to read once it has stopped bouncing.
    var target: UInt8
    /// What was last told.
    var told: UInt8
    var isPresent = true
    /// So many changes more are lost.
    var losing = 0
    /// So many found no room in the kernel's queue since the last gathering.
    var dropped: UInt16 = 0
    var reportsLoss = false
    /// The last tick for which a change is queued.
    var busyUntil: Tick = -1
    /// Direction of the last turn, −1 or +1, and when it ended.
    var turned = 0
  }

  struct Way {
    let codec: Codec
    let hasVolume: Bool
    let hasSwitch: Bool
    let hasAmplifier: Bool
    let whenReleased: ReleasedAmplifier
    var isPresent = true
    var gain: Gain
    var isOn = true
    var amplifierOn = false
    var isLocked = false
    var gainFault = Fault()
    var switchFault = Fault()
    var amplifierFault = Fault()
  }

  struct Player {
    let hasPlayer: Bool
    var gain = Gain.unity
    var emits: Bool
    /// Ticks from a pause to its answer; nil never answers.
    var answerTicks: Tick?
    /// Falls silent when it is interrupted; otherwise it plays on, and nobody hears it.
    let obeys: Bool
    var fault = Fault()

    /// A program that has opened a session.
    static let program = Player(hasPlayer: false, emits: false, answerTicks: nil, obeys: true)
  }

  struct Fault {
    var kind = WriteFault.none
    var until: Tick = -1
    func kind(at tick: Tick) -> WriteFault { tick <= until ? kind : .none }
  }

  enum Happening {
    case contact(UInt8, UInt8)
    case levels
    case presence
    case told(Input)
  }

  struct Waiting {
    var tick: Tick
    var happening: Happening
  }

  /// What the kernel's queue of edges holds; what comes when it is full is lost, and told as lost.
  private static let maximumEdges = 128

  private(set) var contacts: [Contact] = []
  private(set) var ways: [Way] = []
  private(set) var players: [Player] = []
  /// Latest first, so that the next one is at the end; equal ticks in the order of their coming.
  private var waiting: [Waiting] = []
  private var random: Random
  /// The place of the device's own sounds.
  private let soundSource: UInt8?
  /// Own sounds whose end has not been told.
  private(set) var soundsUnderWay = 0

  /// A speaker as its power comes on: codec at its loudest and switched on, amplifiers released.
  /// - Parameters:
  ///   - configuration: The same value that the policy gets.
  ///   - codecs: The hardware of each output; by default −103.5…0 dB in steps of 0.5 dB with mute.
  ///   - seed: Decides how contacts bounce and how fast players answer.
  public init(configuration: Configuration, codecs: [Codec] = [], seed: UInt64) {
    random = Random(seed: seed)
    soundSource = configuration.soundSource
    for position in configuration.controls.indices {
      let control = configuration.controls[position]
      let isKnob = control.role == .knob
      let rest: UInt8 = isKnob ? 3 : 0
      contacts.append(
        Contact(
          role: control.role,
          isKnob: isKnob,
          isKey: control.isKey,
          transitionsPerDetent: Int(control.transitionsPerDetent),
          isInverted: control.inverted,
          debounceTicks: control.debounceTicks,
          physical: rest,
          target: rest,
          told: rest
        )
      )
    }
    for position in configuration.outputs.indices {
      let output = configuration.outputs[position]
      let codec =
        position < codecs.count
        ? codecs[position]
        : Codec(
          lowest: Gain(millibels: -10_350),
          highest: .unity,
          stepMillibels: 50,
          lowestIsMute: true
        )
      ways.append(
        Way(
          codec: codec,
          hasVolume: output.hasVolume,
          hasSwitch: output.hasSwitch,
          hasAmplifier: output.amplifier != nil,
          whenReleased: output.amplifier?.whenReleased ?? .silent,
          gain: codec.highest
        )
      )
    }
    for position in configuration.sources.indices {
      let source = configuration.sources[position]
      players.append(
        Player(
          hasPlayer: source.hasPlayer,
          emits: source.playsAtStart,
          answerTicks: source.hasPlayer ? Tick(random.within(1...20)) : nil,
          obeys: random.oneIn(2)
        )
      )
    }
    while players.count < Configuration.maximumSources { players.append(.program) }
    release()
  }

  // MARK: What the daemon does

  /// The daemon starts: what was on its way to a former one is forgotten, and every line is
  /// sampled, every output reported.
  public mutating func start(at tick: Tick) {
    waiting.removeAll {
      if case .contact = $0.happening { false } else { true }
    }
    for output in ways.indices { ways[output].isLocked = false }
    soundsUnderWay = 0
    if let soundSource { players[Int(soundSource)].emits = false }
    queue(.presence, at: tick)
    queue(.levels, at: tick)
  }

  /// The daemon is gone: nobody holds the amplifier lines any more (RTE-10).
  public mutating func release() {
    for output in ways.indices where ways[output].hasAmplifier {
      switch ways[output].whenReleased {
      case .silent: ways[output].amplifierOn = false
      case .live: ways[output].amplifierOn = true
      case .unknown: ways[output].amplifierOn = random.oneIn(2)
      }
    }
  }

  /// The tick at which the speaker next has something to tell; it may be past.
  public var nextEvent: Tick? { waiting.last?.tick }

  /// Adds what happened up to `tick`, in order.
  ///
  /// What finds no room stays for the next time.
  public mutating func gather(at tick: Tick, into inputs: inout Inputs) {
    while let next = waiting.last, next.tick <= tick {
      guard inputs.count + 2 * contacts.count < 256 else { break }
      waiting.removeLast()
      switch next.happening {
      case .contact(let control, let state): tell(control, state, &inputs)
      case .levels: tellLevels(&inputs)
      case .presence: tellPresence(&inputs)
      case .told(let input):
        if case .session(let source, .pauseAnswered) = input { players[Int(source)].emits = false }
        if case .soundEnded = input { endSound() }
        inputs.append(input)
      }
    }
    tellDropped(&inputs)
  }

  private mutating func endSound() {
    soundsUnderWay -= 1
    guard soundsUnderWay == 0, let soundSource else { return }
    players[Int(soundSource)].emits = false
  }

  private mutating func tellDropped(_ inputs: inout Inputs) {
    for control in contacts.indices where contacts[control].dropped > 0 {
      inputs.append(.lost(control: UInt8(control), count: contacts[control].dropped))
      inputs.append(.level(control: UInt8(control), state: contacts[control].physical))
      contacts[control].told = contacts[control].physical
      contacts[control].dropped = 0
    }
  }

  /// Does what the policy wants of the hardware; the answers come at the next tick.
  public mutating func apply(_ effects: Effects, at tick: Tick) {
    for position in effects.indices { apply(effects[position], at: tick) }
  }

  // MARK: What a person does

  /// Whether a contact still has changes on their way.
  public func isBusy(_ control: Int, at tick: Tick) -> Bool { contacts[control].busyUntil >= tick }

  /// Where a contact is put: 0 released or open, 1 pressed, on or plugged in.
  public func position(of control: Int) -> UInt8 { contacts[control].target }

  /// Presses a button now and lets it go after `ticks`.
  public mutating func press(_ control: Int, forTicks ticks: Tick, at tick: Tick) {
    set(control, true, at: tick)
    set(control, false, at: tick + max(ticks, 1))
  }

  /// Puts a contact to a position, once what was done to it before is over; it bounces for at most
  /// three ticks, and never rests between for as long as its debounce time.
  public mutating func set(_ control: Int, _ on: Bool, at tick: Tick) {
    let state: UInt8 = on ? 1 : 0
    guard contacts[control].target != state else { return }
    contacts[control].target = state
    let start = max(tick, contacts[control].busyUntil + 1)
    bounce(control, between: 1 - state, and: state, from: start)
  }

  /// Turns a knob by whole detents, clockwise where positive.
  public mutating func turn(_ control: Int, detents: Int, ticksPerDetent: Tick = 2, at tick: Tick) {
    // Clockwise, A changes first: 11 01 00 10.
    let circle: [UInt8] = [3, 1, 0, 2]
    let direction = detents < 0 ? -1 : 1
    var place = circle.firstIndex(of: unswapped(control, contacts[control].target)) ?? 0
    let transitions = abs(detents) * contacts[control].transitionsPerDetent
    for transition in 0..<transitions {
      let old = circle[place]
      place = (place + direction + 4) % 4
      let moment =
        tick + Tick(transition) * ticksPerDetent / Tick(contacts[control].transitionsPerDetent)
      let new = unswapped(control, circle[place])
      if random.oneIn(4) {
        contact(control, new, at: moment)
        contact(control, unswapped(control, old), at: moment)
      }
      contact(control, new, at: moment)
    }
    contacts[control].target = unswapped(control, circle[place])
    contacts[control].turned = direction
  }

  /// What a program, its player or a person does to a session.
  public mutating func session(_ source: Int, _ event: SessionEvent, at tick: Tick) {
    players[source].emits = emission(of: event, now: players[source].emits)
    queue(.told(.session(UInt8(source), event)), at: tick)
  }

  /// Somebody asks for something.
  public mutating func request(_ request: Request, token: UInt16, at tick: Tick) {
    if case .session(let source, let event) = request, Int(source) < players.count {
      players[Int(source)].emits = emission(of: event, now: players[Int(source)].emits)
    }
    queue(.told(.request(token: token, request)), at: tick)
  }

  // MARK: What goes wrong

  /// Another program moves an output's volume; a locked control does not move.
  public mutating func move(_ output: Int, to gain: Gain, at tick: Tick) {
    guard ways[output].isPresent, ways[output].hasVolume, !ways[output].isLocked else { return }
    ways[output].gain = ways[output].codec.quantised(gain)
    queue(.told(.gain(output: UInt8(output), ways[output].gain)), at: tick)
  }

  /// Writes to a part go wrong up to and including a tick.
  public mutating func fail(_ part: Part, _ index: Int, _ kind: WriteFault, until tick: Tick) {
    let fault = Fault(kind: kind, until: tick)
    switch part {
    case .gain: ways[index].gainFault = fault
    case .outputSwitch: ways[index].switchFault = fault
    case .amplifier: ways[index].amplifierFault = fault
    case .source: players[index].fault = fault
    case .capture: break
    }
  }

  /// An output's card goes away, or comes back as its power comes on: loud.
  public mutating func setPresent(output: Int, _ present: Bool, at tick: Tick) {
    guard ways[output].isPresent != present else { return }
    ways[output].isPresent = present
    ways[output].isLocked = false
    if present {
      ways[output].gain = ways[output].codec.highest
      ways[output].isOn = true
    }
    queue(.told(.output(UInt8(output), present: present)), at: tick)
  }

  /// A control's line goes away or comes back.
  public mutating func setPresent(control: Int, _ present: Bool, at tick: Tick) {
    guard contacts[control].isPresent != present else { return }
    contacts[control].isPresent = present
    queue(.told(.line(control: UInt8(control), present: present)), at: tick)
    if present {
      let state = contacts[control].physical
      queue(.told(.level(control: UInt8(control), state: state)), at: tick)
    }
  }

  /// The next changes of a contact are not heard, told or not.
  public mutating func lose(_ control: Int, changes: Int, reported: Bool) {
    contacts[control].losing = changes
    contacts[control].reportsLoss = reported
  }

  /// Extra changes within one tick that end where they began.
  public mutating func glitch(_ control: Int, pairs: Int, at tick: Tick) {
    let rest = contacts[control].target
    let other: UInt8 = contacts[control].isKnob ? rest ^ 1 : 1 - rest
    for _ in 0..<pairs {
      contact(control, other, at: tick)
      contact(control, rest, at: tick)
    }
  }

  /// How long a player takes to answer a pause; nil is for ever.
  public mutating func setAnswer(ofSource source: Int, after ticks: Tick?) {
    players[source].answerTicks = ticks
  }

  // MARK: What can be measured

  /// The gain of all stages between a source and an output's terminals.
  public func gainAtEar(source: Int, output: Int) -> Gain {
    let way = ways[output]
    guard way.isPresent, way.isOn || !way.hasSwitch, way.amplifierOn || !way.hasAmplifier else {
      return .silence
    }
    return way.hasVolume ? players[source].gain + way.gain : players[source].gain
  }

  /// Whether a source would be heard if it played.
  public func isAudible(source: Int, output: Int) -> Bool {
    !gainAtEar(source: source, output: output).isSilence
  }

  /// Whether a player makes sound.
  public func emits(_ source: Int) -> Bool { players[source].emits }

  /// Whether a line was last told as it is.
  public func isTold(_ control: Int) -> Bool {
    contacts[control].told == contacts[control].physical && contacts[control].isPresent
  }

  /// The last tick up to which a write to an output went wrong; before the start if none did.
  func lastFault(ofOutput output: Int) -> Tick {
    let way = ways[output]
    return max(way.gainFault.until, way.switchFault.until, way.amplifierFault.until)
  }

  /// The last tick up to which a write to a source went wrong; before the start if none did.
  func lastFault(ofSource source: Int) -> Tick { players[source].fault.until }

  // MARK: Inside

  private func unswapped(_ control: Int, _ state: UInt8) -> UInt8 {
    contacts[control].isInverted ? (state >> 1) | ((state & 1) << 1) : state
  }

  private func emission(of event: SessionEvent, now: Bool) -> Bool {
    switch event {
    case .activate: now
    case .playing, .play: true
    case .activateNotPlaying, .background, .foreground: now
    case .deactivate, .deactivateNotifying, .notPlaying, .pause, .stop, .pauseAnswered, .died:
      false
    }
  }

  private mutating func bounce(
    _ control: Int,
    between old: UInt8,
    and new: UInt8,
    from tick: Tick
  ) {
    guard !contacts[control].isKey else { return contact(control, new, at: tick) }
    let longest = Int(min(max(contacts[control].debounceTicks, 1), 2))
    let ticks = random.oneIn(3) ? random.within(1...longest) : 0
    for moment in 0...ticks {
      for _ in 0..<random.below(4) {
        contact(control, new, at: tick + Tick(moment))
        contact(control, old, at: tick + Tick(moment))
      }
      if moment < ticks { contact(control, random.oneIn(2) ? new : old, at: tick + Tick(moment)) }
    }
    contact(control, new, at: tick + Tick(ticks))
  }

  private mutating func contact(_ control: Int, _ state: UInt8, at tick: Tick) {
    contacts[control].busyUntil = max(contacts[control].busyUntil, tick)
    queue(.contact(UInt8(control), state), at: tick)
  }

  private mutating func queue(_ happening: Happening, at tick: Tick) {
    var place = waiting.count
    while place > 0, waiting[place - 1].tick <= tick { place -= 1 }
    waiting.insert(Waiting(tick: tick, happening: happening), at: place)
  }

  private mutating func tell(_ control: UInt8, _ state: UInt8, _ inputs: inout Inputs) {
    let index = Int(control)
    guard contacts[index].physical != state else { return }
    contacts[index].physical = state
    guard contacts[index].isPresent else { return }
    if inputs.count >= SimulatedSpeaker.maximumEdges {
      contacts[index].dropped += 1
      return
    }
    if contacts[index].losing > 0 {
      contacts[index].losing -= 1
      guard contacts[index].reportsLoss else { return }
      inputs.append(.lost(control: control, count: 1))
      inputs.append(.level(control: control, state: state))
    } else {
      inputs.append(.edge(control: control, state: state))
    }
    contacts[index].told = state
  }

  private mutating func tellPresence(_ inputs: inout Inputs) {
    for control in contacts.indices where !contacts[control].isPresent {
      inputs.append(.line(control: UInt8(control), present: false))
    }
    for output in ways.indices {
      inputs.append(.output(UInt8(output), present: ways[output].isPresent))
    }
  }

  private mutating func tellLevels(_ inputs: inout Inputs) {
    for control in contacts.indices where contacts[control].isPresent {
      contacts[control].told = contacts[control].physical
      inputs.append(.level(control: UInt8(control), state: contacts[control].physical))
    }
  }

  private mutating func apply(_ effect: Effect, at tick: Tick) {
    switch effect {
    case .gain(let output, let gain): write(gain, output, at: tick)
    case .switched(let output, let on): write(on, output, at: tick)
    case .amplifier(let output, let on): drive(on, output, at: tick)
    case .source(let source, let gain): write(gain, source: source, at: tick)
    case .lock(let output, let locked): ways[Int(output)].isLocked = locked
    case .readLevels: queue(.levels, at: tick + 1)
    case .pause(let source): pause(Int(source), at: tick)
    case .resume(let source): session(Int(source), .playing, at: tick + 1)
    case .capture(let on): queue(.told(.capture(on: on)), at: tick + 1)
    case .interruptionBegan(let source, _, _, _):
      if players[Int(source)].obeys { players[Int(source)].emits = false }
    case .interruptionEnded(let source, let shouldResume, _):
      if shouldResume { players[Int(source)].emits = true }
    case .command(let source, let command, _): obey(command, Int(source))
    case .opened(_, let source):
      players[Int(source)] = .program
      queue(.told(.sourceControl(source, present: true)), at: tick + 1)
    case .feedback(_, let channels): if channels.contains(.sound) { sound(at: tick) }
    case .playSound: sound(at: tick)
    case .balance, .hint, .undelivered, .routeChanged, .persist, .finished, .reply,
      .notice, .prepareFeedback:
      break
    }
  }

  /// Plays one of the device's own sounds, and says when it is over.
  private mutating func sound(at tick: Tick) {
    soundsUnderWay += 1
    if let soundSource { players[Int(soundSource)].emits = true }
    queue(.told(.soundEnded), at: tick + Tick(random.within(8...80)))
  }

  private mutating func write(_ gain: Gain, _ output: UInt8, at tick: Tick) {
    let index = Int(output)
    var kind = ways[index].isPresent ? ways[index].gainFault.kind(at: tick) : .refuses
    if looksRounded(ways[index].gain, kind, gain) { kind = .refuses }
    if kind == .none { ways[index].gain = ways[index].codec.quantised(gain) }
    answer(kind, .gain(output: output, ways[index].gain), .gain, output, at: tick)
  }

  private mutating func write(_ on: Bool, _ output: UInt8, at tick: Tick) {
    let index = Int(output)
    let kind = ways[index].isPresent ? ways[index].switchFault.kind(at: tick) : .refuses
    if kind == .none { ways[index].isOn = on }
    answer(kind, .switched(output: output, on: ways[index].isOn), .outputSwitch, output, at: tick)
  }

  private mutating func drive(_ on: Bool, _ output: UInt8, at tick: Tick) {
    let index = Int(output)
    let kind = ways[index].amplifierFault.kind(at: tick)
    if kind == .none { ways[index].amplifierOn = on }
    let state = ways[index].amplifierOn
    answer(kind, .amplifier(output: output, on: state), .amplifier, output, at: tick)
  }

  private mutating func write(_ gain: Gain, source: UInt8, at tick: Tick) {
    let index = Int(source)
    var kind = players[index].fault.kind(at: tick)
    if looksRounded(players[index].gain, kind, gain) { kind = .refuses }
    if kind == .none { players[index].gain = Codec.softvol.quantised(gain) }
    answer(kind, .source(source, players[index].gain), .source, source, at: tick)
  }

  /// Whether hardware that keeps its old gain is within 10 dB below the new one.
  ///
  /// It cannot be told from hardware with coarse steps then, so it answers with an error instead.
  private func looksRounded(_ kept: Gain, _ kind: WriteFault, _ asked: Gain) -> Bool {
    kind == .ignores && kept < asked && kept.millibels >= asked.millibels - 1_000
  }

  private mutating func answer(
    _ kind: WriteFault,
    _ readBack: Input,
    _ part: Part,
    _ index: UInt8,
    at tick: Tick
  ) {
    queue(.told(kind == .refuses ? .failed(part, index) : readBack), at: tick + 1)
  }

  private mutating func obey(_ command: Command, _ source: Int) {
    switch command {
    case .play: players[source].emits = true
    case .pause, .stop: players[source].emits = false
    case .toggle: players[source].emits.toggle()
    case .next, .previous: break
    }
  }

  private mutating func pause(_ source: Int, at tick: Tick) {
    guard players[source].hasPlayer, let delay = players[source].answerTicks else { return }
    queue(.told(.session(UInt8(source), .pauseAnswered)), at: tick + delay)
  }
}
