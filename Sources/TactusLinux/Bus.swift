// SPDX-License-Identifier: Apache-2.0
//
// The service org.tactus1. It decides nothing: calls wait until the daemon takes them into its
// tick, and are answered when the policy has answered. What can be read is what was published.
//
//   call     a method call, kept until it is answered
//   token    the number of a call; a stale one is known as such
//   publish  hand over what is true now; what changed is told to those who listen
//   change   the service came to the bus or left it

import CTactus
public import TactusCore

/// A method call that the daemon answers, with `Bus.reply` or `Bus.refuse`.
public struct BusCall: Plain, Equatable {
  public enum Kind: Plain, Equatable {
    /// For the policy.
    case request(Request)
    /// A finger on a button, for so long; on real boards too.
    case press(control: UInt8, holdMilliseconds: UInt32)
    /// A hand at a simulated knob; positive is clockwise.
    case turn(control: UInt8, detents: Int32)
    /// A simulated contact is closed or opened.
    case contact(control: UInt8, isOn: Bool)
  }

  public let token: UInt16
  public let kind: Kind
}

/// What became of the service's place on the bus; each is told once.
public enum BusChange: Equatable, Sendable {
  case connected
  /// Was never there, or is not there any more.
  case unavailable(BusError)
}

/// The service on the bus, present or trying to be.
public struct Bus: ~Copyable {
  /// The most messages that one `process` takes; the others wait.
  public static let messagesPerTick = 16
  /// First and longest pause between two attempts to connect.
  static let retryNanoseconds: ClosedRange<UInt64> = 2_000_000_000...60_000_000_000
  /// A bus that has not answered for so long is reported.
  static let answerNanoseconds: UInt64 = 5_000_000_000

  private let address: BusAddress
  private let service: BusService
  private let watch: BusWatch
  private var connection: BusConnection?
  private var nextAttempt: UInt64 = 0
  private var pause = Bus.retryNanoseconds.lowerBound
  /// The last failure told; nil while all is well.
  private var told: BusError?
  /// Gains have changed since something was told that they could be asked for after.
  private var hasUntoldGains = false
  /// Until when the bus has time to answer before its silence is told.
  private var answerDeadline: UInt64?

  /// A service that is not on the bus yet: the first `process` connects it.
  /// - Parameters:
  ///   - address: Which bus.
  ///   - description: The device before its first tick.
  ///   - tracePath: The file that holds the trace.
  /// - Throws: When there is no descriptor left.
  public init(
    address: BusAddress,
    description: Description,
    tracePath: String
  ) throws(SystemError) {
    self.address = address
    service = BusService(description: description, tracePath: tracePath)
    watch = try BusWatch()
  }

  // Ends the connection here: another module of an Embedded program cannot.
  deinit {}

  /// Readable when `process` has something to do; the same for the life of the value.
  public var descriptor: Int32 { watch.descriptor }

  /// When `process` must be called at the latest, in ns of `MonotonicClock`; nil is never.
  public var deadlineNanoseconds: UInt64? {
    guard let bus else { return nextAttempt }
    guard service.hasRoom else { return answerDeadline }
    var microseconds = UInt64.max
    sd_bus_get_timeout(bus, &microseconds)
    let timeout = microseconds == UInt64.max ? nil : microseconds &* 1_000
    guard let answerDeadline else { return timeout }
    return min(answerDeadline, timeout ?? answerDeadline)
  }

  /// Whether the service has its name.
  public var isConnected: Bool { service.hasName }

  /// Takes what the bus has brought, connects when it is time to, and sends what waits.
  /// - Parameter now: ns of `MonotonicClock`.
  /// - Returns: What is new about the service's place on the bus.
  public mutating func process(at now: UInt64) -> BusChange? {
    defer { followConnection() }
    guard let bus else {
      return now >= nextAttempt ? connect(at: now) : nil
    }
    for _ in 0..<Bus.messagesPerTick where service.hasRoom {
      let result = sd_bus_process(bus, nil)
      if result == 0 { break }
      if result < 0 { return disconnect(.lost(address, code: -result)) }
    }
    return checkName(at: now)
  }

  /// The calls that have come since the last time, in their order.
  public mutating func takeCalls() -> [BusCall] { service.takeCalls() }

  /// Answers a call with the policy's reply; a call that is gone is none.
  public mutating func reply(_ token: UInt16, _ reply: Reply) {
    service.reply(token, reply)
    followConnection()
  }

  /// Answers a call with an error.
  public mutating func refuse(_ token: UInt16, _ refusal: BusRefusal) {
    service.refuse(token, refusal)
    followConnection()
  }

