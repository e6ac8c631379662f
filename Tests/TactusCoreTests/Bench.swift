// SPDX-License-Identifier: Apache-2.0
//
// A policy on the bench: hardware that does what it is told, a clock of ticks, and everything that
// happened kept for questions. Tests of rules press, turn, plug and wait here in milliseconds.

import Foundation
import Testing

@testable import TactusCore

/// What the hardware holds: loud and open until it is told otherwise.
struct Hardware {
  var gains = [Gain](repeating: .unity, count: Configuration.maximumOutputs)
  var switches = [Bool](repeating: true, count: Configuration.maximumOutputs)
  var amplifiers = [Bool](repeating: true, count: Configuration.maximumOutputs)
  var sources = [Gain](repeating: .unity, count: Configuration.maximumSources)
}

/// A policy with obedient hardware.
struct Bench: CustomTestStringConvertible {
  /// A failed expectation would print all of it.
  var testDescription: String { "bench at tick \(policy.now)" }
  var policy: Policy
  var hardware = Hardware()
  /// Milliseconds since the start, always on the grid of the tick.
  var now: Int64 { policy.now * period / 1_000 }
  /// All effects so far, with the tick in which each came.
  var history: [(tick: Tick, effect: Effect)] = []
  /// All inputs so far but the hardware's answers to writes, with the tick that took each.
  private(set) var past: [(tick: Tick, input: Input)] = []
  /// Hardware that refuses to be written.
  var refuses: (Effect) -> Bool = { _ in false }
  /// Every tick is worked through, even where the policy would know at once that it is idle.
  var neverRests = false
  /// How controls really stand, reported when the policy asks for levels.
  var levels: [UInt8: UInt8] = [:]
  /// Hardware that says nothing about a write, done or not.
  var keepsQuiet: (Effect) -> Bool = { _ in false }

  let period: Int64
  private var pending: [(input: Input, isEcho: Bool)] = []
  private var token: UInt16 = 0

  init(_ configuration: Configuration, saved: Saved? = nil, starts: Bool = true) {
    policy = Policy(configuration: configuration, saved: saved)
    period = Int64(configuration.timing.tickMicroseconds)
    guard starts else { return }
    for index in configuration.controls.indices {
      let isKnob = configuration.controls[index].role == .knob
      give(.level(control: UInt8(index), state: isKnob ? 3 : 0))
    }
    for index in configuration.outputs.indices { give(.output(UInt8(index), present: true)) }
    wait(500)
  }

  /// Whether something waits for the next tick.
  var hasInputs: Bool { !pending.isEmpty }

  /// Adds an input to the next tick.
  mutating func give(_ input: Input) { pending.append((input, false)) }

  private mutating func echo(_ input: Input) { pending.append((input, true)) }

  /// Runs one tick.
  mutating func tick() { tick(at: policy.now + 1) }

  /// Runs so many ticks.
  mutating func ticks(_ count: Int64) { for _ in 0..<count { tick() } }

  /// Runs the tick of the next input or deadline, as the loop of the daemon does; nothing when
  /// there is neither.
  @discardableResult
  mutating func wake() -> Bool {
    if !pending.isEmpty {
      tick()
      return true
    }
    guard let deadline = policy.deadline else { return false }
    tick(at: deadline)
    return true
  }

  /// Runs one tick after sleeping until it.
  mutating func tick(at tick: Tick) {
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    for (input, isEcho) in pending {
      inputs.append(input)
      if !isEcho { past.append((tick, input)) }
    }
    pending = []
    var effects = Effects(filler: .readLevels)
    if neverRests { policy.isDirty = true }
    policy.tick(at: tick, &inputs, &effects)
    for index in effects.indices {
      history.append((policy.now, effects[index]))
      answer(effects[index])
    }
  }

