// SPDX-License-Identifier: Apache-2.0
//
// The event loop on this machine's kernel.

import Glibc
import Testing

@testable import TactusLinux

/// A pipe that closes its ends.
private final class Pipe {
  let reading: Int32
  private(set) var writing: Int32

  init() {
    var ends: (Int32, Int32) = (-1, -1)
    withUnsafeMutablePointer(to: &ends) { pointer in
      pointer.withMemoryRebound(to: Int32.self, capacity: 2) { _ = pipe($0) }
    }
    (reading, writing) = ends
  }

  deinit {
    close(reading)
    closeWriting()
  }

  func put(_ count: Int = 1) { _ = write(writing, [UInt8](repeating: 0, count: count), count) }

  func take() {
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = read(reading, &bytes, bytes.count)
  }

  func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }
}

private let millisecond: UInt64 = 1_000_000

@Suite struct EventLoopTests {
  @Test("T-6 a deadline ends the wait, never before its time")
  func deadline() throws {
    let loop = try EventLoop()
    for _ in 0..<5 {
      let deadline = MonotonicClock.now() + 3 * millisecond
      #expect(try loop.wait(until: deadline) == 0)
      #expect(MonotonicClock.now() >= deadline)
    }
  }

  @Test("T-3 a deadline that has passed does not wait")
  func late() throws {
    let loop = try EventLoop()
    #expect(try loop.wait(until: MonotonicClock.now() - millisecond) == 0)
    #expect(try loop.wait(until: 0) == 0)
  }

  @Test("T-5 a descriptor that is ready ends a wait without deadline, and names its token")
  func ready() throws {
    let loop = try EventLoop()
    let (first, second) = (Pipe(), Pipe())
    try loop.add(first.reading, token: 7)
    try loop.add(second.reading, token: UInt32.max)
    second.put()
    #expect(try loop.wait(until: nil) == 1)
    #expect(loop[0] == .init(token: UInt32.max, isReadable: true, isBroken: false))
    #expect(try loop.wait(until: 0) == 1, "what has not been read stays ready")
    second.take()
    #expect(try loop.wait(until: 0) == 0)
  }

  @Test("the end of the other side is told")
  func broken() throws {
    let loop = try EventLoop()
    let pipe = Pipe()
    try loop.add(pipe.reading, token: 1)
    #expect(try loop.wait(until: 0) == 0)
    pipe.closeWriting()
    #expect(try loop.wait(until: 0) == 1)
    #expect(loop[0].isBroken && !loop[0].isReadable)
  }

  @Test("what is deferrable does not end a wait for what is urgent, and is not forgotten by it")
  func deferrable() throws {
    let loop = try EventLoop()
    let (card, line) = (Pipe(), Pipe())
    try loop.add(card.reading, token: 1, isDeferrable: true)
    try loop.add(line.reading, token: 2)
    card.put()
    #expect(try loop.wait(until: 0, for: .urgent) == 0)
    line.put()
    #expect(try loop.wait(until: 0, for: .urgent) == 1)
    #expect(loop[0].token == 2)
    #expect(try loop.wait(until: 0) == 2)
    line.take()
    #expect(try loop.wait(until: 0, for: .urgent) == 0)
    #expect(try loop.wait(until: 0) == 1)
    #expect(loop[0].token == 1)
  }

  @Test("more than one wake-up can report come in turns")
  func many() throws {
    let loop = try EventLoop()
    let pipes = (0..<EventLoop.readyMaximum + 8).map { _ in Pipe() }
    for (index, pipe) in pipes.enumerated() {
      try loop.add(pipe.reading, token: UInt32(index))
      pipe.put()
    }
    var seen: Set<UInt32> = []
    for _ in 0..<2 {
      let count = try loop.wait(until: 0)
      #expect(count == EventLoop.readyMaximum)
      for index in 0..<count { seen.insert(loop[index].token) }
    }
    #expect(seen.count == pipes.count)
  }

  @Test("signals are read one by one")
  func signals() throws {
    // This thread, and the children it starts for other tests, shall be as before.
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var signals = try Signals()
    let loop = try EventLoop()
    try loop.add(signals.descriptor, token: 0)
    #expect(signals.next() == nil)
    let expected: [(Int32, Signal)] = [
      (SIGHUP, .hangUp), (SIGUSR1, .user1), (SIGTERM, .terminate), (SIGINT, .interrupt),
    ]
    for (number, signal) in expected {
      raise(number)
      #expect(try loop.wait(until: 0) == 1)
      #expect(signals.next() == signal)
      #expect(signals.next() == nil)
    }
    raise(SIGPIPE)
    #expect(signals.next() == nil)
  }

  @Test("a folder tells that a name came, went or was given away, and which folder it was")
  func folders() throws {
    let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
    var watch = try FolderWatch()
    let one = try watch.add(first.path)
    let two = try watch.add(second.path)
    #expect(try watch.add(first.path) == one)
    var changes = watch.takeChanges()
    #expect(!changes.contains(one) && !changes.contains(two))
    first.put("gpiochip0", "")
    changes = watch.takeChanges()
    #expect(changes.contains(one) && !changes.contains(two))
    chmod("\(first.path)/gpiochip0", 0o660)
    #expect(watch.takeChanges().contains(one))
    unlink("\(first.path)/gpiochip0")
    rmdir(second.path)
    changes = watch.takeChanges()
    #expect(changes.contains(one) && changes.contains(two))
    #expect(throws: SystemError("watch", second.path, code: ENOENT)) {
      try watch.add(second.path)
    }
  }
}
