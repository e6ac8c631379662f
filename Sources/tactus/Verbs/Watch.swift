// SPDX-License-Identifier: Apache-2.0
//
// `tactus watch`: the device live, on the whole screen or as lines of JSON. It sleeps until the
// daemon tells of a change, or a key.

import CTerminal
import TactusCore
import TactusLinux

/// Runs `watch`.
func watch(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  if invocation.has("--json") {
    try watchAsJson(try Daemon(invocation), output)
  } else {
    try watchOnScreen(try Daemon(invocation), hands: invocation.value(of: "--hands"))
  }
  // By now the terminal is as it was.
  terminal_end_by_signal()
  return .success
}

// MARK: As JSON

/// Writes one line at each change until a signal.
private func watchAsJson(
  _ given: consuming Daemon,
  _ output: StandardOutput
) throws(Failure) {
  var daemon = given
  guard terminal_catch_signals() else {
    throw Failure(.unavailable, "watch", "no signals can be caught", next: "too many open files?")
  }
  try daemon.subscribe()
  var last = try daemon.describe()
  try writeLine(last, output)
  while terminal_wait(false, daemon.descriptor) & Int32(TERMINAL_ENDING.rawValue) == 0 {
    guard try daemon.takeNews(), let now = try daemon.describeIfThere(), now != last else {
      continue
    }
    try writeLine(now, output)
    last = now
  }
}

private func writeLine(_ text: String, _ output: StandardOutput) throws(Failure) {
  output.write(text + "\n")
  do throws(SystemError) {
    try output.flush()
  } catch {
    throw Failure(.checkFailed, saying: error.description)
  }
}

// MARK: On the screen

/// Draws the device and obeys the keys until one asks to leave, or a signal.
///
/// With `hands`, a file takes the touches in place of the daemon.
private func watchOnScreen(_ given: consuming Daemon, hands: String?) throws(Failure) {
  var daemon = given
  try daemon.subscribe()
  var device = try Device(describedBy: try daemon.describe())
  device.hasMovableContacts = device.hasMovableContacts || hands != nil
  let terminal = try Terminal.open()
  var message = ""
  // What is shown is older than what the daemon has told.
  var isStale = false
  var askedAt: UInt64 = 0
  while true {
    // Also what came with the answers to calls is taken before the sleep.
    if try daemon.takeNews() { isStale = true }
    let sinceAsked = MonotonicClock.now() - askedAt
    if isStale, sinceAsked >= Watch.pauseNanoseconds {
      if let description = try daemon.describeIfThere() {
        if message == Watch.gone { message = "" }
        device = try Device(describedBy: description)
        device.hasMovableContacts = device.hasMovableContacts || hands != nil
      } else {
        message = Watch.gone
      }
      isStale = false
      askedAt = MonotonicClock.now()
    }
    terminal.show(
      Overview(
        device: device,
        place: daemon.place,
        message: message,
        width: terminal.width,
        height: terminal.height,
        glyphs: terminal.glyphs
      ).rows
    )
    let seen =
      isStale
      ? terminal_wait_at_most(
        true,
        -1,
        Int32((Watch.pauseNanoseconds - sinceAsked) / 1_000_000 + 1)
      )
      : terminal_wait(true, daemon.descriptor)
    if seen & Int32(TERMINAL_ENDING.rawValue) != 0 { return }
    while let key = terminal.nextKey() {
      let action = key.action(on: device)
      if action == .leave { return }
      if let hands, let touch = action.touch {
        message = write(touch, to: hands)
      } else {
        message = daemon.perform(action)
      }
    }
  }
}

/// Tells the program that moves the contacts what to do.
/// - Returns: What the person should know; empty for nothing.
private func write(_ touch: String, to hands: String) -> String {
  do throws(SystemError) {
    try appendLine(touch, to: hands)
    return ""
  } catch {
    return error.description
  }
}

private enum Watch {
  /// However much happens, it is drawn so often at most: the link may be slow.
  static let pauseNanoseconds: UInt64 = 100_000_000
  static let gone = "tactusd is not running; waiting for it"
}

extension Daemon {
  /// The whole device; nil when the daemon has gone meanwhile, its bus being there.
  func describeIfThere() throws(Failure) -> String? {
    do throws(Failure) {
      return try describe()
    } catch {
      if error.code == .unavailable { return nil }
      throw error
    }
  }

  /// Does what a key asks for.
  /// - Returns: What the person should know; empty for nothing.
  func perform(_ action: KeyAction) -> String {
    if case .explain(let reason) = action { return reason }
    guard let call = action.call else { return "" }
    do throws(Failure) {
      return remark(on: try ask(call.method, call.arguments), of: call) ?? ""
    } catch {
      return error.sentence
    }
  }
}

extension KeyAction {
  /// The touch as a line for `--hands`; nil for what is none.
  var touch: String? {
    switch self {
    case .press(let control): "press \(control)"
    case .turn(let control, let detents): "turn \(control) \(detents)"
    case .move(let control, let isOn): "switch \(control) \(isOn ? "on" : "off")"
    case .step, .toggleMute, .setSilent, .choose, .play, .pause, .explain, .leave: nil
    }
  }

  /// The call that does it; nil where there is none.
  var call: Call? {
    switch self {
    case .press(let control): Call(.press, .text(control), .count(0))
    case .turn(let control, let detents): Call(.turn, .text(control), .integer(Int32(detents)))
    case .move(let control, let isOn): Call(.contact, .text(control), .bool(isOn))
    case .step(let volume, let steps): Call(.step, .text(volume), .integer(Int32(steps)))
    case .toggleMute: Call(.toggleMute)
    case .setSilent(let isOn): Call(.setSilent, .bool(isOn))
    case .choose(let route): Call(.setRoute, .text(route))
    case .play(let source): Call(.play, .text(source))
    case .pause(let source): Call(.pause, .text(source))
    case .explain, .leave: nil
    }
  }
}
