// SPDX-License-Identifier: Apache-2.0
//
// Players that know nothing of Tactus, adopted by what they tell over MPRIS (SES-13). Nothing here
// waits for an answer: a player that hangs costs no more than one that is not there.
//
// On a new connection: listen for names and for what players say, ask for all names, for the owner
// of each that a source has, and each owner for all that it can say.

import CTactus
public import TactusCore

/// The players of one bus, present or awaited.
public struct Players: ~Copyable {
  /// The most messages that one `process` takes; the others wait.
  static let messagesPerTick = 16
  /// First and longest pause between two attempts to connect.
  static let retryNanoseconds: ClosedRange<UInt64> = 2_000_000_000...60_000_000_000

  private let address: BusAddress
  private let listener: PlayerListener
  private let watch: BusWatch
  private var connection: BusConnection?
  private var nextAttempt: UInt64 = 0
  private var pause = Players.retryNanoseconds.lowerBound

  /// The players of these sources, on a bus that is not connected yet: the first `process` does.
  /// - Throws: When there is no descriptor left.
  public init(sources: [BoardSource], on address: BusAddress) throws(SystemError) {
    self.address = address
    listener = PlayerListener(sources: sources)
    watch = try BusWatch()
  }

  // Ends the connection here: another module of an Embedded program cannot.
  deinit {}

  /// Readable when `process` has something to do; the same for the life of the value.
  public var descriptor: Int32 { watch.descriptor }

  /// When `process` must be called at the latest, in ns of `MonotonicClock`; nil is never.
  public var deadlineNanoseconds: UInt64? {
    guard listener.table.isUsed else { return nil }
    guard let bus else { return nextAttempt }
    guard listener.hasRoom else { return nil }
    var microseconds = UInt64.max
    sd_bus_get_timeout(bus, &microseconds)
    let timeout = microseconds == UInt64.max ? nil : microseconds &* 1_000
    guard let repetition = listener.repetition else { return timeout }
    return min(repetition, timeout ?? repetition)
  }

  /// Takes what the bus has brought, and connects when it is time to.
  /// - Parameter now: ns of `MonotonicClock`.
  /// - Returns: What is wrong with the bus, once for each time that it begins.
  public mutating func process(at now: UInt64) -> BusError? {
    defer { followConnection() }
    guard let bus else {
      return listener.table.isUsed && now >= nextAttempt ? connect(at: now) : nil
    }
    for _ in 0..<Players.messagesPerTick where listener.hasRoom {
      let result = sd_bus_process(bus, nil)
      if result == 0 { break }
      if result < 0 { return disconnect(.lost(address, code: -result)) }
    }
    if listener.isAnswered { pause = Players.retryNanoseconds.lowerBound }
    listener.repeatQuestions(on: bus, at: now)
    return nil
  }

  /// Something waits for the next tick.
  public var hasEvents: Bool { !listener.table.events.isEmpty }

  /// Adds what players and people did, in its order.
  public mutating func gather(into inputs: inout Inputs) {
    var taken = 0
    while taken < listener.table.events.count, inputs.append(listener.table.events[taken]) {
      taken += 1
    }
    guard taken > 0 else { return }
    listener.table.events.removeFirst(taken)
    followConnection()
  }

  /// Tells the players that an effect concerns, without waiting for their answer.
  public mutating func carryOut(_ effect: Effect) {
    for call in listener.table.calls(for: effect) {
      guard let bus else { return }
      send(call, on: bus)
    }
  }

  /// The name that the player of each source has on the bus, without what all names begin with.
  ///
  /// Nil for those without one; nothing at all when none has changed since the last time.
  public mutating func takeNames() -> [String?]? { listener.table.takeNames() }

  private mutating func send(_ call: PlayerCall, on bus: OpaquePointer) {
    var message: OpaquePointer?
    sd_bus_message_new_method_call(
      bus,
      &message,
      call.owner,
      PlayerListener.path,
      PlayerListener.interface,
      call.method
    )
    sd_bus_message_set_expect_reply(message, 0)
    sd_bus_message_set_auto_start(message, 0)
    sd_bus_send(bus, message, nil)
    sd_bus_message_unref(message)
    followConnection()
  }

  // MARK: Coming and going

  private var bus: OpaquePointer? {
    switch connection {
    case .some(let connection): connection.bus
    case .none: nil
    }
  }

  private mutating func connect(at now: UInt64) -> BusError? {
    nextAttempt = now &+ pause
    pause = min(pause * 2, Players.retryNanoseconds.upperBound)
    do {
      let connection = try BusConnection(address, awaitsSocket: true)
      listener.begin(on: connection)
      self.connection = consume connection
      return nil
    } catch {
      return disconnect(error)
    }
  }

  private mutating func disconnect(_ error: BusError) -> BusError? {
    connection = nil
    return listener.end() ? error : nil
  }

  private mutating func followConnection() {
    // Without room for what is told nothing is read, so nothing must wake the loop for it.
    if let bus, listener.hasRoom { watch.follow(bus) } else { watch.forget() }
  }
}
