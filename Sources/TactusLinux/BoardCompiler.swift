// SPDX-License-Identifier: Apache-2.0
//
// How the daemon comes to its board: `tactus board compile` reads the files in a process of its
// own and writes what they say to a pipe. A mistake in them, or a fault in what reads them, stays
// there.

import CTactus
import TactusCore

/// Why there is neither a board nor a word of what is wrong with it.
public struct BoardCompilerError: Error, CustomStringConvertible {
  public let description: String
}

/// What is asked of a device's files: as `Board.load` has it.
public struct BoardRequest {
  public var board: String?
  public var settingsPath = DeviceSettings.standardPath
  public var boardFolders: [String] = []
  public var tickMilliseconds: Int32?
  public var isLenient = false

  public init() {}

  fileprivate var arguments: [String] {
    var words = ["board", "compile", "--settings", settingsPath]
    for folder in boardFolders { words += ["--boards", folder] }
    if let tickMilliseconds { words += ["--tick", "\(tickMilliseconds)"] }
    if isLenient { words.append("--lenient") }
    if let board { words += ["--", board] }
    return words
  }
}

/// A reading of the files that goes on beside everything else.
public struct BoardCompiler: ~Copyable {
  private static let sizeMaximum = 1 << 20

  private let process: ChildProcess
  private let output: Descriptor
  private var bytes: [UInt8] = []

  /// Begins to read, by the `tactus` beside this program, or else that in PATH.
  public init(_ request: BoardRequest) throws(SystemError) {
    // In variables of its own, so that a failure leaves nothing half made.
    var ends: [Int32] = [-1, -1]
    let error = tactus_pipe_open(&ends)
    let output = try Descriptor(error == 0 ? ends[0] : -error, "open", "pipe")
    let input = try Descriptor(ends[1], "open", "pipe")
    let process = try ChildProcess(
      [ChildProcess.tactus] + request.arguments,
      output: input.number
    )
    self.process = process
    self.output = output
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Reads the files, and waits for it.
  public static func compile(_ request: BoardRequest) -> Result<CompiledBoard, BoardCompilerError> {
    do throws(SystemError) {
      var compiler = try BoardCompiler(request)
      while true {
        if let outcome = compiler.take() { return outcome }
      }
    } catch {
      let advice = "install tactus beside tactusd"
      return .failure(BoardCompilerError(description: "\(error.description), \(advice)"))
    }
  }

  /// Readable when `take` has something to do.
  public var descriptor: Int32 { output.number }

  /// Takes what has come, waiting for it; the outcome once everything has.
  public mutating func take() -> Result<CompiledBoard, BoardCompilerError>? {
    var chunk = InlineArray<4096, UInt8>(repeating: 0)
    var span = chunk.mutableSpan
    let taken = span.withUnsafeMutableBytes { buffer in
      uninterrupted { read(output.number, buffer.baseAddress, buffer.count) }
    }
    for index in 0..<max(taken, 0) { bytes.append(chunk[index]) }
    if bytes.count > BoardCompiler.sizeMaximum { process.kill() } else if taken > 0 { return nil }
    return outcome(exitCode: process.takeExitCode())
  }

  private func outcome(exitCode: Int32) -> Result<CompiledBoard, BoardCompilerError> {
    do throws(BoardCodeError) {
      return .success(try CompiledBoard(encoded: bytes))
    } catch {
      let description = "tactus: \(error.description) (exit code \(exitCode))"
      return .failure(BoardCompilerError(description: description))
    }
  }
}
