// SPDX-License-Identifier: Apache-2.0
//
// GPIO lines in use: the inputs of one control, and single outputs.
//
//   edge    a change of a line, with the kernel's time; a hint
//   level   what a line is now; the truth
//   active  the logical level: low is active where polarity says so
//
// Each control is its own request, so that a line that somebody else uses costs one control.

import CTactus
import TactusCore

/// A change of one line of a request.
public struct Edge: Equatable, Sendable {
  /// When, on CLOCK_MONOTONIC.
  public var timestampNanoseconds: UInt64
  /// Counts the request's edges from 1, those that were lost included.
  public var sequence: UInt32
  /// Which line of the request, in the order of its offsets.
  public var lineIndex: UInt8
  /// The logical level after the change; equal levels in a row are legal.
  public var isActive: Bool

  public init(
    timestampNanoseconds: UInt64 = 0,
    sequence: UInt32 = 0,
    lineIndex: UInt8 = 0,
    isActive: Bool = false
  ) {
    self.timestampNanoseconds = timestampNanoseconds
    self.sequence = sequence
    self.lineIndex = lineIndex
    self.isActive = isActive
  }
}

/// What one drain brought.
public struct DrainedEdges: Equatable, Sendable {
  /// How many edges are in the caller's buffer.
  public var count: Int
  /// How many the kernel dropped since the last drain, at least.
  ///
  /// libgpiod 1 has no numbers: each queue that is read full counts one.
  public var lost: UInt32
  /// Edges may be missing: the levels must be read again.
  public var needsLevels: Bool { lost > 0 }
}

/// The logical levels of the lines of one request.
public struct LineLevels: Equatable, Sendable {
  /// Bit i is line i.
  public let bits: UInt32

  /// Whether line `index` of the request is active.
  public subscript(index: Int) -> Bool { bits >> UInt32(index) & 1 == 1 }
}

/// Which electrical level counts as active.
public enum Polarity: Plain, Equatable {
  case activeHigh, activeLow
}

/// The input lines of one control: both edges, levels, bias, polarity.
///
/// They are one request where libgpiod can do that (2.x); with 1.x each line has its own queue, and
/// `drain` merges them by time.
public struct InputLines: ~Copyable {
  /// The most lines that one control may have.
  public static let countMaximum = Int(TACTUS_LINES_MAX)
  /// The most edges that one drain takes, and the smallest buffer that may be given to it.
  ///
  /// The kernel keeps what is left for the next drain, or drops it and shows a gap.
  public static let edgesMaximum = Int(TACTUS_EDGES_MAX)

  private var handle: LinesHandle
  private let count: Int
  private var numbering = EdgeNumbering()

  /// Claims the lines under the name `tactus:CONTROL`.
  ///
  /// The order of `offsets`, 1 to `countMaximum`, gives `Edge.lineIndex`. The kernel ignores a
  /// bias that the chip's driver does not offer.
  ///
  /// - Throws: `busy`, `permission`, `vanished`, `biasUnsupported`, `noSuchLine` or `other`.
  public init(
    chip: Chip,
    offsets: [UInt32],
    bias: Bias,
    polarity: Polarity,
    control: String
  ) throws(LineError) {
    for offset in offsets { try chip.check(offset, for: .request) }
    var lines: OpaquePointer?
    let result = tactus_lines_request_inputs(
      chip.path,
      "tactus:\(control)",
      offsets,
      UInt32(offsets.count),
      bias.inC,
      polarity == .activeLow,
      &lines
    )
    guard result == 0, let lines else {
      throw LineError(refused: offsets, of: chip, bias: bias, code: -result)
    }
    handle = LinesHandle(lines, chip: chip.label, offset: offsets.first)
    count = offsets.count
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// The descriptors that become readable with an edge: one, or with libgpiod 1 one for each line.
  ///
  /// None once the chip has vanished.
  public var descriptors: [Int32] {
    guard let lines = handle.lines else { return [] }
    var found: [Int32] = []
    for index in 0..<UInt32(count) {
      let descriptor = tactus_lines_descriptor(lines, index)
      if descriptor >= 0 { found.append(descriptor) }
    }
    return found
  }

  /// The levels now.
  ///
  /// - Throws: `vanished`, after which the descriptors are closed, or `other`.
  public mutating func levels() throws(LineError) -> LineLevels {
    try handle.levels()
  }

  /// Takes the edges that wait, by rising time, without blocking and without allocating.
  ///
  /// `edges` has room for `edgesMaximum` or more; behind the count it keeps what it held.
  ///
  /// - Throws: `vanished`, after which the descriptors are closed, or `other`.
  public mutating func drain(
    into edges: inout MutableSpan<Edge>
  ) throws(LineError) -> DrainedEdges {
    precondition(edges.count >= Self.edgesMaximum)
    let lines = try handle.live(for: .readEdges)
    let taken = tactus_lines_drain(lines, UInt32(Self.edgesMaximum))
    if taken.count < 0 { throw handle.failure(of: .readEdges, code: -taken.count) }
    let count = Int(taken.count)
    for index in 0..<count {
      let edge = taken.edges[index]
      edges[index] = Edge(
        timestampNanoseconds: edge.timestamp,
        sequence: edge.sequence,
        lineIndex: edge.index,
        isActive: edge.active
      )
    }
    let lost = numbering.number(&edges, count: count, queueWasFull: taken.queue_full)
    if self.count > 1 { sortByTime(&edges, count: count) }
    return DrainedEdges(count: count, lost: lost)
  }
}

/// One line that Tactus drives: amplifier, trigger, LED, haptic motor.
public struct OutputLine: ~Copyable {
  private var handle: LinesHandle

