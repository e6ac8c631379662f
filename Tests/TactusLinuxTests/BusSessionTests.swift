// SPDX-License-Identifier: Apache-2.0
//
// Sessions over a real message bus: what programs ask, what they are told, and how sessions end.

import CTactus
import Glibc
import TactusCore
import Testing

@testable import TactusLinux

/// A program that opens sessions, with the library that most such programs use.
final class SessionProgram {
  private let connection: BusConnection
  /// The descriptor that it was given last.
  private(set) var held: Int32 = -1
  /// The name and the words of the last error.
  private(set) var error = ""
  private(set) var words = ""

  var bus: OpaquePointer { connection.bus }

  init(_ address: BusAddress) throws {
    connection = try BusConnection(address, awaitsSocket: false)
  }

  deinit { letGo() }

  /// Closes the descriptor that it was given last.
  func letGo() {
    if held >= 0 { close(held) }
    held = -1
  }

  /// Opens a session; nil is an error.
  func open(_ name: String, _ category: String, _ options: [(String, BusValue)] = []) -> String? {
    let reply = call(TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, "OpenSession") { message in
      message.append(.text(name))
      message.append(.text(category))
      sd_bus_message_open_container(message.message, letter("a"), "{sv}")
      for (key, value) in options {
        sd_bus_message_open_container(message.message, letter("e"), "sv")
        message.append(.text(key))
        sd_bus_message_open_container(message.message, letter("v"), value.signature)
        message.append(value)
        sd_bus_message_close_container(message.message)
        sd_bus_message_close_container(message.message)
      }
      sd_bus_message_close_container(message.message)
    }
    guard let reply else { return nil }
    defer { sd_bus_message_unref(reply) }
    var descriptor: Int32 = -1
    var path: UnsafePointer<CChar>?
    sd_bus_message_read_basic(reply, letter("h"), &descriptor)
    sd_bus_message_read_basic(reply, letter("o"), &path)
    held = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    return path.map { String(cString: $0) }
  }

  /// Calls a method of a session; gives the outcome, or the error's name without its beginning.
  func call(_ path: String, _ method: BusSessionMethod, _ values: BusValue...) -> String {
    let reply = call(path, TACTUS_BUS_SESSION_INTERFACE, method.rawValue) { message in
      for value in values { message.append(value) }
    }
    guard let reply else { return error }
    defer { sd_bus_message_unref(reply) }
    return BusMessage(message: reply).text() ?? ""
  }

  /// Calls a method of the device with a word; gives the outcome, or the error's name.
  func call(_ method: BusMethod, _ word: String) -> String {
    let reply = call(TACTUS_BUS_PATH, TACTUS_BUS_INTERFACE, method.rawValue) { message in
      message.append(.text(word))
    }
    guard let reply else { return error }
    defer { sd_bus_message_unref(reply) }
    return BusMessage(message: reply).text() ?? ""
  }

  func property(_ path: String, _ property: BusSessionProperty) -> BusValue? {
    let reply = call(path, "org.freedesktop.DBus.Properties", "Get") { message in
      message.append(.text(TACTUS_BUS_SESSION_INTERFACE))
      message.append(.text(property.rawValue))
    }
    guard let reply else { return nil }
    defer { sd_bus_message_unref(reply) }
    return BusMessage(message: reply).variant()
  }

  /// The next signal of a session: its name, and what it carries.
  func next(milliseconds: UInt64 = 60_000) -> String? {
    let deadline = MonotonicClock.now() + milliseconds * 1_000_000
    while MonotonicClock.now() < deadline {
      var message: OpaquePointer?
      let result = sd_bus_process(bus, &message)
      if result == 0 { sd_bus_wait(bus, 10_000) }
      guard let message else { continue }
      defer { sd_bus_message_unref(message) }
      let path = sd_bus_message_get_path(message).map { String(cString: $0) } ?? ""
      guard path.hasPrefix(TACTUS_BUS_SESSIONS) else { continue }
      var text = sd_bus_message_get_member(message).map { String(cString: $0) } ?? ""
      let content = BusMessage(message: message)
      while true {
        if let word = content.text() {
          text += " \(word)"
        } else if let flag = content.bool() {
          text += " \(flag)"
        } else {
          return text
        }
      }
    }
    return nil
  }

