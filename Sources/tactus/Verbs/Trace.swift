// SPDX-License-Identifier: Apache-2.0
//
// `tactus trace`: what happened, one line for each tick that did something; `tactus record`: the
// same kept in a file, for `replay` and for others to look at.

import TactusCore
import TactusLinux

/// Runs `trace`.
func showTrace(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  if invocation.has("--follow") { return try follow(invocation, output) }
  let file = try TraceFile(invocation)
  let times = TraceTimes(file.trace)
  let range = try TraceRange(invocation, of: file.trace)
  let lines = tell(file.trace, within: range, all: invocation.has("--all"))
  let writer = TraceWriter(output, isJson: invocation.has("--json"))
  for line in lines { writer.write(line, times) }
  if lines.isEmpty, !invocation.has("--json") {
    writeError("tactus: \(file.path): nothing happened in this time")
  }
  return file.tellDamage()
}

/// Runs `record`.
func recordTrace(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let target = invocation.operands[0]
  let daemon = try Daemon(invocation)
  let source = try daemon.ask(.trace)
  let trace: Trace
  do throws(TraceError) {
    trace = try copyTrace(source, to: target)
  } catch {
    throw Failure(.checkFailed, saying: error.description)
  }
  let times = TraceTimes(trace)
  let last = trace.segments[trace.segments.count - 1].lastTick
  let from = times.precise(trace.segments[0].start.now)
  output.write("\(target): from \(from) to \(times.precise(last)), see tactus trace \(target)\n")
  return .success
}

/// Where lines go.
private struct TraceWriter {
  let output: StandardOutput
  let isJson: Bool
  let page: Page

  init(_ output: StandardOutput, isJson: Bool) {
    self.output = output
    self.isJson = isJson
    page = Page.standardOutput()
  }

  func write(_ line: TraceLine, _ times: TraceTimes) {
    if isJson {
      output.write(line.json(times).written() + "\n")
    } else {
      output.write(page.text(of: [line.row(times, on: page)]))
    }
  }

  func flush() throws(Failure) {
    do throws(SystemError) {
      try output.flush()
    } catch {
      throw Failure(.checkFailed, saying: error.description)
    }
  }
}

// MARK: Following

/// How long the ring is left alone while the daemon tells nothing: what it need not tell, such as a
/// glitch, is in the ring alone.
private let pauseMilliseconds: UInt64 = 250

/// Writes what happens until it is ended.
private func follow(
  _ invocation: Invocation,
  _ output: StandardOutput
) throws(Failure) -> ExitCode {
  guard invocation.operands.isEmpty else {
    throw Failure(.usage, "trace", "--follow reads the daemon's own trace", next: "leave FILE away")
  }
  var daemon = try Daemon(invocation)
  let path = try daemon.ask(.trace)
  try daemon.subscribe()
  let writer = TraceWriter(output, isJson: invocation.has("--json"))
  let all = invocation.has("--all")
  var trace = try TraceFile(path: path).trace
  var player = TracePlayer(trace)
  while player.next() != nil {}
  var teller = TraceTeller(player.policy, player.names, tellsAll: all)
  while true {
    try daemon.waitForNews(atMost: pauseMilliseconds)
    guard let now = try? TraceFile(path: path).trace else { continue }
    if !player.goOn(with: now) {
      // The ring is another daemon's, or it has gone round meanwhile.
      writeError("tactus: trace: begins anew")
      player = TracePlayer(now)
      teller = TraceTeller(player.policy, player.names, tellsAll: all)
    }
    trace = now
    let times = TraceTimes(trace)
    while let step = player.next() {
      let line = teller.tell(step.moment(player))
      if !line.isEmpty { writer.write(line, times) }
    }
    for change in teller.rest(at: trace.clock.tick(at: MonotonicClock.now())) {
      var line = TraceLine(tick: change.tick)
      line.changes = [change]
      writer.write(line, times)
    }
    try writer.flush()
  }
}
