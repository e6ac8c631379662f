// SPDX-License-Identifier: Apache-2.0
//
// A trap in the field gives file and line: the shipped programs, stripped as they are, say where
// they were, and deploy/symbolize reads it beside their .debug files.

import CTactus

/// Reports what ends the process by a signal: a trap of Swift, a bad access, a watchdog's abort.
public enum TrapReporter {
  /// Makes such signals write where the program was to standard error, before they end it.
  ///
  /// - Parameters:
  ///   - program: The name that opens each line.
  ///   - finally: What is still to be saved, after the report. It runs in a signal handler on a
  ///     stack of 64 KB: it must not allocate, lock or wait.
  /// - Returns: 0 or the errno of what the kernel refused; the program can go on without.
  @discardableResult
  public static func install(
    program: StaticString,
    finally: (@convention(c) () -> Void)? = nil
  ) -> Int32 {
    program.withUTF8Buffer { name in
      // A static string outlives every signal.
      name.withMemoryRebound(to: CChar.self) { -tactus_report_traps($0.baseAddress, finally) }
    }
  }
}
