// SPDX-License-Identifier: Apache-2.0
//
// What sd-bus calls: the state behind the exported interface.

import CTactus
import TactusCore

/// The context of the callbacks; outlives every connection.
final class BusService {
  /// What can be read.
  var description: Description { didSet { describing = nil } }
  var facts = DaemonFacts() { didSet { describing = nil } }
  /// The answer to `Describe`, until something is different.
  private var describing: String?
  private let tracePath: String
  /// The calls that nobody has taken yet.
  private var calls: [BusCall] = []
  private var pending = PendingCalls()
  private var sessions = BusSessions()
  private var nameAnswer: NameAnswer?
  /// The bus has given us the name, and has not gone since.
  private(set) var hasName = false

  /// What the bus says to our asking for the name.
  enum NameAnswer {
    case granted
    case refused(BusError)
  }

  init(description: Description, tracePath: String) {
    self.description = description
    self.tracePath = tracePath
  }

  deinit { pending.removeAll() }

  /// Puts the interface on a connection and asks for the name.
  func export(on connection: borrowing BusConnection, at address: BusAddress) throws(BusError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let bus = connection.bus
    let name = TACTUS_BUS_NAME
    for step in [
      tactus_bus_export(bus, onCall, onGet, onFind, context),
      sd_bus_request_name_async(bus, nil, name, 0, onNameAnswer, context),
    ] where step < 0 {
      throw .unreachable(address, code: -step)
    }
  }

  // MARK: The name

  func takeNameAnswer() -> NameAnswer? {
    defer { nameAnswer = nil }
    return nameAnswer
  }

  fileprivate func nameAnswered(_ message: OpaquePointer?) {
    if let error = sd_bus_message_get_error(message) {
      nameAnswer = .refused(.nameRefused(text(error.pointee.message) ?? "no reason given"))
      return
    }
    // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
    hasName = BusMessage(message: message).count() == 1
    nameAnswer = hasName ? .granted : .refused(.nameTaken)
  }

  // MARK: Calls

  /// Whether one more call can be kept.
  var hasRoom: Bool { pending.hasRoom }

  func takeCalls() -> [BusCall] {
    if calls.isEmpty { return [] }
    defer { calls.removeAll(keepingCapacity: true) }
    return calls
  }

  func reply(_ token: UInt16, _ reply: Reply) {
    let name = pending.opening(token)?.name
    guard let (call, kind) = pending.take(token) else { return }
    let subject = name ?? kind.subject(in: description.names)
    if let refusal = BusRefusal(reply, subject: subject) {
      refusal.send(to: call)
    } else {
      if case .request(.setSessionGain(let place, let gain)) = kind {
        sessions.session(place: place)?.gain = gain
      }
      tactus_bus_reply(call, reply.name)
    }
    sd_bus_message_unref(call)
  }

  func reply(_ token: UInt16, text: String) {
    guard let (call, _) = pending.take(token) else { return }
    tactus_bus_reply(call, text)
    sd_bus_message_unref(call)
  }

  func refuse(_ token: UInt16, _ refusal: BusRefusal) {
    guard let (call, _) = pending.take(token) else { return }
    refusal.send(to: call)
    sd_bus_message_unref(call)
  }

  /// Nobody waits for an answer any more: the connection is gone.
  func forgetCalls() {
    hasName = false
    nameAnswer = nil
    calls.removeAll()
    pending.removeAll()
    endSessions { _ in true }
  }

  fileprivate func called(_ call: OpaquePointer) {
    do {
      let path = text(sd_bus_message_get_path(call)) ?? ""
      if path != TACTUS_BUS_PATH { return try keep(call, .request(try request(call, path))) }
      let peer = number(of: sender(of: call))
      switch try BusRequest(call, in: description, from: peer ?? BusService.toolNumber) {
      case .describe:
        let text = describing ?? description.json(with: facts).written()
        describing = text
        tactus_bus_reply(call, text)
      case .trace: tactus_bus_reply(call, tracePath)
      case .open(let name, let source): try open(call, name, source)
      case .call(let kind): try keep(call, kind)
      }
    } catch {
      error.send(to: call)
    }
  }

