// SPDX-License-Identifier: Apache-2.0
//
// What sd-bus calls when a player comes, goes, or tells something.

import CTactus
import TactusCore

/// The context of the callbacks; outlives every connection.
final class PlayerListener {
  static let path = "/org/mpris/MediaPlayer2"
  static let interface = PlayerPattern.namespace + ".Player"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let bus = "org.freedesktop.DBus"
  /// A player that has the name before it can answer is asked again after so long, so many times.
  private static let repetitionNanoseconds: UInt64 = 1_000_000_000
  private static let repetitions = 5
  /// What may wait for the next tick at most, but for one message's worth.
  private static let eventsMaximum = 64

  var table: PlayerTable
  /// The bus has answered on this connection.
  private(set) var isAnswered = false
  private var isFailureTold = false
  /// Names whose owner was asked for, by the call's number.
  private var questions: [(cookie: UInt64, name: String)] = []
  private var silent: [(owner: String, attempts: Int)] = []
  /// When to ask those again that could not answer; nil while all could.
  private(set) var repetition: UInt64?

  init(sources: [BoardSource]) { table = PlayerTable(sources: sources) }

  var hasRoom: Bool { table.events.count < PlayerListener.eventsMaximum }

  // MARK: The connection

  /// Listens, and asks who is there.
  func begin(on connection: borrowing BusConnection) {
    let bus = connection.bus
    let names =
      "type='signal',sender='\(PlayerListener.bus)',interface='\(PlayerListener.bus)',"
      + "member='NameOwnerChanged',arg0namespace='\(PlayerPattern.namespace)'"
    let changes =
      "type='signal',interface='\(PlayerListener.properties)',member='PropertiesChanged',"
      + "path='\(PlayerListener.path)',arg0='\(PlayerListener.interface)'"
    sd_bus_add_match_async(bus, nil, names, onOwner, onInstalled, context)
    sd_bus_add_match_async(bus, nil, changes, onChange, onInstalled, context)
    call(
      bus,
      PlayerListener.bus,
      "/org/freedesktop/DBus",
      PlayerListener.bus,
      "ListNames",
      onAnswer: onNames
    )
  }

