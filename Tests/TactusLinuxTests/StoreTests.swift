// SPDX-License-Identifier: Apache-2.0
//
// What was kept comes back whole, or its absence has a name.

import Foundation
import Testing

@testable import TactusLinux

@Suite struct StoreTests {
  private let entries = [
    StateEntry("speaker", .number(26214)),
    StateEntry("soft-mute", .number(0)),
    StateEntry("headphones.dose", .number(.min)),
    StateEntry("chosen-route", .text("Küche \"links\" \\ 2\nzwei")),
    StateEntry("empty", .text("")),
  ]

  @Test("VOL-12 what was kept is read back, in its order")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let store = StateStore(folder: folder.path)
    #expect(store.read() == .missing)
    try store.write(entries)
    #expect(store.read() == .ok(entries))
    try store.write([])
    #expect(store.read() == .ok([]))
    #expect(folder.names == ["state"])
  }

  @Test("VOL-12 the file is text that a person can read")
  func format() throws {
    let folder = try TemporaryFolder()
    try StateStore(folder: folder.path).write([
      StateEntry("speaker", .number(-3)), StateEntry("route", .text("a\"b")),
    ])
    #expect(
      String(decoding: folder.bytes(of: "state"), as: UTF8.self) == """
        tactus-state 1
        speaker -3
        route "a\\"b"
        checksum 86079de04bf4b5db

        """
    )
  }

  @Test("VOL-12 a file that is not ours is foreign, a later one newer, a short one torn")
  func faults() throws {
    let folder = try TemporaryFolder()
    let store = StateStore(folder: folder.path)
    func reading(_ text: String) -> StateReading {
      folder.put("state", text)
      return store.read()
    }
    #expect(reading("") == .torn)
    #expect(reading("tactus-st") == .torn)
    #expect(reading("tactus-state 1") == .torn)
    #expect(reading("tactus-state 1\n") == .torn)
    #expect(reading("tactus-state 1\nspeaker 3\nchecksum 0000000000000000\n") == .torn)
    #expect(reading("tactus-state 2\nanything") == .newer(version: 2))
    #expect(reading("tactus-state 0\n") == .foreign)
    #expect(reading("tactus-state one\n") == .foreign)
    #expect(reading("[volume]\nspeaker=3\n") == .foreign)
    #expect(reading("\u{0}\u{0}\u{0}") == .foreign)
    #expect(reading(String(repeating: "x", count: StateStore.sizeMaximum + 1)) == .foreign)
  }

  @Test("VOL-12 a folder in the file's place, or a link that goes round, is unreadable")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let store = StateStore(folder: folder.path)
    symlink("state", "\(folder.path)/state")
    #expect(store.read() == .unreadable(SystemError("open", "\(folder.path)/state", code: ELOOP)))
    unlink("\(folder.path)/state")
    mkdir("\(folder.path)/state", 0o755)
    #expect(store.read() == .unreadable(SystemError("read", "\(folder.path)/state", code: EISDIR)))
  }

  @Test("VOL-12 no damage is read as something that was never kept: 10 000 seeded cases")
  func damage() {
    var random = SeededGenerator(seed: 12)
    let whole = StateFormat.encode(entries)
    for _ in 0..<10_000 {
      var bytes = whole
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      switch StateFormat.decode(bytes) {
      case .ok(let read): #expect(bytes == whole && read == entries)
      case .torn, .foreign, .newer: #expect(bytes != whole)
      case .missing, .unreadable: Issue.record("decoding touches no file")
      }
    }
  }

  @Test("VOL-12 no single bit can flip unnoticed, and no cut")
  func everyBit() {
    let whole = StateFormat.encode(entries)
    for place in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[place] ^= 1 << UInt8(bit)
        if case .ok = StateFormat.decode(bytes) { Issue.record("bit \(bit) of byte \(place)") }
      }
      if case .ok = StateFormat.decode(Array(whole[..<place])) { Issue.record("cut at \(place)") }
    }
  }

  @Test("VOL-12 random bytes are read without a crash")
  func noise() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...200, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(StateFormat.decode(bytes) == .foreign || bytes.isEmpty)
      let headed = Array("tactus-state 1\n".utf8) + bytes
      #expect(StateFormat.decode(headed) == .torn)
    }
  }

  @Test("VOL-12 a failed writing leaves what was kept, and no other file")
  func failure() throws {
    let folder = try TemporaryFolder()
    let store = StateStore(folder: folder.path)
    try store.write(entries)
    mkdir("\(folder.path)/state.new", 0o755)
    #expect(throws: StoreError.self) { try store.write([]) }
    rmdir("\(folder.path)/state.new")
    #expect(store.read() == .ok(entries))
    #expect(folder.names == ["state"])
  }

  @Test("VOL-12 the cause of a failure says what to do")
  func causes() throws {
    let error = #expect(throws: StoreError.self) {
      try StateStore(folder: "/nonexistent").write([])
    }
    #expect(error?.cause == .missingFolder)
    #expect(
      error?.description
        == "/nonexistent/state.new: cannot open (No such file or directory), levels and mute "
        + "will not outlive a restart until the folder exists"
    )
    func cause(_ code: Int32) -> StoreError.Cause {
      StoreError(SystemError("write", "state", code: code)).cause
    }
    #expect(cause(ENOSPC) == .outOfSpace)
    #expect(cause(EROFS) == .readOnly)
    #expect(cause(EACCES) == .permission)
    #expect(cause(EIO) == .other)
  }
}

