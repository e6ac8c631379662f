// SPDX-License-Identifier: Apache-2.0
//
// A trace, read. What cannot be trusted is left out and named; the rest is as it was written.
//
//   segment  a checkpoint and the records behind it, in their order
//   clock    ticks as time: the grid of a daemon that sleeps drifts against the clock

import CTactus
public import TactusCore

/// Why nothing of a trace can be read.
public enum TraceError: Error, Equatable, CustomStringConvertible {
  case unreadable(SystemError)
  /// Some other kind of file.
  case foreign(String)
  /// Larger than any trace.
  case tooLarge(String)
  /// Cut short or changed so that nothing whole is left.
  case damaged(String)
  /// Another version's, whose policy has another shape.
  case foreignVersion(String, version: String)

  public var description: String {
    switch self {
    case .unreadable(let error): error.description
    case .foreign(let path): "\(path): not a trace, tactus record writes one"
    case .tooLarge(let path):
      "\(path): too large for a trace, which has at most \(Trace.maximumBytes >> 20) MB"
    case .damaged(let path): "\(path): damaged, nothing in it is whole; copy it again"
    case .foreignVersion(let path, let version):
      "\(path): written by tactus \(version), read it with that version (this is \(tactusVersion))"
    }
  }
}

/// A trace, read whole.
public struct Trace {
  /// A checkpoint and what followed it.
  public struct Segment {
    /// The policy before the first record.
    public let start: Policy
    /// By rising tick; those of one tick begin with its mark.
    public let records: [TraceRecord]
    /// When it was begun, in ns of `MonotonicClock`.
    let nanoseconds: UInt64
  }

  /// So large a file may be.
  public static let maximumBytes = TraceLayout.file(TraceLayout.maximumCapacity)
  /// Reading a ring that is being written is tried so often.
  private static let attempts = 5

  /// The oldest first, at least one.
  public let segments: [Segment]
  /// What was left out and why; nil of a whole trace.
  public let damage: String?
  /// When its ticks were.
  public let clock: TraceClock

  /// Reads a trace file, also one that is being written.
  public init(path: String) throws(TraceError) { self = try Trace.read(path).trace }

  /// A trace with its bytes; what was written while it was being read is read again.
  fileprivate static func read(
    _ path: String
  ) throws(TraceError) -> (trace: Trace, bytes: [UInt8]) {
    for _ in 1..<Trace.attempts {
      let bytes = try bytes(path)
      if let trace = try? Trace(bytes: bytes, path: path), trace.damage == nil {
        return (trace, bytes)
      }
    }
    let bytes = try bytes(path)
    return (try Trace(bytes: bytes, path: path), bytes)
  }

  private static func bytes(_ path: String) throws(TraceError) -> [UInt8] {
    do throws(SystemError) {
      return try contents(of: path, limit: maximumBytes)
    } catch {
      throw error.code == EFBIG ? .tooLarge(path) : .unreadable(error)
    }
  }

  init(bytes: [UInt8], path: String) throws(TraceError) {
    guard bytes.count >= 8, Trace.load(UInt64.self, bytes, at: 0) == TraceHeader.magic else {
      throw .foreign(path)
    }
    guard bytes.count >= TraceHeader.stride else { throw .damaged(path) }
    let header = Trace.load(TraceHeader.self, bytes, at: 0)
    guard header.version.text == tactusVersion, header.shape == TraceHeader.ownShape else {
      throw .foreignVersion(path, version: header.version.text)
    }
    guard (1...Int64(TraceLayout.maximumCapacity)).contains(header.capacity),
      header.current == 0 || header.current == 1
    else { throw .damaged(path) }
    var found: [Segment] = []
    var damage: String?
    for half in [1 - Int(header.current), Int(header.current)] {
      guard header.halves[half].count >= 0 else { continue }
      let part = Trace.part(bytes, header, half)
      if let problem = part.problem { damage = problem }
      guard let segment = part.segment else { continue }
      if let last = found.last, segment.start.now < last.lastTick {
        damage = "out of order: what was before tick \(segment.start.now) is left out"
        found.removeAll()
      }
      found.append(segment)
    }
    guard let first = found.first else { throw .damaged(path) }
    segments = found
    self.damage = damage
    clock = TraceClock(first, found.dropFirst().first, header)
  }

