// SPDX-License-Identifier: Apache-2.0
//
// A line that Tactus drives, from being asked for to being read back. One that somebody else holds,
// or whose chip goes, is told once and asked for again.

import TactusCore

/// The line of an amplifier, a trigger, a lamp or a motor.
final class DrivenLine {
  private let name: String
  private let line: BoardLine
  private var output: OutputLine?
  private var trouble: Trouble
  /// As it was read back.
  private(set) var isActive = false

  /// A line that is not asked for yet.
  init(name: String, line: BoardLine) {
    trouble = Trouble(of: name)
    self.name = name
    self.line = line
  }

  /// Whether it can be driven.
  var isHeld: Bool { output != nil }

  /// Asks for the line where it is not held, at its inactive value.
  func request(_ chips: Chips, telling messages: inout [String]) {
    guard output == nil else { return }
    do throws(LineError) {
      output = try OutputLine(
        chip: try chips.chip(labelled: line.chipLabels),
        offset: line.offset,
        polarity: line.polarity,
        initiallyActive: false,
        control: name
      )
      isActive = false
      trouble.end("line \(Int(line.offset)), found", &messages)
    } catch {
      trouble.tell(error.description, &messages)
    }
  }

  /// Drives the line and reads it back; answers whether both could be done.
  func drive(_ isActive: Bool, telling messages: inout [String]) -> Bool {
    guard output != nil else { return false }
    do throws(LineError) {
      try output?.set(active: isActive)
      self.isActive = try output?.isActive() ?? !isActive
      return true
    } catch {
      output = nil
      trouble.tell(error.description, &messages)
      return false
    }
  }
}