  private mutating func answer(_ effect: Effect) {
    let isRefused = refuses(effect)
    if !isRefused { apply(effect) }
    guard !keepsQuiet(effect) else { return }
    switch effect {
    case .gain(let output, let gain):
      isRefused ? give(.failed(.gain, output)) : echo(.gain(output: output, gain))
    case .switched(let output, let on):
      isRefused ? give(.failed(.outputSwitch, output)) : echo(.switched(output: output, on: on))
    case .amplifier(let output, let on):
      isRefused ? give(.failed(.amplifier, output)) : echo(.amplifier(output: output, on: on))
    case .source(let source, let gain):
      isRefused ? give(.failed(.source, source)) : echo(.source(source, gain))
    case .capture(let on): isRefused ? give(.failed(.capture, 0)) : echo(.capture(on: on))
    case .readLevels:
      for (control, state) in levels { give(.level(control: control, state: state)) }
    default: break
    }
  }

  private mutating func apply(_ effect: Effect) {
    switch effect {
    case .gain(let output, let gain): hardware.gains[Int(output)] = gain
    case .switched(let output, let on): hardware.switches[Int(output)] = on
    case .amplifier(let output, let on): hardware.amplifiers[Int(output)] = on
    case .source(let source, let gain): hardware.sources[Int(source)] = gain
    case .opened(_, let place): hardware.sources[Int(place)] = .silence
    default: break
    }
  }

  /// Lets time pass, in milliseconds.
  mutating func wait(_ milliseconds: Int64) {
    let end = now + milliseconds
    while now < end { tick() }
  }

  // MARK: Hands

  func index(_ role: Role) -> UInt8 {
    guard let index = policy.configuration.control(role) else { fatalError("no such control") }
    return UInt8(index)
  }

  /// Plays edges of one contact, each in the tick that drains it.
  ///
  /// - Parameters:
  ///   - role: The control.
  ///   - edges: Milliseconds since now, and the state after each edge.
  ///   - phase: How long before the first edge's own time the grid's next tick is, in milliseconds.
  mutating func play(
    _ role: Role,
    _ edges: [(milliseconds: Double, state: UInt8)],
    phase: Double = 0
  ) {
    let start = policy.now
    for edge in edges {
      let drained = ((edge.milliseconds + phase) * 1_000 / Double(period)).rounded(.up)
      let tick = start + max(Tick(drained), 1)
      while policy.now + 1 < tick { self.tick() }
      give(.edge(control: index(role), state: edge.state))
    }
    tick()
  }

  mutating func set(_ role: Role, _ isOn: Bool) {
    give(.edge(control: index(role), state: isOn ? 1 : 0))
    tick()
  }

  /// Presses for a time, then lets the contact come to rest.
  mutating func press(_ role: Role, for milliseconds: Int64 = 50) {
    set(role, true)
    wait(milliseconds - period / 1_000)
    set(role, false)
    wait(60)
  }

  /// Turns the knob by whole detents, clockwise when positive, one tick a detent.
  mutating func turn(_ detents: Int) {
    for _ in 0..<abs(detents) {
      for state: UInt8 in detents > 0 ? [0b01, 0b00, 0b10, 0b11] : [0b10, 0b00, 0b01, 0b11] {
        give(.edge(control: index(.knob), state: state))
      }
      tick()
    }
  }

  mutating func plug(_ isIn: Bool) {
    set(.headphoneDetect, isIn)
    wait(600)
  }

  @discardableResult
  mutating func ask(_ request: Request) -> Reply? {
    token += 1
    give(.request(token: token, request))
    tick()
    for (_, effect) in history.reversed() {
      if case .reply(token, let reply) = effect { return reply }
    }
    return nil
  }

  mutating func session(_ source: UInt8, _ event: SessionEvent) {
    give(.session(source, event))
    tick()
  }

  /// Opens a session whose control is there at once; nil when it is refused.
  mutating func open(_ source: Source, peer: UInt16 = 1) -> UInt8? {
    guard ask(.open(peer: peer, source)) == .done else { return nil }
    for (_, effect) in history.reversed() {
      guard case .opened(_, let place) = effect else { continue }
      give(.sourceControl(place, present: true))
      tick()
      return place
    }
    return nil
  }

  /// Opens a session of a kind, each for a peer of its own.
  mutating func open(_ name: String) -> UInt8 {
    open(NamedKind.named(name).source, peer: UInt16(policy.now))!
  }

