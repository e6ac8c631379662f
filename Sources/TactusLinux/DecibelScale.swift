// SPDX-License-Identifier: Apache-2.0
//
// What the raw values of a volume control mean in gain.
//
//   raw        the number a control holds; each is one step of the hardware
//   millibel   0.01 dB, the unit of ALSA's own tables
//   silent     a raw value that the table calls mute, or that lies below -200 dB
//   raw steps  the scale of a control whose table is missing or nonsense: no gain is known, so raw
//              values are spread evenly over 24 dB, which the volume curve maps linearly to raw
//
// Everything is worked out when a board is loaded; converting is a table look-up or a binary search
// in integers.

import CTactus
public import TactusCore

/// The gains of a volume control's raw values, never decreasing from the lowest raw to the highest.
public struct DecibelScale: Equatable, Sendable {
  /// Where the gains come from.
  public enum Source: Equatable, Sendable {
    /// The driver's table, perhaps corrected by the board file.
    case driver
    /// The board file's `min-db` and `max-db`.
    case board
    /// Nowhere: see “raw steps” above. Such a gain is no decibel, only a place on the way.
    case rawSteps
  }

  /// What a board file knows better than the driver.
  public struct Correction: Equatable, Sendable {
    /// The raw value that passes sound unchanged: the driver's gains are shifted to suit.
    public var rawAtZeroDecibels: Int32?
    /// The highest raw value that is really silent, whatever gain the driver claims for it.
    public var silentUpToRaw: Int32?
    /// Gain of the lowest and of the highest raw value, evenly spread between; instead of a table.
    public var rangeMillibels: ClosedRange<Int32>?

    public init(
      rawAtZeroDecibels: Int32? = nil,
      silentUpToRaw: Int32? = nil,
      rangeMillibels: ClosedRange<Int32>? = nil
    ) {
      self.rawAtZeroDecibels = rawAtZeroDecibels
      self.silentUpToRaw = silentUpToRaw
      self.rangeMillibels = rangeMillibels
    }
  }

  /// Gains outside are not believed: silence below, nonsense above.
  private static let believableMillibels: ClosedRange<Int32> = -20_000...10_000
  /// Of a control with more raw values only this many are used, from the lowest on.
  fileprivate static let rawCountLimit = 1 << 16
  /// What raw steps are spread over: the widest window that the volume curve maps linearly.
  private static let rawStepsMillibels: ClosedRange<Int32> = -2_400...0

  public let source: Source
  public let rawMinimum: Int32
  /// The highest raw value that may be used: the driver's, or the last one that has a gain.
  public let rawMaximum: Int32
  /// The lowest raw value that is not silent.
  public let lowestAudibleRaw: Int32
  /// The smallest difference between two neighbouring gains, 0 when there is one gain only.
  public let stepMillibels: Int32
  /// Gain of each raw value from `lowestAudibleRaw` on.
  private let gains: [Int32]

  /// Works the scale out.
  ///
  /// - Parameters:
  ///   - table: the words of ALSA's TLV, empty where the driver has none.
  ///   - rawRange: the control's range.
  ///   - correction: what the board file knows better.
  public init(
    table: [UInt32],
    rawRange: ClosedRange<Int32>,
    correction: Correction = Correction()
  ) {
    if let range = correction.rangeMillibels {
      self.init(.board, rawRange.lowerBound, even(over: rawRange, range), correction)
    } else if let known = DecibelScale(table, rawRange, correction) {
      self = known
    } else {
      let gains = even(over: rawRange, DecibelScale.rawStepsMillibels)
      self.init(.rawSteps, rawRange.lowerBound, gains, correction)
    }
  }
}

// MARK: - Using a scale

extension DecibelScale {
  public var rawRange: ClosedRange<Int32> { rawMinimum...rawMaximum }

  /// Whether the control by itself can be silent, at `rawMinimum`.
  public var hasSilence: Bool { lowestAudibleRaw > rawMinimum }

  /// The gain of `lowestAudibleRaw`.
  public var lowest: Gain { Gain(millibels: gains[0]) }

  /// The gain of `rawMaximum`.
  public var highest: Gain { Gain(millibels: gains[gains.count - 1]) }

