// SPDX-License-Identifier: Apache-2.0
//
// `tactus sound` and `tactus feedback`: let the device answer, as it answers a hand.

import TactusCore
import TactusLinux

/// Runs `sound`: plays one, or lists them.
func playSound(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let daemon = try Daemon(invocation)
  guard let name = invocation.operands.first else {
    let names = try Device(describedBy: try daemon.describe()).sounds
    if names.isEmpty {
      throw Failure(
        .checkFailed,
        "sound",
        "this device has none of its own",
        next: "write role: sounds below signals of its board file"
      )
    }
    for name in names { output.write("\(name)\n") }
    return .success
  }
  let outcome = try daemon.ask(.playSystemSound, [.text(name)])
  try check(outcome, name, for: "sound", daemon)
  return .success
}

/// Runs `feedback`: plays a type, or lists the seven.
func playFeedback(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  guard let word = invocation.operands.first else {
    for feedback in Feedback.allCases {
      output.write("\(padded(feedback.name, to: 10)) \(feedback.meaning)\n")
    }
    return .success
  }
  let name = try choice(word, of: Feedback.allCases.map { $0.name }, for: "feedback")
  let daemon = try Daemon(invocation)
  try check(try daemon.ask(.playFeedback, [.text(name)]), name, for: "feedback", daemon)
  return .success
}

/// Says why nothing was heard or felt.
private func check(
  _ outcome: String,
  _ name: String,
  for verb: String,
  _ daemon: borrowing Daemon
) throws(Failure) {
  guard Reply(name: outcome) == .stillSilent else { return }
  let device = try Device(describedBy: try daemon.describe())
  let channels = verb == "sound" ? ["sound"] : FeedbackChannels.all.names
  let next = device.obstacles(on: channels).joined(separator: ", ")
  throw Failure(.checkFailed, verb, "not played", value: name, next: next)
}

extension Device {
  /// Why nothing is heard or felt on these channels now, as a person sees it (FBK-4).
  fileprivate func obstacles(on wanted: [String]) -> [String] {
    var found = reasons.map { phrase(for: $0) }
    let switched = SilenceReason.silentSwitch.phrase
    if isSilentSwitchOn, !found.contains(switched) { found.append(switched) }
    if ringer == .zero { found.append("ringer volume is at zero") }
    let off = channels.filter { $0.percent == 0 && wanted.contains($0.name) }
    found += off.map { "feedback by \($0.name) is off" }
    let inputs = [Category.record.name, Category.playAndRecord.name]
    let recording = sources.filter { $0.isActive && inputs.contains($0.category) }
    found += recording.map { "\($0.name) records" }
    return found.isEmpty ? ["see tactus status"] : found
  }
}

extension Feedback {
  /// What it means to a person; fixed (FBK-2).
  fileprivate var meaning: String {
    switch self {
    case .success: "it is done"
    case .warning: "it is done as far as is good for you: a limit"
    case .failure: "it is not done, or something is wrong"
    case .light: "it has met its end, gently"
    case .medium: "it has moved to another state"
    case .heavy: "it has moved with weight; for sessions, none of the device's own"
    case .selection: "one step further, as volume moves"
    }
  }
}
