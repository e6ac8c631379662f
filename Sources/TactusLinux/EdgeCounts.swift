// SPDX-License-Identifier: Apache-2.0
//
// What the edges of a control tell of its make: how it bounces, and where a knob comes to rest.
// Only counted here; what follows from it, `tactus doctor` says.
//
//   gap    the time between two edges of one contact: bounce is short, a finger is long
//   rest   a knob that has not moved for 100 ms stands in one of its detents

import TactusCore

/// Counts over all edges of a control since the daemon began.
public struct EdgeCounts: Sendable {
  /// Gaps are counted below each of these, in milliseconds; the last count is of longer ones.
  public static let gapBoundsMilliseconds: [UInt64] = [1, 2, 5, 10, 20, 40, 100]
  private static let restMilliseconds: UInt64 = 100

  /// So many numbers has a control: its edges, `gaps` and `rests`.
  static let size = 1 + gapPlaces.count + restPlaces.count
  /// By `gapBoundsMilliseconds`.
  static let gapPlaces = 1..<9
  /// Of a knob: how often it rested in each state, A<<1 | B, lines as they are electrically.
  static let restPlaces = 9..<13

  private(set) var numbers = InlineArray<13, Int32>(repeating: 0)
  private var last: UInt64 = 0

  init() {}

  /// Takes an edge.
  ///
  /// - Parameters:
  ///   - nanoseconds: when.
  ///   - rest: the state of a knob until then; nil for a contact.
  mutating func note(_ nanoseconds: UInt64, rest: UInt8?) {
    let isFirst = numbers[0] == 0
    let gap = (nanoseconds &- last) / 1_000_000
    last = nanoseconds
    count(0)
    if !isFirst { count(EdgeCounts.gapPlaces.lowerBound + EdgeCounts.place(ofGap: gap)) }
    if let rest, isFirst || gap >= EdgeCounts.restMilliseconds {
      count(EdgeCounts.restPlaces.lowerBound + Int(rest & 3))
    }
  }

  private mutating func count(_ place: Int) { numbers[place] = numbers[place] &+ 1 }

  /// The place among `gapBoundsMilliseconds`.
  private static func place(ofGap milliseconds: UInt64) -> Int {
    switch milliseconds {
    case 0: 0
    case 1: 1
    case 2..<5: 2
    case 5..<10: 3
    case 10..<20: 4
    case 20..<40: 5
    case 40..<100: 6
    default: 7
    }
  }
}

/// What the daemon knows beside the policy, for `Describe`.
public struct DaemonFacts: Sendable {
  /// The numbers of `EdgeCounts` of each control, one control after the other; empty where nothing
  /// is counted.
  public var edges: [Int32]
  /// How often another program moved an output's controls, by position in `Board.outputs`.
  public var foreignMoves: [Int32]
  /// Where volumes are kept.
  public var stateFolder: String
  /// Why that does not work; nil while it does.
  public var stateFault: String?

  public init(
    edges: [Int32] = [],
    foreignMoves: [Int32] = [],
    stateFolder: String = "",
    stateFault: String? = nil
  ) {
    self.edges = edges
    self.foreignMoves = foreignMoves
    self.stateFolder = stateFolder
    self.stateFault = stateFault
  }
}