  private func call(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ fill: (BusMessage) -> Void
  ) -> OpaquePointer? {
    var call: OpaquePointer?
    sd_bus_message_new_method_call(bus, &call, TACTUS_BUS_NAME, path, interface, member)
    defer { sd_bus_message_unref(call) }
    fill(BusMessage(message: call))
    var failure = sd_bus_error()
    defer { sd_bus_error_free(&failure) }
    var reply: OpaquePointer?
    if sd_bus_call(bus, call, 5_000_000, &failure, &reply) >= 0 { return reply }
    let name = failure.name.map { String(cString: $0) } ?? ""
    error = name.split(separator: ".").last.map { String($0) } ?? ""
    words = failure.message.map { String(cString: $0) } ?? ""
    return nil
  }
}

@Suite("Bus sessions", .timeLimit(.minutes(10)))
struct BusSessionTests {
  private let bus: PrivateBus
  private let served: ServedBus
  private var state: ServedState { served.state }

  init() throws {
    bus = try PrivateBus()
    served = try ServedBus(on: bus.address)
    try #require(served.state.wait { $0.changes == [.connected] })
  }

  private func program() throws -> SessionProgram { try SessionProgram(bus.address) }

  @Test("OpenSession reaches the policy as a session, with every option")
  func opening() throws {
    state.open(at: 2)
    let program = try program()
    let path = program.open(
      "radio",
      "playAndRecord",
      [
        ("mode", .text("spokenAudio")), ("options", .texts(["mixWithOthers", "duck-others"])),
        ("gain", .number(-3.5)), ("commands", .texts(["play", "next"])),
        ("resumesAlways", .bool(true)), ("pauseOnUnplug", .bool(false)),
        ("overrideMutedMicrophoneInterruption", .bool(true)), ("adopted", .bool(true)),
      ]
    )
    #expect(path == "/org/tactus1/session/1")
    #expect(program.held >= 0)
    var source = Source(category: .playAndRecord, mode: .spokenAudio, hasPlayer: true)
    source.options = SessionOptions(rawValue: 3)
    source.gain = Gain(millibels: -350)
    source.commands = CommandSet.none.with(.play).with(.next)
    source.resumesAlways = true
    source.pausesOnUnplug = false
    source.overridesMutedMicrophone = true
    source.isAdopted = true
    #expect(state.now.calls == [.request(.open(peer: 1, source))])
    #expect(program.property(path ?? "", .name) == .text("radio"))
    #expect(program.property(path ?? "", .gain) == .number(-3.5))
  }

  @Test(
    "a bad OpenSession is a named error, and nothing reaches the policy",
    arguments: [
      ("", "playback", [], "InvalidArgument"),
      ("Radio", "playback", [], "InvalidArgument"),
      ("a b", "playback", [], "InvalidArgument"),
      ("a.b", "playback", [], "InvalidArgument"),
      ("abcdefghijklmnopqrstuvwxyz01234", "playback", [], "InvalidArgument"),
      ("radio", "", [], "InvalidArgument"),
      ("radio", "music", [], "InvalidArgument"),
      ("radio", "playback", [("mode", .text("loud"))], "InvalidArgument"),
      ("radio", "playback", [("mode", .bool(true))], "InvalidArgument"),
      ("radio", "playback", [("options", .texts(["mix"]))], "InvalidArgument"),
      ("radio", "playback", [("options", .text("duck-others"))], "InvalidArgument"),
      ("radio", "playback", [("gain", .number(.nan))], "InvalidArgument"),
      ("radio", "playback", [("gain", .number(-101))], "InvalidArgument"),
      ("radio", "playback", [("commands", .texts(["eject"]))], "InvalidArgument"),
      ("radio", "playback", [("adopt", .bool(true))], "InvalidArgument"),
      ("radio", "playback", [("", .tick(1))], "InvalidArgument"),
    ] as [(String, String, [(String, BusValue)], String)]
  )
  func badOpening(
    name: String,
    category: String,
    options: [(String, BusValue)],
    error: String
  ) throws {
    let program = try program()
    #expect(program.open(name, category, options) == nil)
    #expect(program.error == error)
    #expect(program.words.contains(": "))
    #expect(state.now.calls.isEmpty)
  }

