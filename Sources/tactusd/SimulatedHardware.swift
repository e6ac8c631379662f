// SPDX-License-Identifier: Apache-2.0
//
// A speaker in memory behind the same policy: `tactusd --simulate`.

import TactusCore
import TactusLinux
import TactusSim

/// The simulated speaker; its contacts are moved over D-Bus.
final class SimulatedHardware: Hardware {
  private var speaker: SimulatedSpeaker
  private let roles: [Role]
  private var applied: Tick = 0

  init(configuration: Configuration, seed: UInt64 = 1) {
    speaker = SimulatedSpeaker(configuration: configuration, seed: seed)
    roles = configuration.controls.indices.map { configuration.controls[$0].role }
  }

  func start(_ loop: EventLoop) { speaker.start(at: 1) }
  func take(_ ready: EventLoop.Ready, _ loop: EventLoop) {}
  func takeDeferred(_ loop: EventLoop) {}
  func retry(_ loop: EventLoop, at now: UInt64) {}
  var retryNanoseconds: UInt64? { nil }
  var hasAnswers: Bool { false }
  var nextTick: Tick? { speaker.nextEvent }
  func gather(at tick: Tick, into inputs: inout Inputs) { speaker.gather(at: tick, into: &inputs) }
  func apply(_ effects: Effects, at tick: Tick) { speaker.apply(effects, at: tick) }
  var facts: DaemonFacts { DaemonFacts() }
  func edges(after number: UInt32) -> String? { nil }
  func set(_ settings: FeedbackSettings, sounds: [BoardSound]) {}
  func show(_ snapshot: Snapshot) {}
  func takeMessages() -> [String] { [] }
  func open(source: Int, named name: String) -> BusRefusal? { nil }
  func close(source: Int, at tick: Tick) {}
  func finish() {}

  func touch(_ touch: Touch, at tick: Tick) -> BusRefusal? {
    switch touch {
    case .press(let control, let ticks): speaker.press(control, forTicks: ticks, at: tick)
    case .turn(let control, let detents):
      guard roles[control] == .knob else {
        return BusRefusal(.invalidArgument, "control: no knob, press it")
      }
      speaker.turn(control, detents: detents, at: tick)
    case .put(let control, let isOn):
      guard roles[control] != .knob else {
        return BusRefusal(.invalidArgument, "control: a knob, turn it")
      }
      speaker.set(control, isOn, at: tick)
    }
    return nil
  }
}
