// SPDX-License-Identifier: Apache-2.0
//
// The other end of the service: what the command line asks of the daemon, and hears from it.

import CTactus
public import TactusCore

/// Why the daemon did not do what it was asked.
public enum BusClientError: Error, Equatable, CustomStringConvertible {
  /// The daemon cannot be reached: its bus, or the daemon itself, is not there.
  case unreachable(String)
  /// The bus does not let this user ask.
  case forbidden
  /// The daemon refuses; nothing has changed.
  case refused(BusRefusal)
  /// Anything else: the D-Bus error's name and words.
  case failed(name: String, message: String)

  public var description: String {
    switch self {
    case .unreachable(let reason):
      "tactusd: cannot be reached (\(reason)), start it with systemctl start tactusd"
    case .forbidden:
      "tactusd: not allowed for this user, join group tactus"
    case .refused(let refusal):
      refusal.message
    case .failed(let name, let message):
      "tactusd: \(message) (\(name))"
    }
  }
}

/// What the daemon tells without being asked.
public enum BusNews: Equatable, Sendable {
  /// Properties have changed; ask `describe` for all, or read what changed here.
  case changed([Change])
  case event(DeviceEvent)
  /// An event has happened again; ask `describe` how often.
  case repeated
  /// Gains have come to rest; ask `describe`.
  case settled
  /// The daemon is on the bus, or not any more.
  case daemon(isThere: Bool)
  /// A session of this client is told something: the reason, the command, or "true" or "false".
  case session(BusSessionSignal, String)

  /// A property and its new value.
  public struct Change: Equatable, Sendable {
    public let property: BusProperty
    public let value: BusValue
  }
}

/// A client of the daemon.
public struct BusClient: ~Copyable {
  /// How long an answer may take.
  public static let timeoutMicroseconds: UInt64 = 5_000_000

  private let connection: BusConnection
  private let timeoutMicroseconds: UInt64

  /// Connects to the bus; whether the daemon is there shows with the first call.
  /// - Throws: `unreachable`.
  public init(
    _ address: BusAddress,
    timeoutMicroseconds: UInt64 = BusClient.timeoutMicroseconds
  ) throws(BusClientError) {
    self.timeoutMicroseconds = timeoutMicroseconds
    do {
      connection = try BusConnection(address, awaitsSocket: false)
    } catch {
      throw BusClientError(error)
    }
  }

  // Ends the connection here: another module of an Embedded program cannot.
  deinit {}

  /// Calls a method with the arguments of the interface, and gives the string that it returns.
  @discardableResult
  public func call(_ method: BusMethod, _ arguments: BusValue...) throws(BusClientError) -> String {
    try call(method, arguments)
  }

  /// Calls a method with the arguments of the interface, and gives the string that it returns.
  public func call(
    _ method: BusMethod,
    _ arguments: [BusValue]
  ) throws(BusClientError) -> String {
    let answer = try ask(TACTUS_BUS_INTERFACE, method.rawValue, arguments)
    guard let text = answer.message.text() else { throw .unexpected(method.rawValue) }
    return text
  }

  /// The whole device, as `Describe` tells it.
  public func describe() throws(BusClientError) -> Json {
    let text = try call(.describe, [])
    do {
      return try Json(parsing: text)
    } catch {
      throw .failed(name: "Describe", message: error.description)
    }
  }

  /// One property.
  public func property(_ property: BusProperty) throws(BusClientError) -> BusValue {
    let arguments: [BusValue] = [.text(TACTUS_BUS_INTERFACE), .text(property.rawValue)]
    let answer = try ask("org.freedesktop.DBus.Properties", "Get", arguments)
    guard let value = answer.message.variant() else { throw .unexpected(property.rawValue) }
    return value
  }

  // MARK: Sessions

  /// Opens a session by a name and in a category, with the options of `OpenSession`.
  public func openSession(
    _ name: String,
    _ category: Category,
    _ options: [BusOption]
  ) throws(BusClientError) -> HeldSession {
    let answer = try ask(
      TACTUS_BUS_INTERFACE,
      BusMethod.openSession.rawValue,
      [.text(name), .text(category.name), .options(options)]
    )
    guard let held = answer.message.descriptor(), let path = answer.message.path() else {
      throw .unexpected(BusMethod.openSession.rawValue)
    }
    return HeldSession(name: name, path: path, end: held)
  }

