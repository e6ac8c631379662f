// SPDX-License-Identifier: Apache-2.0
//
// What the doctor says.
//
//   area     a part of the device, with a file of checks of its own
//   finding  one thing that was looked at: good, worth knowing, or broken, and what to do about it

import TactusCore

/// A part of the device, in the order of the report.
enum Area: CaseIterable {
  case machine, daemon, silence, board, lines, sound, players, state

  var title: String {
    switch self {
    case .machine: "Machine"
    case .daemon: "Daemon"
    case .silence: "What keeps it quiet"
    case .board: "Board"
    case .lines: "Buttons, switches, lines"
    case .sound: "Sound"
    case .players: "Players"
    case .state: "What is kept"
    }
  }

  /// In JSON.
  var name: String {
    switch self {
    case .machine: "machine"
    case .daemon: "daemon"
    case .silence: "silence"
    case .board: "board"
    case .lines: "lines"
    case .sound: "sound"
    case .players: "players"
    case .state: "state"
    }
  }
}

/// One thing that was looked at.
struct Finding: Equatable {
  enum Verdict: Equatable {
    /// As it should be.
    case ok
    /// The device works, but not as a person would expect; or it could not be looked at.
    case warn
    /// Broken.
    case fail

    var name: String {
      switch self {
      case .ok: "ok"
      case .warn: "warn"
      case .fail: "fail"
      }
    }
  }

  let verdict: Verdict
  /// What was looked at: a control, a card, a file.
  let object: String
  /// What there is, and what that means.
  let meaning: String
  /// What to do; empty where nothing is to be done.
  let advice: String
}

/// The findings of one area.
struct Findings {
  let area: Area
  private(set) var list: [Finding] = []

  init(_ area: Area) { self.area = area }

  mutating func ok(_ object: String, _ meaning: String) {
    list.append(Finding(verdict: .ok, object: object, meaning: meaning, advice: ""))
  }

  mutating func warn(_ object: String, _ meaning: String, _ advice: String) {
    list.append(Finding(verdict: .warn, object: object, meaning: meaning, advice: advice))
  }

  mutating func fail(_ object: String, _ meaning: String, _ advice: String) {
    list.append(Finding(verdict: .fail, object: object, meaning: meaning, advice: advice))
  }

  func count(_ verdict: Finding.Verdict) -> Int { list.count { $0.verdict == verdict } }
}
