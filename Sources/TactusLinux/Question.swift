// SPDX-License-Identifier: Apache-2.0
//
// A question to the person at the terminal.

import CTactus
import TactusCore

/// Whether somebody can be asked: standard input and standard error are a terminal.
public var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

/// Asks on standard error and reads a line of standard input.
///
/// Nothing beyond it is read: that may be for the program that is run next. At most 1,000 bytes of
/// the line count.
///
/// - Returns: The line without its end and the spaces around it; nil at the end of the input.
public func answer(to question: String) -> String? {
  try? writeAll(Array("\(question) ".utf8), to: STDERR_FILENO, called: "standard error")
  var bytes: [UInt8] = []
  var byte: UInt8 = 0
  while uninterrupted({ read(STDIN_FILENO, &byte, 1) }) == 1 {
    if byte == UInt8(ascii: "\n") { return trimmed(bytes) }
    if bytes.count < 1_000 { bytes.append(byte) }
  }
  return nil
}

private func trimmed(_ bytes: [UInt8]) -> String {
  let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
  var rest = bytes.drop(while: isSpace)
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return String(decoding: rest, as: UTF8.self)
}

/// Takes a line that waits at standard input, without waiting for one; answers whether one did.
public func takeWaitingLine() -> Bool {
  var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
  guard poll(&input, 1, 0) == 1, input.revents & Int16(POLLIN) != 0 else { return false }
  var bytes = [UInt8](repeating: 0, count: 256)
  return read(STDIN_FILENO, &bytes, bytes.count) > 0
}
