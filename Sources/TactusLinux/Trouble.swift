// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with one thing of the board, told once.

import TactusCore

/// Tells each cause once, until it is over or another takes its place.
struct Trouble {
  private let name: String
  private var told = ""
  private var isMissing = false

  /// - Parameter name: Of the thing, which stands before each message.
  init(of name: String) { self.name = name }

  /// It does not work.
  mutating func tell(_ cause: String, _ messages: inout [String]) {
    guard told != cause else { return }
    told = cause
    messages.append("\(name): \(cause)")
  }

  /// It is not there, which is told once in whichever way.
  mutating func miss(_ cause: String, _ messages: inout [String]) {
    if !isMissing { tell("\(cause), waiting for it", &messages) }
    isMissing = true
  }

  /// It works: told where it did not before.
  mutating func end(_ news: String, _ messages: inout [String]) {
    if !told.isEmpty { messages.append("\(name): \(news)") }
    told = ""
    isMissing = false
  }
}
