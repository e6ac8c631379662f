// SPDX-License-Identifier: Apache-2.0
//
// The terminal as a whole screen, by ncurses: only what differs from the last time is sent.

import CTerminal

/// Owns the screen, and gives it back.
struct Terminal: ~Copyable {
  let glyphs: Glyphs

  /// Takes the screen.
  /// - Throws: `usage` when standard input and output are no terminal that can do it.
  init() throws(Failure) {
    guard terminal_is(0), terminal_is(1) else {
      throw Failure(.usage, "watch", "needs a terminal", next: "or write tactus watch --json")
    }
    glyphs = terminal_locale() ? .unicode : .ascii
    guard terminal_open(wantsColour()) else {
      throw Failure(
        .usage,
        "watch",
        "this terminal has no full screen",
        value: "TERM",
        next: "set TERM to what it is, or write tactus watch --json"
      )
    }
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
        terminal_write(Int32(index), Int32(column), span.text, Int32(span.style.rawValue))
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
      case Int32(bitPattern: TERMINAL_UP.rawValue): return .up
      default: break
      }
      if let key = Key(character: character) { return key }
    }
  }
}
