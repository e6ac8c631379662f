// SPDX-License-Identifier: Apache-2.0
//
// The ring that the daemon writes: a mapped file, so that it is there, complete, after any kind of
// end.

import CTactus
public import TactusCore

/// The trace of a running daemon.
public struct TraceRing: ~Copyable {
  /// Records in each half: about an hour of a listener's evening.
  public static let standardCapacity = 8_192
  /// So many records a tick has at most: its inputs, effects, names and mark.
  private static let recordsOfTick = 256 + 128 + Configuration.maximumSources + 1

  private let base: UnsafeMutableRawPointer
  private let size: Int
  private var header: TraceHeader

  /// Makes the file anew; what was there is kept as `PATH.previous`.
  ///
  /// - Parameters:
  ///   - path: Where it is; its folder must exist.
  ///   - policy: The policy before its first tick.
  ///   - names: What is called what.
  ///   - capacity: Records in each half, at least 512.
  /// - Throws: The failed call: no such folder, no space, no permission.
  public init(
    path: String,
    policy: Policy,
    names: DeviceNames,
    capacity: Int = TraceRing.standardCapacity
  ) throws(SystemError) {
    let size = TraceLayout.file(capacity)
    base = try TraceRing.map(path: path, size: size)
    self.size = size
    header = TraceHeader(capacity: Int64(capacity))
    begin(half: 0, policy, names)
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

  private var current: Int { Int(header.current) }

  /// Makes room for a whole tick: begins the other half where this one might not hold it.
  ///
  /// To be called before the tick, since the checkpoint is the policy as it is now.
  public mutating func prepare(_ policy: Policy, _ names: @autoclosure () -> DeviceNames) {
    let count = Int(header.halves[current].count)
    if count + TraceRing.recordsOfTick > Int(header.capacity) {
      begin(half: 1 - current, policy, names())
    }
  }

  /// Begins anew, without what came before: the policy was changed by something that is no input.
  public mutating func restart(_ policy: Policy, _ names: DeviceNames) {
    header.halves[current].count = -1
    begin(half: 1 - current, policy, names)
  }

  /// Adds a tick that ends now.
  public mutating func append(at tick: Tick, _ inputs: Inputs, _ effects: Effects) {
    append(TraceRecord(tick: tick, content: .tick))
    for index in inputs.indices {
      append(TraceRecord(tick: tick, content: .input(inputs[index])))
    }
    for index in effects.indices {
      append(TraceRecord(tick: tick, content: .effect(effects[index])))
    }
    header.tick = tick
    header.nanoseconds = MonotonicClock.now()
    header.wallOffset = Int64(WallClock.now()) - Int64(header.nanoseconds)
    storeHeader()
  }

  /// A source is called so from now on.
  public mutating func name(source position: UInt8, _ name: String, at tick: Tick) {
    append(.source, Int(position), name, at: tick)
  }

  private mutating func append(
    _ kind: TraceName.Kind,
    _ position: Int,
    _ name: String,
    at tick: Tick
  ) {
    let content = TraceRecord.Content.name(kind, position: UInt8(position), TraceName(name))
    append(TraceRecord(tick: tick, content: content))
  }

  private mutating func append(_ record: TraceRecord) {
    let count = header.halves[current].count
    guard count < header.capacity else { return }
    let offset = TraceLayout.offset(of: current, Int(header.capacity)) + TraceLayout.checkpoint
    store(record, at: offset + Int(count) * TraceLayout.record, TraceLayout.record)
    header.halves[current].count = count + 1
  }

  private mutating func begin(half: Int, _ policy: Policy, _ names: DeviceNames) {
    // Not to be read while its checkpoint is being written.
    header.current = Int64(half)
    header.halves[half] = TraceHeader.Half()
    storeHeader()
    let offset = TraceLayout.offset(of: half, Int(header.capacity))
    store(policy, at: offset, TraceLayout.checkpoint)
    header.halves[half].nanoseconds = MonotonicClock.now()
    header.halves[half].count = 0
    append(.board, 0, names.board, at: policy.now)
    for index in names.controls.indices {
      append(.control, index, names.controls[index], at: policy.now)
    }
    for index in names.outputs.indices {
      append(.output, index, names.outputs[index], at: policy.now)
    }
    for index in names.sources.indices {
      append(.source, index, names.sources[index], at: policy.now)
    }
    storeHeader()
  }

  /// Stores a value in so many bytes of the file, which its checksum covers.
  private mutating func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int, _ size: Int) {
    base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    header.halves[current].checksum.add(UnsafeRawBufferPointer(start: base + offset, count: size))
  }

  private func storeHeader() { base.storeBytes(of: header, as: TraceHeader.self) }
}
