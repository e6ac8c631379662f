// SPDX-License-Identifier: Apache-2.0
//
// Standard output as it is: a terminal of some width with colours, or a pipe.

import CTerminal
import TactusLinux

/// How text is shown where it goes.
struct Page {
  /// Whether a person looks at it.
  let isTerminal: Bool
  let hasColour: Bool
  let glyphs: Glyphs
  /// Columns; nil when nobody looks: then nothing is cut off.
  let width: Int?

  /// A pipe or a file.
  static let pipe = Page(isTerminal: false, hasColour: false, glyphs: .unicode, width: nil)

  /// Standard output now, in the user's locale; `NO_COLOR` and `TERM=dumb` are honoured.
  static func standardOutput() -> Page {
    guard terminal_is(1) else { return .pipe }
    let isDumb = (Program.environment("TERM") ?? "dumb") == "dumb"
    let columns = Int(terminal_columns_of(1))
    return Page(
      isTerminal: !isDumb,
      hasColour: !isDumb && wantsColour(),
      glyphs: terminal_locale() ? .unicode : .ascii,
      width: columns > 0 ? columns : nil
    )
  }

  /// A row as wide as the page.
  var row: Row { Row(limit: width ?? 10_000) }

  /// Rows as text.
  func text(of rows: [Row]) -> String {
    var text = ""
    for row in rows { text += (isTerminal ? row.escaped(colour: hasColour) : row.plain) + "\n" }
    return text
  }
}

/// Whether the user has not asked for no colours (no-color.org).
func wantsColour() -> Bool { (Program.environment("NO_COLOR") ?? "").isEmpty }