  /// What is whole of a half, and what is wrong with the rest.
  private static func part(
    _ bytes: [UInt8],
    _ header: TraceHeader,
    _ half: Int
  ) -> (segment: Segment?, problem: String?) {
    let facts = header.halves[half]
    let start = TraceLayout.offset(of: half, Int(header.capacity))
    let first = start + TraceLayout.checkpoint
    guard facts.count <= header.capacity else { return (nil, "its header is damaged") }
    guard bytes.count >= first else { return (nil, "cut short: half of it is missing") }
    let count = min(Int(facts.count), (bytes.count - first) / TraceLayout.record)
    var problem: String?
    if count < Int(facts.count) {
      problem = "cut short: \(count) of \(Int(facts.count)) records of a half are whole"
    } else {
      var checksum = Checksum()
      let end = first + count * TraceLayout.record
      bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
      guard checksum == facts.checksum else {
        return (nil, "damaged: bytes of a half were changed, it is left out")
      }
    }
    let policy = load(Policy.self, bytes, at: start)
    var records: [TraceRecord] = []
    records.reserveCapacity(count)
    var last = policy.now
    for index in 0..<count {
      let record = load(TraceRecord.self, bytes, at: first + index * TraceLayout.record)
      guard record.follows(last) else {
        problem = "out of order: what comes after tick \(last) of a half is left out"
        break
      }
      if case .tick = record.content { last = record.tick }
      records.append(record)
    }
    return (Segment(start: policy, records: records, nanoseconds: facts.nanoseconds), problem)
  }

  private static func load<Value: BitwiseCopyable>(
    _ type: Value.Type,
    _ bytes: [UInt8],
    at offset: Int
  ) -> Value {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }
}

extension TraceRecord {
  /// Whether it may come after the mark of a tick.
  fileprivate func follows(_ last: Tick) -> Bool {
    switch content {
    case .tick: tick > last
    case .input, .effect: tick == last
    // A tick's own names come before its mark.
    case .name: tick >= last
    }
  }
}

extension Trace.Segment {
  /// The last tick that did something; that of the checkpoint where none did.
  public var lastTick: Tick { records.last { $0.isMark }?.tick ?? start.now }
}

extension TraceRecord {
  fileprivate var isMark: Bool { if case .tick = content { true } else { false } }
}

/// Copies a trace, also one that is being written; the copy appears whole or not at all.
/// - Returns: The trace that was copied.
public func copyTrace(_ source: String, to target: String) throws(TraceError) -> Trace {
  let (trace, bytes) = try Trace.read(source)
  do throws(SystemError) {
    try replaceFile(target, with: bytes)
  } catch {
    throw .unreadable(error)
  }
  return trace
}

// MARK: Time

/// Ticks as time.
///
/// Between two known moments a tick lies where it would if all were equally long.
public struct TraceClock: Sendable {
  private var anchors: [(tick: Tick, nanoseconds: UInt64)] = []
  /// How much the clock on the wall is ahead of `MonotonicClock`, in ns.
  public let wallOffset: Int64
  private let period: Double

  fileprivate init(_ first: Trace.Segment, _ second: Trace.Segment?, _ header: TraceHeader) {
    wallOffset = header.wallOffset
    period = Double(first.start.configuration.timing.tickMicroseconds) * 1_000
    anchors.append((first.start.now, first.nanoseconds))
    if let second { anchors.append((second.start.now, second.nanoseconds)) }
    let last = anchors[anchors.count - 1]
    // Before the first tick that did something nothing is known but the grid.
    anchors.append(
      header.tick > last.tick
        ? (header.tick, header.nanoseconds)
        : (last.tick + 1, last.nanoseconds + UInt64(period))
    )
  }

  /// Whether the clock on the wall is known: not before the first tick that did something.
  public var knowsWall: Bool { wallOffset != 0 }

