// SPDX-License-Identifier: Apache-2.0
//
// The trace: every tick that did something, kept in a ring of fixed size, from which the policy can
// be run again exactly. The ring is a mapped file, so that it is there, complete, after any kind of
// end.
//
//   record      one input or effect of a tick, or the mark of a tick that had neither
//   checkpoint  the policy's own bytes before the first record of a half; only the version that
//   wrote them reads them
//   half        the ring has two: when one is full the other is begun anew, with a checkpoint
//
// Layout, in the machine's byte order: a header of 128 bytes; then twice the checkpoint and the
// records.

import CTactus
public import TactusCore

/// One record of a trace.
public struct TraceRecord: Plain {
  public enum Content: Plain, Equatable {
    case tick
    case input(Input)
    case effect(Effect)
  }

  public var tick: Tick
  public var content: Content

  public init(tick: Tick, content: Content) {
    self.tick = tick
    self.content = content
  }
}

/// The fixed facts at the beginning of a trace.
private struct TraceHeader: BitwiseCopyable {
  static let magic: UInt64 = 0x3165_6361_7254_6154  // "TaTrace1"
  static let stride = 128

  var magic = TraceHeader.magic
  /// Sizes that only the same build has.
  var policySize = Int64(MemoryLayout<Policy>.size)
  var recordSize = Int64(MemoryLayout<TraceRecord>.stride)
  var capacity: Int64
  /// The half being written.
  var current: Int64 = 0
  /// Records in each half; −1 is a half without a checkpoint.
  var count0: Int64 = -1
  var count1: Int64 = -1
  /// A fingerprint of the version.
  var version: UInt64 = TraceHeader.fingerprint(tactusVersion)

  static func fingerprint(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}

/// Sizes of the parts of a trace file.
private enum TraceLayout {
  static var checkpoint: Int { (MemoryLayout<Policy>.size + 63) / 64 * 64 }

  static func half(_ capacity: Int) -> Int {
    checkpoint + capacity * MemoryLayout<TraceRecord>.stride
  }

  static func file(_ capacity: Int) -> Int { TraceHeader.stride + 2 * half(capacity) }
}

/// The ring that the daemon writes.
public struct TraceRing: ~Copyable {
  /// Records in each half: about an hour of a listener's evening.
  public static let standardCapacity = 8_192

  private let base: UnsafeMutableRawPointer
  private let size: Int
  private let capacity: Int
  private var current = 0
  private var count = 0

  /// Makes the file anew; what was there is kept as `PATH.previous`.
  ///
  /// - Parameters:
  ///   - path: Where it is; its folder must exist.
  ///   - policy: The policy before its first tick.
  ///   - capacity: Records in each half.
  /// - Throws: The failed call: no such folder, no space, no permission.
  public init(
    path: String,
    policy: Policy,
    capacity: Int = TraceRing.standardCapacity
  ) throws(SystemError) {
    let size = TraceLayout.file(capacity)
    base = try TraceRing.map(path: path, size: size)
    self.size = size
    self.capacity = capacity
    base.storeBytes(of: TraceHeader(capacity: Int64(capacity)), as: TraceHeader.self)
    begin(half: 0, policy)
  }

  deinit { munmap(base, size) }

  private static func map(path: String, size: Int) throws(SystemError) -> UnsafeMutableRawPointer {
    rename(path, "\(path).previous")
    let file = try Descriptor(path: path, flags: O_RDWR | O_CREAT | O_TRUNC)
    guard ftruncate(file.number, size) == 0 else { throw SystemError("size", path) }
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
    guard let mapped, mapped != tactus_map_failed() else { throw SystemError("map", path) }
    return mapped
  }

  /// Makes room for a whole tick: begins the other half where this one might not hold it.
  ///
  /// To be called before the tick, since the checkpoint is the policy as it is now.
  public mutating func prepare(_ policy: Policy) {
    // A tick has at most its inputs, its effects and its mark.
    if count + 256 + 128 + 1 > capacity { begin(half: 1 - current, policy) }
  }

  /// Begins anew, without what came before: the policy was changed by something that is no input.
  public mutating func restart(_ policy: Policy) {
    count = -1
    storeCount()
    begin(half: 1 - current, policy)
  }

  /// Adds a tick.
  public mutating func append(at tick: Tick, _ inputs: Inputs, _ effects: Effects) {
    append(TraceRecord(tick: tick, content: .tick))
    for index in inputs.indices {
      append(TraceRecord(tick: tick, content: .input(inputs[index])))
    }
    for index in effects.indices {
      append(TraceRecord(tick: tick, content: .effect(effects[index])))
    }
    storeCount()
  }

  private mutating func append(_ record: TraceRecord) {
    guard count < capacity else { return }
    let offset =
      TraceHeader.stride + current * TraceLayout.half(capacity) + TraceLayout.checkpoint
      + count * MemoryLayout<TraceRecord>.stride
    base.storeBytes(of: record, toByteOffset: offset, as: TraceRecord.self)
    count += 1
  }

