// SPDX-License-Identifier: Apache-2.0
//
// A policy on the bench: hardware that does what it is told, a clock of ticks, and everything that happened kept
// for questions. Tests of rules press, turn, plug and wait here in milliseconds.

import TactusCore

/// A policy with obedient hardware.
struct Bench {
  var policy: Policy
  /// Milliseconds since the start, always on the grid of the tick.
  var now: Int64 { policy.now * period / 1_000 }
  /// All effects so far, with the tick in which each came.
  var history: [(tick: Tick, effect: Effect)] = []
  /// Hardware that refuses to be written.
  var refuses: (Effect) -> Bool = { _ in false }

  private var period: Int64
  private var pending: [Input] = []
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

  /// Adds an input to the next tick.
  mutating func give(_ input: Input) { pending.append(input) }

  /// Runs one tick.
  mutating func tick() {
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    for input in pending { inputs.append(input) }
    pending = []
    var effects = Effects(filler: .readLevels)
    policy.tick(at: policy.now + 1, inputs, &effects)
    for index in effects.indices {
      history.append((policy.now, effects[index]))
      answer(effects[index])
    }
  }

  private mutating func answer(_ effect: Effect) {
    let isRefused = refuses(effect)
    switch effect {
    case .gain(let output, let gain):
      give(isRefused ? .failed(.gain, output) : .gain(output: output, gain))
    case .switched(let output, let on):
      give(isRefused ? .failed(.outputSwitch, output) : .switched(output: output, on: on))
    case .amplifier(let output, let on):
      give(isRefused ? .failed(.amplifier, output) : .amplifier(output: output, on: on))
    case .source(let source, let gain):
      give(isRefused ? .failed(.source, source) : .source(source, gain))
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

  // MARK: Questions

  var snapshot: Snapshot { policy.snapshot }
  var level: Int32 { snapshot.level.parts }

  /// Effects since a tick for which `matches` holds.
  func count(since tick: Tick = 0, where matches: (Effect) -> Bool) -> Int {
    history.filter { $0.tick > tick && matches($0.effect) }.count
  }

  func notices(since tick: Tick = 0) -> [Notice] {
    history.compactMap { entry in
      guard entry.tick > tick, case .notice(let notice, _) = entry.effect else { return nil }
      return notice
    }
  }

  func feedback(since tick: Tick = 0) -> [Feedback] {
    history.compactMap { entry in
      guard entry.tick > tick, case .feedback(let feedback) = entry.effect else { return nil }
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
  /// A speaker and headphones, both with volume and switch, every contact, music, a ring and an alarm.
  static func full(playing: Bool = true) -> Configuration {
    var configuration = Configuration()
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
      Source(category: .playback, hasPlayer: true, playsAtStart: playing)
    )
    configuration.sources.append(Source(category: .ringtone))
    configuration.sources.append(Source(category: .alarm))
    return configuration
  }

  /// One speaker and one button for each direction of the volume, music that always plays.
  static func plain() -> Configuration {
    var configuration = Configuration()
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
