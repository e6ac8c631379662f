// SPDX-License-Identifier: Apache-2.0
//
// Patterns by ticks.

import TactusCore
import Testing

@testable import TactusLinux

@Suite("Patterns of feedback") struct FeedbackRunTests {
  private static let timing = Timing()

  /// The ticks from 100 on in which a pattern is on, told as text.
  private func picture(_ run: FeedbackRun, ticks: Tick) -> String {
    var text = ""
    for tick in 100..<(100 + ticks) { text += run.pulse(at: tick) == nil ? "." : "#" }
    return text
  }

  private func run(_ feedback: Feedback, percent: UInt8 = 100) -> FeedbackRun {
    FeedbackRun(
      feedback,
      feedback.hapticPattern,
      at: 100,
      timing: FeedbackRunTests.timing,
      lengthPercent: percent
    )
  }

  @Test("FBK-2 each type has its pulses and pauses, to the tick")
  func patterns() {
    #expect(picture(run(.selection), ticks: 4) == "##..")
    #expect(picture(run(.light), ticks: 5) == "###..")
    #expect(picture(run(.success), ticks: 26) == "####................####..")
    #expect(picture(run(.warning), ticks: 56).split(separator: ".").map(\.count) == [6, 6, 6])
    #expect(picture(run(.failure), ticks: 80).split(separator: ".").map(\.count) == [8, 8, 8, 8])
  }

  @Test(
    "a weaker motor has shorter pulses in the same rhythm, of one tick at least",
    arguments: [(50, "##..................##"), (1, "#...................#."), (26, "##..")]
  )
  func weaker(_ percent: UInt8, _ start: String) {
    #expect(picture(run(.success, percent: percent), ticks: 22).hasPrefix(start))
  }

  @Test("the next change is named until it is over, also from a tick that was slept over")
  func changes() {
    let run = run(.success)
    #expect(run.change(after: 50) == 100)
    #expect(run.change(after: 100) == 104)
    #expect(run.change(after: 103) == 104)
    #expect(run.change(after: 104) == 120)
    #expect(run.change(after: 119) == 120)
    #expect(run.change(after: 121) == 124)
    #expect(run.change(after: 124) == nil)
    #expect(!run.isOver(at: 123) && run.isOver(at: 124))
    #expect(run.pulse(at: 104) == nil && run.pulse(at: 123) == 1 && run.pulse(at: 124) == nil)
  }

  @Test("FBK-2 no type is at any tick longer than its pattern says", arguments: Feedback.allCases)
  func bounds(_ feedback: Feedback) {
    for pattern in [feedback.lightPattern, feedback.hapticPattern] {
      let run = FeedbackRun(feedback, pattern, at: 0, timing: FeedbackRunTests.timing)
      var pulses: Set<Int> = []
      var tick: Tick? = 0
      while let now = tick {
        if let pulse = run.pulse(at: now) { pulses.insert(pulse) }
        tick = run.change(after: now)
        if let next = tick { #expect(next > now) }
      }
      #expect(pulses == Set(0..<Int(pattern.pulses)))
    }
  }
}