  /// Lets the daemon answer a call.
  ///
  /// Who floods is refused at once, so that its calls do not stand before those of others.
  private func keep(
    _ call: OpaquePointer,
    _ kind: BusCall.Kind,
    _ opening: BusOpening? = nil
  ) throws(BusRefusal) {
    guard pending.count(ofSender: call) < PendingCalls.capacityOfPeer else {
      throw BusRefusal(
        .tooManyCalls,
        "calls: \(PendingCalls.capacityOfPeer) wait, await the answers"
      )
    }
    calls.append(BusCall(token: pending.keep(call, kind, opening), kind: kind))
  }

  fileprivate func get(_ path: String, _ property: String, into reply: OpaquePointer?) -> Bool {
    let message = BusMessage(message: reply)
    if path == TACTUS_BUS_PATH {
      guard let property = BusProperty(rawValue: property) else { return false }
      message.append(description.value(of: property))
    } else {
      guard let property = BusSessionProperty(rawValue: property),
        let session = sessions.session(path: path)
      else { return false }
      message.append(description.value(of: property, session))
    }
    return true
  }

  // MARK: Sessions

  /// The open sessions.
  var open: [BusSession] { sessions.sessions }

  private func open(_ call: OpaquePointer, _ name: String, _ source: Source) throws(BusRefusal) {
    let isTaken = open.contains { $0.name == name } || pending.openings.contains { $0.name == name }
    if isTaken {
      throw BusRefusal(.nameInUse, "name: another session has it (\(name)), choose another one")
    }
    let peer = sender(of: call)
    let number = number(of: peer) ?? newNumber()
    let opening = BusOpening(name: name, peer: peer, peerNumber: number, gain: source.gain)
    try keep(call, .request(.open(peer: number, source)), opening)
  }

  /// The number of those who have no session: a person's tools (FBK-8).
  private static let toolNumber: UInt16 = 0

  /// Who has sessions, or waits for one, and the number that all of a peer's have.
  private var peers: [(peer: String, number: UInt16)] {
    open.map { ($0.peer, $0.peerNumber) } + pending.openings.map { ($0.peer, $0.peerNumber) }
  }

  private func number(of peer: String) -> UInt16? { peers.first { $0.peer == peer }?.number }

  /// A number that nobody has.
  private func newNumber() -> UInt16 {
    let taken = peers
    var number = BusService.toolNumber + 1
    while taken.contains(where: { $0.number == number }) { number += 1 }
    return number
  }

  private func request(_ call: OpaquePointer, _ path: String) throws(BusRefusal) -> Request {
    let session = try session(path)
    guard session.peer == sender(of: call) else {
      throw BusRefusal(.notYourSession, "session: another's (\(path)), open one of your own")
    }
    let member = text(sd_bus_message_get_member(call)) ?? ""
    guard let method = BusSessionMethod(rawValue: member) else { throw BusArguments.unreadable }
    let arguments = BusArguments(message: BusMessage(message: call), description: description)
    return try arguments.request(method, of: session.place)
  }

  fileprivate func session(_ path: String) throws(BusRefusal) -> BusSession {
    if let session = sessions.session(path: path) { return session }
    throw BusRefusal(.noSuchSession, "session: not open (\(path)), OpenSession opens one")
  }

  /// What a call that waits wants to open; nil where it is none, or gone.
  func opening(_ token: UInt16) -> BusOpening? { pending.opening(token) }

