// SPDX-License-Identifier: Apache-2.0
//
// The units of the policy.
//
//   level   what a person set, 0…1, counted in ten-thousandths so that percent and sixteenths are
//   exact
//   gain    what the hardware does, in millibels (0.01 dB, the unit of ALSA's TLV)
//   tick    the only clock; milliseconds become ticks in `Timing` alone

/// A moment: ticks since the policy began.
public typealias Tick = Int64

/// A position of a volume control as a person understands it.
public struct Level: Plain, Comparable {
  /// Ten-thousandths, 0…10 000.
  public let parts: Int32

  /// Values outside 0…10 000 are clamped.
  public init(parts: Int32) { self.parts = min(max(parts, 0), 10_000) }

  /// Whole percent, clamped to 0…100.
  public init(percent: Int32) { self.init(parts: min(max(percent, 0), 100) * 100) }

  /// Sixteenths, the grid of the volume keys, clamped to 0…16.
  public init(sixteenths: Int32) { self.init(parts: min(max(sixteenths, 0), 16) * 625) }

  /// Nothing to be heard.
  public static let zero = Level(parts: 0)
  /// All that the route allows.
  public static let full = Level(parts: 10_000)
  /// One press of a volume key: 1/16 (VOL-1).
  public static let stepParts: Int32 = 625

  /// This level moved by whole steps; the offset to the grid is kept, the ends clamp (VOL-1,
  /// VOL-5).
  public func moved(steps: Int32) -> Level {
    let bounded = min(max(steps, -16), 16)
    return Level(parts: parts + bounded * Level.stepParts)
  }

  // All of them, since the generic ones of Comparable may allocate.
  public static func == (left: Level, right: Level) -> Bool { left.parts == right.parts }
  public static func < (left: Level, right: Level) -> Bool { left.parts < right.parts }
  public static func <= (left: Level, right: Level) -> Bool { left.parts <= right.parts }
  public static func > (left: Level, right: Level) -> Bool { left.parts > right.parts }
  public static func >= (left: Level, right: Level) -> Bool { left.parts >= right.parts }
}

/// An amplification in millibels (1 mB = 0.01 dB).
public struct Gain: Plain, Comparable {
  /// Hundredths of a decibel; `Gain.silence` is below all others.
  public let millibels: Int32

  public init(millibels: Int32) { self.millibels = millibels }

  /// No sound at all: ALSA's mark for "mute" in a dB scale, not an amplification.
  public static let silence = Gain(millibels: -9_999_999)
  /// Unchanged.
  public static let unity = Gain(millibels: 0)

  /// Whether nothing passes.
  public var isSilence: Bool { millibels <= Gain.silence.millibels }

  /// The sum of two amplifications; silence stays silence.
  public static func + (left: Gain, right: Gain) -> Gain {
    if left.isSilence || right.isSilence { return .silence }
    return Gain(millibels: left.millibels + right.millibels)
  }

  // All of them, since the generic ones of Comparable may allocate.
  public static func == (left: Gain, right: Gain) -> Bool { left.millibels == right.millibels }
  public static func < (left: Gain, right: Gain) -> Bool { left.millibels < right.millibels }
  public static func <= (left: Gain, right: Gain) -> Bool { left.millibels <= right.millibels }
  public static func > (left: Gain, right: Gain) -> Bool { left.millibels > right.millibels }
  public static func >= (left: Gain, right: Gain) -> Bool { left.millibels >= right.millibels }
}
