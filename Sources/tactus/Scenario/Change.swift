// SPDX-License-Identifier: Apache-2.0
//
// One thing that changed in a scenario, as a line for people and as a line of JSON.

import TactusCore
import TactusLinux

/// A change, with the rule that decided it.
struct Change {
  /// What changed; the names are part of the JSON.
  enum Kind: CaseIterable, Named {
    case opened, closed, kind, state, interruptionBegan, interruptionEnded, holders, silence, duck
    case heard, hint, command, pauseSent, resumeSent, answer
    case route, volume, ringer, mute, silentSwitch, microphone, capture, limit, feedback, notice

    var name: String {
      switch self {
      case .opened: "opened"
      case .closed: "closed"
      case .kind: "kind"
      case .state: "state"
      case .interruptionBegan: "interruption-began"
      case .interruptionEnded: "interruption-ended"
      case .holders: "holders"
      case .silence: "silence"
      case .duck: "duck"
      case .heard: "heard"
      case .hint: "hint"
      case .command: "command"
      case .pauseSent: "pause-sent"
      case .resumeSent: "resume-sent"
      case .answer: "answer"
      case .route: "route"
      case .volume: "volume"
      case .ringer: "ringer"
      case .mute: "mute"
      case .silentSwitch: "silent-switch"
      case .microphone: "microphone"
      case .capture: "capture"
      case .limit: "limit"
      case .feedback: "feedback"
      case .notice: "notice"
      }
    }

    /// Whether gains may move because of it.
    var movesGains: Bool {
      switch self {
      case .kind, .state, .interruptionBegan, .interruptionEnded, .silence, .duck, .route, .volume,
        .ringer:
        true
      case .opened, .closed, .holders, .heard, .hint, .command, .pauseSent, .resumeSent, .answer,
        .mute, .silentSwitch, .microphone, .capture, .limit, .feedback, .notice:
        false
      }
    }
  }

  /// Ticks since the scenario began.
  let tick: Tick
  /// A session's name, or `device`.
  let object: String
  let kind: Kind
  /// For people.
  let text: String
  /// The id of the rule, such as `SES-2`.
  let rule: String
  /// For programs.
  let members: [Json.Member]
}

/// All changes, one a line: time in ms, who, what, rule.
func lines(of changes: [Change], _ timing: Timing) -> String {
  let objectWidth = changes.map { columns(of: $0.object) }.max() ?? 0
  let textWidth = min(changes.map { columns(of: $0.text) }.max() ?? 0, 54)
  var text = ""
  for change in changes {
    let time = "\(Int(timing.milliseconds(change.tick)))"
    var line = String(repeating: " ", count: max(7 - time.utf8.count, 0)) + time + " ms  "
    line += padded(change.object, to: objectWidth) + "  "
    line += padded(change.text, to: textWidth) + "  " + change.rule
    text += line + "\n"
  }
  return text
}

/// A change as JSON: `time` in ms, `object`, `change`, what belongs to it, `rule`.
func json(of change: Change, _ timing: Timing) -> Json {
  .object(
    [
      Json.Member("time", .integer(timing.milliseconds(change.tick))),
      Json.Member("object", .text(change.object)),
      Json.Member("change", .text(change.kind.name)),
    ] + change.members + [Json.Member("rule", .text(change.rule))]
  )
}

extension Timing {
  /// Whole milliseconds of so many ticks.
  func milliseconds(_ ticks: Tick) -> Int64 { ticks * Int64(tickMicroseconds) / 1_000 }
}
