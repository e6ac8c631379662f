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
    let compiled = compile(options, journal)
    guard let board = compiled.board else { Program.end(configuration) }
    do throws(RuntimeLockError) {
      let lock = try RuntimeLock(folder: options.runtimeFolder)
      run(options, board, compiled.hardware, journal)
      _ = consume lock
    } catch {
      journal.log(.error, error.description)
    }
    Program.end(failed)
  }

  /// Board and settings; every mistake is told, and with any there is no board unless `--lenient`
  /// is given.
  private static func compile(_ options: Options, _ journal: Journal) -> CompiledBoard {
    switch BoardCompiler.compile(options.files) {
    case .success(let compiled):
      journal.log(compiled.messages)
      return compiled
    case .failure(let error):
      journal.log(.error, error.description)
      Program.end(failed)
    }
  }

  private static func run(
    _ options: Options,
    _ board: Board,
    _ fingerprint: UInt64,
    _ journal: Journal
  ) {
    do throws(SystemError) {
      let daemon = try Daemon(options, board: board, fingerprint: fingerprint, journal: journal)
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

extension Journal {
  /// Tells everything that is wrong with the files.
  func log(_ messages: [CompiledBoard.Message]) {
    for message in messages { log(message.isError ? .error : .warning, message.text) }
  }
}

extension Options {
  /// What the policy is told of a board.
  ///
  /// On real cards a source that tells nothing counts as playing while the card's PCM is open, and
  /// not before.
  func configuration(of board: Board) -> Configuration {
    var configuration = board.configuration
    if !isSimulated {
      for index in configuration.sources.indices {
        configuration.sources[index].playsAtStart = false
      }
    }
    return configuration
  }
}

extension Board {
  func deviceNames(isSimulated: Bool) -> DeviceNames {
    var names = DeviceNames(
      board: name,
      isSimulated: isSimulated,
      controls: controls.map { $0.name },
      outputs: outputs.map { $0.name },
      sources: sources.map { $0.name }
    )
    names.sounds = sounds.map { $0.name }
    return names
  }
}
