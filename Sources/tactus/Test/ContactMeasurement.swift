// SPDX-License-Identifier: Apache-2.0
//
// What the raw edges of one contact tell of it, and the settings that suit it.
//
//   burst   edges that follow each other faster than a finger: one movement of the contact
//   bounce  how long a burst takes; the debounce time must be longer than its longest gap

import TactusCore
import TactusLinux

/// A contact as its edges show it.
struct ContactMeasurement {
  /// No finger presses for a shorter time.
  static let fingerNanoseconds: UInt64 = 40_000_000
  /// Upper bounds of the histogram of bounces, in milliseconds; the last count is of longer ones.
  static let boundsMilliseconds: [UInt64] = [1, 2, 5, 10, 20, 40]
  /// Debounce times that are proposed.
  private static let proposals: [UInt64] = [5, 10, 15, 20, 30, 40, 60, 100, 200]

  /// How many edges came.
  let edges: Int
  /// How often the contact went from rest to the other level.
  let presses: Int
  /// The level at rest; nil without an edge.
  let isHighAtRest: Bool?
  /// How many bursts were how long, by `boundsMilliseconds`.
  let bounces: [Int]
  let longestBounceNanoseconds: UInt64
  /// The longest time between two edges of one burst.
  let longestGapNanoseconds: UInt64

  /// - Parameter edges: of one contact, by rising time.
  init(_ edges: [EdgeRecording.Edge]) {
    let bursts = ContactMeasurement.bursts(edges)
    self.edges = edges.count
    isHighAtRest = edges.first.map { !$0.isHigh }
    let rest = isHighAtRest
    presses = bursts.count { $0.last?.isHigh != rest }
    var bounces = [Int](repeating: 0, count: ContactMeasurement.boundsMilliseconds.count + 1)
    var longestBounce: UInt64 = 0
    var longestGap: UInt64 = 0
    for burst in bursts {
      guard let first = burst.first, let last = burst.last else { continue }
      let length = last.nanoseconds - first.nanoseconds
      longestBounce = max(longestBounce, length)
      for (one, next) in zip(burst, burst.dropFirst()) {
        longestGap = max(longestGap, next.nanoseconds - one.nanoseconds)
      }
      let bounds = ContactMeasurement.boundsMilliseconds
      bounces[bounds.firstIndex { length < $0 * 1_000_000 } ?? bounds.count] += 1
    }
    self.bounces = bounces
    longestBounceNanoseconds = longestBounce
    longestGapNanoseconds = longestGap
  }

  private static func bursts(_ edges: [EdgeRecording.Edge]) -> [[EdgeRecording.Edge]] {
    var bursts: [[EdgeRecording.Edge]] = []
    var last: UInt64?
    for edge in edges {
      if let last, edge.nanoseconds - last < fingerNanoseconds {
        bursts[bursts.count - 1].append(edge)
      } else {
        bursts.append([edge])
      }
      last = edge.nanoseconds
    }
    return bursts
  }

  /// The shortest debounce time that suits, with a margin of a quarter.
  var debounceMilliseconds: UInt64 {
    let needed = longestGapNanoseconds + longestGapNanoseconds / 4
    let proposals = ContactMeasurement.proposals
    return proposals.first { needed < $0 * 1_000_000 } ?? proposals[proposals.count - 1]
  }

  /// The lines that a board file needs for it, beyond those that it has.
  func settings(polarity: Polarity, debounceMilliseconds: UInt64, isSwitch: Bool) -> [String] {
    guard let isHighAtRest else { return [] }
    var lines: [String] = []
    // A switch may rest anywhere; only a button tells.
    if !isSwitch, isHighAtRest == (polarity == .activeHigh) {
      lines.append("active: \(isHighAtRest ? "low" : "high")")
    }
    if self.debounceMilliseconds > debounceMilliseconds {
      lines.append("debounce: \(self.debounceMilliseconds) ms")
    }
    return lines
  }
}