  /// What is true now; properties that differ from what was true before are announced.
  ///
  /// Gains are not, since in a fade they change with every tick: that they are others is told once
  /// they are at rest.
  public mutating func publish(_ snapshot: Snapshot, isAtRest: Bool) {
    let before = service.description.snapshot
    service.description.snapshot = snapshot
    let changed = BusProperty.allCases.filter { service.description.differs($0, from: before) }
    let events = service.description.controlEvents(since: before)
    announce(changed)
    for event in events { emit(event) }
    if service.description.differsInGains(from: before) { hasUntoldGains = true }
    guard isAtRest, hasUntoldGains else { return }
    hasUntoldGains = false
    if changed.isEmpty && events.isEmpty { signal("Settled") }
  }

  /// The names and settings have been read anew.
  public mutating func redescribe(names: DeviceNames, configuration: Configuration) {
    service.description.names = names
    service.description.configuration = configuration
    announce([.board, .route, .routes, .sources, .faults])
  }

  /// Tells of something that happened, and keeps it for `Describe`.
  public mutating func emit(_ event: DeviceEvent) {
    service.description.keep(event)
    signal("Event", .tick(event.tick), .text(event.kind), .text(event.object), .text(event.text))
  }

  /// What `Describe` would answer now.
  public var description: Description { service.description }

  /// Waits until everything is sent, as before the end of the program.
  public mutating func flush() {
    if let bus { sd_bus_flush(bus) }
  }

  // MARK: Coming and going

  private var bus: OpaquePointer? {
    switch connection {
    case .some(let connection): connection.bus
    case .none: nil
    }
  }

  private mutating func connect(at now: UInt64) -> BusChange? {
    nextAttempt = now &+ pause
    pause = min(pause * 2, Bus.retryNanoseconds.upperBound)
    do {
      let connection = try BusConnection(address, awaitsSocket: true)
      try service.export(on: connection, at: address)
      self.connection = consume connection
      answerDeadline = told == nil ? now &+ Bus.answerNanoseconds : nil
      return nil
    } catch {
      return disconnect(error)
    }
  }

  private mutating func disconnect(_ error: BusError) -> BusChange? {
    service.forgetCalls()
    connection = nil
    answerDeadline = nil
    return tell(error)
  }

  private mutating func tell(_ error: BusError) -> BusChange? {
    guard told != error else { return nil }
    told = error
    return .unavailable(error)
  }

  private mutating func checkName(at now: UInt64) -> BusChange? {
    switch service.takeNameAnswer() {
    case .granted:
      pause = Bus.retryNanoseconds.lowerBound
      told = nil
      answerDeadline = nil
      return .connected
    case .refused(let error):
      return disconnect(error)
    case nil:
      guard let answerDeadline, now >= answerDeadline else { return nil }
      self.answerDeadline = nil
      return tell(.silent(address))
    }
  }

  private mutating func followConnection() {
    // Without room for a call nothing is read, so nothing must wake the loop for it.
    if let bus, service.hasRoom { watch.follow(bus) } else { watch.forget() }
  }

  private mutating func signal(_ name: String, _ arguments: BusValue...) {
    guard service.hasName, let bus else { return }
    var signal: OpaquePointer?
    sd_bus_message_new_signal(bus, &signal, TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, name)
    let message = BusMessage(message: signal)
    for argument in arguments { message.append(argument) }
    sd_bus_send(bus, signal, nil)
    sd_bus_message_unref(signal)
    followConnection()
  }

  private mutating func announce(_ properties: [BusProperty]) {
    guard service.hasName, !properties.isEmpty, let bus else { return }
    var names = properties.map { strdup($0.rawValue) }
    names.append(nil)
    sd_bus_emit_properties_changed_strv(bus, TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, &names)
    for name in names { free(name) }
    followConnection()
  }
}

/// One descriptor that stays, over those that sd-bus has from one moment to the next.
final class BusWatch {
  private let poll: Descriptor
  private var followed: Int32 = -1
  private var interest: UInt32 = 0

  init() throws(SystemError) {
    poll = try Descriptor(tactus_poll_open(), "open", "epoll")
  }

  var descriptor: Int32 { poll.number }

  /// Waits for what sd-bus waits for now.
  func follow(_ bus: OpaquePointer) {
    let descriptor = sd_bus_get_fd(bus)
    let events = max(sd_bus_get_events(bus), 0)
    var interest: UInt32 = 0
    if events & Int32(POLLIN) != 0 { interest |= UInt32(TACTUS_READABLE) }
    if events & Int32(POLLOUT) != 0 { interest |= UInt32(TACTUS_WRITABLE) }
    if descriptor == followed, interest == self.interest { return }
    if descriptor == followed, tactus_poll_change(poll.number, descriptor, 0, interest) == 0 {
      self.interest = interest
      return
    }
    forget()
    guard descriptor >= 0, tactus_poll_add(poll.number, descriptor, 0, interest) == 0 else {
      return
    }
    followed = descriptor
    self.interest = interest
  }

  /// The descriptor is closed, or another one follows.
  func forget() {
    if followed >= 0 { _ = tactus_poll_remove(poll.number, followed) }
    followed = -1
  }
}
