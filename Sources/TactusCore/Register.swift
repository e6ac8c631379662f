// SPDX-License-Identifier: Apache-2.0
//
// One thing of the hardware that can be written and read. What was wanted is never taken for what
// is: a value counts only when it was read back, starts unknown, and a write that fails is tried
// again with back-off.
//
//   written     what was sent last
//   applied     what was read last
//   confirmed   what was read is what was sent, as far as the hardware's resolution allows
//   foreign     the hardware moved although nothing was sent

/// What a reading turned out to be.
enum Reading: Plain, Equatable {
  /// Our own write, carried out.
  case confirmed
  /// Our own write, not carried out.
  case refused
  /// The same as before.
  case unchanged
  /// Somebody else wrote.
  case foreign
}

/// A written and read-back value of the hardware.
struct Register<Value: Plain & Equatable>: Plain {
  /// Retries before a failing write becomes a fault; their distances are 1, 2, 4 … ticks.
  static var maximumRetries: Int32 { 6 }
  /// A write without any answer for so long is taken as failed.
  static var answerTicks: Tick { 40 }

  private(set) var written: Value?
  private(set) var applied: Value?
  private(set) var isConfirmed = false
  private(set) var failures: Int32 = 0
  private var sentAt: Tick = 0
  private var retryAt: Tick = 0

  init() {}

  /// Whether writes have failed until there was nothing left to hope for.
  var isFaulty: Bool { failures > Self.maximumRetries }

  /// Whether a write was sent and not yet answered.
  var isPending: Bool { written != nil && !isConfirmed && retryAt == 0 }

  /// Whether the hardware is known to be at this value.
  func holds(_ value: Value) -> Bool { isConfirmed && written == value }

  /// Whether `desired` must be written in this tick.
  func needs(_ desired: Value, at now: Tick) -> Bool {
    if written == desired {
      if isConfirmed { return false }
      if isPending { return now >= sentAt + Self.answerTicks }
    }
    return now >= retryAt || written != desired && written != nil
  }

  /// The tick at which `needs` may become true by itself.
  func deadline(_ desired: Value, at now: Tick) -> Tick? {
    if holds(desired) { return nil }
    if written == desired && isPending { return sentAt + Self.answerTicks }
    return max(retryAt, now + 1)
  }

  /// Notes that a value is being written.
  mutating func send(_ value: Value, at now: Tick) {
    written = value
    isConfirmed = false
    sentAt = now
    retryAt = 0
  }

  /// Takes what was read.
  ///
  /// `accepts` says whether that can be the hardware's answer to what was sent.
  mutating func read(
    _ value: Value,
    at now: Tick,
    retryTicks: Tick,
    accepts: (Value, Value) -> Bool
  ) -> Reading {
    let before = applied
    applied = value
    guard let written else { return before == value ? .unchanged : .foreign }
    if isConfirmed {
      guard before != value else { return .unchanged }
      isConfirmed = false
      retryAt = now
      return .foreign
    }
    if accepts(value, written) {
      isConfirmed = true
      failures = 0
      retryAt = 0
      return .confirmed
    }
    // What is read while no answer is due is no second failure: the retry must not wait for it.
    guard isPending else { return before == value ? .unchanged : .foreign }
    fail(at: now, retryTicks: retryTicks)
    return .refused
  }

  /// Notes that a write failed.
  mutating func fail(at now: Tick, retryTicks: Tick) {
    isConfirmed = false
    failures = min(failures + 1, Self.maximumRetries + 1)
    retryAt = now + (isFaulty ? retryTicks : 1 << Tick(failures - 1))
  }

  /// Takes what is there as if it had been sent: somebody else's change, accepted.
  mutating func adopt(_ value: Value) {
    written = value
    isConfirmed = true
    failures = 0
    retryAt = 0
  }

  /// Forgets everything: the hardware went away.
  mutating func forget() { self = Register() }
}