  @Test("FBK-8 who asks for an answer is known by its sessions, as long as it has one")
  func feedbackOfPeers() throws {
    state.open(at: 2)
    let tool = try program()
    let first = try program()
    let second = try program()
    func askers() throws -> [UInt16] {
      let before = state.now.calls.count
      for one in [tool, first, second] {
        #expect(one.call(.playFeedback, "light") == "done")
        #expect(one.call(.playSystemSound, "gong") == "done")
      }
      return state.now.calls[before...].compactMap { call in
        switch call {
        case .request(.feedback(let peer, .light)), .request(.playSound(let peer, 7)): peer
        default: nil
        }
      }
    }
    #expect(try askers() == [0, 0, 0, 0, 0, 0])
    _ = try #require(first.open("radio", "playback"))
    state.open(at: 3)
    _ = try #require(second.open("bell", "alert"))
    state.open(at: 4)
    _ = try #require(first.open("talk", "playback"))
    let openings = state.now.calls.compactMap { call in
      if case .request(.open(let peer, _)) = call { peer } else { nil }
    }
    #expect(openings == [1, 2, 1])
    #expect(try askers() == [0, 0, 1, 1, 2, 2])
    second.letGo()
    #expect(state.wait { $0.calls.contains(.ended(3)) })
    #expect(try askers() == [0, 0, 1, 1, 0, 0])
  }

  @Test("30 bytes are a name")
  func longestName() throws {
    state.open(at: 2)
    #expect(try program().open("abcdefghijklmnopqrstuvwxyz0123", "alert") != nil)
  }

  @Test("a name that a session has is refused, and free again when that has ended")
  func nameInUse() throws {
    state.open(at: 2)
    let first = try program()
    let second = try program()
    #expect(first.open("radio", "playback") != nil)
    state.open(at: 3)
    #expect(second.open("radio", "playback") == nil)
    #expect(second.error == "NameInUse")
    first.letGo()
    #expect(state.wait { $0.calls.last == .ended(2) })
    #expect(second.open("radio", "playback") == "/org/tactus1/session/2")
  }

  @Test("SES-12 the sessions of one peer carry one number, those of others another one")
  func peers() throws {
    let first = try program()
    let second = try program()
    state.open(at: 2)
    _ = first.open("a", "ambient")
    state.open(at: 3)
    _ = second.open("b", "ambient")
    state.open(at: 4)
    _ = first.open("c", "ambient")
    let peers = state.now.calls.map { call in
      if case .request(.open(let peer, _)) = call { peer } else { UInt16.max }
    }
    #expect(peers == [1, 2, 1])
  }

  @Test(
    "every method of a session reaches the policy as what it means",
    arguments: [
      (.activate, [], .session(2, .activateNotPlaying)),
      (.deactivate, [.bool(true)], .session(2, .deactivateNotifying)),
      (.deactivate, [.bool(false)], .session(2, .deactivate)),
      (.setCategory, [.text("soloAmbient")], .setCategory(2, .soloAmbient)),
      (.setMode, [.text("voice-chat")], .setMode(2, .voiceChat)),
      (
        .setOptions, [.texts(["interruptSpokenAudioAndMixWithOthers"])],
        .setOptions(2, .interruptSpokenAudio)
      ),
      (.setOptions, [.texts([])], .setOptions(2, .none)),
      (.setGain, [.number(-6)], .setSessionGain(2, Gain(millibels: -600))),
      (.setPlaying, [.bool(true)], .session(2, .playing)),
      (.setPlaying, [.bool(false)], .session(2, .notPlaying)),
      (.setBackground, [.bool(true)], .session(2, .background)),
      (.setBackground, [.bool(false)], .session(2, .foreground)),
      (.setCommands, [.texts(["stop"])], .setCommands(2, CommandSet.none.with(.stop))),
      (.setPauseOnUnplug, [.bool(false)], .setPausesOnUnplug(2, false)),
    ] as [(BusSessionMethod, [BusValue], Request)]
  )
  func methods(method: BusSessionMethod, arguments: [BusValue], meaning: Request) throws {
    state.open(at: 2)
    let program = try program()
    let path = try #require(program.open("radio", "playback"))
    let outcome =
      arguments.isEmpty
      ? program.call(path, method) : program.call(path, method, arguments[0])
    #expect(outcome == "done")
    #expect(state.now.calls.last == .request(meaning))
  }

  @Test("another program's session, a closed one and one that never was are named errors")
  func foreignPaths() throws {
    state.open(at: 2)
    let owner = try program()
    let other = try program()
    let path = try #require(owner.open("radio", "playback"))
    #expect(other.call(path, .activate) == "NotYourSession")
    #expect(other.property(path, .state) == .text("inactive"), "everybody may look")
    #expect(other.call("/org/tactus1/session/7", .activate) == "NoSuchSession")
    #expect(other.call("/org/tactus1/session/x/y", .activate) == "NoSuchSession")
    owner.letGo()
    #expect(state.wait { $0.calls.last == .ended(2) })
    #expect(owner.call(path, .activate) == "NoSuchSession")
    #expect(owner.property(path, .state) == nil)
    #expect(owner.error == "NoSuchSession")
    #expect(state.now.calls.count == 2, "none of this reached the policy")
  }

