// SPDX-License-Identifier: Apache-2.0
//
// The programs that the tests run: a message bus, the daemon's bus service without a daemon, and
// tactus.

import Foundation
import TactusCore
import TactusLinux
import Testing

/// How a program ended.
struct Finished: Equatable {
  let code: Int32
  let output: String
  let error: String
}

/// `tactus`, as built beside the tests.
let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  .appending(path: "tactus")

/// Runs `tactus` to its end.
func run(
  _ arguments: [String],
  output: FileHandle? = nil,
  program: URL = program,
  environment: [String: String]? = nil
) throws -> Finished {
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  if let environment { process.environment = environment }
  let outputPipe = Pipe()
  let errorPipe = Pipe()
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output ?? outputPipe
  process.standardError = errorPipe
  try process.run()
  if output != nil { try outputPipe.fileHandleForWriting.close() }
  let written = try outputPipe.fileHandleForReading.readToEnd() ?? Data()
  let complaints = try errorPipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return Finished(
    code: process.terminationStatus,
    output: String(decoding: written, as: UTF8.self),
    error: String(decoding: complaints, as: UTF8.self)
  )
}

/// Runs `tactus` to its end with its input and errors at a terminal, where somebody types ahead.
func runAtTerminal(_ arguments: [String], typing: String) throws -> Finished {
  var hand: Int32 = -1
  var terminal: Int32 = -1
  try #require(openpty(&hand, &terminal, nil, nil, nil) == 0)
  defer { close(hand) }
  let screen = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
  // The echo of what is typed ahead may come late, into the middle of what is said.
  var settings = termios()
  tcgetattr(terminal, &settings)
  settings.c_lflag &= ~tcflag_t(ECHO)
  try #require(tcsetattr(terminal, TCSANOW, &settings) == 0)
  try #require(write(hand, typing, typing.utf8.count) == typing.utf8.count)
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  process.standardInput = screen
  process.standardOutput = FileHandle.nullDevice
  process.standardError = screen
  try process.run()
  process.waitUntilExit()
  // What was shown may still be on its way to this side; behind it comes a mark.
  try screen.write(contentsOf: [0])
  var shown: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4_096)
  while shown.last != 0, case let count = read(hand, &chunk, chunk.count), count > 0 {
    shown += chunk[..<count]
  }
  shown.removeLast()
  let text = String(decoding: shown, as: UTF8.self).replacing("\r\n", with: "\n")
  return Finished(code: process.terminationStatus, output: "", error: text)
}

/// `tactus` at a terminal of its own, whose other end is the test's.
final class OnScreen {
  private let process = Process()
  private var hand: Int32 = -1
  /// All that it has drawn, as bytes for a terminal.
  private(set) var drawn = ""

  init(_ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24, terminal: String = "xterm")
    throws
  {
    var end: Int32 = -1
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&hand, &end, nil, nil, &size) == 0)
    let screen = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    process.executableURL = program
    process.arguments = arguments
    // What a sanitizer is told goes on to the program.
    let sanitizer = ProcessInfo.processInfo.environment.filter { $0.key == "ASAN_OPTIONS" }
    process.environment = sanitizer.merging(["TERM": terminal, "LC_ALL": "C.UTF-8"]) { $1 }
    process.standardInput = screen
    process.standardOutput = screen
    process.standardError = screen
    try process.run()
    try screen.close()
  }

  /// Reads until it has drawn something, at most 60 s.
  func waits(for text: String) -> Bool {
    let end = Date() + 60
    while Date() < end {
      if drawn.contains(text) { return true }
      var polled = pollfd(fd: hand, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, 100) > 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: 4_096)
      let count = read(hand, &chunk, chunk.count)
      if count <= 0 { return drawn.contains(text) }
      drawn += String(decoding: chunk[..<count], as: UTF8.self)
    }
    return false
  }

  func type(_ keys: String) { _ = write(hand, keys, keys.utf8.count) }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The terminal goes away.
  func hangUp() {
    close(hand)
    hand = -1
  }

  /// Waits for its end, at most 60 s, and gives its exit code; nil when it goes on.
  func exitCode() -> Int32? {
    for _ in 0..<6_000 {
      if !process.isRunning { return process.terminationStatus }
      // What nobody reads would hold it up.
      if hand >= 0 { _ = waits(for: "\u{1b}[?1049l") }
      usleep(10_000)
    }
    return nil
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    if hand >= 0 { close(hand) }
  }
}

/// `tactus` while it runs.
final class Running {
  private let process = Process()
  private let output = Pipe()
  private var waiting = Data()

