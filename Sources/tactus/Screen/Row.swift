// SPDX-License-Identifier: Apache-2.0
//
// Text with styles, before it is known where it will be shown.
//
//   span  characters of one style
//   row   spans side by side, at most as wide as it may be
//
// The same rows go to the full screen, to a terminal as escape sequences, and to a pipe as plain
// text, so that what tests see is what people see.

import CTerminal
import TactusCore

/// How characters look; the bits of CTerminal.
struct Style: OptionSet, Sendable {
  let rawValue: UInt32

  static let red = Style(rawValue: TERMINAL_RED.rawValue)
  static let green = Style(rawValue: TERMINAL_GREEN.rawValue)
  static let yellow = Style(rawValue: TERMINAL_YELLOW.rawValue)
  static let cyan = Style(rawValue: TERMINAL_CYAN.rawValue)
  static let bold = Style(rawValue: TERMINAL_BOLD.rawValue)
  static let dim = Style(rawValue: TERMINAL_DIM.rawValue)
  static let reverse = Style(rawValue: TERMINAL_REVERSE.rawValue)

  /// The colour as a number of the escape sequences; nil for the terminal's own.
  fileprivate var colourCode: Int? {
    switch rawValue & TERMINAL_COLOURS.rawValue {
    case TERMINAL_RED.rawValue: 31
    case TERMINAL_GREEN.rawValue: 32
    case TERMINAL_YELLOW.rawValue: 33
    case TERMINAL_CYAN.rawValue: 36
    default: nil
    }
  }
}

/// Characters of one style.
struct Span {
  let text: String
  let style: Style
}

/// One line of a screen.
struct Row {
  /// How many columns it may fill.
  let limit: Int
  private(set) var spans: [Span] = []
  /// How many columns it fills.
  private(set) var width = 0

  init(limit: Int) { self.limit = limit }

  /// Adds characters; what does not fit is cut off.
  mutating func add(_ text: String, _ style: Style = []) {
    let room = limit - width
    guard room > 0 else { return }
    let fitting = cleaned(columns(of: text) <= room ? text : String(text.prefix(room)))
    guard !fitting.isEmpty else { return }
    spans.append(Span(text: fitting, style: style))
    width += columns(of: fitting)
  }

  /// Adds spaces up to a column.
  mutating func fill(to column: Int) {
    guard column > width else { return }
    add(String(repeating: " ", count: column - width))
  }

  /// Adds characters that end at the right edge, when they fit with a space before them.
  mutating func addAtEnd(_ text: String, _ style: Style = []) {
    let start = limit - columns(of: text)
    guard start > width else { return }
    fill(to: start)
    add(text, style)
  }

  /// The characters alone.
  var plain: String {
    var text = ""
    for span in spans { text += span.text }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// With the escape sequences of every terminal of today; without `colour`, attributes only.
  func escaped(colour: Bool) -> String {
    var text = ""
    for span in spans {
      var codes: [Int] = []
      if span.style.contains(.bold) { codes.append(1) }
      if span.style.contains(.dim) { codes.append(2) }
      if span.style.contains(.reverse) { codes.append(7) }
      if colour, let code = span.style.colourCode { codes.append(code) }
      if codes.isEmpty {
        text += span.text
      } else {
        text += "\u{1b}[\(codes.map { "\($0)" }.joined(separator: ";"))m\(span.text)\u{1b}[0m"
      }
    }
    return text
  }
}

/// The signs that are drawn; two sets, for what the terminal's locale can show.
struct Glyphs: Sendable {
  let full: String
  let half: String
  let empty: String
  let beyond: String
  let on: String
  let off: String
  let rule: String
  let mark: String
  let dot: String
  let minus: String
  let arrow: String
  let cut: String
  let up: String
  let down: String
  /// Before what to do.
  let next: String
  /// The halves of a big letter's pixels: none, upper, lower, both.
  let pixels: [String]

  static let unicode = Glyphs(
    full: "█",
    half: "▌",
    empty: "░",
    beyond: "·",
    on: "●",
    off: "○",
    rule: "─",
    mark: "▲",
    dot: "·",
    minus: "−",
    arrow: "→",
    cut: "…",
    up: "↑",
    down: "↓",
    next: "→",
    pixels: [" ", "▀", "▄", "█"]
  )
  static let ascii = Glyphs(
    full: "#",
    half: "=",
    empty: "-",
    beyond: ".",
    on: "*",
    off: "o",
    rule: "-",
    mark: "^",
    dot: "-",
    minus: "-",
    arrow: "->",
    cut: "~",
    up: "up",
    down: "down",
    next: "->",
    pixels: []
  )
}

/// A text that fills at most so many columns; a sign stands for what is cut off.
func shortened(_ text: String, to width: Int, _ glyphs: Glyphs) -> String {
  guard columns(of: text) > width, width > 1 else { return text }
  return String(text.prefix(width - 1)) + glyphs.cut
}

/// A name likewise; it is cut in its middle, since what tells names apart is often at the end.
func shortenedName(_ name: String, to width: Int, _ glyphs: Glyphs) -> String {
  guard columns(of: name) > width, width > 8 else { return shortened(name, to: width, glyphs) }
  return String(name.prefix(width - 5)) + glyphs.cut + String(name.suffix(4))
}

/// The columns that a text fills, one for each character.
func columns(of text: String) -> Int { text.count }
