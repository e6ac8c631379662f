// SPDX-License-Identifier: Apache-2.0
//
// Reading typed values out of a YAML tree. Whatever is wrong is reported and answered with nil, so
// that one pass finds every mistake.
//
//   fields     a mapping that is being read: what nobody has asked for in the end is unknown
//   duration   a number with ms, s, min or h
//   gain       a number with dB
//   percent    a number with %

import TactusCore

/// A value with the key it stands under, for messages.
final class Field {
  let key: String
  let keyPlace: Place
  let node: YamlNode
  let mistakes: Mistakes

  init(key: String, keyPlace: Place, node: YamlNode, mistakes: Mistakes) {
    self.key = key
    self.keyPlace = keyPlace
    self.node = node
    self.mistakes = mistakes
  }

  var place: Place { node.place }

  func error(_ message: String) {
    if !node.isReported { mistakes.error(place, key, message) }
  }
  func warning(_ message: String) { mistakes.warning(place, key, message) }

  /// The scalar as written, for messages; a word for what is none.
  var written: String {
    switch node.content {
    case .scalar(let text, let isQuoted):
      isQuoted ? "\"\(text)\"" : text.isEmpty ? "nothing" : text
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }

  /// The scalar, quoted or not.
  var scalar: String? {
    guard case .scalar(let text, _) = node.content else { return nil }
    return text
  }

  /// The scalar, if it is not in quotes.
  private var plain: String? {
    guard case .scalar(let text, false) = node.content else { return nil }
    return text
  }
}

// MARK: - Single values

extension Field {
  /// Any text that is not empty; what reads as a number or a flag must be in quotes.
  func text(such example: String) -> String? {
    guard case .scalar(let text, let isQuoted) = node.content else {
      error("not a text (\(written)), write one, such as \(example)")
      return nil
    }
    guard !text.isEmpty else {
      error("empty, write a text, such as \(example)")
      return nil
    }
    guard isQuoted || !isOtherThanText(text) else {
      error("not a text (\(text)), write it in quotes: \"\(text)\"")
      return nil
    }
    return text
  }

  /// A name: small letters, digits and hyphens.
  func name(such example: String, longest: Int = 20) -> String? {
    guard let text = text(such: example) else { return nil }
    let isName = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
        || byte == UInt8(ascii: "-")
    }
    guard isName, text.utf8.count <= longest else {
      error(
        "not a name (\(text)), write 1 to \(longest) small letters, digits and hyphens, such as"
          + " \(example)"
      )
      return nil
    }
    return text
  }

