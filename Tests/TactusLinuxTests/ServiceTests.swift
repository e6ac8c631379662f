// SPDX-License-Identifier: Apache-2.0
//
// What systemd and people are told, read at the other end.

import Foundation
import Testing

@testable import TactusLinux

/// A datagram socket in a folder, as systemd's.
private final class Listener {
  let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

  init(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  deinit { close(descriptor) }

  func next() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}

/// The environment belongs to the process: one test at a time.
@Suite(.serialized) struct ServiceTests {
  @Test("systemd hears ready, status, reload, watchdog and the end")
  func notifications() throws {
    let folder = try TemporaryFolder()
    let listener = Listener(path: "\(folder.path)/notify")
    setenv("NOTIFY_SOCKET", "\(folder.path)/notify", 1)
    defer { unsetenv("NOTIFY_SOCKET") }
    Service.ready(status: "speaker 40 %")
    #expect(listener.next() == "READY=1\nSTATUS=speaker 40 %")
    Service.report(status: "silent")
    #expect(listener.next() == "STATUS=silent")
    Service.feedWatchdog()
    #expect(listener.next() == "WATCHDOG=1")
    let before = MonotonicClock.now() / 1000
    Service.reloading()
    let reload = listener.next()
    #expect(reload.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    let moment = UInt64(reload.dropFirst("RELOADING=1\nMONOTONIC_USEC=".count))
    #expect(try #require(moment) >= before && moment! <= MonotonicClock.now() / 1000)
    Service.stopping()
    #expect(listener.next() == "STOPPING=1")
  }

  @Test("the watchdog's time is known, and none where systemd does not watch this process")
  func watchdog() {
    #expect(Service.watchdogNanoseconds == nil)
    setenv("WATCHDOG_USEC", "120000000", 1)
    setenv("WATCHDOG_PID", "\(getpid())", 1)
    #expect(Service.watchdogNanoseconds == 120_000_000_000)
    setenv("WATCHDOG_PID", "1", 1)
    #expect(Service.watchdogNanoseconds == nil)
    unsetenv("WATCHDOG_USEC")
    unsetenv("WATCHDOG_PID")
  }

  @Test("standard error is the journal only where device and inode say so")
  func journalStream() throws {
    var status = stat()
    #expect(fstat(STDERR_FILENO, &status) == 0)
    #expect(Journal.isStandardError(stream: "\(status.st_dev):\(status.st_ino)"))
    #expect(!Journal.isStandardError(stream: "\(status.st_dev):\(status.st_ino + 1)"))
    #expect(!Journal.isStandardError(stream: nil))
    #expect(!Journal.isStandardError(stream: ""))
  }

  @Test(
    "the journal gets message, priority, program and fields, also of several lines",
    .enabled(if: Header.isThere, "needs the virtual device: Tests/VirtualDevice/run swift_tests")
  )
  func journal() throws {
    let folder = "/run/systemd/journal"
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true
    )
    let listener = Listener(path: "\(folder)/socket")
    defer { unlink("\(folder)/socket") }
    var status = stat()
    #expect(fstat(STDERR_FILENO, &status) == 0)
    setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
    defer { unsetenv("JOURNAL_STREAM") }
    let journal = Journal(program: "tactusd")
    journal.log(.warning, "line 8: busy", [.init("CONTROL", "knob"), .init("LINE", "8")])
    let fields = listener.next().split(separator: "\n").map(String.init)
    for field in [
      "PRIORITY=4", "SYSLOG_IDENTIFIER=tactusd", "MESSAGE=line 8: busy", "TACTUS_CONTROL=knob",
      "TACTUS_LINE=8",
    ] {
      #expect(fields.contains(field))
    }
    journal.log(.info, "one\ntwo")
    #expect(listener.next().contains("MESSAGE\n\u{7}\0\0\0\0\0\0\0one\ntwo\n"))
  }

  @Test("the environment is what the process has now")
  func environment() {
    setenv("TACTUS_TEST", "1", 1)
    #expect(Program.environment("TACTUS_TEST") == "1")
    unsetenv("TACTUS_TEST")
    #expect(Program.environment("TACTUS_TEST") == nil)
  }

  @Test("the arguments are those of the process, without its name")
  func arguments() {
    #expect(Program.arguments == Array(CommandLine.arguments.dropFirst()))
  }
}

@Suite struct OutputTests {
  private func collect(_ body: (Int32) throws -> Void) throws -> String {
    let folder = try TemporaryFolder()
    let file = open("\(folder.path)/out", O_WRONLY | O_CREAT, 0o644)
    try body(file)
    close(file)
    return String(decoding: folder.bytes(of: "out"), as: UTF8.self)
  }

  @Test("text is collected until it is flushed, or the writer goes")
  func flush() throws {
    let folder = try TemporaryFolder()
    let file = open("\(folder.path)/out", O_WRONLY | O_CREAT, 0o644)
    defer { close(file) }
    do {
      let output = Output(descriptor: file)
      output.write("level 40 %\n")
      #expect(folder.bytes(of: "out").isEmpty)
      try output.flush()
      #expect(folder.bytes(of: "out") == Array("level 40 %\n".utf8))
      output.write("ü")
    }
    #expect(folder.bytes(of: "out") == Array("level 40 %\nü".utf8))
  }

  @Test("much text arrives whole and in order")
  func much() throws {
    let line = "0123456789 äöü\n"
    let text = try collect { file in
      let output = Output(descriptor: file)
      for _ in 0..<5_000 { output.write(line) }
      try output.flush()
    }
    #expect(text == String(repeating: line, count: 5_000))
  }

  @Test("a full disk is an error of flush, and stays one")
  func full() throws {
    let file = open("/dev/full", O_WRONLY)
    defer { close(file) }
    let output = Output(descriptor: file)
    output.write("x")
    for _ in 0..<2 {
      #expect(throws: SystemError("write", "standard output", code: ENOSPC)) {
        try output.flush()
      }
    }
  }

  @Test("a pipe that takes little at a time gets everything")
  func pipes() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let bytes = [UInt8](repeating: 7, count: 300_000)
    let reader = ReaderThread(descriptor: ends[0])
    try writeAll(bytes, to: ends[1], called: "pipe")
    close(ends[1])
    #expect(reader.join() == bytes.count)
    close(ends[0])
  }
}

/// Reads a descriptor to its end on a thread.
private final class ReaderThread {
  private let descriptor: Int32
  private var thread = pthread_t()
  private var count = 0

  init(descriptor: Int32) {
    self.descriptor = descriptor
    pthread_create(
      &thread,
      nil,
      { context in
        let reader = Unmanaged<ReaderThread>.fromOpaque(context!).takeUnretainedValue()
        var bytes = [UInt8](repeating: 0, count: 1000)
        while true {
          let taken = read(reader.descriptor, &bytes, bytes.count)
          if taken <= 0 { return nil }
          reader.count += taken
        }
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  func join() -> Int {
    pthread_join(thread, nil)
    return count
  }
}
