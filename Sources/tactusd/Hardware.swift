// SPDX-License-Identifier: Apache-2.0
//
// What the daemon drives: real lines and cards, or a speaker in memory. It only gathers and carries
// out.

import TactusCore
import TactusLinux

/// The hardware behind the policy.
protocol Hardware: AnyObject {
  /// Claims what is there; what is not comes later by itself.
  func start(_ loop: EventLoop)
  /// Takes what a descriptor has to tell.
  func take(_ ready: EventLoop.Ready, _ loop: EventLoop)
  /// Takes what the descriptors have to tell that were not waited for.
  func takeDeferred(_ loop: EventLoop)
  /// Looks again for what is missing, when `retryNanoseconds` has come.
  func retry(_ loop: EventLoop, at now: UInt64)
  /// When to look again for what is missing; nil is never.
  var retryNanoseconds: UInt64? { get }
  /// Something waits for the next tick.
  var hasAnswers: Bool { get }
  /// The tick at which something will happen by itself.
  var nextTick: Tick? { get }
  /// Adds what happened up to a tick.
  func gather(at tick: Tick, into inputs: inout Inputs)
  /// Carries out what the policy wants, in its order.
  func apply(_ effects: Effects, at tick: Tick)
  /// What it knows beside the policy.
  var facts: DaemonFacts { get }
  /// Raw edges behind a number, as the bus tells them; nil where there are no lines.
  func edges(after number: UInt32) -> String?
  /// How strong the hand is answered from now on, and by which sounds.
  func set(_ settings: FeedbackSettings, sounds: [BoardSound])
  /// Shows the device's state by its lamps.
  func show(_ snapshot: Snapshot)
  /// What a person should know since the last time.
  func takeMessages() -> [String]
  /// Software's finger on a control; answers why not.
  func touch(_ touch: Touch, at tick: Tick) -> BusRefusal?
  /// A session comes to a place among the sources, where players are to find it by a name, silent;
  /// answers why not.
  func open(source: Int, named name: String) -> BusRefusal?
  /// A session has left its place.
  func close(source: Int, at tick: Tick)
  /// The device ends: nothing may be left that sounds.
  func finish()
}

/// What software can do to a control.
enum Touch {
  case press(control: Int, ticks: Tick)
  case turn(control: Int, detents: Int)
  case put(control: Int, isOn: Bool)
}

/// Tokens of the event loop.
enum Token {
  static let signals: UInt32 = 1
  static let bus: UInt32 = 2
  static let writer: UInt32 = 3
  static let folders: UInt32 = 4
  static let streams: UInt32 = 5
  static let players: UInt32 = 6
  static let configuration: UInt32 = 7
  static let feedback: UInt32 = 8
  static let sounds: UInt32 = 9
  /// The first of the controls' lines.
  static let controls: UInt32 = 0x1000
  /// The first of the cards.
  static let cards: UInt32 = 0x2000
  /// The first of the input devices' places.
  static let inputDevices: UInt32 = 0x3000
}