  /// A whole number of a range.
  func integer(_ range: ClosedRange<Int>) -> Int? {
    if case .scalar(let text, true) = node.content, isInteger(text) {
      error("not a number but text (\(written)), write \(text) without quotes")
      return nil
    }
    guard let text = plain, isInteger(text), let number = wholeNumber(text).map({ Int($0) }) else {
      error(
        "not a whole number (\(written)), write one from \(range.lowerBound) to \(range.upperBound)"
      )
      return nil
    }
    guard range.contains(number) else {
      error("out of range (\(number)), write \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  /// `true` or `false`; `on` and `off`, `yes` and `no` are understood.
  func flag() -> Bool? {
    switch scalar {
    case "true", "True", "TRUE", "on", "yes": return true
    case "false", "False", "FALSE", "off", "no": return false
    default:
      error("neither true nor false (\(written)), write one of these")
      return nil
    }
  }

  /// One word of a list.
  func choice<Value>(_ choices: [(String, Value)]) -> Value? {
    position(among: choices.map { $0.0 }).map { choices[$0].1 }
  }

  private func position(among words: [String]) -> Int? {
    guard let text = scalar else {
      error("not a word (\(written)), write \(oneOf(words))")
      return nil
    }
    if let position = words.firstIndex(of: text) { return position }
    error("unknown (\(text)), write \(likely(text, among: words))")
    return nil
  }

  /// One word of a closed set.
  func word<Word: Named>(_: Word.Type) -> Word? { choice(Words.all()) }

  /// A duration, in milliseconds.
  func milliseconds(_ range: ClosedRange<Int64>) -> Int64? {
    let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)]
    guard let value = quantity(units, missing: "ms", example: "10 ms") else { return nil }
    let milliseconds = (value + 999) / 1_000
    guard range.contains(milliseconds) else {
      error(
        "out of range (\(written)), write \(range.lowerBound) ms to \(duration(range.upperBound))"
      )
      return nil
    }
    return milliseconds
  }

  /// A gain in dB.
  func gain(_ range: ClosedRange<Int32>) -> Gain? {
    guard let value = quantity([("dB", 1)], missing: "dB", example: "-6 dB") else { return nil }
    let (millibels, rest) = value.quotientAndRemainder(dividingBy: 10)
    guard rest == 0, Int64(range.lowerBound)...Int64(range.upperBound) ~= millibels else {
      error(
        "out of range (\(written)), write \(decibels(range.lowerBound)) to"
          + " \(decibels(range.upperBound)), in steps of 0.01 dB"
      )
      return nil
    }
    return Gain(millibels: Int32(millibels))
  }

  /// A percentage, in ten-thousandths.
  func percent(_ range: ClosedRange<Int32>) -> Int32? {
    guard let value = quantity([("%", 1)], missing: "%", example: "40 %") else { return nil }
    let (parts, rest) = value.quotientAndRemainder(dividingBy: 10)
    guard rest == 0, Int64(range.lowerBound) * 100...Int64(range.upperBound) * 100 ~= parts else {
      error("out of range (\(written)), write \(range.lowerBound) % to \(range.upperBound) %")
      return nil
    }
    return Int32(parts)
  }

  /// A frequency, in Hz.
  func hertz(_ range: ClosedRange<Int64>) -> Int32? {
    let units: [(String, Int64)] = [("kHz", 1_000), ("Hz", 1)]
    guard let value = quantity(units, missing: "Hz", example: "48 kHz") else { return nil }
    guard value % 1_000 == 0, range.contains(value / 1_000) else {
      error("out of range (\(written)), write \(range.lowerBound) Hz to \(range.upperBound) Hz")
      return nil
    }
    return Int32(value / 1_000)
  }

  /// Thousandths of the first unit's size; a missing or foreign unit is reported.
  private func quantity(
    _ units: [(String, Int64)],
    missing unit: String,
    example: String
  ) -> Int64? {
    guard let text = scalar, let number = Quantity(text) else {
      error("not a number with a unit (\(written)), write one, such as \(example)")
      return nil
    }
    guard !number.unit.isEmpty else {
      error("no unit (\(text)), write \(number.digits) \(unit)")
      return nil
    }
    guard let size = units.first(where: { $0.0 == number.unit })?.1 else {
      error("unknown unit (\(number.unit)), write \(oneOf(units.map { $0.0 })), such as \(example)")
      return nil
    }
    return number.thousandths * size
  }
}

// MARK: - Values of values

extension Field {
  /// The fields of a mapping.
  func fields() -> Fields? {
    guard case .mapping(let entries) = node.content else {
      error("not a mapping (\(written)), write keys with values below, indented")
      return nil
    }
    return Fields(place: place, key: key, entries: entries, mistakes: mistakes)
  }

  /// The items of a list; each bears the key of the list.
  func items(such example: String) -> [Field] {
    guard case .sequence(let items) = node.content else {
      error("not a list (\(written)), write \(example)")
      return []
    }
    return items.map { Field(key: key, keyPlace: keyPlace, node: $0, mistakes: mistakes) }
  }

  /// The items of a list, or the value itself as the only one.
  var oneOrMore: [Field] {
    guard case .sequence(let items) = node.content else { return [self] }
    if items.isEmpty { error("an empty list, write at least one value") }
    return items.map { Field(key: key, keyPlace: keyPlace, node: $0, mistakes: mistakes) }
  }

  /// Whether this is the bare word.
  func isWord(_ word: String) -> Bool { scalar == word }
}

/// A mapping that is being read.
struct Fields {
  let place: Place
  let key: String
  let mistakes: Mistakes
  private let entries: [YamlEntry]
  private var known: [String] = []

  init(place: Place, key: String, entries: [YamlEntry], mistakes: Mistakes) {
    self.place = place
    self.key = key
    self.entries = entries
    self.mistakes = mistakes
  }

  /// The value of a key that may be missing.
  mutating func take(_ key: String) -> Field? {
    known.append(key)
    guard let entry = entries.first(where: { $0.key == key }) else { return nil }
    return Field(key: key, keyPlace: entry.place, node: entry.value, mistakes: mistakes)
  }

  /// The value of a key that must be there.
  mutating func require(_ key: String, _ advice: String) -> Field? {
    if let field = take(key) { return field }
    mistakes.error(place, key, "missing, \(advice)")
    return nil
  }

