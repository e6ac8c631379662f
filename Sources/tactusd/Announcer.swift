// SPDX-License-Identifier: Apache-2.0
//
// Which events the journal tells, and how. Their words are `DeviceEvent`'s.

import TactusCore
import TactusLinux

/// The journal's view of effects.
struct Announcer {
  /// Whether the journal says it: not what a person felt, nor what the hardware's own message has
  /// told with its cause.
  func isForJournal(_ effect: Effect) -> Bool {
    switch effect {
    case .feedback, .notice(.lineLost, _, _), .notice(.outputLost, _, _): false
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
    case .lineBack, .outputBack, .writeRecovered, .limitRearmed: return .notice
    }
  }
}
