// SPDX-License-Identifier: Apache-2.0
//
// A message bus of the test's own, and a daemon's loop that serves org.tactus1 on it.

import Foundation
import Synchronization
import TactusCore
import Testing

@testable import TactusLinux

/// A private dbus-daemon; it ends with the value.
final class PrivateBus {
  let folder: URL
  private var process: Process?

  var address: BusAddress { .address("unix:path=\(folder.path)/socket") }

  /// Starts the bus, unless `isStarted` is false.
  init(isStarted: Bool = true, policy: String = PrivateBus.openPolicy) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tactus-bus-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    let configuration = """
      <busconfig>
        <type>system</type>
        <listen>unix:path=\(folder.path)/socket</listen>
        <auth>EXTERNAL</auth>
        \(policy)
      </busconfig>
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "bus.conf"))
    if isStarted { try start() }
  }

  /// A program of the system, and what it prints.
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  /// Everybody may do everything.
  static let openPolicy = """
    <policy context="default">
      <allow user="*"/><allow own="*"/>
      <allow send_type="*"/><allow receive_type="*"/>
    </policy>
    """

  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
    process.arguments = [
      "--config-file=\(folder.path)/bus.conf", "--nofork", "--nopidfile", "--print-address",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    self.process = process
    // The address is printed when the socket listens.
    _ = output.fileHandleForReading.availableData
  }

  func stop() {
    // SIGTERM may be blocked: a child inherits that from the thread of the test.
    if let process { kill(process.processIdentifier, SIGKILL) }
    process?.waitUntilExit()
    process = nil
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// What the test sees of the daemon's loop, and says to it.
final class ServedState: Sendable {
  struct Content {
    var isStopped = false
    var calls: [BusCall.Kind] = []
    var changes: [BusChange] = []
    var snapshots: [(Snapshot, isAtRest: Bool)] = []
    var renamed: Description?
    var unanswered: [UInt16] = []
    /// What the policy replies; nil is nothing yet.
    var reply: Reply? = .done
    /// The place of the next session that is opened; nil refuses as `reply` says.
    var place: UInt8?
    /// What the sessions are told.
    var effects: [Effect] = []
    /// What has happened.
    var events: [DeviceEvent] = []
    /// Most calls of one iteration.
    var mostCalls = 0
    /// How often the loop woke for the bus.
    var wakeups = 0
  }
  private let content = Mutex(Content())

  var now: Content { content.withLock { $0 } }
  func answer(_ reply: Reply?) { content.withLock { $0.reply = reply } }
  func publish(_ snapshot: Snapshot, isAtRest: Bool = true) {
    content.withLock { $0.snapshots.append((snapshot, isAtRest)) }
  }
  func open(at place: UInt8?) { content.withLock { $0.place = place } }
  func tell(_ effect: Effect) { content.withLock { $0.effects.append(effect) } }
  func emit(_ event: DeviceEvent) { content.withLock { $0.events.append(event) } }
  func redescribe(_ description: Description) { content.withLock { $0.renamed = description } }
  fileprivate func stop() { content.withLock { $0.isStopped = true } }
  fileprivate func woken() { content.withLock { $0.wakeups += 1 } }

  /// Waits until something is so, at most 60 s.
  func wait(until isSo: (Content) -> Bool) -> Bool {
    for _ in 0..<6_000 {
      if isSo(now) { return true }
      usleep(10_000)
    }
    return false
  }

  /// One iteration of the loop after its sleep; false at the end.
  fileprivate func serve(_ bus: inout Bus) -> Bool {
    let change = bus.process(at: MonotonicClock.now())
    let calls = bus.takeCalls()
    let said = content.withLock { content in
      content.calls += calls.map(\.kind)
      content.unanswered += calls.map(\.token)
      content.mostCalls = max(content.mostCalls, calls.count)
      if let change { content.changes.append(change) }
      defer {
        content.snapshots.removeAll()
        content.effects.removeAll()
        content.events.removeAll()
        content.renamed = nil
        if content.reply != nil { content.unanswered.removeAll() }
      }
      return content
    }
    if let place = said.place {
      for call in calls {
        if case .request(.open) = call.kind { _ = bus.opened(call.token, place) }
      }
    }
    for effect in said.effects { bus.tell(effect) }
    for event in said.events { bus.emit(event) }
    if let reply = said.reply { for token in said.unanswered { bus.reply(token, reply) } }
    for (snapshot, isAtRest) in said.snapshots { bus.publish(snapshot, isAtRest: isAtRest) }
    if let renamed = said.renamed {
      bus.redescribe(names: renamed.names, configuration: renamed.configuration)
    }
    return !said.isStopped
  }
}

/// A daemon's loop in a thread, with a policy that answers what the test says.
final class ServedBus {
  let state = ServedState()
  private let thread: Thread

  init(on address: BusAddress, description: Description = .example) throws {
    let state = self.state
    thread = Thread {
      do {
        var bus = try Bus(address: address, description: description, tracePath: "/run/trace")
        let loop = try EventLoop()
        try loop.add(bus.descriptor, token: 0)
        while state.serve(&bus) {
          // What the test has to say is looked for every 10 ms.
          let glance = MonotonicClock.now() + 10_000_000
          let deadline = bus.deadlineNanoseconds ?? .max
          let ready = try loop.wait(until: min(deadline, glance))
          if ready > 0 || deadline < glance { state.woken() }
        }
        bus.flush()
      } catch {
        Issue.record(error)
      }
    }
    thread.start()
  }

  deinit {
    state.stop()
    while !thread.isFinished { usleep(1_000) }
  }
}

extension Description {
  /// A device with something of everything.
  static var example: Description {
    var configuration = Configuration()
    for role in [Role.volumeUp, .knob, .silentSwitch, .headphoneDetect] {
      configuration.controls.append(Control(role: role))
    }
    for kind in [RouteKind.speaker, .headphones] {
      configuration.outputs.append(
        Output(kind: kind, hasVolume: true, hasSwitch: true, curve: Curve())
      )
    }
    configuration.sources.append(Source(category: .playback))
    configuration.sources.append(Source(category: .ringtone))
    var description = Description(
      names: DeviceNames(
        board: "example",
        isSimulated: true,
        controls: ["volume-up", "knob", "silent", "jack"],
        outputs: ["speaker", "headphones"],
        sources: ["music", "doorbell"]
      ),
      configuration: configuration
    )
    description.names.sounds.append("gong")
    description.snapshot = .example
    return description
  }
}

extension Snapshot {
  static var example: Snapshot {
    var snapshot = Snapshot()
    snapshot.tick = 70
    snapshot.level = Level(percent: 40)
    snapshot.ringer = Level(percent: 60)
    snapshot.route = 0
    for _ in 0..<4 { snapshot.controls.append(ControlState()) }
    for _ in 0..<2 {
      var output = OutputState()
      output.isPresent = true
      snapshot.outputs.append(output)
      snapshot.sources.append(SourceState())
    }
    snapshot.outputs[0].isAvailable = true
    snapshot.outputs[0].appliedGain = Gain(millibels: -2_020)
    return snapshot
  }
}
