// SPDX-License-Identifier: Apache-2.0
//
// What sd-bus calls: the state behind the exported interface.

import CTactus
import TactusCore

/// The context of the callbacks; outlives every connection.
final class BusService {
  /// What can be read.
  var description: Description
  private let tracePath: String
  /// The calls that nobody has taken yet.
  private var calls: [BusCall] = []
  private var pending = PendingCalls()
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
      tactus_bus_export(bus, onCall, onGet, context),
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
    guard let (call, kind) = pending.take(token) else { return }
    if let refusal = BusRefusal(reply, to: kind, names: description.names) {
      refusal.send(to: call)
    } else {
      tactus_bus_reply(call, reply.name)
    }
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
  }

  fileprivate func called(_ call: OpaquePointer) {
    do {
      switch try BusRequest(call, in: description) {
      case .describe: tactus_bus_reply(call, description.json.written())
      case .trace: tactus_bus_reply(call, tracePath)
      case .call(let kind): calls.append(BusCall(token: pending.keep(call, kind), kind: kind))
      }
    } catch {
      error.send(to: call)
    }
  }

  fileprivate func get(_ property: UnsafePointer<CChar>, into reply: OpaquePointer?) -> Bool {
    guard let property = BusProperty(rawValue: String(cString: property)) else { return false }
    BusMessage(message: reply).append(description.value(of: property))
    return true
  }
}

/// The calls that wait for their answer.
struct PendingCalls {
  static let capacity = 64

  private struct Place {
    var message: OpaquePointer?
    var token: UInt16 = 0
    var kind = BusCall.Kind.request(.toggleMute)
  }
  private var places = [Place](repeating: Place(), count: capacity)
  /// Grows with every call, so that a token names one call only (for 1024 calls of its place).
  private var generation: UInt16 = 0

  var hasRoom: Bool { places.contains { $0.message == nil } }

  /// Keeps a message; there must be room.
  mutating func keep(_ message: OpaquePointer, _ kind: BusCall.Kind) -> UInt16 {
    guard let index = places.firstIndex(where: { $0.message == nil }) else {
      preconditionFailure("a call was taken without room for it")
    }
    generation &+= 1
    let token = generation &* UInt16(PendingCalls.capacity) | UInt16(index)
    places[index] = Place(message: sd_bus_message_ref(message), token: token, kind: kind)
    return token
  }

  /// Gives a message up to the caller; nil where the token is not, or not any more, that of one.
  mutating func take(_ token: UInt16) -> (message: OpaquePointer, kind: BusCall.Kind)? {
    let index = Int(token) % PendingCalls.capacity
    let place = places[index]
    guard place.token == token, let message = place.message else { return nil }
    places[index].message = nil
    return (message, place.kind)
  }

  mutating func removeAll() {
    for index in places.indices {
      if let message = places[index].message { sd_bus_message_unref(message) }
      places[index].message = nil
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

private func service(_ context: UnsafeMutableRawPointer?) -> BusService? {
  context.map { Unmanaged<BusService>.fromOpaque($0).takeUnretainedValue() }
}

private func onCall(
  _ call: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let call, let service = service(context) else { return -EINVAL }
  service.called(call)
  return 1
}

private func onGet(
  _ property: UnsafePointer<CChar>?,
  _ reply: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let property, let service = service(context) else { return -EINVAL }
  return service.get(property, into: reply) ? 1 : -ENOENT
}

private func onNameAnswer(
  _ message: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  service(context)?.nameAnswered(message)
  return 1
}
