// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong between the mixer and a card, each with what a person needs to mend it.

import CTactus
import TactusCore

/// A failure of a card or of one of its controls.
public indirect enum MixerError: Error, Equatable {
  /// No card has this id; `present` are the ids of the cards that are there.
  case cardMissing(id: String, present: [String])
  /// The card was there and went away; the handle is of no further use.
  case cardVanished(id: String)
  /// The kernel refused an operation on the card itself with this `errno`.
  case cardRefused(id: String, operation: String, errno: Int32)
  /// The card has no such control; `similar` are the nearest names it has, best first.
  case controlMissing(ControlAddress, similar: [String])
  /// The control was there and was removed, while the card stayed.
  case controlVanished(ControlAddress)
  /// The control exists but is of another kind, or has more channels or values than can be held.
  case controlUnsuitable(ControlAddress, reason: String)
  /// Another process holds the control; 0 when the kernel does not say which.
  case controlLocked(ControlAddress, byProcess: Int32)
  /// The kernel or the driver refused an operation on the control with this `errno`.
  case controlRefused(ControlAddress, operation: String, errno: Int32)
}

extension MixerError: CustomStringConvertible {
  /// `object: what (value), next step`, ready to stand behind `tactus: `.
  public var description: String {
    switch self {
    case .cardMissing(let id, let present):
      let there = present.isEmpty ? "there is no card at all" : "there are " + list(present)
      return "card \(id): not found, \(there)"
    case .cardVanished(let id):
      return "card \(id): went away, waiting for it to return"
    case .cardRefused(let id, let operation, let errno):
      return "card \(id): \(operation) refused (\(reason(of: errno)))\(cardAdvice(errno))"
    case .controlMissing(let address, let similar):
      let advice = similar.isEmpty ? "the card has no control" : "nearest are " + list(similar)
      return "control \(address.description): not found, \(advice)"
    case .controlVanished(let address):
      return "control \(address.description): was removed, looking for it again"
    case .controlUnsuitable(let address, let reason):
      return "control \(address.description): cannot be used (\(reason))"
    case .controlLocked(let address, let process):
      let holder = process == 0 ? "another process" : "process \(process)"
      return "control \(address.description): locked by \(holder), stop that program"
    case .controlRefused(let address, let operation, let errno):
      return "control \(address.description): \(operation) refused (\(reason(of: errno)))"
    }
  }

  private func list(_ names: [String]) -> String {
    names.map { "‘\($0)’" }.joined(separator: ", ")
  }

  private func cardAdvice(_ errno: Int32) -> String {
    errno == EACCES ? ", join group audio" : ""
  }
}