  init(_ arguments: [String]) throws {
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// The next line that it writes; what was written before its end is empty.
  func line() -> String {
    while !waiting.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return "" }
      waiting += more
    }
    let end = waiting.firstIndex(of: UInt8(ascii: "\n")) ?? waiting.endIndex
    defer { waiting = Data(waiting[waiting.index(after: end)...]) }
    return String(decoding: waiting[..<end], as: UTF8.self)
  }

  func interrupt() {
    process.interrupt()
    process.waitUntilExit()
  }

  var reason: Process.TerminationReason { process.terminationReason }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}

/// The daemon's bus service with a policy that answers what the test says.
final class FakeDaemon {
  private let folder: URL
  private let bus = Process()
  private let shared = Shared()
  private let thread: Thread
  let address: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tactus-cli-\(UUID())")
    address = "unix:path=\(folder.path)/socket"
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = """
      <busconfig>
        <type>system</type><listen>\(address)</listen><auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/><allow own="*"/><allow send_type="*"/><allow receive_type="*"/>
        </policy>
      </busconfig>
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "bus.conf"))
    bus.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
    bus.arguments = ["--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address"]
    let started = Pipe()
    bus.standardOutput = started
    try bus.run()
    _ = started.fileHandleForReading.availableData
    thread = Thread { [shared, address] in shared.serve(on: address) }
    thread.start()
    try #require(shared.wait { $0.isConnected })
  }

  var calls: [BusCall.Kind] { shared.locked { $0.calls } }

  func answer(_ reply: Reply) { shared.locked { $0.reply = reply } }

  /// Changes what is true of the device.
  func publish(_ change: (inout Snapshot) -> Void) {
    shared.locked { change(&$0.snapshot) }
  }

  /// Leaves the bus, which stays.
  func stop() {
    shared.locked { $0.isStopped = true }
    while !thread.isFinished { usleep(1_000) }
  }

  deinit {
    stop()
    // SIGTERM may be blocked: a child inherits that from the thread of the test.
    kill(bus.processIdentifier, SIGKILL)
    bus.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// What the test's thread and the service's share.
private final class Shared: @unchecked Sendable {
  private let lock = NSLock()
  var isStopped = false
  var isConnected = false
  var calls: [BusCall.Kind] = []
  var reply = Reply.done
  var snapshot = Shared.snapshot

  func locked<Result>(_ body: (Shared) -> Result) -> Result { lock.withLock { body(self) } }

  /// Waits until something is so, at most 60 s.
  func wait(until isSo: (Shared) -> Bool) -> Bool {
    for _ in 0..<6_000 {
      if locked(isSo) { return true }
      usleep(10_000)
    }
    return false
  }

  func serve(on address: String) {
    do {
      var bus = try Bus(
        address: .address(address),
        description: Shared.description,
        tracePath: "/run/trace"
      )
      let loop = try EventLoop()
      try loop.add(bus.descriptor, token: 0)
      while !locked({ $0.isStopped }) {
        let change = bus.process(at: MonotonicClock.now())
        let taken = bus.takeCalls()
        let (reply, snapshot) = locked { shared in
          if change == .connected { shared.isConnected = true }
          shared.calls += taken.map(\.kind)
          return (shared.reply, shared.snapshot)
        }
        for call in taken { bus.reply(call.token, reply) }
        bus.publish(snapshot, isAtRest: true)
        // What the test has to say is looked for every 10 ms.
        _ = try loop.wait(until: MonotonicClock.now() + 10_000_000)
      }
      bus.flush()
    } catch {
      Issue.record(error)
    }
  }

  private static var description: Description {
    var configuration = Configuration()
    configuration.controls.append(Control(role: .volumeUp))
    configuration.outputs.append(
      Output(kind: .speaker, hasVolume: true, hasSwitch: true, curve: Curve())
    )
    configuration.sources.append(Source(category: .playback))
    configuration.feedbackChannels = .led.union(.sound)
    return Description(
      names: DeviceNames(
        board: "example",
        isSimulated: true,
        controls: ["volume-up"],
        outputs: ["speaker"],
        sources: ["music"]
      ),
      configuration: configuration
    )
  }

  private static var snapshot: Snapshot {
    var snapshot = Snapshot()
    snapshot.level = Level(percent: 40)
    snapshot.route = 0
    snapshot.controls.append(ControlState())
    snapshot.outputs.append(OutputState())
    snapshot.sources.append(SourceState())
    return snapshot
  }
}