  @Test("wrong types are refused by their types")
  func wrongTypes() throws {
    state.open(at: 2)
    let program = try program()
    let path = try #require(program.open("radio", "playback"))
    #expect(program.call(path, .activate, .bool(true)) == "InvalidArgs")
    #expect(program.call(path, .setGain, .text("loud")) == "InvalidArgs")
    #expect(program.call(path, .setGain, .number(.infinity)) == "InvalidArgument")
    #expect(program.call(path, .setCategory, .text("music")) == "InvalidArgument")
  }

  @Test("SES-12 a program that leaves the bus ends its sessions, though its descriptor is open")
  func departure() throws {
    state.open(at: 2)
    let kept: Int32
    do {
      let program = try program()
      _ = try #require(program.open("radio", "playback"))
      kept = dup(program.held)
    }
    #expect(state.wait { $0.calls.last == .ended(2) })
    close(kept)
  }

  @Test("a copy of the descriptor keeps the session")
  func copies() throws {
    state.open(at: 2)
    let program = try program()
    let path = try #require(program.open("radio", "playback"))
    let copy = dup(program.held)
    program.letGo()
    usleep(50_000)
    #expect(program.call(path, .activate) == "done")
    close(copy)
    #expect(state.wait { $0.calls.last == .ended(2) })
  }

  @Test("a session's program alone is told what concerns it")
  func signals() throws {
    state.open(at: 2)
    let program = try program()
    let other = try SessionProgram(bus.address)
    let path = try #require(program.open("radio", "playback"))
    state.open(at: 3)
    _ = try #require(other.open("bell", "alert"))
    state.tell(.interruptionBegan(2, .alarm, by: 1, .ses2))
    state.tell(.interruptionEnded(2, shouldResume: true, .ses4))
    state.tell(.hint(2, shouldBeSilent: true))
    state.tell(.command(2, .next, .ctl2))
    state.tell(.pause(source: 2))
    state.tell(.resume(source: 2))
    state.tell(.routeChanged(.oldDeviceUnavailable, previous: 1, current: 0))
    state.tell(.command(5, .stop, .ctl2))
    for words in [
      "InterruptionBegan alarm", "InterruptionEnded true", "SilenceSecondaryAudioHint true",
      "Command next", "Command pause", "Command play",
      "RouteChanged old-device-unavailable headphones",
    ] { #expect(program.next() == words) }
    #expect(other.next() == "RouteChanged old-device-unavailable headphones")
    #expect(other.next(milliseconds: 100) == nil)
    #expect(path.hasPrefix("/org/tactus1/session/"))
  }

  @Test("what is told of a session changes with the policy's state")
  func properties() throws {
    state.open(at: 2)
    let program = try program()
    let path = try #require(program.open("game", "soloAmbient"))
    var snapshot = Snapshot.example
    var source = SourceState()
    source.category = .soloAmbient
    source.isActive = true
    source.isPlaying = true
    source.reasons = .silentSwitch
    snapshot.sources.append(source)
    state.publish(snapshot)
    #expect(state.wait { _ in program.property(path, .state) == .text("playing") })
    #expect(program.property(path, .audible) == .bool(false))
    #expect(program.property(path, .silenceReasons) == .texts(["silent-switch"]))
    let words = "the silent switch is on and `game` is soloAmbient"
    #expect(program.property(path, .silence) == .text(words))
    #expect(program.property(path, .category) == .text("solo-ambient"))
    #expect(program.call(path, .setGain, .number(-12)) == "done")
    #expect(program.property(path, .gain) == .number(-12))
  }

  @Test("1,000 sessions leave no descriptor behind")
  func descriptors() throws {
    state.open(at: 2)
    let program = try program()
    _ = program.open("radio", "playback")
    program.letGo()
    #expect(state.wait { $0.calls.last == .ended(2) })
    let before = openDescriptors()
    for number in 0..<1_000 {
      _ = try #require(program.open("radio-\(number % 7)", "playback"), "\(program.words)")
      program.letGo()
    }
    #expect(state.wait { $0.calls.count == 2_002 })
    #expect(openDescriptors() < before + 50, "other tests run beside this one")
  }

  private func openDescriptors() -> Int {
    (0..<1_024).filter { fcntl($0, F_GETFD) >= 0 }.count
  }
}
