// SPDX-License-Identifier: Apache-2.0
//
// What outlives a power cut (VOL-12): a small file, replaced as a whole, that knows when it is not.
//
//   tactus-state 1
//   speaker 26214
//   chosen-route "speaker"
//   checksum 90a1c3f2d4b5e697
//
// A value is a 64-bit number or a quoted text; the checksum (FNV-1a, 64 bits) is of all above it.

import CTactus
import TactusCore

/// A value that is kept.
public enum StateValue: Equatable, Sendable {
  case number(Int64)
  case text(String)
}

/// A value and its name.
public struct StateEntry: Equatable, Sendable {
  /// Lower-case letters, digits, hyphens and dots.
  public let key: String
  public let value: StateValue

  public init(_ key: String, _ value: StateValue) {
    self.key = key
    self.value = value
  }
}

/// What reading the file gave.
///
/// Everything but `ok` means defaults; everything but `ok` and `missing`, a notice.
public enum StateReading: Equatable, Sendable {
  /// Nothing was ever kept.
  case missing
  /// Cut short or damaged: its checksum does not fit.
  case torn
  /// Not a file of Tactus.
  case foreign
  /// Written by a later Tactus, in a format with this number.
  case newer(version: Int)
  /// It is there and cannot be read.
  case unreadable(SystemError)
  /// What was last kept, in its order.
  case ok([StateEntry])
}

/// Keeping failed; what was kept before is still there.
public struct StoreError: Error, Equatable, CustomStringConvertible {
  /// Why, as far as a person would act differently.
  public enum Cause: Equatable, Sendable {
    case outOfSpace, readOnly, permission, missingFolder, other
  }

  public let cause: Cause
  public let system: SystemError

  init(_ system: SystemError) {
    self.system = system
    cause =
      switch system.code {
      case ENOSPC, EDQUOT: .outOfSpace
      case EROFS: .readOnly
      case EACCES, EPERM: .permission
      case ENOENT, ENOTDIR: .missingFolder
      default: .other
      }
  }

  /// The sentence for a person: what happened and what it means.
  public var description: String {
    "\(system.description), levels and mute will not outlive a restart until \(remedy)"
  }

  private var remedy: String {
    switch cause {
    case .outOfSpace: "there is room on the disk"
    case .readOnly: "the disk is writable, or --state names a folder that is"
    case .permission: "the folder belongs to the user that tactusd runs as"
    case .missingFolder: "the folder exists"
    case .other: "that is mended"
    }
  }
}

/// The file that keeps the state.
public struct StateStore: Sendable {
  /// The format that is written, and the newest that is read.
  public static let version = 1
  /// The most bytes a state file may have; a bigger one is foreign.
  public static let sizeMaximum = 65_536

  private let folder: String
  private let path: String

  /// Keeps the state in `FOLDER/state`.
  public init(folder: String) {
    self.folder = folder
    path = "\(folder)/state"
  }

  /// Reads what was last kept; no bytes in the file can make it fail in another way.
  public func read() -> StateReading {
    do throws(SystemError) {
      return StateFormat.decode(try contents(of: path, limit: Self.sizeMaximum))
    } catch {
      switch error.code {
      case ENOENT: return .missing
      case EFBIG: return .foreign
      default: return .unreadable(error)
      }
    }
  }

  /// Replaces what was kept and waits until the disk has it.
  ///
  /// After a power cut the file is the old one or the new one.
  public func write(_ entries: [StateEntry]) throws(StoreError) {
    do throws(SystemError) {
      try replace(with: StateFormat.encode(entries))
    } catch {
      throw StoreError(error)
    }
  }

  private func replace(with bytes: [UInt8]) throws(SystemError) {
    try replaceFile(path, with: bytes, isDurable: true)
    let directory = try Descriptor(path: folder, flags: O_RDONLY | O_DIRECTORY)
    if fsync(directory.number) < 0 { throw SystemError("flush", folder) }
  }
}
