// SPDX-License-Identifier: Apache-2.0
//
// The command line: reads the words, runs the verb, ends with its code.

import CTerminal
import TactusCore
import TactusLinux

@main
enum Command {
  static func main() {
    TrapReporter.install(program: "tactus")
    let output = StandardOutput()
    var code = ExitCode.success
    do throws(Failure) {
      code = try run(Program.arguments, output)
    } catch {
      code = error.code
      try? output.flush()
      writeError(error.message)
    }
    do throws(SystemError) {
      try output.flush()
    } catch {
      writeError("tactus: \(error.description)")
      code = .checkFailed
    }
    exit(code.rawValue)
  }

  /// Runs what the words ask for.
  /// - Returns: `success`, or `checkFailed` when a check was made and failed.
  /// - Throws: What prevented it.
  static func run(_ words: [String], _ output: StandardOutput) throws(Failure) -> ExitCode {
    switch try parse(words) {
    case .version: output.write("tactus \(tactusVersion)\n")
    case .help(let words): output.write(try help(for: words))
    case .run(let invocation): return try run(invocation, output)
    }
    return .success
  }

  private static func run(
    _ invocation: Invocation,
    _ output: StandardOutput
  ) throws(Failure) -> ExitCode {
    switch invocation.verb {
    case .status: return try showStatus(invocation, output)
    case .why: return try explain(invocation, output)
    case .watch: return try watch(invocation, output)
    case .setVolume, .setRinger, .setMute, .setSilent, .setRoute, .setBalance,
      .play, .pause, .stop, .press, .turn, .toggleSwitch:
      return try runCall(invocation)
    case .sound: return try playSound(invocation, output)
    case .feedback: return try playFeedback(invocation, output)
    case .metrics: return try showMetrics(invocation, output)
    case .lines: return try listLines(invocation, output)
    case .mixer: return try listControls(invocation, output)
    case .boardCheck: return try checkBoard(invocation, output)
    case .boardList: return try listBoards(invocation, output)
    case .boardPins: return try drawPins(invocation, output)
    case .boardIdentify: return try identifyBoard(invocation, output)
    case .boardNew: return try newBoard(invocation, output)
    case .boardCompile: return try compileBoard(invocation, output)
    case .doctor: return try examine(invocation, output)
    case .test: return try testDevice(invocation, output)
    case .run: return try runProgram(invocation)
    case .bridge: return try bridge(invocation)
    case .trace: return try showTrace(invocation, output)
    case .tracePlot: return try plotTrace(invocation, output)
    case .record: return try recordTrace(invocation, output)
    case .replay: return try replay(invocation, output)
    case .sim: return try simulate(invocation, output)
    case .complete: return try complete(invocation, output)
    case .playSounds: return try playSounds(invocation)
    case .policyMatrix: return showMatrix(invocation, output)
    case .policyRun: return try playScenario(invocation, output)
    }
  }
}
