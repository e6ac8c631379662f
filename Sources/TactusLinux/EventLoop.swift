// SPDX-License-Identifier: Apache-2.0
//
// Where the daemon sleeps. Everything that can happen to it is a descriptor with a token; `wait`
// says which are ready and nothing else: what to do about it is decided in the tick.
//
//   token     the caller's number for a descriptor
//   deadline  a moment of MonotonicClock; waiting ends there when nothing else ends it

import CTactus
import TactusCore

/// Waits for descriptors and deadlines; one system call and no allocation per wake-up.
// A class, since lending a part of a structure that cannot be copied moves all of it: 40 KB of a
// daemon at each wake-up.
public final class EventLoop {
  /// A descriptor at which something has happened.
  public struct Ready: Equatable, Sendable {
    public let token: UInt32
    public let isReadable: Bool
    /// The other end, or the device, is gone: read what is left, then close.
    public let isBroken: Bool
  }

  /// Which descriptors may end a wait.
  public enum Occasion: Sendable {
    case all
    /// All but those that are deferrable.
    case urgent
  }

  /// The most descriptors that one `wait` reports; the others come with the next.
  public static let readyMaximum = Int(TACTUS_READY_MAX)

  private let all: Descriptor
  private let urgent: Descriptor
  private var ready = InlineArray<32, tactus_ready>(repeating: tactus_ready())

  public init() throws(SystemError) {
    // In variables of its own, so that a failure leaves nothing half made.
    let all = try Descriptor(tactus_poll_open(), "open", "epoll")
    let urgent = try Descriptor(tactus_poll_open(), "open", "epoll")
    self.all = all
    self.urgent = urgent
  }

  /// Waits from now on until the descriptor can be read or is broken; closing it ends that.
  ///
  /// A deferrable one does not end a wait for what is urgent.
  public func add(
    _ descriptor: Int32,
    token: UInt32,
    isDeferrable: Bool = false
  ) throws(SystemError) {
    try add(descriptor, token, to: all)
    if !isDeferrable { try add(descriptor, token, to: urgent) }
  }

  /// Waits for a descriptor no more, which stays open.
  public func remove(_ descriptor: Int32) {
    _ = tactus_poll_remove(all.number, descriptor)
    _ = tactus_poll_remove(urgent.number, descriptor)
  }

  /// Sleeps until a descriptor is ready or the deadline (ns of `MonotonicClock`) is reached.
  ///
  /// With no deadline there is no wake-up of its own. Gives how many descriptors are ready, 0 at
  /// the deadline; `self[0]` and so on are these.
  public func wait(
    until deadlineNanoseconds: UInt64?,
    for occasion: Occasion = .all
  ) throws(SystemError) -> Int {
    let poll = occasion == .all ? all.number : urgent.number
    let count = EventLoop.wait(poll, until: deadlineNanoseconds ?? UInt64.max, &ready)
    if count < 0 { throw SystemError("wait", "epoll", code: -count) }
    return Int(count)
  }

  private static func wait(
    _ poll: Int32,
    until deadlineNanoseconds: UInt64,
    _ ready: inout InlineArray<32, tactus_ready>
  ) -> Int32 {
    var span = ready.mutableSpan
    return span.withUnsafeMutableBufferPointer { buffer in
      tactus_poll_wait(poll, deadlineNanoseconds, buffer.baseAddress, Int32(buffer.count))
    }
  }

  /// One of those that the last `wait` found ready.
  public subscript(index: Int) -> Ready {
    let found = ready[index]
    return Ready(
      token: found.token,
      isReadable: found.conditions & TACTUS_READABLE != 0,
      isBroken: found.conditions & TACTUS_BROKEN != 0
    )
  }

  private func add(
    _ descriptor: Int32,
    _ token: UInt32,
    to poll: borrowing Descriptor
  ) throws(SystemError) {
    let result = tactus_poll_add(poll.number, descriptor, token, UInt32(TACTUS_READABLE))
    if result < 0 { throw SystemError("wait for", "token \(token)", code: -result) }
  }
}

/// A signal that the daemon answers.
public enum Signal: Equatable, Sendable {
  /// SIGTERM: the service manager stops it.
  case terminate
  /// SIGINT: a person at the keyboard stops it.
  case interrupt
  /// SIGHUP: the configuration has changed.
  case hangUp
  /// SIGUSR1: the trace is asked for.
  case user1

  var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangUp: SIGHUP
    case .user1: SIGUSR1
    }
  }

  init?(number: Int32) {
    switch number {
    case SIGTERM: self = .terminate
    case SIGINT: self = .interrupt
    case SIGHUP: self = .hangUp
    case SIGUSR1: self = .user1
    default: return nil
    }
  }
}

/// Signals as something to read, so that they interrupt nothing.
///
/// They stay blocked in this process when the value is gone. SIGPIPE is ignored.
public struct Signals: ~Copyable {
  private let source: Descriptor

  /// To be made before anything that must not be interrupted.
  public init() throws(SystemError) {
    source = try Descriptor(tactus_signals_open(), "catch", "signals")
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Readable when a signal waits.
  public var descriptor: Int32 { source.number }

  /// The next signal that waits.
  public mutating func next() -> Signal? { Signal(number: tactus_signals_next(source.number)) }
}

/// Tells when names appear or go in folders, as devices do in /dev and /dev/snd.
public struct FolderWatch: ~Copyable {
  /// The folders that have changed.
  public struct Changes: Equatable, Sendable {
    let bits: UInt64

    /// Whether this folder has, or may have: with more than 63 folders, or too many changes, all.
    public func contains(_ folder: Folder) -> Bool {
      folder.number > 63 ? bits != 0 : bits >> UInt64(folder.number) & 1 == 1
    }
  }

  /// A watched folder.
  public struct Folder: Equatable, Sendable {
    let number: Int32
  }

  private let source: Descriptor

  public init() throws(SystemError) {
    source = try Descriptor(tactus_watch_open(), "open", "inotify")
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Readable when something has changed.
  public var descriptor: Int32 { source.number }

  /// Watches a folder; the same again gives the same, a new one in its place a new one.
  ///
  /// - Throws: ENOENT when it is not there yet: then watch the folder it will be in.
  public func add(_ folder: String) throws(SystemError) -> Folder {
    let number = tactus_watch_add(source.number, folder)
    if number < 0 { throw SystemError("watch", folder, code: -number) }
    return Folder(number: number)
  }

  /// The folders that have changed since the last time.
  public mutating func takeChanges() -> Changes {
    Changes(bits: tactus_watch_take(source.number))
  }
}
