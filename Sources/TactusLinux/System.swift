// SPDX-License-Identifier: Apache-2.0
//
// What every file here needs of the system: its errors, its clock, its folders.

import CTactus
import TactusCore

/// A system call that failed: what was being done, to what, and why.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  // In a box: it passes through many hands, and each would move five words.
  private indirect enum Failure: Equatable {
    case call(operation: String, object: String, code: Int32)
  }

  private let failure: Failure

  /// What was being done, as the middle of a sentence: "open", "rename".
  public var operation: String {
    switch failure {
    case .call(let operation, _, _): operation
    }
  }

  /// The path or object it was done to.
  public var object: String {
    switch failure {
    case .call(_, let object, _): object
    }
  }

  /// The kernel's error number.
  public var code: Int32 {
    switch failure {
    case .call(_, _, let code): code
    }
  }

  /// Names a failure whose error number is known.
  public init(_ operation: String, _ object: String, code: Int32) {
    failure = .call(operation: operation, object: object, code: code)
  }

  /// Names the call that has just failed in this thread.
  init(_ operation: String, _ object: String) {
    self.init(operation, object, code: tactus_errno())
  }

  /// There is no such thing.
  public var isMissing: Bool { code == ENOENT }

  /// The sentence for a person: `/var/lib/tactus: cannot rename (No space left on device)`.
  public var description: String { "\(object): cannot \(operation) (\(reason(of: code)))" }
}

/// What the C library calls an error number.
func reason(of code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

/// Repeats a system call for as long as a signal interrupts it.
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || tactus_errno() != EINTR { return result }
  }
}

/// The clock that nobody sets: CLOCK_MONOTONIC, also of the edges' timestamps.
public enum MonotonicClock {
  /// Nanoseconds since some moment at boot.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The clock that people set, CLOCK_REALTIME; nothing is decided by it.
public enum WallClock {
  /// Nanoseconds since 1970.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The names in a folder that begin with `prefix`, in no particular order.
func names(in folder: String, beginning prefix: String) throws(SystemError) -> [String] {
  guard let open = opendir(folder) else { throw SystemError("list", folder) }
  defer { closedir(open) }
  var names: [String] = []
  while let entry = readdir(open) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name.hasPrefix(prefix) { names.append(name) }
  }
  return names
}

/// What this process has used of a processor, which other programs do not disturb.
public enum ProcessClock {
  /// Nanoseconds since the program began.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
