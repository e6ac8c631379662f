// SPDX-License-Identifier: Apache-2.0
//
// The policy: what the device does, as a pure function of the tick.

/// The state of the device and the rules that move it.
public struct Policy: Plain {
  public let configuration: Configuration
  /// The tick last stepped to.
  public private(set) var now: Tick = 0

  /// A device at rest, silent until its hardware has answered (T-7).
  /// - Parameters:
  ///   - configuration: What the board and the settings say.
  ///   - saved: What a former run kept, or nil when nothing usable was found (VOL-12).
  public init(configuration: Configuration, saved: Saved? = nil) {
    self.configuration = configuration
  }

  /// The tick at which the policy would next do something by itself; nil when only an input can
  /// move it (T-6).
  public private(set) var deadline: Tick?

  /// Steps to `tick`, which must be later than `now`, taking what was gathered since (T-1…T-6).
  ///
  /// Ticks slept since the last call are made up for: up to the deadline nothing happens in them
  /// (T-2), after it they are stepped one by one, at most 200 (T-3). `effects` is emptied first.
  public mutating func tick(at tick: Tick, _ inputs: borrowing Inputs, _ effects: inout Effects) {
    effects.removeAll()
    now = tick
  }

  /// What can be seen of the device.
  public var snapshot: Snapshot { Snapshot() }

  /// What must survive a restart (VOL-12).
  public var saved: Saved { Saved() }
}
