// SPDX-License-Identifier: Apache-2.0
//
// Chance that can be repeated: the same seed gives the same numbers on every machine.
//
// Source of the generator: SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014. Bounded numbers take the high half of a product (Lemire 2019, without
// the rejection step: a bias of 2⁻⁵⁰ does not matter here).

public import TactusCore

/// A repeatable source of chance.
public struct Random: Plain {
  private var state: UInt64

  /// A sequence that is given by `seed` alone.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` − 1; `bound` is at least 1.
  public mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number in a range, both ends included.
  public mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// True once in `count` times.
  public mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
