// SPDX-License-Identifier: Apache-2.0
//
// The file of a trace: every tick that did something, in a ring of fixed size, from which the
// policy can be run again exactly.
//
//   record      one input or effect of a tick, the mark at which a tick begins, or a name
//   name        what the board or a program calls a control, an output or a source from there on
//   checkpoint  the policy's own bytes before the first record of a half; only the version that
//               wrote them reads them
//   half        the ring has two: when one is full the other is begun anew, with a checkpoint and
//               all names
//
// Layout, in the machine's byte order: a header; then twice the checkpoint and the records.

public import TactusCore

/// One record of a trace.
public struct TraceRecord: Plain {
  public enum Content: Plain {
    case tick
    case input(Input)
    case effect(Effect)
    case name(TraceName.Kind, position: UInt8, TraceName)
  }

  public var tick: Tick
  public var content: Content

  public init(tick: Tick, content: Content) {
    self.tick = tick
    self.content = content
  }
}

/// A name as bytes; what is longer is cut.
public struct TraceName: Plain {
  /// What is named.
  public enum Kind: Plain { case board, control, output, source }

  private var count: UInt8 = 0
  private var bytes = InlineArray<31, UInt8>(repeating: 0)

  init(_ text: String) {
    for byte in text.utf8 where count < 31 {
      bytes[Int(count)] = byte
      count += 1
    }
  }

  /// The name; a character that was cut in the middle is a replacement character.
  public var text: String {
    var text: [UInt8] = []
    for index in 0..<Int(min(count, 31)) { text.append(bytes[index]) }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The fixed facts at the beginning of a trace.
struct TraceHeader: BitwiseCopyable {
  static let magic: UInt64 = 0x3265_6361_7254_6154  // "TaTrace2"
  static let stride = 256

  /// One half of the ring.
  struct Half: BitwiseCopyable {
    /// Records; −1 is a half without a checkpoint.
    var count: Int64 = -1
    /// Of the checkpoint and the records.
    var checksum = Checksum()
    /// When it was begun, in ns of `MonotonicClock`.
    var nanoseconds: UInt64 = 0
  }

  var magic = TraceHeader.magic
  var version = TraceName(tactusVersion)
  /// What only the same build has.
  var shape = TraceHeader.ownShape
  /// Records in each half.
  var capacity: Int64
  /// The half being written.
  var current: Int64 = 0
  var halves = InlineArray<2, Half>(repeating: Half())
  /// The last tick, when it was, and how much the clock on the wall was ahead of that.
  var tick: Tick = 0
  var nanoseconds: UInt64 = 0
  var wallOffset: Int64 = 0

  /// A fingerprint of what is stored as it is.
  static var ownShape: UInt64 {
    var shape = Checksum()
    for size in [
      MemoryLayout<Policy>.size, MemoryLayout<TraceRecord>.stride,
      MemoryLayout<Configuration>.size, MemoryLayout<Input>.size, MemoryLayout<Effect>.size,
    ] {
      shape.add(UInt64(size))
    }
    return shape.value
  }
}

/// Tells bytes that were changed: FNV-1a over words.
struct Checksum: BitwiseCopyable, Equatable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ word: UInt64) { value = (value ^ word) &* 0x100_0000_01b3 }

  /// Adds bytes, a multiple of eight.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for offset in stride(from: 0, to: bytes.count, by: 8) {
      add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}

/// Sizes of the parts of a trace file.
enum TraceLayout {
  /// The most records in a half: ten hours of a listener's evening.
  static let maximumCapacity = 1 << 17

  static var record: Int { MemoryLayout<TraceRecord>.stride }

  static var checkpoint: Int { (MemoryLayout<Policy>.size + 63) / 64 * 64 }

  static func half(_ capacity: Int) -> Int { checkpoint + capacity * record }

  static func file(_ capacity: Int) -> Int { TraceHeader.stride + 2 * half(capacity) }

  /// Where a half begins.
  static func offset(of half: Int, _ capacity: Int) -> Int {
    TraceHeader.stride + half * TraceLayout.half(capacity)
  }
}
