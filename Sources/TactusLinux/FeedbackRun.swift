// SPDX-License-Identifier: Apache-2.0
//
// A pattern on its way, by ticks: what it is at a tick follows from the tick alone, so that one
// that was slept over lengthens nothing.

import TactusCore

/// Equal pulses that began at a tick.
struct FeedbackRun {
  let feedback: Feedback
  private let start: Tick
  private let pulseTicks: Tick
  /// From the start of one pulse to that of the next.
  private let stepTicks: Tick
  private let pulses: Tick

  /// A pattern from a tick on, with so much of each pulse, but one tick at least; the pauses take
  /// the rest, so that the rhythm stays.
  init(
    _ feedback: Feedback,
    _ pattern: FeedbackPattern,
    at start: Tick,
    timing: Timing,
    lengthPercent: UInt8 = 100
  ) {
    let milliseconds = Int64(pattern.onMilliseconds)
    let whole = timing.ticks(milliseconds: milliseconds)
    let part = timing.ticks(milliseconds: (milliseconds * Int64(lengthPercent) + 99) / 100)
    self.feedback = feedback
    self.start = start
    pulseTicks = min(max(part, 1), whole)
    stepTicks = whole + timing.ticks(milliseconds: Int64(pattern.offMilliseconds))
    pulses = Tick(pattern.pulses)
  }

  /// The first tick at which it is over.
  private var end: Tick { start + (pulses - 1) * stepTicks + pulseTicks }

  func isOver(at tick: Tick) -> Bool { tick >= end }

  /// The number of the pulse that is on; nil between two and behind the last.
  func pulse(at tick: Tick) -> Int? {
    guard tick >= start, !isOver(at: tick) else { return nil }
    let (number, place) = (tick - start).quotientAndRemainder(dividingBy: stepTicks)
    return place < pulseTicks ? Int(number) : nil
  }

  /// When it changes next; nil when it is over.
  func change(after tick: Tick) -> Tick? {
    guard !isOver(at: tick) else { return nil }
    if tick < start { return start }
    let (number, place) = (tick - start).quotientAndRemainder(dividingBy: stepTicks)
    return start + number * stepTicks + (place < pulseTicks ? pulseTicks : stepTicks)
  }
}
