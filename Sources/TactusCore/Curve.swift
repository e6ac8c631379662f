// SPDX-License-Identifier: Apache-2.0
//
// From level to gain: the alsamixer curve over a route's usable window (VOL-4). What needs real
// numbers is worked out when the board is loaded; a tick computes in integers.
//
// Source of the formula: alsa-utils, alsamixer/volume_mapping.c. A window of at most 24 dB is
// linear in dB. A wider one follows n = 10^((dB − top) / 60 dB), normalised so that level 0 is the
// window's floor: n = n₀ + level · (1 − n₀), where n₀ is the n of the floor.

/// A monotone map of the levels 0…1 to gains.
public struct Curve: Plain, Equatable {
  /// The gain of level 1.
  public let top: Gain
  /// From the top down to the floor, in millibels.
  private let span: Int32
  /// n₀ in units of 2⁻³²; unused where the window is linear.
  private let floorRatio: Int64

  private static let one: Int64 = 1 << 32
  private static let linearMillibels: Int32 = 2_400

  /// No amplification at any level.
  public init() { self.init(lowest: .unity, top: .unity) }

  /// The curve over a window.
  ///
  /// - Parameters:
  ///   - lowest: The lowest gain of the codec that is not mute.
  ///   - top: The gain of level 1, at most ±100 dB: the smaller of the codec's maximum and the
  ///     route's `max-db`.
  ///   - windowMillibels: The widest window, 60 dB (VOL-4).
  public init(lowest: Gain, top: Gain, windowMillibels: Int32 = 6_000) {
    let millibels = min(max(top.millibels, -10_000), 10_000)
    self.top = Gain(millibels: millibels)
    span = min(max(millibels - max(lowest.millibels, -30_000), 0), windowMillibels)
    floorRatio = Int64(Curve.tenToThe(Double(-span) / 6_000) * Double(Curve.one))
  }

  /// The gain of level 0, the window's floor.
  public var floor: Gain { Gain(millibels: top.millibels - span) }

  /// The gain of a level, to the nearest millibel.
  // Each tick needs some: for speed, a division by a constant is a multiplication.
  @_optimize(speed)
  public func gain(at level: Level) -> Gain {
    if level == .full { return top }
    let parts = Int64(level.parts)
    if span <= Curve.linearMillibels {
      return Gain(
        millibels: top.millibels - Int32((Int64(span) * (10_000 - parts) + 5_000) / 10_000)
      )
    }
    let ratio = floorRatio + parts * (Curve.one - floorRatio) / 10_000
    return Gain(millibels: top.millibels - Curve.millibels(below: ratio))
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

  /// −60 dB · log₁₀ of a ratio below 1, given in units of 2⁻³².
  ///
  /// The binary logarithm comes out bit by bit: squaring the mantissa doubles the logarithm, and a
  /// square of 2 or more is a bit that is set.
  @_optimize(speed)
  private static func millibels(below ratio: Int64) -> Int32 {
    let shift = ratio.leadingZeroBitCount - 31
    var mantissa = UInt64(ratio) << UInt64(shift)  // 2³²…2³³
    var fraction: Int64 = 0
    for _ in 0..<16 {
      mantissa = ((mantissa >> 1) &* (mantissa >> 1)) >> 30
      fraction <<= 1
      if mantissa >= 1 << 33 {
        mantissa >>= 1
        fraction |= 1
      }
    }
    let logarithm = (Int64(shift) << 16) - fraction
    // 60 dB · log₁₀ 2 is 1806.18 mB.
    return Int32((logarithm * 180_618 + 3_276_800) / 6_553_600)
  }

  private static let logarithmOfTen = 2.302_585_092_994_046

  /// Ten to a power between −1 and 0, by the exponential series, to 1e-12.
  private static func tenToThe(_ exponent: Double) -> Double {
    let small = exponent * logarithmOfTen / 16
    var term = 1.0
    var sum = 1.0
    var factor = 1.0
    while factor < 20 {
      term *= small / factor
      sum += term
      factor += 1
    }
    for _ in 0..<4 { sum *= sum }
    return sum
  }
}
