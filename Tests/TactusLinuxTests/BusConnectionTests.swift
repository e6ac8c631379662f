// SPDX-License-Identifier: Apache-2.0
//
// A bus that is not there, goes, comes back, or does not want the service; and who may call.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite("Bus connection", .timeLimit(.minutes(10)))
struct BusConnectionTests {
  @Test("a bus that comes later is joined by its coming, and waiting for it wakes nobody")
  func lateBus() throws {
    let bus = try PrivateBus(isStarted: false)
    var service = try Bus(address: bus.address, description: .example, tracePath: "")
    let loop = try EventLoop()
    try loop.add(service.descriptor, token: 0)
    // The service's time stands still: no pause ends, and what happens is the descriptor's doing.
    #expect(service.process(at: 1) == nil)
    #expect(try comesToRest(&service, loop))
    let deadline = service.deadlineNanoseconds
    #expect(deadline == 1 + Bus.answerNanoseconds, "only to tell that nobody is there")

    try bus.start()
    var change: BusChange?
    for _ in 0..<10_000 where change == nil {
      try #require(try loop.wait(until: MonotonicClock.now() + 60_000_000_000) > 0)
      change = service.process(at: 1)
    }
    #expect(change == .connected)
    #expect(try comesToRest(&service, loop))
    let after = service.deadlineNanoseconds
    #expect(after == nil, "nothing to do, nothing done")
  }

  /// Whether there comes a moment with nothing to do.
  ///
  /// One is enough: a descriptor that is ready for no reason always is, and other tests make
  /// folders beside the one that is watched.
  private func comesToRest(_ service: inout Bus, _ loop: EventLoop) throws -> Bool {
    for _ in 0..<10_000 {
      if try loop.wait(until: 0) == 0 { return true }
      #expect(service.process(at: 1) == nil)
    }
    return false
  }

  @Test("a bus that does not come is told once, and asked for again after 2 s, 4 s, … 60 s")
  func absentBus() throws {
    let address = BusAddress.address("unix:abstract=tactus-nobody-\(UUID())")
    var bus = try Bus(address: address, description: .example, tracePath: "")
    var now: UInt64 = 1_000_000_000
    let deadline = bus.deadlineNanoseconds
    #expect(deadline == 0, "at once")
    #expect(bus.process(at: now) == .unavailable(.unreachable(address, code: ECONNREFUSED)))
    var pauses: [UInt64] = []
    for _ in 0..<7 {
      let next = bus.deadlineNanoseconds ?? 0
      pauses.append((next - now) / 1_000_000_000)
      #expect(bus.process(at: next - 1) == nil)
      let deadline = bus.deadlineNanoseconds
      #expect(deadline == next, "too early changes nothing")
      now = next
      #expect(bus.process(at: now) == nil, "told already")
    }
    #expect(pauses == [2, 4, 8, 16, 32, 60, 60])
  }

  @Test("a silent bus is told of after 5 s, and waited for")
  func silentBus() throws {
    let bus = try PrivateBus(isStarted: false)
    var service = try Bus(address: bus.address, description: .example, tracePath: "")
    #expect(service.process(at: 1) == nil)
    #expect(service.process(at: 5_000_000_000) == nil)
    #expect(service.process(at: 5_000_000_001) == .unavailable(.silent(bus.address)))
    #expect(service.process(at: 9_000_000_000) == nil)
    let deadline = service.deadlineNanoseconds
    #expect(deadline == nil, "no wake-up of its own")
  }

  @Test("a restarted bus has the service again; calls that waited are forgotten")
  func restartedBus() throws {
    let bus = try PrivateBus()
    let served = try ServedBus(on: bus.address)
    try #require(served.state.wait { $0.changes == [.connected] })
    for round in 1...2 {
      bus.stop()
      #expect(served.state.wait { $0.changes.count == 2 * round })
      guard case .unavailable(.lost) = served.state.now.changes.last else {
        Issue.record("not lost")
        return
      }
      #expect(throws: BusClientError.self) { _ = try BusClient(bus.address) }
      try bus.start()
      #expect(served.state.wait { $0.changes.count == 2 * round + 1 })
      #expect(served.state.now.changes.last == .connected)
      let client = try BusClient(bus.address)
      #expect(try client.call(.toggleMute) == "done")
    }
  }