  /// Claims the line under the name `tactus:CONTROL` and drives it at once.
  ///
  /// - Throws: `busy`, `permission`, `vanished`, `noSuchLine` or `other`.
  public init(
    chip: Chip,
    offset: UInt32,
    polarity: Polarity,
    initiallyActive: Bool,
    control: String
  ) throws(LineError) {
    try chip.check(offset, for: .request)
    var lines: OpaquePointer?
    let result = tactus_lines_request_output(
      chip.path,
      "tactus:\(control)",
      offset,
      polarity == .activeLow,
      initiallyActive,
      &lines
    )
    guard result == 0, let lines else {
      throw LineError(refused: [offset], of: chip, bias: nil, code: -result)
    }
    handle = LinesHandle(lines, chip: chip.label, offset: offset)
  }

  /// Drives the line.
  ///
  /// - Throws: `vanished` or `other`.
  public mutating func set(active: Bool) throws(LineError) {
    let lines = try handle.live(for: .write)
    let result = tactus_lines_set(lines, active)
    if result < 0 { throw handle.failure(of: .write, code: -result) }
  }

  /// What the line is, read back.
  ///
  /// - Throws: `vanished` or `other`.
  public mutating func isActive() throws(LineError) -> Bool {
    try handle.levels()[0]
  }
}

/// Owns a request; gives it up when its chip vanishes, so that no descriptor stays ready for ever.
private struct LinesHandle: ~Copyable {
  private(set) var lines: OpaquePointer?
  private let chip: String
  private let offset: UInt32?

  init(_ lines: OpaquePointer, chip: String, offset: UInt32?) {
    self.lines = lines
    self.chip = chip
    self.offset = offset
  }

  deinit {
    if let lines { tactus_lines_release(lines) }
  }

  func live(for operation: LineError.Operation) throws(LineError) -> OpaquePointer {
    guard let lines else {
      throw LineError(operation, chip: chip, offset: offset, code: ENODEV)
    }
    return lines
  }

  mutating func levels() throws(LineError) -> LineLevels {
    var bits: UInt32 = 0
    let result = tactus_lines_levels(try live(for: .readLevels), &bits)
    if result < 0 { throw failure(of: .readLevels, code: -result) }
    return LineLevels(bits: bits)
  }

  mutating func failure(of operation: LineError.Operation, code: Int32) -> LineError {
    let error = LineError(operation, chip: chip, offset: offset, code: code)
    if error.cause == .vanished, let lines {
      tactus_lines_release(lines)
      self.lines = nil
    }
    return error
  }
}

extension LineError {
  /// A request that was refused: finds out which line is to blame, and who holds it.
  init(refused offsets: [UInt32], of chip: Chip, bias: Bias?, code: Int32) {
    var offset = offsets.first
    var cause: Cause?
    switch (code, bias) {
    case (EBUSY, _):
      for candidate in offsets {
        guard let line = try? chip.line(candidate), line.isUsed else { continue }
        offset = candidate
        cause = .busy(consumer: line.consumer)
        break
      }
    case (EINVAL, let bias?), (EOPNOTSUPP, let bias?):
      cause = .biasUnsupported(bias)
    default:
      break
    }
    self.init(.request, chip: chip.label, offset: offset, code: code, cause: cause)
  }
}

/// Follows the numbers that the kernel gives to the edges of one request.
///
/// With several lines, neighbours may be queued in exchanged order; what counts is therefore the
/// highest number against how many came.
struct EdgeNumbering {
  private var highest: UInt32 = 0

  /// Takes the next edges as they came; gives their own numbers to those that have none.
  ///
  /// - Returns: how many are missing since the last call.
  mutating func number(
    _ edges: inout MutableSpan<Edge>,
    count: Int,
    queueWasFull: Bool
  ) -> UInt32 {
    let before = highest
    for index in 0..<count {
      if edges[index].sequence == 0 { edges[index].sequence = highest &+ 1 }
      let ahead = Int32(bitPattern: edges[index].sequence &- highest)
      if ahead > 0 { highest = edges[index].sequence }
    }
    let missing = Int(highest &- before) - count
    return missing > 0 ? UInt32(missing) : queueWasFull ? 1 : 0
  }
}

/// Brings edges of several queues into the order of their times; equal times keep their order.
///
/// By insertion: at most `edgesMaximum` edges, of which each queue's are in order already.
func sortByTime(_ edges: inout MutableSpan<Edge>, count: Int) {
  for index in 0..<count {
    let edge = edges[index]
    var place = index
    while place > 0, edges[place - 1].timestampNanoseconds > edge.timestampNanoseconds {
      edges[place] = edges[place - 1]
      place -= 1
    }
    edges[place] = edge
  }
}
