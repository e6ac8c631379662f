// SPDX-License-Identifier: Apache-2.0
//
// How the program ends, and the one form of its messages:
//
//   tactus: OBJECT: WHAT (VALUE), BOUND OR NEXT STEP

import TactusCore
import TactusLinux

/// The exit codes, those of sysexits.h where it has one.
enum ExitCode: Int32 {
  case success = 0
  /// A check failed: `doctor`, `board check`, `replay`, `sim`.
  case checkFailed = 1
  /// The command line is wrong.
  case usage = 64
  /// The daemon cannot be reached, or it refuses.
  case unavailable = 69
  /// A board or settings file is wrong.
  case configuration = 78
  /// `run` itself failed, before its program began.
  case cannotRun = 125
}

/// Why a verb could not do its work, as one sentence for a person.
struct Failure: Error, Equatable {
  let code: ExitCode
  /// All of the message but the program's name.
  let sentence: String

  /// A sentence that says all: `OBJECT: WHAT (VALUE), BOUND OR NEXT STEP`.
  init(_ code: ExitCode, saying sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// A sentence from its parts.
  /// - Parameters:
  ///   - code: How the program ends.
  ///   - object: What it is about: a verb, an option, a file, a line.
  ///   - what: What is wrong with it.
  ///   - value: The value that is wrong, where there is one.
  ///   - next: The bound that it breaks, or what to do; empty when there is nothing to add.
  init(
    _ code: ExitCode,
    _ object: String,
    _ what: String,
    value: String? = nil,
    next: String = ""
  ) {
    var sentence = "\(object): \(what)"
    if let value { sentence += " (\(value))" }
    if !next.isEmpty { sentence += ", \(next)" }
    self.init(code, saying: sentence)
  }

  /// The line for standard error, without its end.
  var message: String { "tactus: \(cleaned(sentence))" }
}

/// The advice for a wrong word: the nearest right one, or else where to look.
func advice(for word: String, among known: [String], otherwise: String) -> String {
  guard let near = nearest(to: word, among: known) else { return otherwise }
  return "did you mean \(near)?"
}

/// A text without control characters: names come from elsewhere, and a terminal obeys them.
func cleaned(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    result.unicodeScalars.append(isControl ? "?" : scalar)
  }
  return result
}
