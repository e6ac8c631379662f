// SPDX-License-Identifier: Apache-2.0
//
// The service org.tactus1 and its client, over a real message bus.

import CTactus
import Foundation
import FoundationXML
import TactusCore
import Testing

@testable import TactusLinux

@Suite("Bus", .timeLimit(.minutes(10)))
struct BusTests {
  private let bus: PrivateBus
  private let served: ServedBus
  private var state: ServedState { served.state }

  init() throws {
    bus = try PrivateBus()
    served = try ServedBus(on: bus.address)
    try #require(served.state.wait { $0.changes == [.connected] })
  }

  // MARK: Methods

  @Test("Describe tells the whole device")
  func describe() throws {
    let client = try BusClient(bus.address)
    #expect(try client.describe() == Description.example.json)
    #expect(try client.call(.trace) == "/run/trace")
    #expect(state.now.calls.isEmpty, "reading is no request")
  }

  @Test(
    "every method reaches the daemon as what it means",
    arguments: [
      (
        .setLevel, [.text("system"), .number(0.5)], .request(.setLevel(.system, Level(percent: 50)))
      ),
      (.setLevel, [.text("ringer"), .number(1)], .request(.setLevel(.ringer, .full))),
      (.setLevel, [.text("system"), .number(0)], .request(.setLevel(.system, .zero))),
      (
        .setGain, [.text("system"), .number(-20.005)],
        .request(.setGain(.system, Gain(millibels: -2_001)))
      ),
      (.step, [.text("system"), .integer(-16)], .request(.step(.system, -16))),
      (.step, [.text("ringer"), .integer(1)], .request(.step(.ringer, 1))),
      (.setMute, [.bool(true)], .request(.setMute(true))),
      (.setMute, [.bool(false)], .request(.setMute(false))),
      (.toggleMute, [], .request(.toggleMute)),
      (.setSilent, [.bool(true)], .request(.setSilent(true))),
      (.setRoute, [.text("headphones")], .request(.chooseRoute(1))),
      (.setBalance, [.integer(-100)], .request(.setBalance(-100))),
      (.play, [.text("music")], .request(.session(0, .play))),
      (.pause, [.text("doorbell")], .request(.session(1, .pause))),
      (.stop, [.text("music")], .request(.session(0, .stop))),
      (.playSystemSound, [.text("success")], .request(.playSound(peer: 0, 0))),
      (.playSystemSound, [.text("gong")], .request(.playSound(peer: 0, 7))),
      (.playFeedback, [.text("failure")], .request(.feedback(peer: 0, .failure))),
      (.prepareFeedback, [], .request(.prepareFeedback(peer: 0))),
      (.press, [.text("volume-up"), .count(0)], .press(control: 0, holdMilliseconds: 50)),
      (
        .press, [.text("volume-up"), .count(120_000)], .press(control: 0, holdMilliseconds: 120_000)
      ),
      (.turn, [.text("knob"), .integer(-100)], .turn(control: 1, detents: -100)),
      (.contact, [.text("silent"), .bool(true)], .contact(control: 2, isOn: true)),
      (.contact, [.text("volume-up"), .bool(false)], .contact(control: 0, isOn: false)),
    ] as [(BusMethod, [BusValue], BusCall.Kind)]
  )
  func methods(method: BusMethod, arguments: [BusValue], meaning: BusCall.Kind) throws {
    let client = try BusClient(bus.address)
    #expect(try client.call(method, arguments) == "done")
    #expect(state.now.calls == [meaning])
  }

