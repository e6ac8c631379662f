// SPDX-License-Identifier: Apache-2.0
//
// Scalable vector graphics: as much of the language as a picture of a trace needs.

import TactusCore

/// A picture that is being drawn.
struct Svg {
  private var body = ""

  /// How a text stands to its place.
  enum Anchor {
    case start, middle, end

    fileprivate var name: String {
      switch self {
      case .start: "start"
      case .middle: "middle"
      case .end: "end"
      }
    }
  }

  mutating func rectangle(
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double,
    _ colour: String,
    radius: Double = 0
  ) {
    let round = radius > 0 ? " rx=\"\(fixed(radius))\"" : ""
    body += "<rect x=\"\(fixed(x))\" y=\"\(fixed(y))\" width=\"\(fixed(width))\""
    body += " height=\"\(fixed(height))\" fill=\"\(colour)\"\(round)/>\n"
  }

  mutating func line(
    _ x1: Double,
    _ y1: Double,
    _ x2: Double,
    _ y2: Double,
    _ colour: String,
    width: Double = 1
  ) {
    path("M\(fixed(x1)) \(fixed(y1))L\(fixed(x2)) \(fixed(y2))", colour, width: width)
  }

  /// A line along a path's own language.
  mutating func path(_ data: String, _ colour: String, width: Double, dashes: String = "") {
    let dashed = dashes.isEmpty ? "" : " stroke-dasharray=\"\(dashes)\""
    body += "<path d=\"\(data)\" fill=\"none\" stroke=\"\(colour)\""
    body += " stroke-width=\"\(fixed(width))\"\(dashed)/>\n"
  }

  mutating func shape(_ data: String, _ colour: String) {
    body += "<path d=\"\(data)\" fill=\"\(colour)\"/>\n"
  }

  mutating func text(
    _ text: String,
    _ x: Double,
    _ y: Double,
    size: Double = 11,
    _ colour: String = "#1c2733",
    anchor: Anchor = .start,
    isBold: Bool = false
  ) {
    let weight = isBold ? " font-weight=\"bold\"" : ""
    body += "<text x=\"\(fixed(x))\" y=\"\(fixed(y))\" font-size=\"\(fixed(size))\""
    body += " fill=\"\(colour)\" text-anchor=\"\(anchor.name)\"\(weight)>\(escaped(text))</text>\n"
  }

  /// Draws another picture over this one.
  mutating func add(_ other: Svg) { body += other.body }

  /// The whole file.
  func file(width: Double, height: Double, title: String) -> String {
    let size = "\(fixed(width))\" height=\"\(fixed(height))\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(size) viewBox="0 0 \(fixed(width)) \
      \(fixed(height))" font-family="DejaVu Sans, Verdana, Helvetica, sans-serif">
      <title>\(escaped(title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(body)</svg>

      """
  }

  /// About how wide a text is.
  static func width(of text: String, size: Double) -> Double {
    Double(text.unicodeScalars.count) * size * 0.62
  }

  /// A text that is at most so wide; what is cut off is shown by points.
  static func fitting(_ text: String, in width: Double, size: Double) -> String {
    guard Svg.width(of: text, size: size) > width else { return text }
    let count = Int(width / (size * 0.62)) - 1
    return count > 1 ? String(text.prefix(count)) + "…" : ""
  }
}

/// A number with at most one decimal.
func fixed(_ number: Double) -> String {
  guard number.isFinite, abs(number) < 1e9 else { return "0" }
  let tenths = Int((number * 10).rounded())
  let sign = tenths < 0 ? "-" : ""
  let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
  return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
}

/// A text as XML may have it.
private func escaped(_ text: String) -> String {
  var result = ""
  for character in cleaned(text).unicodeScalars {
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.unicodeScalars.append(character)
    }
  }
  return result
}
