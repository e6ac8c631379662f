// SPDX-License-Identifier: Apache-2.0
//
// The service org.tactus1 and its client, over a real message bus.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite("Bus")
struct BusTests {
  private let bus: PrivateBus
  private let served: ServedBus
  private var state: ServedState { served.state }

  init() throws {
    bus = try PrivateBus()
    served = try ServedBus(on: bus.address)
    try #require(served.state.wait { $0.changes == [.connected] })
  }

  @Test("Describe tells the whole device")
  func describe() throws {
    let client = try BusClient(bus.address)
    let json = try client.describe()
    #expect(json["board"]?.text == "example")
    #expect(json["level"]?.number == 0.4)
    #expect(json["seconds"]?.number == 0.35)
  }

  @Test("SetLevel reaches the daemon, and its answer comes back")
  func setLevel() throws {
    let client = try BusClient(bus.address)
    #expect(try client.call(.setLevel, .text("system"), .number(0.5)) == "done")
    #expect(state.calls == [.request(.setLevel(.system, Level(percent: 50)))])
  }
}