  @Test(
    "a bad argument is a named error, and nothing reaches the daemon",
    arguments: [
      (.setLevel, [.text("system"), .number(.nan)], .invalidArgument),
      (.setLevel, [.text("system"), .number(.infinity)], .invalidArgument),
      (.setLevel, [.text("system"), .number(1.000_001)], .invalidArgument),
      (.setLevel, [.text("system"), .number(-0.000_001)], .invalidArgument),
      (.setLevel, [.text("alarm"), .number(0.5)], .invalidArgument),
      (.setLevel, [.text(""), .number(0.5)], .invalidArgument),
      (.setLevel, [.text("System"), .number(0.5)], .invalidArgument),
      (.setGain, [.text("system"), .number(.nan)], .invalidArgument),
      (.setGain, [.text("system"), .number(-.infinity)], .invalidArgument),
      (.setGain, [.text("system"), .number(100.01)], .invalidArgument),
      (.setGain, [.text("system"), .number(-100.01)], .invalidArgument),
      (.step, [.text("system"), .integer(17)], .invalidArgument),
      (.step, [.text("system"), .integer(-17)], .invalidArgument),
      (.step, [.text("system"), .integer(256)], .invalidArgument),
      (.step, [.text("system"), .integer(.min)], .invalidArgument),
      (.setBalance, [.integer(101)], .invalidArgument),
      (.setBalance, [.integer(-101)], .invalidArgument),
      (.setBalance, [.integer(.max)], .invalidArgument),
      (.setRoute, [.text("garden")], .noSuchRoute),
      (.setRoute, [.text("")], .noSuchRoute),
      (.play, [.text("Music")], .noSuchSource),
      (.pause, [.text("")], .noSuchSource),
      (.stop, [.text("speaker")], .noSuchSource),
      (.playSystemSound, [.text("Success")], .noSuchSound),
      (.playSystemSound, [.text("")], .noSuchSound),
      (.playFeedback, [.text("gong")], .invalidArgument),
      (.playFeedback, [.text("")], .invalidArgument),
      (.press, [.text("bell"), .count(0)], .noSuchControl),
      (.press, [.text("volume-up"), .count(120_001)], .invalidArgument),
      (.press, [.text("knob"), .count(0)], .invalidArgument),
      (.press, [.text("jack"), .count(0)], .invalidArgument),
      (.turn, [.text("volume-up"), .integer(1)], .invalidArgument),
      (.turn, [.text("knob"), .integer(101)], .invalidArgument),
      (.contact, [.text("knob"), .bool(true)], .invalidArgument),
      (.contact, [.text("speaker"), .bool(true)], .noSuchControl),
    ] as [(BusMethod, [BusValue], BusRefusal.Kind)]
  )
  func badArguments(method: BusMethod, arguments: [BusValue], kind: BusRefusal.Kind) throws {
    let client = try BusClient(bus.address)
    let before = try client.describe()
    let error = #expect(throws: BusClientError.self) { try client.call(method, arguments) }
    guard case .refused(let refusal) = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(refusal.kind == kind)
    #expect(refusal.message.contains(": ") && refusal.message.contains("("), "names the value")
    #expect(state.now.calls.isEmpty)
    #expect(try client.describe() == before)
  }

  @Test("arguments of other types than the interface's are refused by their types")
  func wrongTypes() throws {
    let client = try BusClient(bus.address)
    for (method, arguments) in [
      (.setLevel, []), (.setLevel, [.text("system")]),
      (.setLevel, [.text("system"), .integer(1)]),
      (.setLevel, [.text("system"), .number(0.5), .number(0.5)]),
      (.toggleMute, [.bool(true)]), (.setMute, [.text("on")]),
      (.setRoute, [.texts(["speaker"])]), (.playFeedback, []), (.playSystemSound, [.integer(0)]),
      (.prepareFeedback, [.text("light")]),
    ] as [(BusMethod, [BusValue])] {
      let error = #expect(throws: BusClientError.self) { try client.call(method, arguments) }
      guard case .failed("org.freedesktop.DBus.Error.InvalidArgs", _) = error else {
        Issue.record("\(method): \(String(describing: error))")
        continue
      }
    }
    #expect(state.now.calls.isEmpty)
  }

