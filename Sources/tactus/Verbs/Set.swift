// SPDX-License-Identifier: Apache-2.0
//
// `tactus set`, `play`, `pause`, `stop`: what a person asks of the device, and how it answers.

import TactusCore
import TactusLinux

/// One call of the daemon.
struct Call: Equatable {
  let method: BusMethod
  let arguments: [BusValue]

  init(_ method: BusMethod, _ arguments: BusValue...) {
    self.method = method
    self.arguments = arguments
  }
}

/// Runs a verb that is one call; quiet when all is done as asked.
func runCall(_ invocation: Invocation) throws(Failure) -> ExitCode {
  let call = try call(for: invocation)
  let daemon = try Daemon(invocation)
  let outcome = try daemon.ask(call.method, call.arguments)
  if let remark = remark(on: outcome, of: call) {
    // A remark, not a failure: what was asked is done, as far as it may be.
    writeError("tactus: \(invocation.words): \(remark)")
  }
  return .success
}

/// The call that an invocation means.
/// - Throws: `usage` for a value that can be known to be wrong without asking.
func call(for invocation: Invocation) throws(Failure) -> Call {
  let operands = invocation.operands
  let words = invocation.words
  switch invocation.verb {
  case .setVolume: return try setting(.system, operands[0], of: words)
  case .setRinger: return try setting(.ringer, operands[0], of: words)
  case .setMute:
    let state = try choice(operands[0], of: ["on", "off", "toggle"], for: words)
    return state == "toggle" ? Call(.toggleMute) : Call(.setMute, .bool(state == "on"))
  case .setSilent: return Call(.setSilent, .bool(try isOn(operands[0], for: words)))
  case .setRoute: return Call(.setRoute, .text(operands[0]))
  case .setBalance:
    let balance = try number(operands[0], in: -100...100, of: words)
    return Call(.setBalance, .integer(Int32(balance)))
  case .play: return Call(.play, .text(operands[0]))
  case .pause: return Call(.pause, .text(operands[0]))
  case .stop: return Call(.stop, .text(operands[0]))
  case .press: return Call(.press, .text(operands[0]), .count(try hold(invocation)))
  case .turn:
    let detents = try number(operands[1], in: -100...100, of: words)
    return Call(.turn, .text(operands[0]), .integer(Int32(detents)))
  case .toggleSwitch:
    return Call(.contact, .text(operands[0]), .bool(try isOn(operands[1], for: words)))
  case .status, .watch, .why, .sound, .feedback, .metrics, .lines, .mixer, .boardCheck, .boardList,
    .boardPins,
    .boardIdentify, .boardNew, .boardCompile, .doctor, .test, .run, .bridge, .trace, .tracePlot,
    .record, .replay, .sim, .policyMatrix, .policyRun, .complete, .playSounds:
    preconditionFailure("a verb that is no call")
  }
}

private func setting(_ volume: Volume, _ text: String, of words: String) throws(Failure) -> Call {
  switch Amount(text) {
  case .level(let level): return Call(.setLevel, .text(volume.name), .number(level.fraction))
  case .gain(let gain): return Call(.setGain, .text(volume.name), .number(gain.decibels))
  case .steps(let steps): return Call(.step, .text(volume.name), .integer(Int32(steps)))
  case nil:
    throw Failure(
      .usage,
      words,
      "not an amount",
      value: text,
      next: "write 0% to 100%, -20dB, or -16 to +16 steps with their sign"
    )
  }
}

private func isOn(_ text: String, for words: String) throws(Failure) -> Bool {
  try choice(text, of: ["on", "off"], for: words) == "on"
}

/// Milliseconds; 0 lets the daemon choose a short press.
private func hold(_ invocation: Invocation) throws(Failure) -> UInt32 {
  guard let text = invocation.value(of: "--hold") else { return 0 }
  return UInt32(try number(text, in: 1...120_000, of: "--hold"))
}

/// What a person should know though the daemon did as asked; nil for nothing.
func remark(on outcome: String, of call: Call) -> String? {
  switch Reply(name: outcome) {
  case .limited: "stopped at a limit, tactus status shows it; only the device's own keys may cross"
  case .stillSilent: "done, and something else still silences, tactus status shows it"
  case .done, .held, .busy, .inBackground, .microphoneMuted, .notAllowed, .gainAboveZero,
    .notActive,
    .tooManySessions, .tooManyOfPeer, .refusedByHardwareSwitch, .noSuchRoute, .noSuchSource,
    .notOnThisDevice, nil:
    nil
  }
}
