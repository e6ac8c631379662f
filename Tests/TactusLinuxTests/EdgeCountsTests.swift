// SPDX-License-Identifier: Apache-2.0
//
// What is counted of edges, on both sides of each bound.

import Testing

@testable import TactusLinux

@Suite struct EdgeCountsTests {
  private func numbers(_ counts: EdgeCounts, _ places: Range<Int>) -> [Int32] {
    places.map { counts.numbers[$0] }
  }

  @Test("a gap is counted under the first bound that is greater, the longest ones last")
  func gaps() {
    var counts = EdgeCounts()
    var now: UInt64 = 7
    counts.note(now, rest: nil)
    for bound in EdgeCounts.gapBoundsMilliseconds {
      now += bound * 1_000_000 - 1
      counts.note(now, rest: nil)
      now += bound * 1_000_000
      counts.note(now, rest: nil)
    }
    #expect(counts.numbers[0] == 15)
    #expect(numbers(counts, EdgeCounts.gapPlaces) == [1, 2, 2, 2, 2, 2, 2, 1])
    #expect(numbers(counts, EdgeCounts.restPlaces) == [0, 0, 0, 0])
    #expect(EdgeCounts.size == counts.numbers.count)
  }

  @Test("a knob rests where it has stood for 100 ms, and where it stood at first")
  func rests() {
    var counts = EdgeCounts()
    var now: UInt64 = 0
    for (gap, rest) in [(5, 3), (3, 1), (99, 0), (100, 2), (5_000, 3), (1, 0xfd)] {
      now += UInt64(gap) * 1_000_000
      counts.note(now, rest: UInt8(rest))
    }
    #expect(numbers(counts, EdgeCounts.restPlaces) == [0, 0, 1, 2])
  }

  @Test("the log tells the edges behind a number, of the last 512, whatever number is asked for")
  func log() {
    var log = EdgeLog()
    #expect(log.text(after: 0) == "0\n")
    for edge in 1...600 { log.add("\(edge)") }
    #expect(log.text(after: 598) == "600\n599\n600\n")
    #expect(log.text(after: 600) == "600\n")
    #expect(log.text(after: 0).split(separator: "\n").count == 513)
    #expect(log.text(after: 601).split(separator: "\n").count == 513)
  }
}
