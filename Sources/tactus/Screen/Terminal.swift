// SPDX-License-Identifier: Apache-2.0
//
// The terminal as a whole screen, by ncurses: only what differs from the last time is sent.

import CTerminal
import TactusLinux

/// Owns the screen, and gives it back.
struct Terminal: ~Copyable {
  let glyphs: Glyphs

  private init(glyphs: Glyphs) { self.glyphs = glyphs }

  /// Takes the screen.
  /// - Throws: `usage` when standard input and output are no terminal that can do it.
  static func open() throws(Failure) -> Terminal {
    guard terminal_is(0), terminal_is(1) else {
      throw Failure(.usage, "watch", "needs a terminal", next: "or write tactus watch --json")
    }
    let isUnicode = terminal_locale()
    guard terminal_open(wantsColour()) else {
      throw Failure(
        .usage,
        "watch",
        "this terminal has no full screen",
        value: Program.environment("TERM") ?? "no TERM",
        next: "set TERM to what it is, or write tactus watch --json"
      )
    }
    return Terminal(glyphs: isUnicode ? .unicode : .ascii)
  }

  deinit { terminal_close() }

  var width: Int { Int(terminal_columns()) }
  var height: Int { Int(terminal_rows()) }

  /// Shows rows from the top on.
  func show(_ rows: [Row]) {
    terminal_erase()
    for (index, row) in rows.enumerated() {
      var column = 0
      for span in row.spans {
        terminal_write(
          Int32(index),
          Int32(column),
          span.text,
          Int32(bitPattern: span.style.rawValue)
        )
        column += columns(of: span.text)
      }
    }
    terminal_show()
  }

  /// The next key that has a meaning; nil when none waits.
  func nextKey() -> Key? {
    while true {
      let character = terminal_next_key()
      switch character {
      case TERMINAL_NO_KEY.rawValue: return nil
      case TERMINAL_UP.rawValue: return .up
      default: break
      }
      if let key = Key(character: character) { return key }
    }
  }
}