  /// Opens a session, which its program activates.
  mutating func start(_ name: String) -> UInt8 {
    let place = open(name)
    ask(.session(place, .activate))
    return place
  }

  // MARK: Questions

  var snapshot: Snapshot { policy.snapshot }
  var level: Int32 { snapshot.level.parts }

  /// Whether the ear hears a source somewhere, by what the hardware holds.
  func hears(_ source: Int) -> Bool {
    policy.configuration.outputs.indices.contains { hears(source, at: $0) }
  }

  /// Whether the ear hears a source at an output.
  func hears(_ source: Int, at output: Int) -> Bool {
    let session = snapshot.sources[source]
    guard session.isActive && session.isPlaying, !hardware.sources[source].isSilence else {
      return false
    }
    return isOpen(output)
  }

  /// Whether nothing of the codec or the amplifier silences an output.
  func isOpen(_ output: Int) -> Bool {
    let facts = policy.configuration.outputs[output]
    return (!facts.hasSwitch || hardware.switches[output])
      && (facts.amplifier == nil || hardware.amplifiers[output])
  }

  /// What a source comes to at an output, codec and source together, in millibels; nil is silence.
  func loudness(_ source: Int, at output: Int) -> Int32? {
    guard hears(source, at: output) else { return nil }
    let codec = policy.configuration.outputs[output].hasVolume ? hardware.gains[output] : .unity
    return (codec + hardware.sources[source]).millibels
  }

  /// The reasons why a source is not heard.
  func reasons(_ source: Int) -> SilenceReasons { snapshot.sources[source].reasons }

  /// The effects of one tick, in order.
  func effects(at tick: Tick) -> [Effect] {
    history.filter { $0.tick == tick }.map(\.effect)
  }

  /// The ticks in which an effect came for which `matches` holds.
  func ticks(since tick: Tick = 0, where matches: (Effect) -> Bool) -> [Tick] {
    history.filter { $0.tick > tick && matches($0.effect) }.map(\.tick)
  }

  /// Effects since a tick for which `matches` holds.
  func count(since tick: Tick = 0, where matches: (Effect) -> Bool) -> Int {
    history.filter { $0.tick > tick && matches($0.effect) }.count
  }

  func notices(since tick: Tick = 0) -> [Notice] {
    history.compactMap { entry in
      guard entry.tick > tick, case .notice(let notice, _, _) = entry.effect else { return nil }
      return notice
    }
  }

  func feedback(since tick: Tick = 0) -> [Feedback] {
    history.compactMap { entry in
      guard entry.tick > tick, case .feedback(let feedback, _) = entry.effect else { return nil }
      return feedback
    }
  }

  /// The milliseconds after `tick` at which the first effect came for which `matches` holds.
  func milliseconds(after tick: Tick, where matches: (Effect) -> Bool) -> Int64? {
    history.first { $0.tick > tick && matches($0.effect) }.map { ($0.tick - tick) * period / 1_000 }
  }

  /// Values written to an output's volume since a tick, in millibels.
  func gains(_ output: UInt8, since tick: Tick = 0) -> [Int32] {
    history.compactMap { entry in
      guard entry.tick > tick, case .gain(output, let gain) = entry.effect else { return nil }
      return gain.millibels
    }
  }

  /// Positions an output's switch was put to since a tick.
  func switches(_ output: UInt8, since tick: Tick = 0) -> [Bool] {
    history.compactMap { entry in
      guard entry.tick > tick, case .switched(output, let on) = entry.effect else { return nil }
      return on
    }
  }

  /// Values written to a source's gain since a tick; nil is silence.
  func sourceGains(_ source: UInt8, since tick: Tick = 0) -> [Int32?] {
    history.compactMap { entry in
      guard entry.tick > tick, case .source(source, let gain) = entry.effect else { return nil }
      return .some(gain.isSilence ? nil : gain.millibels)
    }
  }
}