  /// Calls a method of a session, and gives the outcome.
  @discardableResult
  public func call(
    _ session: borrowing HeldSession,
    _ method: BusSessionMethod,
    _ arguments: BusValue...
  ) throws(BusClientError) -> String {
    let interface = TACTUS_BUS_SESSION_INTERFACE
    let answer = try ask(interface, method.rawValue, arguments, path: session.path)
    guard let text = answer.message.text() else { throw .unexpected(method.rawValue) }
    return text
  }

  // MARK: News

  /// Lets `next` tell what the daemon says from now on.
  public mutating func subscribe() throws(BusClientError) {
    let sender = "type='signal',sender='\(TACTUS_BUS_NAME)',path='\(TACTUS_BUS_PATH)'"
    let owner =
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"
      + ",arg0='\(TACTUS_BUS_NAME)'"
    for match in [sender, owner] {
      let result = sd_bus_add_match(connection.bus, nil, match, nil, nil)
      if result < 0 { throw .unreachable(reason(of: -result)) }
    }
  }

  /// Readable when `next` may have something, for a loop that waits for more than the bus.
  public var descriptor: Int32 { sd_bus_get_fd(connection.bus) }

  /// The next thing that the daemon tells.
  /// - Parameter milliseconds: How long to wait: 0 not at all, nil for ever.
  /// - Returns: The news; nil when there was none for so long.
  /// - Throws: `unreachable` when the bus is gone.
  public mutating func next(
    waiting milliseconds: UInt64?
  ) throws(BusClientError) -> BusNews? {
    let deadline = milliseconds.map { MonotonicClock.now() + $0 * 1_000_000 }
    while true {
      var message: OpaquePointer?
      let result = sd_bus_process(connection.bus, &message)
      if result < 0 { throw .unreachable(reason(of: -result)) }
      if let message {
        defer { sd_bus_message_unref(message) }
        if let news = BusNews(message) { return news }
      }
      if result > 0 { continue }
      guard try wait(until: deadline) else { return nil }
    }
  }

  /// Waits for the bus; false at the deadline.
  private func wait(until deadline: UInt64?) throws(BusClientError) -> Bool {
    var microseconds = UInt64.max
    if let deadline {
      let now = MonotonicClock.now()
      if now >= deadline { return false }
      microseconds = (deadline - now + 999) / 1_000
    }
    let result = sd_bus_wait(connection.bus, microseconds)
    if result < 0 && result != -EINTR { throw .unreachable(reason(of: -result)) }
    return true
  }

  /// Resident memory of the daemon in bytes; nil where that cannot be told.
  public var memoryBytes: Int? {
    guard
      let answer = try? ask(
        "org.freedesktop.DBus",
        "GetConnectionUnixProcessID",
        [.text(TACTUS_BUS_NAME)],
        destination: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus"
      ),
      let process = answer.message.count(),
      let bytes = try? contents(of: "/proc/\(Int(process))/status", limit: 1 << 16)
    else { return nil }
    for line in String(decoding: bytes, as: UTF8.self).split(at: "\n") {
      guard let rest = line.after("VmRSS:") else { continue }
      let words = Array(rest.utf8).filter { (0x30...0x39).contains($0) }
      return Int(String(decoding: words, as: UTF8.self)).map { $0 * 1_024 }
    }
    return nil
  }

  // MARK: The machine

  /// Has systemd-logind switch the machine off (CTL-7).
  public func powerOffMachine() throws(BusClientError) {
    _ = try ask(
      "org.freedesktop.login1.Manager",
      "PowerOff",
      [.bool(false)],
      destination: "org.freedesktop.login1",
      path: "/org/freedesktop/login1"
    )
  }

  // MARK: Calls