  @Test("a client tells when the daemon is not on the bus, comes and goes")
  func daemonComesAndGoes() throws {
    let bus = try PrivateBus()
    var client = try BusClient(bus.address)
    let error = #expect(throws: BusClientError.self) { try client.describe() }
    guard case .unreachable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try client.subscribe()
    do {
      let served = try ServedBus(on: bus.address)
      #expect(served.state.wait { $0.changes == [.connected] })
      #expect(try client.next(waiting: 60_000) == .daemon(isThere: true))
    }
    #expect(try client.next(waiting: 60_000) == .daemon(isThere: false))
    bus.stop()
    #expect(throws: BusClientError.self) { try client.next(waiting: 60_000) }
  }

  @Test("a second daemon is told that the name is taken")
  func nameTaken() throws {
    let bus = try PrivateBus()
    let first = try ServedBus(on: bus.address)
    try #require(first.state.wait { $0.changes == [.connected] })
    let second = try ServedBus(on: bus.address)
    #expect(second.state.wait { $0.changes == [.unavailable(.nameTaken)] })
  }

  @Test("without the policy file the bus refuses the name, and the error names the file")
  func nameRefused() throws {
    let bus = try PrivateBus(policy: PrivateBus.systemPolicy)
    let served = try ServedBus(on: bus.address)
    #expect(served.state.wait { !$0.changes.isEmpty })
    guard case .unavailable(let error) = served.state.now.changes.first else { return }
    #expect(error.description.contains("org.tactus1.conf"))
  }

  @Test(
    "with the policy file everyone may look, and only group tactus may act",
    .enabled(if: getuid() == 0, "other users' rights are root's to try")
  )
  func policy() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../deploy/dbus/org.tactus1.conf").standardized.path
    // Another group stands for that of the package, which this machine need not have.
    let text = try String(contentsOfFile: file, encoding: .utf8)
      .replacing("group=\"tactus\"", with: "group=\"staff\"")
    let rules = try #require(
      text.split(separator: "<busconfig>").last?.split(separator: "</busconfig>").first
    )
    let bus = try PrivateBus(policy: PrivateBus.systemPolicy + String(rules))
    let served = try ServedBus(on: bus.address)
    try #require(served.state.wait { $0.changes == [.connected] })
    for (groups, acts) in [("--clear-groups", false), ("--groups=staff", true)] {
      func call(_ member: String, _ arguments: String...) throws -> String {
        try PrivateBus.run(
          "setpriv",
          [
            "--reuid=65534", "--regid=65534", groups, "dbus-send", "--bus=\(bus.address.name)",
            "--print-reply=literal", "--dest=org.tactus1", "/org/tactus1", member,
          ] + arguments
        )
      }
      #expect(try call("org.tactus1.Manager.Describe").contains("\"board\":\"example\""))
      let level = try call(
        "org.freedesktop.DBus.Properties.Get",
        "string:org.tactus1.Manager",
        "string:Level"
      )
      #expect(level.contains("0.4"))
      let answer = try call("org.tactus1.Manager.ToggleMute")
      #expect(answer.contains("done") == acts)
      #expect(answer.contains("AccessDenied") == !acts)
    }
    #expect(served.state.now.calls == [.request(.toggleMute)])
  }
}

extension PrivateBus {
  /// The rules of Debian's system bus, as far as they concern a service.
  fileprivate static let systemPolicy = """
    <policy context="default">
      <allow user="*"/>
      <deny own="*"/>
      <deny send_type="method_call"/>
      <allow send_type="signal"/>
      <allow send_requested_reply="true" send_type="method_return"/>
      <allow send_requested_reply="true" send_type="error"/>
      <allow receive_type="method_call"/>
      <allow receive_type="method_return"/>
      <allow receive_type="error"/>
      <allow receive_type="signal"/>
      <allow send_destination="org.freedesktop.DBus"/>
    </policy>
    """
}
