// SPDX-License-Identifier: Apache-2.0
//
// The program: arguments, configuration, and the daemon until its end.

import TactusCore
import TactusLinux

@main
enum Main {
  /// Exit codes: a check failed, wrong usage, wrong configuration.
  private static let failed: Int32 = 1
  private static let usage: Int32 = 64
  private static let configuration: Int32 = 78

  static func main() {
    TrapReporter.install(program: "tactusd")
    switch Options.parse(Program.arguments) {
    case .help: write(Options.help)
    case .version: write("tactusd \(tactusVersion)\n")
    case .mistake(let text):
      writeError("tactusd: \(text)")
      Program.end(usage)
    case .run(let options): run(options)
    }
  }

  private static func run(_ options: Options) {
    let journal = Journal(program: "tactusd")
    guard let board = options.loadBoard(journal) else { Program.end(configuration) }
    do throws(RuntimeLockError) {
      let lock = try RuntimeLock(folder: options.runtimeFolder)
      run(options, board, journal)
      _ = consume lock
    } catch {
      journal.log(.error, error.description)
    }
    Program.end(failed)
  }

  private static func run(_ options: Options, _ board: Board, _ journal: Journal) {
    do throws(SystemError) {
      var daemon = try Daemon(options, board: board, journal: journal)
      Program.end(try daemon.run())
    } catch {
      journal.log(.error, error.description)
    }
  }

  private static func write(_ text: String) {
    let output = Output()
    output.write(text)
    try? output.flush()
  }
}

extension Options {
  /// Loads board and settings; every mistake is told, and with any there is no board unless
  /// `--lenient` is given.
  func loadBoard(_ journal: Journal) -> Board? {
    let loaded = Board.load(
      board: board,
      settingsPath: settingsPath,
      folders: BoardFolders(named: boardFolders),
      tickMicroseconds: tickMilliseconds.map { $0 * 1_000 },
      lenient: isLenient
    )
    for diagnostic in loaded.diagnostics {
      journal.log(diagnostic.severity == .error ? .error : .warning, diagnostic.description)
    }
    return loaded.value
  }
}

extension Board {
  /// On real cards a source that tells nothing counts as playing while the card's PCM is open, and
  /// not before.
  mutating func followStreams() {
    for index in configuration.sources.indices { configuration.sources[index].playsAtStart = false }
  }

  func deviceNames(isSimulated: Bool) -> DeviceNames {
    DeviceNames(
      board: name,
      isSimulated: isSimulated,
      controls: controls.map { $0.name },
      outputs: outputs.map { $0.name },
      sources: sources.map { $0.name }
    )
  }

  /// Whether a running daemon can take this board without letting go of anything.
  func hasSameHardware(as other: Board) -> Bool {
    guard
      controls == other.controls && outputs == other.outputs && sources == other.sources
        && signals == other.signals && fixed == other.fixed
        && inputDevices == other.inputDevices && capture == other.capture
    else { return false }
    return configuration.timing.tickMicroseconds == other.configuration.timing.tickMicroseconds
  }
}