  private func ask(
    _ interface: String,
    _ member: String,
    _ arguments: [BusValue],
    destination: String = TACTUS_BUS_NAME,
    path: String = TACTUS_BUS_PATH
  ) throws(BusClientError) -> BusAnswer {
    var call: OpaquePointer?
    let made = sd_bus_message_new_method_call(
      connection.bus,
      &call,
      destination,
      path,
      interface,
      member
    )
    if made < 0 { throw .unreachable(reason(of: -made)) }
    defer { sd_bus_message_unref(call) }
    let message = BusMessage(message: call)
    for argument in arguments { message.append(argument) }
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    var answer: OpaquePointer?
    let result = sd_bus_call(connection.bus, call, timeoutMicroseconds, &error, &answer)
    if result < 0 { throw BusClientError(error, code: -result) }
    return BusAnswer(answer)
  }
}

/// A session of this program; it ends with the value.
public struct HeldSession: ~Copyable {
  /// The ALSA device is `tactus:NAME`.
  public let name: String
  let path: String
  private let end: Descriptor

  fileprivate init(name: String, path: String, end: consuming Descriptor) {
    self.name = name
    self.path = path
    self.end = end
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Broken when the daemon has gone.
  public var descriptor: Int32 { end.number }
}

/// Owns the answer to a call.
private struct BusAnswer: ~Copyable {
  let message: BusMessage
  init(_ message: OpaquePointer?) { self.message = BusMessage(message: message) }
  deinit { sd_bus_message_unref(message.message) }
}

extension BusClientError {
  /// A client does not try again, as the service does.
  fileprivate init(_ error: BusError) {
    if case .unreachable(let address, let code) = error {
      self = .unreachable("bus \(address.name): \(reason(of: code))")
    } else {
      self = .unreachable(error.description)
    }
  }

  fileprivate init(_ error: sd_bus_error, code: Int32) {
    let name = error.name.map { String(cString: $0) } ?? ""
    let message = error.message.map { String(cString: $0) } ?? reason(of: code)
    if let kind = BusRefusal.Kind(errorName: name) {
      self = .refused(BusRefusal(kind, message))
      return
    }
    switch name {
    case "org.freedesktop.DBus.Error.AccessDenied":
      self = .forbidden
    case "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.NoReply",
      "org.freedesktop.DBus.Error.Timeout",
      "org.freedesktop.DBus.Error.Disconnected",
      "":
      self = .unreachable(message)
    default:
      self = .failed(name: name, message: message)
    }
  }

  fileprivate static func unexpected(_ member: String) -> BusClientError {
    .failed(name: member, message: "answers with other types than the interface has")
  }
}

extension BusNews {
  /// What a signal says; nil where it is none of the daemon's.
  fileprivate init?(_ signal: OpaquePointer) {
    let message = BusMessage(message: signal)
    switch sd_bus_message_get_member(signal).map({ String(cString: $0) }) {
    case "PropertiesChanged": self = .changed(message.changes())
    case "NameOwnerChanged":
      guard message.text() != nil, message.text() != nil, let owner = message.text() else {
        return nil
      }
      self = .daemon(isThere: !owner.isEmpty)
    case "Event":
      guard let tick = message.tick(), let kind = message.text(), let object = message.text(),
        let text = message.text()
      else { return nil }
      self = .event(DeviceEvent(tick: tick, kind: kind, object: object, text: text))
    case "Repeated": self = .repeated
    case "Settled": self = .settled
    case let member?:
      guard let signal = BusSessionSignal(rawValue: member) else { return nil }
      self = .session(signal, message.text() ?? (message.bool() == true ? "true" : "false"))
    case nil: return nil
    }
  }
}

extension BusMessage {
  /// The content of `PropertiesChanged`; properties that this version does not know are left out.
  fileprivate func changes() -> [BusNews.Change] {
    guard text() != nil, enter("a", "{sv}") else { return [] }
    var changes: [BusNews.Change] = []
    while enter("e", "sv") {
      if let name = text(), let value = variant(), let property = BusProperty(rawValue: name) {
        changes.append(BusNews.Change(property: property, value: value))
      }
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return changes
  }
}