  private mutating func begin(half: Int, _ policy: Policy) {
    // Not to be read while its checkpoint is being written.
    current = half
    count = -1
    storeCount()
    let offset = TraceHeader.stride + half * TraceLayout.half(capacity)
    base.storeBytes(of: policy, toByteOffset: offset, as: Policy.self)
    count = 0
    storeCount()
  }

  private mutating func storeCount() {
    var header = base.load(as: TraceHeader.self)
    header.current = Int64(current)
    if current == 0 { header.count0 = Int64(count) } else { header.count1 = Int64(count) }
    base.storeBytes(of: header, as: TraceHeader.self)
  }
}

/// Why a trace cannot be read.
public enum TraceError: Error, Equatable, CustomStringConvertible {
  case unreadable(SystemError)
  /// Not a trace, or cut short.
  case damaged(String)
  /// Another version's, whose policy has another shape.
  case foreignVersion(String)

  public var description: String {
    switch self {
    case .unreadable(let error): error.description
    case .damaged(let path): "\(path): not a whole trace, copy it again while tactusd runs"
    case .foreignVersion(let path):
      "\(path): written by another version, replay it with the tactus of that version"
    }
  }
}

/// A trace, read whole.
public struct Trace {
  /// The policy before the first record.
  public let start: Policy
  /// Oldest first.
  public let records: [TraceRecord]

  /// Reads a trace file, also one that is being written.
  public init(path: String) throws(TraceError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try contents(of: path, limit: TraceLayout.file(1 << 20))
    } catch {
      throw .unreadable(error)
    }
    guard bytes.count >= TraceHeader.stride else { throw .damaged(path) }
    let header = Trace.load(TraceHeader.self, bytes, at: 0)
    guard header.magic == TraceHeader.magic else { throw .damaged(path) }
    guard header.version == TraceHeader.fingerprint(tactusVersion),
      header.policySize == Int64(MemoryLayout<Policy>.size),
      header.recordSize == Int64(MemoryLayout<TraceRecord>.stride)
    else { throw .foreignVersion(path) }
    guard header.capacity > 0, header.capacity <= 1 << 20,
      header.current == 0 || header.current == 1,
      max(header.count0, header.count1) <= header.capacity,
      bytes.count == TraceLayout.file(Int(header.capacity))
    else { throw .damaged(path) }
    let current = Int(header.current)
    let counts = [Int(header.count0), Int(header.count1)]
    let halves = [1 - current, current].filter { counts[$0] >= 0 }
    guard let first = halves.first else { throw .damaged(path) }
    start = Trace.load(Policy.self, bytes, at: Trace.offset(of: first, header))
    records = halves.flatMap { Trace.records(bytes, header, half: $0, count: counts[$0]) }
  }

  private static func offset(of half: Int, _ header: TraceHeader) -> Int {
    TraceHeader.stride + half * TraceLayout.half(Int(header.capacity))
  }

  private static func records(
    _ bytes: [UInt8],
    _ header: TraceHeader,
    half: Int,
    count: Int
  ) -> [TraceRecord] {
    let start = offset(of: half, header) + TraceLayout.checkpoint
    return (0..<count).map {
      load(TraceRecord.self, bytes, at: start + $0 * MemoryLayout<TraceRecord>.stride)
    }
  }

  private static func load<Value: BitwiseCopyable>(
    _ type: Value.Type,
    _ bytes: [UInt8],
    at offset: Int
  ) -> Value {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }
}

// MARK: - Replay

/// What became of a replay.
public enum ReplayOutcome {
  /// The same effects at every tick.
  case same(ticks: Int, policy: Policy)
  /// The first tick with other effects: what the trace has, and what came out now.
  case differs(tick: Tick, recorded: [Effect], replayed: [Effect])
}

extension Trace {
  /// Runs the policy again over the inputs, and compares every effect.
  public func replay() -> ReplayOutcome {
    var ticks = 0
    var policy = start
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    var effects = Effects(filler: .readLevels)
    var recorded: [Effect] = []
    var index = 0
    while index < records.count {
      let tick = records[index].tick
      inputs.removeAll()
      recorded.removeAll()
      index += 1
      while index < records.count, records[index].content != .tick {
        switch records[index].content {
        case .tick: break
        case .input(let input): inputs.append(input)
        case .effect(let effect): recorded.append(effect)
        }
        index += 1
      }
      guard tick > policy.now else {
        return .differs(tick: tick, recorded: recorded, replayed: [])
      }
      policy.tick(at: tick, inputs, &effects)
      ticks += 1
      let replayed = effects.indices.map { effects[$0] }
      if replayed != recorded {
        return .differs(tick: tick, recorded: recorded, replayed: replayed)
      }
    }
    return .same(ticks: ticks, policy: policy)
  }
}
