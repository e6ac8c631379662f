// SPDX-License-Identifier: Apache-2.0
//
// One daemon for one device: two would fight over its mixer.

import CTactus
import TactusCore

/// Held for as long as the process lives; the kernel gives it back, whatever its end.
public struct RuntimeLock: ~Copyable {
  private let file: Descriptor

  /// Takes the lock of a runtime folder, which is made where it is missing.
  ///
  /// - Throws: what to tell when another process, which is named, holds it or no lock can be made.
  public init(folder: String) throws(RuntimeLockError) {
    let path = "\(folder)/lock"
    do throws(SystemError) {
      try makeFolder(folder)
      let file = try Descriptor(path: path, flags: O_RDWR | O_CREAT)
      guard tactus_lock(file.number) == 0 else { throw SystemError("lock", path) }
      try RuntimeLock.note(file.number, path)
      self.file = file
    } catch {
      throw RuntimeLockError(system: error, holder: RuntimeLock.holder(path))
    }
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  private static func note(_ file: Int32, _ path: String) throws(SystemError) {
    guard ftruncate(file, 0) == 0 else { throw SystemError("write", path) }
    try writeAll(Array("\(getpid())\n".utf8), to: file, called: path)
  }

  private static func holder(_ path: String) -> Int? {
    guard let bytes = try? contents(of: path, limit: 32) else { return nil }
    return Int(String(decoding: bytes.dropLast(), as: UTF8.self))
  }
}

/// No lock was given.
public struct RuntimeLockError: Error, CustomStringConvertible {
  let system: SystemError
  let holder: Int?

  public var description: String {
    guard system.code == EWOULDBLOCK, let holder else { return system.description }
    return "\(system.object): held by another tactusd (process \(holder)), stop that one first"
  }
}