  /// The connection has gone; answers whether that is to be told.
  func end() -> Bool {
    table.removeAll()
    questions.removeAll()
    silent.removeAll()
    repetition = nil
    isAnswered = false
    defer { isFailureTold = true }
    return !isFailureTold
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Calls a method with strings, and has its answer taken; gives the call's number.
  @discardableResult
  private func call(
    _ bus: OpaquePointer?,
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: String...,
    onAnswer: @escaping sd_bus_message_handler_t
  ) -> UInt64 {
    var message: OpaquePointer?
    sd_bus_message_new_method_call(bus, &message, destination, path, interface, member)
    sd_bus_message_set_auto_start(message, 0)
    for argument in arguments { BusMessage(message: message).append(.text(argument)) }
    sd_bus_call_async(bus, nil, message, onAnswer, context, 0)
    var cookie: UInt64 = 0
    sd_bus_message_get_cookie(message, &cookie)
    sd_bus_message_unref(message)
    return cookie
  }

  // MARK: Who is there

  fileprivate func names(_ answer: OpaquePointer) {
    isAnswered = true
    isFailureTold = false
    for name in BusMessage(message: answer).texts() ?? [] where table.concerns(name) {
      let cookie = call(
        sd_bus_message_get_bus(answer),
        PlayerListener.bus,
        "/org/freedesktop/DBus",
        PlayerListener.bus,
        "GetNameOwner",
        name,
        onAnswer: onNameOwner
      )
      questions.append((cookie, name))
    }
    if questions.isEmpty { table.finishListing() }
  }

  fileprivate func nameOwner(_ answer: OpaquePointer) {
    var cookie: UInt64 = 0
    sd_bus_message_get_reply_cookie(answer, &cookie)
    guard let index = questions.firstIndex(where: { $0.cookie == cookie }) else { return }
    let name = questions.remove(at: index).name
    if let owner = BusMessage(message: answer).text() {
      appear(name, owner, on: sd_bus_message_get_bus(answer))
    }
    if questions.isEmpty { table.finishListing() }
  }

  fileprivate func ownerChanged(_ signal: OpaquePointer) {
    let message = BusMessage(message: signal)
    guard let name = message.text(), let before = message.text(), let owner = message.text() else {
      return
    }
    if !before.isEmpty {
      table.disappear(name)
      silent.removeAll { $0.owner == before }
    }
    if !owner.isEmpty { appear(name, owner, on: sd_bus_message_get_bus(signal)) }
  }

  private func appear(_ name: String, _ owner: String, on bus: OpaquePointer?) {
    if table.appear(name, owner: owner) { ask(owner, on: bus) }
  }

  // MARK: What they say

  private func ask(_ owner: String, on bus: OpaquePointer?) {
    call(
      bus,
      owner,
      PlayerListener.path,
      PlayerListener.properties,
      "GetAll",
      PlayerListener.interface,
      onAnswer: onAll
    )
  }

  fileprivate func all(_ answer: OpaquePointer) {
    guard let owner = sender(of: answer), table.knows(owner) else { return }
    if sd_bus_message_get_error(answer) == nil {
      silent.removeAll { $0.owner == owner }
      BusMessage(message: answer).playerProperties { table.take($0, of: owner, isNews: false) }
      return
    }
    if !silent.contains(where: { $0.owner == owner }) { silent.append((owner, 0)) }
    repetition = repetition ?? MonotonicClock.now() + PlayerListener.repetitionNanoseconds
  }

  /// Asks those again that could not answer yet.
  func repeatQuestions(on bus: OpaquePointer, at now: UInt64) {
    guard let due = repetition, now >= due else { return }
    repetition = nil
    for index in silent.indices where silent[index].attempts < PlayerListener.repetitions {
      silent[index].attempts += 1
      ask(silent[index].owner, on: bus)
    }
  }

  fileprivate func changed(_ signal: OpaquePointer) {
    guard let owner = sender(of: signal), table.knows(owner) else { return }
    let message = BusMessage(message: signal)
    _ = message.text()
    message.playerProperties { table.take($0, of: owner, isNews: true) }
    if message.texts()?.contains("PlaybackStatus") ?? false {
      ask(owner, on: sd_bus_message_get_bus(signal))
    }
  }

  private func sender(of message: OpaquePointer) -> String? {
    sd_bus_message_get_sender(message).map { String(cString: $0) }
  }
}

extension BusMessage {
  /// The next value, a dictionary of properties; those that nobody needs are left out.
  fileprivate func playerProperties(_ take: (PlayerProperty) -> Void) {
    guard enter("a", "{sv}") else { return }
    while enter("e", "sv") {
      guard let name = text() else { return }
      if let property = playerProperty(name) {
        take(property)
      } else if sd_bus_message_at_end(message, 0) == 0 {
        sd_bus_message_skip(message, "v")
      }
      guard sd_bus_message_exit_container(message) > 0 else { return }
    }
    sd_bus_message_exit_container(message)
  }

  private func playerProperty(_ name: String) -> PlayerProperty? {
    switch name {
    case "PlaybackStatus":
      if case .text(let word) = variant() { return PlaybackStatus(word).map { .status($0) } }
    case "Volume":
      if case .number(let volume) = variant() { return .volume(volume) }
    case "CanPlay": return can(.play)
    case "CanPause": return can(.pause)
    case "CanGoNext": return can(.next)
    case "CanGoPrevious": return can(.previous)
    default: break
    }
    return nil
  }

  private func can(_ command: Command) -> PlayerProperty? {
    if case .bool(let can) = variant() { return .can(command, can) }
    return nil
  }
}

// MARK: Functions for C

private func listener(_ context: UnsafeMutableRawPointer?) -> PlayerListener? {
  context.map { Unmanaged<PlayerListener>.fromOpaque($0).takeUnretainedValue() }
}

private func onInstalled(
  _ answer: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 { 1 }

private func onNames(
  _ answer: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let answer { listener(context)?.names(answer) }
  return 1
}

private func onNameOwner(
  _ answer: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let answer { listener(context)?.nameOwner(answer) }
  return 1
}

private func onOwner(
  _ signal: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let signal { listener(context)?.ownerChanged(signal) }
  return 1
}

private func onAll(
  _ answer: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let answer { listener(context)?.all(answer) }
  return 1
}

private func onChange(
  _ signal: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let signal { listener(context)?.changed(signal) }
  return 1
}