  @Test("whatever numbers come, the policy sees them within bounds or not at all")
  func wildNumbers() throws {
    let client = try BusClient(bus.address)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let number = Double(bitPattern: random.next())
      let integer =
        Int32(truncatingIfNeeded: random.next()) >> Int32.random(in: 0..<31, using: &random)
      _ = try? client.call(.setLevel, .text("system"), .number(number))
      _ = try? client.call(.setGain, .text("system"), .number(number))
      _ = try? client.call(.step, .text("system"), .integer(integer))
      _ = try? client.call(.setBalance, .integer(integer))
    }
    let calls = state.now.calls
    #expect(calls.count > 50)
    for call in calls {
      switch call {
      case .request(.setLevel(_, let level)): #expect((0...10_000).contains(level.parts))
      case .request(.setGain(_, let gain)): #expect((-10_000...10_000).contains(gain.millibels))
      case .request(.step(_, let steps)): #expect((-16...16).contains(steps))
      case .request(.setBalance(let balance)): #expect((-100...100).contains(balance))
      default: Issue.record("not asked for")
      }
    }
  }

  @Test(
    "the policy's reply is the answer, or a named error with the next step",
    arguments: Reply.allCases
  )
  func replies(reply: Reply) throws {
    state.answer(reply)
    let client = try BusClient(bus.address)
    let refusals: [Reply: BusRefusal.Kind] = [
      .refusedByHardwareSwitch: .refusedByHardwareSwitch, .noSuchRoute: .noSuchRoute,
      .noSuchSource: .noSuchSource, .notOnThisDevice: .notOnThisDevice, .busy: .busy,
      .inBackground: .inBackground, .microphoneMuted: .microphoneMuted, .notAllowed: .notAllowed,
      .gainAboveZero: .gainAboveZero, .tooManySessions: .tooManySessions,
      .tooManyOfPeer: .tooManySessions, .notActive: .notActive,
    ]
    do {
      #expect(try client.call(.setMute, .bool(false)) == reply.name)
      #expect(refusals[reply] == nil)
    } catch .refused(let refusal) {
      #expect(refusal.kind == refusals[reply])
    }
  }

  @Test("a refusal names what it is about")
  func refusalNames() throws {
    let client = try BusClient(bus.address)
    for (reply, method, arguments, words) in [
      (
        .refusedByHardwareSwitch, .setSilent, [.bool(false)],
        "silent: this device has a switch for it, which decides: move it there"
      ),
      (
        .noSuchRoute, .setRoute, [.text("headphones")],
        "headphones: not there now, plug it in or choose another route"
      ),
      (
        .notOnThisDevice, .setLevel, [.text("ringer"), .number(1)],
        "ringer: this device has none, see its board file"
      ),
      (
        .notOnThisDevice, .playSystemSound, [.text("success")],
        "sound: this device has none, see its board file"
      ),
      (
        .notActive, .playFeedback, [.text("success")],
        "feedback: none of this program's sessions is active and in front (FBK-8), activate one"
      ),
    ] as [(Reply, BusMethod, [BusValue], String)] {
      state.answer(reply)
      let error = #expect(throws: BusClientError.self) { try client.call(method, arguments) }
      #expect(error?.description == words)
    }
  }

  @Test("a token answers its own call, once")
  func tokens() throws {
    let connection = try BusConnection(bus.address, awaitsSocket: false)
    var message: OpaquePointer?
    sd_bus_message_new_signal(connection.bus, &message, "/a", "a.b", "C")
    let call = try #require(message)
    defer { sd_bus_message_unref(call) }
    var pending = PendingCalls()
    var tokens: Set<UInt16> = []
    for _ in 0..<10 {
      let first = pending.keep(call, .request(.toggleMute))
      let second = pending.keep(call, .request(.setMute(true)))
      #expect(pending.take(first &+ 64) == nil)
      let kind = pending.take(second)?.kind
      #expect(kind == .request(.setMute(true)))
      sd_bus_message_unref(call)
      #expect(pending.take(second) == nil)
      pending.removeAll()
      #expect(pending.take(first) == nil)
      tokens.formUnion([first, second])
    }
    #expect(tokens.count == 20)
    for _ in 0..<PendingCalls.capacity { _ = pending.keep(call, .request(.toggleMute)) }
    #expect(!pending.hasRoom)
    pending.removeAll()
    #expect(pending.hasRoom)
  }

  @Test("a real board's contacts are moved by hand; a press is allowed")
  func realBoard() throws {
    let bus = try PrivateBus()
    var description = Description.example
    description.names.isSimulated = false
    let served = try ServedBus(on: bus.address, description: description)
    try #require(served.state.wait { $0.changes == [.connected] })
    let client = try BusClient(bus.address)
    for (method, argument) in [(.turn, .integer(1)), (.contact, .bool(true))]
      as [(BusMethod, BusValue)]
    {
      let name = method == .turn ? "knob" : "silent"
      let error = #expect(throws: BusClientError.self) {
        try client.call(method, .text(name), argument)
      }
      let words = "\(name): is a real contact, move it by hand"
      #expect(error == .refused(BusRefusal(.notOnThisDevice, words)))
    }
    #expect(try client.call(.press, .text("volume-up"), .count(0)) == "done")
  }

  // MARK: Bounds

  @Test("100 calls at once of one peer: 32 are kept, the rest is refused at once by its name")
  func flood() throws {
    state.answer(nil)
    let connection = try BusConnection(bus.address, awaitsSocket: false)
    for _ in 0..<100 { try send(.toggleMute, over: connection.bus) }
    #expect(sd_bus_flush(connection.bus) >= 0)
    #expect(try answers(count: 68, over: connection.bus) { $0 == "TooManyCalls" })
    #expect(state.now.calls.count == 32)
    state.answer(.done)
    #expect(try BusClient(bus.address).call(.toggleMute) == "done", "others are served")
    #expect(try answers(count: 32, over: connection.bus) { $0 == "done" })
  }

  /// Waits for so many answers: the text, or the last word of the error's name.
  private func answers(
    count: Int,
    over bus: OpaquePointer,
    _ isRight: (String) -> Bool
  ) throws -> Bool {
    var answers = 0
    while answers < count {
      var message: OpaquePointer?
      let result = sd_bus_process(bus, &message)
      try #require(result >= 0)
      guard let message else {
        if result == 0 { try #require(sd_bus_wait(bus, 60_000_000) > 0, "only \(answers)") }
        continue
      }
      defer { sd_bus_message_unref(message) }
      let name = sd_bus_message_get_error(message)?.pointee.name.map { String(cString: $0) }
      let word = name?.split(separator: ".").last.map { String($0) }
      let text = word ?? BusMessage(message: message).text() ?? ""
      if text.hasPrefix(":") { continue }  // the bus's greeting
      guard isRight(text) else { return false }
      answers += 1
    }
    return true
  }

  @Test("96 calls of 3 peers: 16 an iteration, 64 kept, the rest wait in the bus, all are answered")
  func manyCalls() throws {
    state.answer(nil)
    let first = try BusConnection(bus.address, awaitsSocket: false)
    let second = try BusConnection(bus.address, awaitsSocket: false)
    let third = try BusConnection(bus.address, awaitsSocket: false)
    for bus in [first.bus, second.bus, third.bus] {
      for _ in 0..<32 { try send(.toggleMute, over: bus) }
      #expect(sd_bus_flush(bus) >= 0)
    }
    #expect(state.wait { $0.calls.count == 64 })
    let wakeups = state.now.wakeups
    usleep(200_000)
    #expect(state.now.calls.count == 64, "no more than can be kept")
    #expect(state.now.wakeups - wakeups < 5, "what waits does not keep the loop awake")
    #expect(state.now.mostCalls <= Bus.messagesPerTick)

    state.answer(.done)
    for bus in [first.bus, second.bus, third.bus] {
      #expect(try answers(count: 32, over: bus) { $0 == "done" })
    }
    #expect(state.now.calls.count == 96)
  }

  private func send(_ method: BusMethod, over bus: OpaquePointer) throws {
    var call: OpaquePointer?
    let name = method.rawValue
    try #require(
      sd_bus_message_new_method_call(
        bus,
        &call,
        TACTUS_BUS_NAME,
        TACTUS_BUS_PATH,
        TACTUS_BUS_INTERFACE,
        name
      ) >= 0
    )
    var cookie: UInt64 = 0
    #expect(sd_bus_send(bus, call, &cookie) >= 0)
    sd_bus_message_unref(call)
  }

  @Test("a caller that goes before its answer leaves nothing behind")
  func callerGone() throws {
    state.answer(nil)
    for _ in 0..<5 {
      let connection = try BusConnection(bus.address, awaitsSocket: false)
      for _ in 0..<12 { try send(.toggleMute, over: connection.bus) }
      #expect(sd_bus_flush(connection.bus) >= 0)
    }
    #expect(state.wait { $0.calls.count == 60 })
    state.answer(.done)
    let client = try BusClient(bus.address)
    for _ in 0..<10 { #expect(try client.call(.toggleMute) == "done") }
  }

  // MARK: What is told

  @Test("properties that change are announced with their values, others are not")
  func propertiesChanged() throws {
    var client = try BusClient(bus.address)
    try client.subscribe()
    var snapshot = Snapshot.example
    snapshot.tick = 71
    snapshot.outputs[0].level = Level(percent: 1)
    state.publish(snapshot)
    #expect(try client.next(waiting: 100) == nil, "the tick alone is no news")

    snapshot.level = Level(sixteenths: 7)
    snapshot.reasons = [.softMute, .starting]
    state.publish(snapshot)
    #expect(
      try client.next(waiting: 60_000)
        == .changed([
          .init(property: .level, value: .number(0.4375)),
          .init(property: .silenceReasons, value: .texts(["soft-mute", "starting"])),
        ])
    )
    state.publish(snapshot)
    #expect(try client.next(waiting: 100) == nil)
    #expect(try client.property(.level) == .number(0.4375))
    #expect(try client.property(.routes) == .texts(["speaker"]))
    #expect(try client.property(.balance) == .integer(0))
    #expect(try client.property(.limitArmed) == .bool(true))
  }

  @Test("gains that moved are told once they are at rest, not on the way")
  func settled() throws {
    var client = try BusClient(bus.address)
    try client.subscribe()
    var snapshot = Snapshot.example
    for gain in [Int32(-5_200), -4_000, -2_000] {
      snapshot.outputs[0].appliedGain = Gain(millibels: gain)
      snapshot.sources[0].appliedGain = Gain(millibels: gain)
      state.publish(snapshot, isAtRest: false)
    }
    #expect(try client.next(waiting: 100) == nil)
    state.publish(snapshot, isAtRest: true)
    #expect(try client.next(waiting: 60_000) == .settled)
    #expect(try client.describe()["routes"]?.elements[0]["gainDecibels"]?.number == -20)
    state.publish(snapshot, isAtRest: true)
    #expect(try client.next(waiting: 100) == nil)
    snapshot.sources[0].appliedGain = .unity
    state.publish(snapshot, isAtRest: true)
    #expect(try client.next(waiting: 60_000) == .settled)
    snapshot.outputs[0].appliedOn = !(snapshot.outputs[0].appliedOn ?? false)
    snapshot.isMuted = !snapshot.isMuted
    state.publish(snapshot, isAtRest: true)
    guard case .changed = try client.next(waiting: 60_000) else {
      Issue.record("the mute was not told")
      return
    }
    #expect(try client.next(waiting: 100) == nil, "what is told already is not told again")
  }

  @Test("a control that moved is an event")
  func events() throws {
    var client = try BusClient(bus.address)
    try client.subscribe()
    var snapshot = Snapshot.example
    snapshot.tick = 90
    snapshot.controls[3].changes = 1
    snapshot.controls[3].state = 1
    state.publish(snapshot)
    let event = DeviceEvent(tick: 90, kind: "control", object: "jack", text: "plugged in")
    #expect(try client.next(waiting: 60_000) == .event(event))
    let told = try client.describe()["events"]?.elements.last
    #expect(told?["object"]?.text == "jack")
    #expect(told?["seconds"]?.number == 0.45)
  }

  @Test("FBK-6 a notice is told once, then counted, and what asks for nothing is told to nobody")
  func notices() throws {
    var client = try BusClient(bus.address)
    try client.subscribe()
    func happens(_ notice: Notice, _ count: UInt16, at tick: Tick) throws -> DeviceEvent {
      let names = Description.example.names
      let event = DeviceEvent(.notice(notice, 1, count: count), at: tick, names: names)
      let happened = try #require(event)
      state.emit(happened)
      return happened
    }
    let first = try happens(.outputLost, 1, at: 100)
    #expect(try client.next(waiting: 60_000) == .event(first))
    _ = try happens(.outputBack, 1, at: 110)
    let second = try happens(.outputLost, 2, at: 120)
    #expect(try client.next(waiting: 60_000) == .repeated)
    let stuck = try happens(.stuck, 1, at: 130)
    #expect(try client.next(waiting: 60_000) == .event(stuck))
    let told = try client.describe()["events"]?.elements ?? []
    #expect(told.map { $0["kind"]?.text } == ["output-lost", "stuck"])
    #expect(told[0]["tick"]?.integer == second.tick && told[0]["count"]?.integer == 2)
    #expect(told[1]["count"]?.integer == 1)
  }

  @Test("configuration read anew announces the names that come from it")
  func redescribed() throws {
    var client = try BusClient(bus.address)
    try client.subscribe()
    var description = Description.example
    description.names.outputs = ["built-in", "headphones"]
    state.redescribe(description)
    guard case .changed(let changes) = try client.next(waiting: 60_000) else {
      Issue.record("nothing was told")
      return
    }
    #expect(changes.map(\.property) == [.board, .route, .routes, .sources, .faults])
    #expect(changes[1].value == .text("built-in"))
    #expect(try client.call(.setRoute, .text("built-in")) == "done")
  }

  // MARK: The interface

  @Test("introspection equals deploy/dbus/org.tactus1.xml, and Swift has the same names")
  func introspection() throws {
    let file = try interfaceFile()
    let documented = try #require(BusInterface("org.tactus1.Manager", xml: file))
    let reply = try introspect("/org/tactus1")
    let exported = try #require(BusInterface("org.tactus1.Manager", xml: reply))
    #expect(exported.members == documented.members)
    #expect(documented.undocumented.isEmpty)
    #expect(documented.names(of: "method") == BusMethod.allCases.map(\.rawValue))
    #expect(documented.names(of: "property") == BusProperty.allCases.map(\.rawValue))
    #expect(documented.names(of: "signal") == ["Event", "Repeated", "Settled"])
    let text = String(decoding: file, as: UTF8.self)
    for kind in BusRefusal.Kind.allCases { #expect(text.contains(kind.errorName)) }
    for reply in [Reply.done, .limited, .stillSilent, .held] {
      #expect(text.contains("\n    \(reply.name) "))
    }
  }

  @Test("a session's introspection equals the XML too, and Swift has the same names")
  func sessionIntrospection() throws {
    state.open(at: 2)
    let program = try SessionProgram(bus.address)
    let path = try #require(program.open("bell", "alert"))
    let documented = try #require(BusInterface("org.tactus1.Session", xml: interfaceFile()))
    let exported = try #require(BusInterface("org.tactus1.Session", xml: introspect(path)))
    #expect(exported.members == documented.members)
    #expect(documented.undocumented.isEmpty)
    #expect(documented.names(of: "method") == BusSessionMethod.allCases.map(\.rawValue))
    #expect(documented.names(of: "property") == BusSessionProperty.allCases.map(\.rawValue))
    #expect(documented.names(of: "signal") == BusSessionSignal.allCases.map(\.rawValue))
  }

  private func interfaceFile() throws -> Data {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    return try Data(contentsOf: root.appending(path: "deploy/dbus/org.tactus1.xml"))
  }

  private func introspect(_ path: String) throws -> Data {
    let reply = try PrivateBus.run(
      "dbus-send",
      [
        "--bus=\(bus.address.name)", "--print-reply=literal", "--dest=org.tactus1", path,
        "org.freedesktop.DBus.Introspectable.Introspect",
      ]
    )
    return Data(reply.utf8)
  }
}

