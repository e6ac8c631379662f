// SPDX-License-Identifier: Apache-2.0
//
// `tactus sim`: the policy on a speaker in memory, with faults, every rule checked at every tick.

import TactusCore
import TactusLinux
import TactusSim

/// Runs `sim`.
func simulate(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let first = try option("--seed", of: invocation, standard: 1, in: 0...Int(Int32.max))
  let ticks = try option("--ticks", of: invocation, standard: 200_000, in: 1...1_000_000_000)
  let runs = try option("--seeds", of: invocation, standard: 1, in: 1...1_000_000)
  let canary = invocation.has("--canary")
  if invocation.has("--measure") { return measure(Tick(ticks), output) }
  let began = MonotonicClock.now()
  var total = Statistics()
  for seed in first..<(first + runs) {
    switch Simulation.run(seed: UInt64(seed), ticks: Tick(ticks), canary: canary) {
    case .held(let statistics): total.add(statistics)
    case .violated(let violation):
      output.write(report(on: violation))
      return .checkFailed
    }
  }
  let seconds = Double(MonotonicClock.now() - began) / 1e9
  let last = first + runs - 1
  let seeds = runs == 1 ? "seed \(first)" : "seeds \(first) to \(last)"
  output.write("\(seeds): every rule held in \(total.ticks) ticks\n")
  output.write(
    "\(total.steps) steps, \(total.writes) writes,"
      + " \(Int(Double(total.ticks) / max(seconds, 1e-6))) ticks per second\n"
  )
  if runs > 1, !total.unmet.isEmpty {
    output.write("never met: \(total.unmet.map { $0.name }.joined(separator: ", "))\n")
  }
  return .success
}

/// What a tick costs when every control moves in it, bound by a microsecond, and what 32 sessions
/// cost, at most four times as much as one.
private func measure(_ ticks: Tick, _ output: StandardOutput) -> ExitCode {
  let busy = cost(of: .everything, ticks)
  output.write("busy tick: \(Int(busy.nanoseconds)) ns, \(busy.writes) writes in \(ticks) ticks\n")
  let one = cost(of: .everything(sounding: 1), ticks).nanoseconds
  let full = cost(of: .everything(sounding: Configuration.maximumSources), ticks).nanoseconds
  let tenths = Int(full / one * 10 + 0.5)
  output.write(
    "with 1 session: \(Int(one)) ns, with 32: \(Int(full)) ns, × \(tenths / 10).\(tenths % 10)\n"
  )
  return .success
}

private func cost(of configuration: Configuration, _ ticks: Tick) -> (
  nanoseconds: Double, writes: Int
) {
  var load = PolicyLoad(configuration: configuration)
  load.run(ticks: 1_000)
  let began = ProcessClock.now()
  load.run(ticks: ticks)
  return (Double(ProcessClock.now() - began) / Double(ticks), load.writeCount)
}

private func option(
  _ name: String,
  of invocation: Invocation,
  standard: Int,
  in bounds: ClosedRange<Int>
) throws(Failure) -> Int {
  guard let text = invocation.value(of: name) else { return standard }
  return try number(text, in: bounds, of: name)
}

/// What was broken, what led to it, and how to see it again.
private func report(on violation: Violation) -> String {
  var text = ""
  for record in violation.records {
    text += "tick \(record.tick)\n"
    for input in record.inputs { text += "  in   \(input.text)\n" }
    for effect in record.effects { text += "  out  \(effect.text)\n" }
  }
  return text + "\(violation.description)\nagain: \(violation.replayCommand)\n"
}
