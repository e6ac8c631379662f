// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong with GPIO lines, and what a person can do about it.

import CTactus
import TactusCore

/// A GPIO operation that failed.
public struct LineError: Error, Equatable, CustomStringConvertible {
  /// What was being done.
  public enum Operation: Equatable, Sendable {
    case findChip, openChip, readInfo, request, readLevels, readEdges, write
  }

  /// Why it failed, as far as a person would act differently.
  public enum Cause: Equatable, Sendable {
    /// Somebody uses the line: the consumer's name, empty where it gave none.
    case busy(consumer: String)
    /// This user may not open the chip; udev may still be about to allow it.
    case permission
    /// No chip has an acceptable label; these are there.
    case missingChip(present: [String])
    /// The chip is gone; the lines can be requested anew when it is back.
    case vanished
    /// The chip cannot do the bias that was asked for.
    case biasUnsupported(Bias)
    /// The chip has only this many lines.
    case noSuchLine(count: UInt32)
    /// Anything else: the error number tells.
    case other
  }

  public let operation: Operation
  /// The chip's label or, where that could not be read, its path or the labels looked for.
  public let chip: String
  /// The line, where one is to blame.
  public let offset: UInt32?
  /// The kernel's error number.
  public let code: Int32
  public let cause: Cause

  init(
    _ operation: Operation,
    chip: String,
    offset: UInt32? = nil,
    code: Int32,
    cause: Cause? = nil
  ) {
    self.operation = operation
    self.chip = chip
    self.offset = offset
    self.code = code
    self.cause = cause ?? Self.cause(of: code)
  }

  private static func cause(of code: Int32) -> Cause {
    switch code {
    case EBUSY: .busy(consumer: "")
    case EACCES, EPERM: .permission
    case ENODEV, ENXIO, ENOENT: .vanished
    default: .other
    }
  }

  /// The sentence for a person: where, what, and the next step.
  public var description: String { "\(place): \(problem)" }

  private var place: String {
    guard let offset else { return chip }
    return "\(chip) line \(offset)"
  }

  private var problem: String {
    switch cause {
    case .busy(let consumer):
      "in use by \"\(consumer.isEmpty ? "?" : consumer)\", stop that program or take the overlay"
        + " that claims the line out of config.txt"
    case .permission:
      "not allowed, the user must be in the group that owns the device file (gpio)"
    case .missingChip(let present):
      present.isEmpty
        ? "no such chip, and no other either: is the GPIO driver loaded?"
        : "no such chip, there are \(present.joined(separator: ", "))"
    case .vanished:
      "the chip is gone, waiting for its return"
    case .biasUnsupported(let bias):
      "this chip has no \(bias.name), fit a resistor and write bias: none-external"
    case .noSuchLine(let count):
      "no such line, the last one is \(count > 0 ? Int(count) - 1 : 0)"
    case .other:
      "cannot \(operation.verb) (\(reason(of: code)))"
    }
  }
}

extension LineError.Operation {
  fileprivate var verb: String {
    switch self {
    case .findChip: "find the chip"
    case .openChip: "open the chip"
    case .readInfo: "read the line's description"
    case .request: "request the line"
    case .readLevels: "read the level"
    case .readEdges: "read edges"
    case .write: "set the line"
    }
  }
}

extension Bias {
  /// As board files write it.
  public var name: String {
    switch self {
    case .pullUp: "pull-up"
    case .pullDown: "pull-down"
    case .noneExternal: "none-external"
    }
  }
}