/// The members of one interface as an XML description has them.
private final class BusInterface: NSObject, XMLParserDelegate {
  /// `kind name` with arguments, types and annotations.
  private(set) var members: [String] = []
  /// Members without a comment before them.
  private(set) var undocumented: [String] = []
  private let interface: String
  private var isInside = false
  private var isCommented = false

  init?(_ interface: String, xml: Data) {
    self.interface = interface
    super.init()
    // What dbus-send prints begins with spaces, which XML does not allow.
    let trimmed = xml.drop { $0 != UInt8(ascii: "<") }
    let parser = XMLParser(data: Data(trimmed))
    parser.delegate = self
    guard parser.parse(), !members.isEmpty else { return nil }
  }

  func names(of kind: String) -> [String] {
    members.map { $0.split(separator: " ") }.filter { $0[0] == kind }.map { String($0[1]) }
  }

  func parser(_ parser: XMLParser, foundComment comment: String) { isCommented = true }

  func parser(
    _ parser: XMLParser,
    didStartElement element: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    let name = attributes["name"] ?? ""
    if element == "interface" { isInside = name == interface }
    guard isInside else { return }
    switch element {
    case "method", "signal", "property":
      let type = attributes["type"] ?? ""
      members.append("\(element) \(name) \(type)\(attributes["access"] ?? "")")
      if !isCommented { undocumented.append(name) }
      isCommented = false
    case "arg":
      let direction = attributes["direction"] ?? "out"
      members[members.count - 1] += ", \(name) \(attributes["type"] ?? "") \(direction)"
    case "annotation":
      members[members.count - 1] += ", \(name)=\(attributes["value"] ?? "")"
    default: break
    }
  }

  func parser(
    _ parser: XMLParser,
    didEndElement element: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    if element == "interface" { isInside = false }
  }
}
