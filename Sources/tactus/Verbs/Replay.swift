// SPDX-License-Identifier: Apache-2.0
//
// `tactus replay`: runs the policy again over a trace; the same inputs must have the same effects.

import TactusCore
import TactusLinux

/// Runs `replay`.
func replay(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let path = invocation.operands[0]
  let trace: Trace
  do throws(TraceError) {
    trace = try Trace(path: path)
  } catch {
    throw Failure(.checkFailed, saying: error.description)
  }
  switch trace.replay() {
  case .same(let ticks, let policy):
    output.write("\(path): the same effects in all \(ticks) ticks, up to tick \(policy.now)\n")
    return .success
  case .differs(let tick, let recorded, let replayed):
    output.write("\(path): differs at tick \(tick)\n")
    output.write("  recorded  \(list(recorded))\n  replayed  \(list(replayed))\n")
    return .checkFailed
  }
}

private func list(_ effects: [Effect]) -> String {
  effects.isEmpty ? "nothing" : effects.map { $0.text }.joined(separator: "; ")
}
