// SPDX-License-Identifier: Apache-2.0
//
// Text for people and pipes, by write(2): Embedded Swift's print is unbuffered, byte by byte.

import CTactus
import TactusCore

/// Standard output: collects text and writes it in few pieces.
///
/// The first failure is kept and shown by `flush`; what comes after it goes nowhere.
public final class Output {
  private static let sizeToWriteAt = 8192

  private let descriptor: Int32
  private var waiting: [UInt8] = []
  private var failure: SystemError?

  /// Standard output.
  public convenience init() { self.init(descriptor: STDOUT_FILENO) }

  /// Writes to a descriptor that somebody else closes.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    waiting.reserveCapacity(Self.sizeToWriteAt)
  }

  deinit { pass() }

  /// Adds text; a line ends where the text says so.
  public func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
    if waiting.count >= Self.sizeToWriteAt { pass() }
  }

  /// Adds what is not text.
  public func write(_ bytes: [UInt8]) {
    waiting += bytes
    if waiting.count >= Self.sizeToWriteAt { pass() }
  }

  /// Writes what waits, and tells whether everything so far has arrived.
  ///
  /// - Throws: the first failure, such as ENOSPC or EPIPE.
  public func flush() throws(SystemError) {
    pass()
    if let failure { throw failure }
  }

  private func pass() {
    if failure == nil {
      do throws(SystemError) {
        try writeAll(waiting, to: descriptor, called: "standard output")
      } catch {
        failure = error
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }
}

/// Writes a line to standard error at once; there is nobody to tell when that fails.
public func writeError(_ line: String) {
  try? writeAll(Array("\(line)\n".utf8), to: STDERR_FILENO, called: "standard error")
}

/// Writes every byte, however many calls that takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, called object: String) throws(SystemError) {
  var written = 0
  while written < bytes.count {
    let count = bytes.withUnsafeBytes { buffer in
      uninterrupted { write(descriptor, buffer.baseAddress! + written, buffer.count - written) }
    }
    if count < 0 { throw SystemError("write", object) }
    written += count
  }
}