extension Configuration {
  /// A speaker and headphones, both with volume and switch, all contacts, music, ring and alarm.
  static func full(
    playing: Bool = true,
    music: TactusCore.Category = .playback
  ) -> Configuration {
    var configuration = Configuration()
    configuration.feedbackChannels = FeedbackChannels.led.union(.haptic)
    for role: Role in [
      .volumeUp, .volumeDown, .mute, .silentSwitch, .headphoneDetect, .knob, .knobPush, .power,
    ] {
      configuration.controls.append(Control(role: role))
    }
    let curve = Curve(lowest: Gain(millibels: -10_300), top: .unity)
    configuration.outputs.append(
      Output(kind: .speaker, hasVolume: true, hasSwitch: true, curve: curve, priority: 1)
    )
    configuration.outputs.append(
      Output(
        kind: .headphones,
        hasVolume: true,
        hasSwitch: true,
        curve: curve,
        detect: 4,
        priority: 2
      )
    )
    configuration.sources.append(
      Source(category: music, hasPlayer: true, playsAtStart: playing)
    )
    configuration.sources.append(Source(category: .ringtone))
    configuration.sources.append(Source(category: .alarm))
    return configuration
  }

  /// One speaker and one source, every contact that silences.
  static func one(_ category: Category, hasVolume: Bool = true, hasSwitch: Bool = true)
    -> Configuration
  {
    var configuration = Configuration()
    configuration.feedbackChannels = FeedbackChannels.led.union(.haptic)
    for role: Role in [.volumeUp, .mute, .silentSwitch] {
      configuration.controls.append(Control(role: role))
    }
    configuration.outputs.append(
      Output(
        kind: .speaker,
        hasVolume: hasVolume,
        hasSwitch: hasSwitch,
        curve: Curve(lowest: Gain(millibels: -10_300), top: .unity)
      )
    )
    configuration.sources.append(Source(category: category, playsAtStart: true))
    return configuration
  }

  /// One speaker and one button for each direction of the volume, music that always plays.
  static func plain() -> Configuration {
    var configuration = Configuration()
    configuration.feedbackChannels = FeedbackChannels.led.union(.haptic)
    configuration.controls.append(Control(role: .volumeUp))
    configuration.outputs.append(
      Output(
        kind: .speaker,
        hasVolume: true,
        hasSwitch: true,
        curve: Curve(lowest: Gain(millibels: -10_300), top: .unity)
      )
    )
    configuration.sources.append(Source(category: .playback, playsAtStart: true))
    return configuration
  }
}

extension Snapshot {
  /// All that can be seen but the tick, as numbers to compare; −1 is unknown.
  var facts: [Int64] {
    var facts: [Int64] = [Int64(level.parts), Int64(ringer.parts), Int64(balance), lateTicks]
    facts += [Int64(route ?? 255), Int64(reasons.rawValue)]
    facts += [isMuted, isSilentSwitchOn, hasHardwareSilentSwitch, isLimitArmed, isSilent].map(
      number
    )
    facts.append(keysSet == .system ? 0 : keysSet == .ringer ? 1 : 2)
    for index in outputs.indices {
      let output = outputs[index]
      facts += [output.isPresent, output.isAvailable, output.isFaulty].map(number)
      facts += [output.appliedOn, output.amplifierOn].map { $0.map(number) ?? -1 }
      facts += [Int64(output.level.parts), output.appliedGain.map { Int64($0.millibels) } ?? -1]
    }
    for index in sources.indices {
      let source = sources[index]
      facts += [source.isActive, source.isPlaying].map(number)
      facts += [Int64(source.reasons.rawValue)]
      facts.append(source.appliedGain.map { Int64($0.millibels) } ?? -1)
    }
    for index in controls.indices {
      let control = controls[index]
      facts += [control.isPresent, control.isStuck, control.isNoisy].map(number)
      facts += [Int64(control.state), control.glitches, control.lostEdges, control.illegalJumps]
      facts.append(control.changes)
    }
    return facts
  }

  private func number(_ value: Bool) -> Int64 { value ? 1 : 0 }
}

// MARK: Arithmetic that the core does without

/// A positive base to a real power.
func power(_ base: Double, _ exponent: Double) -> Double { Foundation.pow(base, exponent) }

/// The decimal logarithm.
func logarithm(_ value: Double) -> Double { Foundation.log10(value) }
