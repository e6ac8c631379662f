// SPDX-License-Identifier: Apache-2.0
//
// Text by its bytes: paths, keys, numbers, files of the kernel. The standard library's own work by
// characters, or once for each type; on a device that costs 2 KB where these cost 200 bytes.

import CTactus

extension String {
  /// Whether it begins with these bytes.
  public func hasPrefix(_ prefix: String) -> Bool { Array(utf8).starts(with: Array(prefix.utf8)) }

  /// Whether it ends with these bytes.
  public func hasSuffix(_ suffix: String) -> Bool {
    Array(utf8).suffix(suffix.utf8.count).elementsEqual(Array(suffix.utf8))
  }

  /// What follows a beginning; nil where it begins otherwise.
  public func after(_ prefix: String) -> String? {
    guard hasPrefix(prefix) else { return nil }
    return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }

  /// The parts between bytes such as `/`; empty ones are left out.
  public func split(at separator: Unicode.Scalar) -> [String] {
    var parts: [String] = []
    for part in Array(utf8).split(separator: UInt8(ascii: separator)) {
      parts.append(String(decoding: part, as: UTF8.self))
    }
    return parts
  }
}

extension Array<String> {
  /// All of them as one text.
  public func joined(separator: String) -> String {
    var text = first ?? ""
    for part in dropFirst() { text += separator + part }
    return text
  }
}

extension Array {
  /// A short list in order; what is equal keeps its order.
  func sorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
    var sorted: [Element] = []
    for element in self {
      let place = sorted.firstIndex { isBefore(element, $0) } ?? sorted.count
      sorted.insert(element, at: place)
    }
    return sorted
  }
}

/// The whole number that a text is: digits, perhaps with a sign; nil for anything else.
public func wholeNumber(_ text: String) -> Int64? {
  var digits = Array(text.utf8)[...]
  let isNegative = digits.first == UInt8(ascii: "-")
  if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
  guard !digits.isEmpty else { return nil }
  var number: Int64 = 0
  for digit in digits {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
    let value = Int64(digit - UInt8(ascii: "0"))
    let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
    let (sum, isOver) = tens.addingReportingOverflow(isNegative ? -value : value)
    guard !isTooLarge, !isOver else { return nil }
    number = sum
  }
  return number
}

/// A number in as few digits as give the same number back.
func decimal(_ number: Double) -> String { String(cString: tactus_number(number)) }