/// A small disk in memory, mounted on a folder.
private final class SmallDisk {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try run("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder.path)
  }

  deinit { try? run("umount", folder.path) }

  func run(_ command: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(command)")
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command)")
  }
}

@Suite(
  .enabled(if: Header.isThere, "needs the virtual device: Tests/VirtualDevice/run swift_tests")
)
struct StoreDiskTests {
  private let entries = [StateEntry("speaker", .number(1))]

  @Test("VOL-12 a full disk keeps the old state, says so, and is written to once there is room")
  func full() throws {
    let disk = try SmallDisk()
    let store = StateStore(folder: disk.folder.path)
    try store.write(entries)
    let ballast = [UInt8](repeating: 1, count: 4096)
    disk.folder.put("ballast", ballast)
    let error = #expect(throws: StoreError.self) { try store.write([]) }
    #expect(error?.cause == .outOfSpace)
    #expect(store.read() == .ok(entries))
    #expect(disk.folder.names == ["ballast", "state"])
    unlink("\(disk.folder.path)/ballast")
    try store.write([])
    #expect(store.read() == .ok([]))
  }

  @Test("VOL-12 a read-only disk keeps the old state and says so")
  func readOnly() throws {
    let disk = try SmallDisk()
    let store = StateStore(folder: disk.folder.path)
    try store.write(entries)
    try disk.run("mount", "-o", "remount,ro", disk.folder.path)
    let error = #expect(throws: StoreError.self) { try store.write([]) }
    #expect(error?.cause == .readOnly)
    #expect(store.read() == .ok(entries))
  }
}

@Suite struct StateWriterTests {
  @Test("VOL-12 writing does not make the loop wait: its end is a descriptor")
  func background() throws {
    let folder = try TemporaryFolder()
    let store = StateStore(folder: folder.path)
    var writer = try StateWriter(store: store)
    let loop = try EventLoop()
    try loop.add(writer.descriptor, token: 5)
    for round in Int64(0)..<20 {
      let entries = [StateEntry("speaker", .number(round))]
      writer.begin(entries)
      let isWriting = writer.isWriting
      #expect(isWriting)
      #expect(try loop.wait(until: nil) == 1)
      #expect(writer.takeOutcome() == .kept)
      #expect(store.read() == .ok(entries))
      #expect(try loop.wait(until: 0) == 0)
    }
    #expect(writer.takeOutcome() == nil)
  }

  @Test("VOL-12 a failure comes with the result, and the next writing is tried")
  func failure() throws {
    let folder = try TemporaryFolder()
    var writer = try StateWriter(store: StateStore(folder: "\(folder.path)/later"))
    writer.begin([])
    guard case .failed(let error)? = writer.takeOutcome() else {
      Issue.record("written to a folder that is not there")
      return
    }
    #expect(error.cause == .missingFolder)
    mkdir("\(folder.path)/later", 0o755)
    writer.begin([])
    #expect(writer.takeOutcome() == .kept)
  }

  @Test("VOL-12 what has begun is on the disk when the writer goes")
  func leaving() throws {
    let folder = try TemporaryFolder()
    let store = StateStore(folder: folder.path)
    do {
      var writer = try StateWriter(store: store)
      writer.begin([StateEntry("speaker", .number(1))])
    }
    #expect(store.read() == .ok([StateEntry("speaker", .number(1))]))
  }
}
