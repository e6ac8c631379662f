// SPDX-License-Identifier: Apache-2.0
//
// Which events the journal tells, and how. Their words are `DeviceEvent`'s.

import TactusCore
import TactusLinux

/// The journal's view of effects.
struct Announcer {
  /// Whether the journal says it.
  ///
  /// Not what a person felt, nor what the hardware's own message has told with its cause, nor what
  /// was said within the last ten minutes (FBK-6). But a change of state is said each time (RTE-8).
  func isForJournal(_ effect: Effect) -> Bool {
    switch effect {
    case .feedback, .playSound, .notice(.lineLost, _, _), .notice(.outputLost, _, _): false
    case .notice(.lineBack, _, _), .notice(.outputBack, _, _), .notice(.writeFault, _, _),
      .notice(.notSilent, _, _), .notice(.writeRecovered, _, _):
      true
    case .notice(_, _, let count): count == 1
    default: true
    }
  }

  /// The journal's line of an event.
  func sentence(_ event: DeviceEvent) -> String {
    event.object.isEmpty
      ? "\(event.kind): \(event.text)" : "\(event.object): \(event.kind), \(event.text)"
  }

  func priority(_ effect: Effect) -> Journal.Priority {
    guard case .notice(let notice, _, _) = effect else { return .info }
    switch notice {
    case .notSilent, .writeFault: return .error
    case .stuck, .noisy, .lineLost, .outputLost, .foreignMixer, .detectStuck, .detectIdle:
      return .warning
    case .limitRearmed: return .notice
    case .lineBack, .outputBack, .writeRecovered: return .info
    }
  }
}
