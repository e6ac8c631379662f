// SPDX-License-Identifier: Apache-2.0
//
// What happens to edges between the kernel's queue and the tick.

import Testing

@testable import TactusLinux

@Suite struct EdgesTests {
  private func lost(
    _ numbering: inout EdgeNumbering,
    _ sequences: [UInt32],
    full: Bool = false
  ) -> UInt32 {
    var edges = sequences.map { Edge(sequence: $0) }
    var span = edges.mutableSpan
    return numbering.number(&span, count: sequences.count, queueWasFull: full)
  }

  @Test("F05 edges 1 to 3, then 9: five are lost")
  func gap() {
    var numbering = EdgeNumbering()
    #expect(lost(&numbering, [1, 2, 3]) == 0)
    #expect(lost(&numbering, [9]) == 5)
    #expect(lost(&numbering, [10, 11]) == 0)
  }

  @Test("F05 a gap inside one drain, and before the first edge")
  func gapInside() {
    var numbering = EdgeNumbering()
    #expect(lost(&numbering, [4, 5, 8]) == 5)
  }

  @Test("neighbours in exchanged order are no loss")
  func exchanged() {
    var numbering = EdgeNumbering()
    #expect(lost(&numbering, [2, 1, 3, 5, 4]) == 0)
    #expect(lost(&numbering, [6]) == 0)
  }

  @Test("numbers may pass 2^32")
  func wrap() {
    var numbering = EdgeNumbering()
    _ = lost(&numbering, [0x7fff_ffff])
    _ = lost(&numbering, [0xffff_fffe])
    #expect(lost(&numbering, [0xffff_ffff, 1]) == 1)
  }

  @Test("F06 a queue without numbers that was read full asks for the levels")
  func fullQueue() {
    var numbering = EdgeNumbering()
    #expect(lost(&numbering, Array(repeating: 0, count: 15)) == 0)
    #expect(lost(&numbering, Array(repeating: 0, count: 16), full: true) == 1)
    #expect(lost(&numbering, [0]) == 0)
    #expect(DrainedEdges(count: 16, lost: 1).needsLevels)
    #expect(!DrainedEdges(count: 16, lost: 0).needsLevels)
  }

  @Test("edges without numbers get their own")
  func ownNumbers() {
    var numbering = EdgeNumbering()
    var edges = [Edge(), Edge()]
    for expected: [UInt32] in [[1, 2], [3, 4]] {
      edges[0].sequence = 0
      edges[1].sequence = 0
      var span = edges.mutableSpan
      #expect(numbering.number(&span, count: 2, queueWasFull: false) == 0)
      #expect(edges.map(\.sequence) == expected)
    }
  }

  @Test("F17 the edges of an encoder's two queues are merged by time, equal times in line order")
  func merge() {
    let first = [10, 20, 30, 40].map { Edge(timestampNanoseconds: $0, lineIndex: 0) }
    let second = [5, 20, 25, 50].map { Edge(timestampNanoseconds: $0, lineIndex: 1) }
    var edges = first + second + [Edge(timestampNanoseconds: 1)]
    var span = edges.mutableSpan
    sortByTime(&span, count: 8)
    #expect(edges.prefix(8).map(\.timestampNanoseconds) == [5, 10, 20, 20, 25, 30, 40, 50])
    #expect(edges.prefix(8).map(\.lineIndex) == [1, 0, 0, 1, 1, 0, 0, 1])
    #expect(edges[8].timestampNanoseconds == 1, "what is behind the count stays")
  }

  @Test("levels are one bit a line")
  func levels() {
    let levels = LineLevels(bits: 0b101)
    #expect([levels[0], levels[1], levels[2], levels[3]] == [true, false, true, false])
  }
}
