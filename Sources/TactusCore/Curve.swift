// SPDX-License-Identifier: Apache-2.0
//
// From level to gain: the alsamixer curve over a route's usable window (VOL-4), as a table made
// when the board is loaded, so that a tick needs integers only.
//
// Source of the formula: alsa-utils, alsamixer/volume_mapping.c: a window of at most 24 dB is
// linear in dB; a wider one follows n = 10^((dB − top) / 60 dB), normalised so that level 0 is the
// window's floor.

/// A monotone map of the levels 0…1 to gains.
public struct Curve: Plain {
  /// Points of the table:
  /// 1/400 of the range each, so that every percent and every sixteenth is exact.
  static let intervals: Int32 = 400
  private static let partsPerInterval: Int32 = 25
  private var millibels: InlineArray<401, Int16>

  /// No amplification at any level.
  public init() { millibels = InlineArray(repeating: 0) }

  /// The curve over a window.
  /// - Parameters:
  ///   - lowest: The lowest gain of the codec that is not mute.
  ///   - top: The gain of level 1: the smaller of the codec's maximum and the route's `max-db`,
  ///     −100…+100 dB.
  ///   - windowMillibels: The widest window, 60 dB (VOL-4).
  public init(lowest: Gain, top: Gain, windowMillibels: Int32 = 6_000) {
    let topMillibels = min(max(top.millibels, -10_000), 10_000)
    let span = min(max(topMillibels &- max(lowest.millibels, -20_000), 0), windowMillibels)
    millibels = InlineArray(repeating: 0)
    let floorRatio = Curve.tenToThe(Double(-span) / 6_000)
    for point in 0...Int(Curve.intervals) {
      let level = Double(point) / Double(Curve.intervals)
      let belowTop =
        span <= 2_400
        ? Double(span) * (level - 1)
        : 6_000 * Curve.logarithm(floorRatio + level * (1 - floorRatio))
      millibels[point] = Int16(topMillibels + Int32(belowTop - 0.5))
    }
  }

  /// The gain of level 0, the window's floor.
  public var floor: Gain { Gain(millibels: Int32(millibels[0])) }

  /// The gain of level 1.
  public var top: Gain { Gain(millibels: Int32(millibels[Int(Curve.intervals)])) }

  /// The gain of a level; between the points of the table, on the line that joins them.
  public func gain(at level: Level) -> Gain {
    let point = Int(level.parts / Curve.partsPerInterval)
    let rest = level.parts % Curve.partsPerInterval
    let low = Int32(millibels[point])
    guard rest != 0 else { return Gain(millibels: low) }
    let high = Int32(millibels[point + 1])
    return Gain(millibels: low + (high - low) * rest / Curve.partsPerInterval)
  }

  /// The greatest level whose gain is not above `gain`; level 0 where there is none.
  public func level(of gain: Gain) -> Level {
    var below: Int32 = 0
    var above: Int32 = 10_001
    while above - below > 1 {
      let middle = (below + above) / 2
      if self.gain(at: Level(parts: middle)) <= gain { below = middle } else { above = middle }
    }
    return Level(parts: below)
  }

  // MARK: Elementary functions, since the core imports nothing

  private static let logarithmOfTen = 2.302_585_092_994_046
  private static let logarithmOfTwo = 0.693_147_180_559_945_3

  /// Decimal logarithm of a positive number, to 1e-12.
  static func logarithm(_ value: Double) -> Double {
    let ratio = (value.significand - 1) / (value.significand + 1)
    var power = ratio
    var sum = 0.0
    for odd in stride(from: 1.0, to: 60, by: 2) {
      sum += power / odd
      power *= ratio * ratio
    }
    return (2 * sum + Double(value.exponent) * logarithmOfTwo) / logarithmOfTen
  }

  /// Ten to a power between −4 and 0, to 1e-12.
  static func tenToThe(_ exponent: Double) -> Double {
    let small = exponent * logarithmOfTen / 16
    var term = 1.0
    var sum = 1.0
    for factor in stride(from: 1.0, to: 20, by: 1) {
      term *= small / factor
      sum += term
    }
    for _ in 0..<4 { sum *= sum }
    return sum
  }
}
