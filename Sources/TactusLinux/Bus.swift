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
    /// Somebody wants to see raw edges, those behind a number.
    case edges(after: UInt32)
    /// A session has ended; nobody waits for an answer.
    case ended(UInt8)
  }

  /// The token where nobody waits.
  static let noToken = UInt16.max

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
    takeEnds()
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
  public mutating func takeCalls() -> [BusCall] {
    let calls = service.takeCalls()
    if calls.contains(where: { $0.token == BusCall.noToken }) { announce([.sources]) }
    return calls
  }

  /// Answers a call with the policy's reply; a call that is gone is none.
  public mutating func reply(_ token: UInt16, _ reply: Reply) {
    service.reply(token, reply)
    followConnection()
  }

  /// Answers a call with a text.
  public mutating func reply(_ token: UInt16, text: String) {
    service.reply(token, text: text)
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
    for session in service.open { announce(session, since: before) }
    if service.description.differsInGains(from: before) { hasUntoldGains = true }
    guard isAtRest, hasUntoldGains else { return }
    hasUntoldGains = false
    if changed.isEmpty && events.isEmpty { signal("Settled") }
  }

  /// The names and settings have been read anew.
  public mutating func redescribe(names: DeviceNames, configuration: Configuration) {
    let before = service.description
    service.description.names = names
    service.description.names.sources += before.names.sources.dropFirst(
      before.configuration.sources.count
    )
    service.description.configuration = configuration
    announce([.board, .route, .routes, .sources, .faults])
  }

  /// The players that were adopted have changed.
  public mutating func describe(players: [String?]) { service.description.players = players }

  /// What the daemon knows beside the policy now.
  public mutating func describe(_ facts: DaemonFacts) { service.facts = facts }

  /// Counts what a tick did.
  public mutating func count(_ inputs: Inputs, _ effects: Effects) {
    service.description.counters.count(inputs, effects)
  }

  /// Tells of something that happened, and keeps it for `Describe`.
  ///
  /// What repeats something is counted (FBK-6), and nobody is told what asks for nothing.
  public mutating func emit(_ event: DeviceEvent) {
    guard service.description.take(event) else { return }
    let (tick, kind, object) = (event.tick, event.kind, event.object)
    if event.count == 1 {
      signal("Event", .tick(tick), .text(kind), .text(object), .text(event.text))
    } else {
      signal("Repeated", .tick(tick), .text(kind), .text(object), .count(UInt32(event.count)))
    }
  }

  /// What `Describe` would answer now.
  public var description: Description { service.description }

  /// Waits until everything is sent, as before the end of the program.
  public mutating func flush() {
    if let bus { sd_bus_flush(bus) }
  }

  // MARK: Sessions

  /// The names of what the policy knows by position, sessions among them.
  public var names: DeviceNames { service.description.names }

  /// The name of the session that a call wants to open; nil when the call is gone.
  public func nameOfOpening(_ token: UInt16) -> String? { service.opening(token)?.name }

  /// A session has its place, and what it needs in ALSA: its program gets it.
  /// - Returns: false when that was not possible; the session is to be ended then.
  public mutating func opened(_ token: UInt16, _ place: UInt8) -> Bool {
    guard let session = service.opened(token, place, on: bus) else { return false }
    watch.add(session.end.number, token: UInt32(place) + 1)
    announce([.sources])
    return true
  }

  /// The sessions whose programs have let go of them.
  private mutating func takeEnds() {
    guard !service.open.isEmpty else { return }
    let ended = watch.takeHungUp()
    if ended.isEmpty { return }
    service.endSessions { session in ended.contains(UInt32(session.place) + 1) }
  }

  /// Tells the programs of the sessions that an effect concerns.
  public mutating func tell(_ effect: Effect) {
    switch effect {
    case .interruptionBegan(let place, let reason, _, _):
      signal(place, .interruptionBegan, .text(reason.name))
    case .interruptionEnded(let place, let shouldResume, _):
      signal(place, .interruptionEnded, .bool(shouldResume))
    case .hint(let place, let shouldBeSilent):
      signal(place, .silenceSecondaryAudioHint, .bool(shouldBeSilent))
    case .command(let place, let command, _): signal(place, .command, .text(command.name))
    case .pause(let place): signal(place, .command, .text(Command.pause.name))
    case .resume(let place): signal(place, .command, .text(Command.play.name))
    case .routeChanged(let reason, let previous, _):
      let name = previous.map { names.outputs.name(at: Int($0)) } ?? ""
      for session in service.open {
        signal(session.place, .routeChanged, .text(reason.name), .text(name))
      }
    default: break
    }
  }

  private mutating func signal(_ place: UInt8, _ member: BusSessionSignal, _ values: BusValue...) {
    guard let session = service.session(at: place) else { return }
    let name = member.rawValue
    send(name, values, from: session.path, TACTUS_BUS_SESSION_INTERFACE, to: session.peer)
  }

  private mutating func announce(_ session: BusSession, since before: Snapshot) {
    let properties = service.description.changes(of: Int(session.place), since: before)
    announce(properties.map { $0.rawValue }, of: session.path, TACTUS_BUS_SESSION_INTERFACE)
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
    guard service.hasName else { return }
    send(name, arguments, from: TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, to: nil)
  }

  private mutating func send(
    _ name: String,
    _ arguments: [BusValue],
    from path: String,
    _ interface: String,
    to peer: String?
  ) {
    guard let bus else { return }
    var signal: OpaquePointer?
    sd_bus_message_new_signal(bus, &signal, path, interface, name)
    let message = BusMessage(message: signal)
    for argument in arguments { message.append(argument) }
    sd_bus_send_to(bus, signal, peer, nil)
    sd_bus_message_unref(signal)
    followConnection()
  }

  private mutating func announce(_ properties: [BusProperty]) {
    guard service.hasName else { return }
    announce(properties.map { $0.rawValue }, of: TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE)
  }

  private mutating func announce(_ properties: [String], of path: String, _ interface: String) {
    guard !properties.isEmpty, let bus else { return }
    var names = properties.map { strdup($0) }
    names.append(nil)
    sd_bus_emit_properties_changed_strv(bus, path, interface, &names)
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

  /// Waits for the other end of a pipe to be closed, until this end is.
  func add(_ descriptor: Int32, token: UInt32) {
    _ = tactus_poll_add(poll.number, descriptor, token, 0)
  }

  /// The tokens of pipes whose other end is closed.
  func takeHungUp() -> [UInt32] {
    var ready = [tactus_ready](repeating: tactus_ready(), count: Int(TACTUS_READY_MAX))
    let count = tactus_poll_wait(poll.number, 0, &ready, TACTUS_READY_MAX)
    return ready.prefix(max(Int(count), 0)).map { $0.token }.filter { $0 != 0 }
  }

  /// The descriptor is closed, or another one follows.
  func forget() {
    if followed >= 0 { _ = tactus_poll_remove(poll.number, followed) }
    followed = -1
  }
}
