// SPDX-License-Identifier: Apache-2.0
//
// `tactus policy run`: what would happen if. A scenario in, every change out.

import TactusCore
import TactusLinux

/// Runs `policy run`.
func playScenario(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let board = try scenarioBoard(invocation)
  let path = invocation.operands[0]
  let text: String
  do throws(SystemError) {
    text = try TactusLinux.text(of: path)
  } catch {
    throw Failure(.configuration, saying: error.description)
  }
  let loaded = readScenario(text, file: path == "-" ? "standard input" : path, board: board)
  guard let scenario = loaded.value else {
    for diagnostic in loaded.diagnostics { writeError(diagnostic.description) }
    return .configuration
  }
  let changes = rehearse(scenario, on: board)
  let timing = board.configuration.timing
  if invocation.has("--json") {
    for change in changes { output.write(json(of: change, timing).written() + "\n") }
  } else {
    output.write(lines(of: changes, timing))
  }
  return .success
}

/// The board that a scenario happens on.
private func scenarioBoard(_ invocation: Invocation) throws(Failure) -> Board {
  let wanted = invocation.value(of: "--board") ?? "simulated"
  let path = try path(ofBoard: wanted, in: boardFolders(invocation))
  let loaded = Board.load(path: path)
  guard let board = loaded.value else {
    throw Failure(.configuration, path, "cannot be used", next: "see tactus board check \(wanted)")
  }
  return board.withKeys
}

extension Board {
  /// The same with the keys that only input devices have, as far as there is room (CTL-5).
  var withKeys: Board {
    var board = self
    for role: Role in [.play, .pause, .microphoneMute] where !board.configuration.controls.isFull {
      board.controls.append(BoardControl(name: role.name, role: role, contact: .simulated))
      board.configuration.controls.append(Control(role: role, debounceTicks: 0, isKey: true))
    }
    return board
  }
}