  /// Every key with its value, in the order of the file.
  func all() -> [Field] {
    entries.map {
      Field(key: $0.key, keyPlace: $0.place, node: $0.value, mistakes: mistakes)
    }
  }

  /// Reports the keys that nobody has asked for, with the nearest right one.
  ///
  /// - Parameter explain: what to say of a key that people may well try.
  func finish(explain: (String) -> String? = { _ in nil }) {
    for entry in entries where !known.contains(entry.key) {
      let message = explain(entry.key) ?? "unknown key, write \(likely(entry.key, among: known))"
      mistakes.error(entry.place, entry.key, message)
    }
  }
}

// MARK: - Words and numbers

/// A decimal number and what follows it.
private struct Quantity {
  var thousandths: Int64
  var digits: String
  var unit: String

  /// Up to nine digits before the point and three behind it; nil for anything else.
  init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
    let whole = bytes.prefix(while: isDigit)
    bytes.removeFirst(whole.count)
    var fraction = bytes.prefix(0)
    if bytes.first == UInt8(ascii: ".") {
      bytes.removeFirst()
      fraction = bytes.prefix(while: isDigit)
      guard (1...3).contains(fraction.count) else { return nil }
      bytes.removeFirst(fraction.count)
    }
    guard (1...9).contains(whole.count) else { return nil }
    var value: Int64 = 0
    for digit in whole { value = value * 10 + Int64(digit - UInt8(ascii: "0")) }
    for place in 0..<3 {
      let digit = place < fraction.count ? fraction[fraction.startIndex + place] : UInt8(ascii: "0")
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    thousandths = isNegative ? -value : value
    digits = String(decoding: text.utf8.prefix(text.utf8.count - bytes.count), as: UTF8.self)
    if bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
    guard !bytes.contains(UInt8(ascii: " ")) else { return nil }
    unit = String(decoding: bytes, as: UTF8.self)
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

/// Whether YAML 1.2 reads a plain scalar as a whole number.
private func isInteger(_ text: String) -> Bool {
  var bytes = Array(text.utf8)[...]
  if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
  return !bytes.isEmpty && bytes.allSatisfy(isDigit)
}

/// Whether YAML 1.2 reads a plain scalar as a number, a flag or nothing.
private func isOtherThanText(_ text: String) -> Bool {
  switch text {
  case "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE": return true
  default: break
  }
  return isNumber(Array(text.utf8)[...])
}

/// Digits with an optional sign, point and exponent; infinity; not a number.
private func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
  var rest = text
  func skip(_ bytes: UInt8...) -> Bool {
    guard let first = rest.first, bytes.contains(first) else { return false }
    rest.removeFirst()
    return true
  }
  func digits() -> Int {
    let count = rest.prefix(while: isDigit).count
    rest.removeFirst(count)
    return count
  }
  _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
  switch String(decoding: rest, as: UTF8.self) {
  case ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN": return true
  default: break
  }
  let whole = digits()
  let fraction = skip(UInt8(ascii: ".")) ? digits() : 0
  guard whole + fraction > 0 else { return false }
  if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
    _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
    if digits() == 0 { return false }
  }
  return rest.isEmpty
}

/// The word that was most likely meant, or else all of them.
private func likely(_ word: String, among words: [String]) -> String {
  nearest(to: word, among: words) ?? oneOf(words)
}

/// `a`, `a or b`, `a, b or c`.
func oneOf(_ words: [String]) -> String {
  guard words.count > 1, let last = words.last else { return words.first ?? "nothing" }
  return Array(words.dropLast()).joined(separator: ", ") + " or " + last
}

/// Millibels as board files write them.
func decibels(_ millibels: Int32) -> String {
  let size = millibels.magnitude
  let sign = millibels < 0 ? "-" : ""
  guard size % 100 != 0 else { return "\(sign)\(Int(size / 100)) dB" }
  let hundredths = Int(size % 100)
  let fraction =
    hundredths % 10 == 0
    ? "\(hundredths / 10)" : hundredths < 10 ? "0\(hundredths)" : "\(hundredths)"
  return "\(sign)\(Int(size / 100)).\(fraction) dB"
}

private func duration(_ milliseconds: Int64) -> String {
  if milliseconds >= 3_600_000, milliseconds % 3_600_000 == 0 {
    return "\(milliseconds / 3_600_000) h"
  }
  if milliseconds >= 60_000, milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
  if milliseconds >= 1_000, milliseconds % 1_000 == 0 { return "\(milliseconds / 1_000) s" }
  return "\(milliseconds) ms"
}
