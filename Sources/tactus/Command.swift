// SPDX-License-Identifier: Apache-2.0
//
// The command line: reads the words, runs the verb, ends with its code.

import TactusCore
import TactusLinux

@main
enum Command {
  static func main() {
    TrapReporter.install(program: "tactus")
    let output = Output()
    var code = ExitCode.success
    do throws(Failure) {
      code = try run(Program.arguments, output)
    } catch {
      try? output.flush()
      writeError(error.message)
      code = error.code
    }
    do throws(SystemError) {
      try output.flush()
    } catch {
      writeError("tactus: \(error.description)")
      code = .unavailable
    }
    endProgram(code)
  }

  /// Runs what the words ask for.
  /// - Returns: `success`, or `checkFailed` when a check was made and failed.
  /// - Throws: what prevented it.
  static func run(_ arguments: [String], _ output: Output) throws(Failure) -> ExitCode {
    switch try parse(arguments) {
    case .version: output.write("tactus \(tactusVersion)\n")
    case .help(let words): output.write(try help(for: words))
    case .run(let invocation): return try run(invocation, output)
    }
    return .success
  }
}
