// SPDX-License-Identifier: Apache-2.0
//
// The volume rules: VOL.

import Testing

@testable import TactusCore

@Suite struct VolumeTests {
  @Test(
    "VOL-1 a press is one step of a sixteenth, and a held button repeats after 400 ms every 100 ms"
  )
  func step() {
    var bench = Bench(.plain())
    #expect(bench.level == 4_000)
    bench.press(.volumeUp, for: 300)
    #expect(bench.level == 4_625)
    let start = bench.policy.now
    bench.set(.volumeUp, true)
    bench.wait(400)
    #expect(bench.level == 4_625 + 2 * 625)
    bench.wait(95)
    #expect(bench.level == 4_625 + 2 * 625)
    bench.wait(5)
    #expect(bench.level == 4_625 + 3 * 625)
    bench.set(.volumeUp, false)
    bench.wait(500)
    #expect(bench.level == 4_625 + 3 * 625)
    #expect(bench.gains(0, since: start).count == 3)
  }

  @Test("VOL-4 a 60 dB window gives the decibels of the rule at each sixteenth")
  func curve() {
    let curve = Curve(lowest: Gain(millibels: -10_300), top: .unity)
    let expected: [(Int32, Double)] = [
      (1, -48.4), (2, -40.4), (3, -34.2), (4, -29.3), (5, -25.1), (6, -21.5), (8, -15.6),
      (10, -10.7), (12, -6.6), (16, 0),
    ]
    for (sixteenths, decibels) in expected {
      let gain = curve.gain(at: Level(sixteenths: sixteenths))
      #expect(abs(Double(gain.millibels) / 100 - decibels) < 0.06, "at \(sixteenths)/16")
    }
    #expect(abs(Double(curve.gain(at: Level(percent: 40)).millibels) / 100 + 20.2) < 0.06)
    #expect(curve.floor == Gain(millibels: -6_000))
  }

  @Test("VOL-13 a press stops at the headphone limit, a new one within 3 s crosses it")
  func limit() {
    var bench = Bench(.full())
    bench.plug(true)
    #expect(bench.snapshot.route == 1)
    for _ in 0..<4 { bench.press(.volumeUp) }
    #expect(bench.level == 6_250)
    #expect(bench.feedback().last == .warning)
    bench.press(.volumeUp)
    #expect(bench.level == 6_875)
  }
}
