// SPDX-License-Identifier: Apache-2.0
//
// Keeping the state without stopping the tick: an SD card may take half a second for an fsync.

import CTactus

/// Writes the state on a thread of its own, one writing at a time.
public struct StateWriter: ~Copyable {
  /// How a writing ended.
  public enum Outcome: Equatable, Sendable {
    case kept
    case failed(StoreError)
  }

  private let store: StateStore
  private let finished: Descriptor
  private var running: Writing?

  public init(store: StateStore) throws(SystemError) {
    self.store = store
    finished = try Descriptor(tactus_event_open(), "open", "eventfd")
  }

  deinit { running?.join() }

  /// Readable when a writing has ended: then ask `takeOutcome`.
  public var descriptor: Int32 { finished.number }

  /// Whether a writing has begun and its outcome has not been taken.
  public var isWriting: Bool { running != nil }

  /// Begins to write; where no thread can be had, it has been written when this returns.
  ///
  /// Not to be called while `isWriting`.
  public mutating func begin(_ entries: [StateEntry]) {
    precondition(running == nil, "the outcome of the last writing has not been taken")
    let writing = Writing(entries, to: store, telling: finished.number)
    writing.start()
    running = writing
  }

  /// The outcome of the writing that has begun, waiting for its end; nil when there is none.
  public mutating func takeOutcome() -> Outcome? {
    guard let writing = running else { return nil }
    writing.join()
    running = nil
    var count: UInt64 = 0
    _ = read(finished.number, &count, MemoryLayout.size(ofValue: count))
    return writing.outcome
  }
}

/// One writing; the thread owns it until it is joined.
private final class Writing {
  private let entries: [StateEntry]
  private let store: StateStore
  private let finished: Int32
  private var thread: UInt64?
  private(set) var outcome = StateWriter.Outcome.kept

  init(_ entries: [StateEntry], to store: StateStore, telling finished: Int32) {
    self.entries = entries
    self.store = store
    self.finished = finished
  }

  func start() {
    let context = Unmanaged.passRetained(self)
    var started: UInt64 = 0
    if tactus_thread_start(&started, runWriting, context.toOpaque()) == 0 {
      thread = started
    } else {
      runWriting(context.toOpaque())
    }
  }

  func join() {
    if let thread { tactus_thread_join(thread) }
    thread = nil
  }

  func run() {
    do throws(StoreError) {
      try store.write(entries)
    } catch {
      outcome = .failed(error)
    }
    var one: UInt64 = 1
    _ = write(finished, &one, MemoryLayout.size(ofValue: one))
  }
}

private func runWriting(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Writing>.fromOpaque(context).takeRetainedValue().run()
}
