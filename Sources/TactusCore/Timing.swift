// SPDX-License-Identifier: Apache-2.0
//
// The one place where milliseconds become ticks (T-1). Everything else in the core counts ticks.

/// Every duration of the policy, in ticks.
///
/// The defaults are the numbers of the rules named beside them.
public struct Timing: Plain {
  /// Length of a tick in microseconds, 1 000…20 000 (T-1).
  public let tickMicroseconds: Int32

  /// Fade of sound that goes on, to silence, 50 ms (SIL-8).
  public var fadeOutTicks: Tick
  /// Fade of sound that goes on, from silence, 250 ms (SIL-8).
  public var fadeInTicks: Tick
  /// From the lowest gain to the route's own level after plugging, 50 ms (RTE-1).
  public var routeFadeTicks: Tick
  /// Start of a sound that was not there, 10 ms (SIL-8).
  public var startTicks: Tick
  /// Until a source's gain has reached the ear: one PCM buffer, 20 ms (SIL-1).
  public var sourceSettleTicks: Tick
  /// A silence must be confirmed within 3 ticks (SIL-11, fixed).
  public let confirmTicks: Tick = 3
  /// First repeat of a held volume button, 400 ms (VOL-1).
  public var repeatDelayTicks: Tick
  /// Further repeats, 100 ms (VOL-1).
  public var repeatIntervalTicks: Tick
  /// Within which two buttons of a pair are one gesture, 30 ms (CTL-6).
  public var pairWindowTicks: Tick
  /// Both volume buttons held, 1 s (CTL-6).
  public var pairHoldTicks: Tick
  /// A button held longer is stuck, 60 s.
  public var stuckTicks: Tick
  /// The power button held, 2 s (CTL-7).
  public var powerHoldTicks: Tick
  /// Headphones in or out for good, 200 ms (RTE-1, RTE-2).
  public var plugTicks: Tick
  /// A paused session answers within 1 s (RTE-2).
  public var pauseAnswerTicks: Tick
  /// The keys' target is kept after the last key, 3 s (VOL-2).
  public var keyTargetTicks: Tick
  /// A second press crosses the headphone limit, 3 s (VOL-13).
  public var limitWindowTicks: Tick
  /// A knob crosses the headphone limit after a rest of 300 ms (VOL-13).
  public var limitKnobRestTicks: Tick
  /// Sound above the headphone limit for so long re-arms it, 20 h (VOL-13).
  public var limitRearmTicks: Tick
  /// Levels are re-read this often while something sounds, is held or ramps, 500 ms (T-6).
  public var auditTicks: Tick
  /// State is written this long after the last change, 500 ms (VOL-12).
  public var persistDelayTicks: Tick
  /// State is not written more often, 5 s (VOL-12).
  public var persistIntervalTicks: Tick
  /// A detect line active for so long since the start is reported, 10 s (RTE-9).
  public var detectStuckTicks: Tick
  /// A detect line that has not moved for so long is reported, 7 days (RTE-9).
  public var detectIdleTicks: Tick
  /// Window in which foreign mixer changes are counted, 10 s (VOL-6).
  public var foreignWindowTicks: Tick
  /// An encoder that rested so long mid-detent starts the detent anew, 500 ms.
  public var encoderRestTicks: Tick
  /// Window in which edges of a control are counted for `noisy`, 1 s.
  public var noiseWindowTicks: Tick
  /// After the last retry of a write, tried again this often, 1 s.
  public var faultRetryTicks: Tick
  /// A duck comes within 200 ms (SES-7).
  public var duckAttackTicks: Tick
  /// A duck goes within 500 ms (SES-7).
  public var duckReleaseTicks: Tick
  /// What played last still gets commands for 10 min (CTL-2).
  public var contextTicks: Tick
  /// Presses of a headset button at most 400 ms apart are one gesture (CTL-6).
  public var headsetTicks: Tick
  /// A holder from before a restart counts as died after 60 s (SES-18).
  public var formerHolderTicks: Tick
  /// A player that plays on within 500 ms of our pause was not started by a person (SES-13).
  public var ownPauseTicks: Tick
  /// Equal notices within 10 min are one (FBK-6).
  public var noticeTicks: Tick
  /// A sound of the device's own is over after 30 s, and 1 s for its start (FBK-4).
  public var soundTicks: Tick
  /// Missed ticks stepped one by one after a late wake (T-3, fixed).
  public let lateTicks: Tick = 200

  /// The default durations for a tick of `tickMicroseconds`, clamped to 1…20 ms.
  public init(tickMicroseconds: Int32 = 5_000) {
    let period = min(max(tickMicroseconds, 1_000), 20_000)
    self.tickMicroseconds = period
    func ticks(_ milliseconds: Int64) -> Tick {
      Timing.ticks(milliseconds: milliseconds, tickMicroseconds: period)
    }
    fadeOutTicks = ticks(50)
    fadeInTicks = ticks(250)
    routeFadeTicks = ticks(50)
    startTicks = ticks(10)
    sourceSettleTicks = ticks(20)
    repeatDelayTicks = ticks(400)
    repeatIntervalTicks = ticks(100)
    pairWindowTicks = ticks(30)
    pairHoldTicks = ticks(1_000)
    stuckTicks = ticks(60_000)
    powerHoldTicks = ticks(2_000)
    plugTicks = ticks(200)
    pauseAnswerTicks = ticks(1_000)
    keyTargetTicks = ticks(3_000)
    limitWindowTicks = ticks(3_000)
    limitKnobRestTicks = ticks(300)
    limitRearmTicks = ticks(20 * 3_600_000)
    auditTicks = ticks(500)
    persistDelayTicks = ticks(500)
    persistIntervalTicks = ticks(5_000)
    detectStuckTicks = ticks(10_000)
    detectIdleTicks = ticks(7 * 86_400_000)
    foreignWindowTicks = ticks(10_000)
    encoderRestTicks = ticks(500)
    noiseWindowTicks = ticks(1_000)
    faultRetryTicks = ticks(1_000)
    duckAttackTicks = ticks(200)
    duckReleaseTicks = ticks(500)
    contextTicks = ticks(600_000)
    headsetTicks = ticks(400)
    formerHolderTicks = ticks(60_000)
    ownPauseTicks = ticks(500)
    noticeTicks = ticks(600_000)
    soundTicks = ticks(31_000)
  }

  /// Milliseconds as ticks, rounded up (T-1).
  public func ticks(milliseconds: Int64) -> Tick {
    Timing.ticks(milliseconds: milliseconds, tickMicroseconds: tickMicroseconds)
  }

  private static func ticks(milliseconds: Int64, tickMicroseconds: Int32) -> Tick {
    let period = Int64(tickMicroseconds)
    return (milliseconds * 1_000 + period - 1) / period
  }
}
