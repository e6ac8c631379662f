// SPDX-License-Identifier: Apache-2.0
//
// What a daemon tells systemd: that it is ready, that it lives, and its log.
// Without systemd the first two go nowhere, and the log goes to standard error.

import CTactus
import TactusCore

/// This process as a service of systemd (Type=notify-reload).
public enum Service {
  /// Everything works; players may come.
  public static func ready(status: String) { notify("READY=1\nSTATUS=\(status)") }

  /// One line for `systemctl status`.
  public static func report(status: String) { notify("STATUS=\(status)") }

  /// A reload begins; `ready` ends it.
  public static func reloading() {
    notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now() / 1000)")
  }

  /// The end begins.
  public static func stopping() { notify("STOPPING=1") }

  /// A tick has been completed: that, and nothing else, feeds the watchdog.
  public static func feedWatchdog() { notify("WATCHDOG=1") }

  /// How long systemd waits between two feedings before it kills, in ns; nil: it does not watch.
  public static var watchdogNanoseconds: UInt64? {
    var microseconds: UInt64 = 0
    return sd_watchdog_enabled(0, &microseconds) > 0 ? microseconds * 1000 : nil
  }

  private static func notify(_ state: String) { sd_notify(0, state) }
}

/// The daemon's log: the journal with fields where standard error is the journal, else lines.
public struct Journal: Sendable {
  /// How much it matters, as in syslog.
  public enum Priority: Int32, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  /// Something to search for: `journalctl TACTUS_CONTROL=knob`.
  public struct Field: Sendable {
    let name: String
    let value: String

    /// The name, in capitals and underscores, gets `TACTUS_` in front.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  private let program: String
  private let isJournal: Bool

  /// Logs under the program's name.
  public init(program: String) {
    self.program = program
    isJournal = Self.isStandardError(stream: Program.environment("JOURNAL_STREAM"))
  }

  /// Logs a message; one that cannot be logged is lost.
  public func log(_ priority: Priority, _ message: String, _ fields: [Field] = []) {
    if isJournal && send(priority, message, fields) { return }
    // Only the journal takes the number off again.
    let number = isJournal ? "<\(priority.rawValue)>" : ""
    writeError("\(number)\(program): \(message)")
  }

  /// `JOURNAL_STREAM` is the device and inode of what systemd connected.
  ///
  /// Standard error may have been redirected since.
  static func isStandardError(stream: String?, descriptor: Int32 = STDERR_FILENO) -> Bool {
    var status = stat()
    guard let stream, fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(UInt64(status.st_dev)):\(UInt64(status.st_ino))"
  }

  private func send(_ priority: Priority, _ message: String, _ fields: [Field]) -> Bool {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    func add(_ name: String, _ value: String) {
      bytes += Array("\(name)=\(value)".utf8)
      ends.append(bytes.count)
    }
    add("PRIORITY", "\(priority.rawValue)")
    add("SYSLOG_IDENTIFIER", program)
    add("MESSAGE", message)
    for field in fields { add("TACTUS_\(field.name)", field.value) }
    return bytes.withUnsafeMutableBytes { buffer in
      var start = 0
      let vectors = ends.map { end in
        defer { start = end }
        return iovec(iov_base: buffer.baseAddress! + start, iov_len: end - start)
      }
      return sd_journal_sendv(vectors, Int32(vectors.count)) == 0
    }
  }
}