  /// When a tick was, in ns of `MonotonicClock`.
  public func nanoseconds(of tick: Tick) -> UInt64 {
    let next = anchors.dropFirst().firstIndex { tick <= $0.tick } ?? anchors.count - 1
    let (before, after) = (anchors[next - 1], anchors[next])
    var length = period
    if after.tick > before.tick, after.nanoseconds > before.nanoseconds {
      length = Double(after.nanoseconds - before.nanoseconds) / Double(after.tick - before.tick)
    }
    return UInt64(max(Double(before.nanoseconds) + Double(tick - before.tick) * length, 0))
  }

  /// The tick at a moment behind the last one that is known.
  public func tick(at nanoseconds: UInt64) -> Tick {
    let last = anchors[anchors.count - 1]
    guard nanoseconds > last.nanoseconds else { return last.tick }
    return last.tick + Tick(Double(nanoseconds - last.nanoseconds) / period)
  }

  /// When a tick was on the clock on the wall, in ns since 1970.
  public func wallNanoseconds(of tick: Tick) -> Int64 {
    Int64(nanoseconds(of: tick)) + wallOffset
  }
}

// MARK: - Replay

/// Runs the policy along a trace.
public struct TracePlayer {
  /// One tick of a trace.
  public struct Step {
    public let tick: Tick
    /// The first tick behind a checkpoint.
    public let isFirstOfSegment: Bool
    /// The sources that have a name from this tick on.
    public let named: [UInt8]
    public let inputs: [Input]
    /// What the trace has.
    public let recorded: [Effect]
    /// What came out now.
    public let replayed: [Effect]
  }

  private var trace: Trace
  private var segment = 0
  private var index = 0
  private var named: [UInt8] = []
  /// As it is after the last step.
  public private(set) var policy: Policy
  /// What is called what after the last step.
  public private(set) var names = DeviceNames(board: "")

  public init(_ trace: Trace) {
    self.trace = trace
    policy = trace.segments[0].start
    takeNames()
    named = []
  }

  private var records: [TraceRecord] { trace.segments[segment].records }

  /// Goes on with the same trace as it is now; false when the place where it was is gone.
  public mutating func goOn(with trace: Trace) -> Bool {
    let here = self.trace.segments[segment]
    for (index, other) in trace.segments.enumerated()
    where other.nanoseconds == here.nanoseconds && other.records.count >= self.index {
      self.trace = trace
      segment = index
      return true
    }
    return false
  }

  /// Takes the next tick; nil at the end.
  public mutating func next() -> Step? {
    var isFirst = policy.now == trace.segments[segment].start.now
    while index == records.count {
      guard segment + 1 < trace.segments.count else { return nil }
      segment += 1
      index = 0
      policy = trace.segments[segment].start
      isFirst = true
      takeNames()
      named = []
    }
    let tick = records[index].tick
    index += 1
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    var recorded: [Effect] = []
    reading: while index < records.count {
      switch records[index].content {
      case .input(let input): inputs.append(input)
      case .effect(let effect): recorded.append(effect)
      case .tick, .name: break reading
      }
      index += 1
    }
    var effects = Effects(filler: .readLevels)
    policy.tick(at: tick, &inputs, &effects)
    let opened = named
    named = []
    takeNames()
    return Step(
      tick: tick,
      isFirstOfSegment: isFirst,
      named: opened,
      inputs: inputs.indices.map { inputs[$0] },
      recorded: recorded,
      replayed: effects.indices.map { effects[$0] }
    )
  }

  private mutating func takeNames() {
    while index < records.count,
      case .name(let kind, let position, let name) = records[index].content
    {
      index += 1
      switch kind {
      case .board: names.board = name.text
      case .control: names.controls.name(name.text, at: Int(position))
      case .output: names.outputs.name(name.text, at: Int(position))
      case .source:
        names.sources.name(name.text, at: Int(position))
        named.append(position)
      }
    }
  }
}

extension [String] {
  fileprivate mutating func name(_ name: String, at position: Int) {
    while count <= position { append("") }
    self[position] = name
  }
}

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
    var player = TracePlayer(self)
    var ticks = 0
    while let step = player.next() {
      ticks += 1
      if step.replayed != step.recorded {
        return .differs(tick: step.tick, recorded: step.recorded, replayed: step.replayed)
      }
    }
    return .same(ticks: ticks, policy: player.policy)
  }
}