  /// The gain of a raw value, perhaps `Gain.silence`.
  ///
  /// Values beyond the range count as its ends.
  public func gain(atRaw raw: Int32) -> Gain {
    guard raw >= lowestAudibleRaw else { return .silence }
    return Gain(millibels: gains[Int(min(raw, rawMaximum) - lowestAudibleRaw)])
  }

  /// The greatest raw value whose gain is not above `gain`.
  ///
  /// Below `lowest` this is `rawMinimum`: silence or, where `hasSilence` is false, the lowest gain
  /// there is, which is then louder than asked for.
  public func raw(notAbove gain: Gain) -> Int32 {
    var low = 0
    var high = gains.count
    while low < high {
      let middle = (low + high) / 2
      if gains[middle] <= gain.millibels { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? rawMinimum : lowestAudibleRaw + Int32(low - 1)
  }
}

// MARK: - Making a scale

extension DecibelScale {
  /// The driver's table, or nil when it makes no sense.
  private init?(_ table: [UInt32], _ rawRange: ClosedRange<Int32>, _ correction: Correction) {
    let gains = driverGains(table, rawRange)
    guard DecibelScale.isBelievable(gains) else { return nil }
    let lowest = rawRange.lowerBound
    let zero = correction.rawAtZeroDecibels.map { Int($0) - Int(lowest) }
    let shift = zero.map { gains.indices.contains($0) ? gains[$0] : 0 } ?? 0
    let shifted = gains.map { DecibelScale.isSilent($0) ? $0 : $0 - shift }
    self.init(.driver, lowest, shifted, correction)
  }

  /// Takes the gains of the lowest raw value and of those that follow.
  private init(_ source: Source, _ lowest: Int32, _ all: [Int32], _ correction: Correction) {
    let lowestAudible = all.indices.first { position in
      lowest + Int32(position) > correction.silentUpToRaw ?? Int32.min
        && !DecibelScale.isSilent(all[position])
    }
    let first = lowestAudible ?? all.count - 1
    self.source = source
    rawMinimum = lowest
    rawMaximum = lowest + Int32(all.count - 1)
    lowestAudibleRaw = lowest + Int32(first)
    gains = Array(all[first...])
    stepMillibels = zip(gains, gains.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.min() ?? 0
  }

  private static func isSilent(_ gain: Int32) -> Bool { gain < believableMillibels.lowerBound }

  /// Gains that never fall, that differ, and none of which is out of this world.
  private static func isBelievable(_ gains: [Int32]) -> Bool {
    guard let highest = gains.last, let lowest = gains.first(where: { !isSilent($0) }) else {
      return false
    }
    return gains.count > 1 && gains[0] < highest && lowest <= highest
      && highest <= believableMillibels.upperBound
      && zip(gains, gains.dropFirst()).allSatisfy { $0 <= $1 }
  }
}

/// The gains of the lowest raw value and of those that follow, until the driver has none.
private func driverGains(_ table: [UInt32], _ rawRange: ClosedRange<Int32>) -> [Int32] {
  guard table.count > 2 else { return [] }
  tactus_sound_quiet()
  // libasound believes the length of a part of a table: let it read zeros behind a broken one.
  var words = table + [UInt32](repeating: 0, count: 512)
  return words.withUnsafeMutableBufferPointer { words in
    let byteCount = UInt32(table.count * 4)
    var scale: UnsafeMutablePointer<UInt32>?
    guard snd_tlv_parse_dB_info(words.baseAddress, byteCount, &scale) > 0, let scale else {
      return []
    }
    var gains: [Int32] = []
    for raw in rawRange.prefix(DecibelScale.rawCountLimit) {
      var gain = 0
      let status = snd_tlv_convert_to_dB(
        scale,
        Int(rawRange.lowerBound),
        Int(rawRange.upperBound),
        Int(raw),
        &gain
      )
      guard status >= 0 else { break }
      gains.append(Int32(clamping: gain))
    }
    return gains
  }
}

/// The gains of the raw values when `millibels` is spread evenly over them.
private func even(over rawRange: ClosedRange<Int32>, _ millibels: ClosedRange<Int32>) -> [Int32] {
  let whole = Int(rawRange.upperBound) - Int(rawRange.lowerBound)
  guard whole > 0 else { return [millibels.upperBound] }
  let rise = Int(millibels.upperBound) - Int(millibels.lowerBound)
  return (0...min(whole, DecibelScale.rawCountLimit - 1)).map { way in
    millibels.lowerBound + Int32(rise * way / whole)
  }
}
