// SPDX-License-Identifier: Apache-2.0
//
// How a person writes values: 40%, -20dB, +1, on, -100…100.

import TactusCore

/// A new volume.
enum Amount: Equatable {
  case level(Level)
  case gain(Gain)
  /// Whole steps of 1/16, up or down, never 0.
  case steps(Int8)

  /// Reads `40%`, `-20dB` or `+1`; nil for anything else.
  init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let hundredths = hundredths(in: text.dropLast(1)) else { return nil }
      guard (0...10_000).contains(hundredths) else { return nil }
      self = .level(Level(parts: hundredths))
    } else if text.lowercased().hasSuffix("db") {
      guard let millibels = hundredths(in: text.dropLast(2)) else { return nil }
      guard (-20_000...5_000).contains(millibels) else { return nil }
      self = .gain(Gain(millibels: millibels))
    } else {
      guard text.hasPrefix("+") || text.hasPrefix("-"), let steps = Int8(text) else { return nil }
      guard steps != 0, (-16...16).contains(steps) else { return nil }
      self = .steps(steps)
    }
  }
}

/// A decimal number with at most two decimals, in hundredths; spaces around it are ignored.
func hundredths(in text: Substring) -> Int32? {
  var bytes = Array(text.utf8)
  while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
  var rest = bytes[...]
  let isNegative = rest.first == UInt8(ascii: "-")
  if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
  var whole: Int32 = 0
  var decimals = -1
  var digits = 0
  for byte in rest {
    if byte == UInt8(ascii: "."), decimals < 0 {
      decimals = 0
      continue
    }
    guard (0x30...0x39).contains(byte), whole < 1_000_000, decimals < 2 else { return nil }
    whole = whole * 10 + Int32(byte - 0x30)
    digits += 1
    if decimals >= 0 { decimals += 1 }
  }
  guard digits > 0 else { return nil }
  for _ in max(decimals, 0)..<2 { whole *= 10 }
  return isNegative ? -whole : whole
}

/// A whole number within bounds, as an option or operand.
/// - Throws: `usage`, with the bounds.
func number(
  _ text: String,
  in bounds: ClosedRange<Int>,
  of object: String
) throws(Failure) -> Int {
  guard let number = Int(text), bounds.contains(number) else {
    throw Failure(
      .usage,
      object,
      "not a number in its range",
      value: text,
      next: "write \(bounds.lowerBound) to \(bounds.upperBound)"
    )
  }
  return number
}

/// One of some words.
/// - Throws: `usage`, with the nearest or all of them.
func choice(_ text: String, of words: [String], for object: String) throws(Failure) -> String {
  if words.contains(text) { return text }
  throw Failure(
    .usage,
    object,
    "no such value",
    value: text,
    next: advice(
      for: text,
      among: words,
      otherwise: "one of \(words.joined(separator: ", "))"
    )
  )
}