  /// A session has its place: answers its program, which holds it from then on.
  /// - Returns: nil when there is no descriptor left, or nobody waits for the session any more.
  func opened(_ token: UInt16, _ place: UInt8, on bus: OpaquePointer?) -> BusSession? {
    guard let opening = pending.opening(token), let (call, _) = pending.take(token) else {
      return nil
    }
    defer { sd_bus_message_unref(call) }
    var kept: Int32 = -1
    var given: Int32 = -1
    let result = tactus_session_open(&kept, &given)
    guard let end = try? Descriptor(result < 0 ? result : kept, "open", "pipe") else {
      BusRefusal(.tooManySessions, "tactusd: no descriptor left, close other sessions")
        .send(to: call)
      return nil
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    let session = BusSession(
      place: place,
      path: sessions.newPath(),
      opening: opening,
      end: end,
      departure: BusDeparture(of: opening.peer, on: bus, context)
    )
    sessions.add(session)
    description.name(source: Int(place), opening.name)
    tactus_bus_reply_session(call, given, session.path)
    return session
  }

  func session(at place: UInt8) -> BusSession? { sessions.session(place: place) }

  /// Ends sessions; each is a call of its own for the daemon.
  func endSessions(where isEnded: (BusSession) -> Bool) {
    for session in sessions.remove(where: isEnded) {
      description.name(source: Int(session.place), "")
      calls.append(BusCall(token: BusCall.noToken, kind: .ended(session.place)))
    }
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> BusService? {
    context.map { Unmanaged<BusService>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// Who sent a message, by its name on the bus.
private func sender(of message: OpaquePointer) -> String {
  text(sd_bus_message_get_sender(message)) ?? ""
}

/// The calls that wait for their answer.
struct PendingCalls {
  static let capacity = 64
  /// How many of them one peer may have.
  static let capacityOfPeer = 32

  private struct Place {
    var message: OpaquePointer?
    var token: UInt16 = 0
    var kind = BusCall.Kind.request(.toggleMute)
    var opening: BusOpening?
  }
  private var places = [Place](repeating: Place(), count: capacity)
  /// Grows with every call, so that a token names one call only (for 1023 calls of its place).
  private var generation: UInt16 = 0

  /// How many calls wait of the peer that sent this one.
  func count(ofSender call: OpaquePointer) -> Int {
    guard let sender = sd_bus_message_get_sender(call) else { return 0 }
    var count = 0
    for place in places {
      if let message = place.message, let other = sd_bus_message_get_sender(message),
        strcmp(sender, other) == 0
      {
        count += 1
      }
    }
    return count
  }

  var hasRoom: Bool { places.contains { $0.message == nil } }

  /// Keeps a message; there must be room.
  mutating func keep(
    _ message: OpaquePointer,
    _ kind: BusCall.Kind,
    _ opening: BusOpening? = nil
  ) -> UInt16 {
    guard let index = places.firstIndex(where: { $0.message == nil }) else {
      preconditionFailure("a call was taken without room for it")
    }
    // Never so far that a token becomes the greatest, which is the daemon's own.
    generation = (generation + 1) % 1023
    let token = generation * UInt16(PendingCalls.capacity) | UInt16(index)
    let kept = sd_bus_message_ref(message)
    places[index] = Place(message: kept, token: token, kind: kind, opening: opening)
    return token
  }

  /// Gives a message up to the caller; nil where the token is not, or not any more, that of one.
  mutating func take(_ token: UInt16) -> (message: OpaquePointer, kind: BusCall.Kind)? {
    let index = Int(token) % PendingCalls.capacity
    let place = places[index]
    guard place.token == token, let message = place.message else { return nil }
    places[index] = Place()
    return (message, place.kind)
  }

  /// What a call opens that is kept.
  func opening(_ token: UInt16) -> BusOpening? {
    let place = places[Int(token) % PendingCalls.capacity]
    return place.token == token ? place.opening : nil
  }

  /// All that is to be opened.
  var openings: [BusOpening] { places.compactMap { $0.opening } }

  mutating func removeAll() {
    for index in places.indices {
      if let message = places[index].message { sd_bus_message_unref(message) }
      places[index] = Place()
    }
  }
}

extension BusRefusal {
  fileprivate func send(to call: OpaquePointer) {
    var error = sd_bus_error()
    sd_bus_error_set(&error, kind.errorName, message)
    sd_bus_reply_method_error(call, &error)
    sd_bus_error_free(&error)
  }
}

/// A string of C that may be missing.
private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
  pointer.map { String(cString: $0) }
}

// MARK: Functions for C

private func onCall(
  _ call: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let call, let service = BusService.of(context) else { return -EINVAL }
  service.called(call)
  return 1
}

private func onGet(
  _ path: UnsafePointer<CChar>?,
  _ property: UnsafePointer<CChar>?,
  _ reply: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let path = text(path), let property = text(property), let service = BusService.of(context)
  else { return -EINVAL }
  return service.get(path, property, into: reply) ? 1 : -ENOENT
}

private func onFind(
  _ path: UnsafePointer<CChar>?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let path = text(path), let service = BusService.of(context) else { return -EINVAL }
  do {
    _ = try service.session(path)
    return 1
  } catch let refusal {
    sd_bus_error_set(error, refusal.kind.errorName, refusal.message)
    return -ENOENT
  }
}

private func onNameAnswer(
  _ message: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  BusService.of(context)?.nameAnswered(message)
  return 1
}
