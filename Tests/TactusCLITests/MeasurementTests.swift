// SPDX-License-Identifier: Apache-2.0
//
// What `tactus test` makes of edges.

import TactusCore
import TactusLinux
import Testing

@testable import tactus

@Suite("Measurement")
struct MeasurementTests {
  private typealias Edge = EdgeRecording.Edge

  /// A contact's edges: times in ms, the level after each; from rest at 1.
  private func contact(_ edges: [(Double, Bool)]) -> ContactMeasurement {
    ContactMeasurement(
      edges.map { Edge(nanoseconds: UInt64($0.0 * 1e6), control: "up", isHigh: $0.1) }
    )
  }

  @Test("F12 a worn button: the debounce time is longer than the longest gap of a bounce")
  func wornButton() {
    let found = contact([
      (0, false), (1.2, true), (19, false), (300, true), (301, false), (330, true), (900, false),
      (1_000, true),
    ])
    #expect(found.presses == 2)
    #expect(found.isHighAtRest == true)
    #expect(found.longestBounceNanoseconds == 30_000_000)
    #expect(found.longestGapNanoseconds == 29_000_000)
    #expect(found.debounceMilliseconds == 40)
    #expect(found.bounces == [2, 0, 0, 0, 1, 1, 0])
    let settings = found.settings(polarity: .activeLow, debounceMilliseconds: 10, isSwitch: false)
    #expect(settings == ["debounce: 40 ms"])
    #expect(
      found.settings(polarity: .activeLow, debounceMilliseconds: 40, isSwitch: false).isEmpty
    )
  }

  @Test("a button that rests at the level which the board file calls pressed has the other one")
  func polarity() {
    let found = contact([(0, false), (80, true)])
    #expect(
      found.settings(polarity: .activeHigh, debounceMilliseconds: 10, isSwitch: false)
        == ["active: low"]
    )
    #expect(found.settings(polarity: .activeHigh, debounceMilliseconds: 10, isSwitch: true).isEmpty)
    #expect(ContactMeasurement([]).isHighAtRest == nil)
  }

  /// A knob turned by so many clicks of so many transitions, one each 300 ms.
  private func knob(
    _ clicks: Int,
    transitions: Int = 4,
    isClockwise: Bool = true
  ) -> KnobMeasurement {
    var a = true
    var b = true
    var now: UInt64 = 0
    var edges: [Edge] = []
    for _ in 0..<clicks {
      now += 300_000_000
      for _ in 0..<transitions {
        now += 3_000_000
        if (a == b) == isClockwise {
          a.toggle()
          edges.append(Edge(nanoseconds: now, control: "knob", line: .a, isHigh: a))
        } else {
          b.toggle()
          edges.append(Edge(nanoseconds: now, control: "knob", line: .b, isHigh: b))
        }
      }
    }
    return KnobMeasurement(edges)
  }

  @Test("a knob rests in 1, 2 or 4 states: so many transitions has a detent", arguments: [1, 2, 4])
  func detents(transitions: Int) {
    let found = knob(8, transitions: transitions)
    #expect(found.transitionsPerDetent == transitions)
    #expect(found.transitions == 8 * transitions)
    #expect(found.jumps == 0)
    for set in [1, 2, 4] {
      let expected = set == transitions ? [] : ["transitions-per-detent: \(transitions)"]
      #expect(found.settings(isInverted: false, transitionsPerDetent: set) == expected)
    }
  }

  @Test("F20 a knob that is turned clockwise and counts back is to be inverted, and back again")
  func direction() {
    let right = knob(6)
    let wrong = knob(6, isClockwise: false)
    #expect(wrong.transitions == -24)
    #expect(right.settings(isInverted: false, transitionsPerDetent: 4).isEmpty)
    #expect(wrong.settings(isInverted: false, transitionsPerDetent: 4) == ["invert: true"])
    #expect(right.settings(isInverted: true, transitionsPerDetent: 4) == ["invert: false"])
    #expect(wrong.settings(isInverted: true, transitionsPerDetent: 4).isEmpty)
    #expect(knob(0).settings(isInverted: false, transitionsPerDetent: 4).isEmpty)
    #expect(knob(3).transitionsPerDetent == nil)
  }

  @Test("the tone is a second of 440 Hz, at most −20 dB, silent at both ends")
  func tone() {
    let bytes = Tone().bytes
    #expect(bytes.count == 44 + 48_000 * 4)
    let samples = stride(from: 44, to: bytes.count, by: 4).map {
      Int(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8))
    }
    #expect(abs(samples[0]) < 10 && abs(samples[47_999]) < 10)
    #expect((3_200...3_277).contains(samples.max() ?? 0))
    let rises = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    #expect((438...441).contains(rises))
  }
}
