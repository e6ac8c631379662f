// SPDX-License-Identifier: Apache-2.0
//
// What the raw edges of a knob tell of it while a person turns it clockwise, click by click.

import TactusCore
import TactusLinux

/// A knob as its edges show it.
struct KnobMeasurement {
  /// A knob that stands still for so long stands in a detent.
  static let restNanoseconds: UInt64 = 100_000_000

  let edges: Int
  /// Transitions forth less those back, A before B counted forth.
  let transitions: Int
  /// Both lines at once, so that nobody knows which way.
  let jumps: Int
  /// How often it rested in each state, A<<1 | B.
  let rests: [Int]

  /// - Parameter edges: of both lines, by rising time.
  init(_ edges: [EdgeRecording.Edge]) {
    var state = KnobMeasurement.start(edges)
    var transitions = 0
    var jumps = 0
    var rests = [0, 0, 0, 0]
    var last: UInt64?
    for edge in edges {
      if last.map({ edge.nanoseconds - $0 >= KnobMeasurement.restNanoseconds }) ?? true {
        rests[state] += 1
      }
      last = edge.nanoseconds
      let bit = edge.line == .a ? 2 : 1
      let next = edge.isHigh ? state | bit : state & ~bit
      switch KnobMeasurement.order[next] - KnobMeasurement.order[state] {
      case 1, -3: transitions += 1
      case -1, 3: transitions -= 1
      case 0: break
      default: jumps += 1
      }
      state = next
    }
    if !edges.isEmpty { rests[state] += 1 }
    self.edges = edges.count
    self.transitions = transitions
    self.jumps = jumps
    self.rests = rests
  }

  /// Places of the states 00, 01, 10, 11 on the circle 11, 01, 00, 10.
  private static let order = [2, 1, 3, 0]

  /// The state before the first edge of each line.
  private static func start(_ edges: [EdgeRecording.Edge]) -> Int {
    var state = 3
    if let a = edges.first(where: { $0.line == .a }), a.isHigh { state &= ~2 }
    if let b = edges.first(where: { $0.line == .b }), b.isHigh { state &= ~1 }
    return state
  }

  /// Which way it went; nil where it did not turn.
  var isClockwise: Bool? { transitions == 0 ? nil : transitions > 0 }

  /// 1, 2 or 4, by the number of states in which it rests; nil while that cannot be told.
  var transitionsPerDetent: Int? {
    let all = rests.reduce(0, +)
    guard all >= 5 else { return nil }
    // A click that stopped half-way is no detent.
    switch rests.count(where: { $0 * 8 > all }) {
    case 1: return 4
    case 2: return 2
    default: return 1
    }
  }

  /// The lines that a board file needs for it, beyond those that it has.
  func settings(isInverted: Bool, transitionsPerDetent: Int) -> [String] {
    var lines: [String] = []
    if let isClockwise, isClockwise == isInverted { lines.append("invert: \(!isInverted)") }
    if let found = self.transitionsPerDetent, found != transitionsPerDetent {
      lines.append("transitions-per-detent: \(found)")
    }
    return lines
  }
}
