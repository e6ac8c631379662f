// SPDX-License-Identifier: Apache-2.0
//
// From a method call's arguments to what is asked: the one place where they are checked.

import CTactus
import TactusCore

/// What a method call asks.
enum BusRequest {
  case describe
  case trace
  /// A program opens a session by a name.
  case open(name: String, Source)
  /// Something that the daemon answers.
  case call(BusCall.Kind)

  /// The longest press.
  static let holdMilliseconds: UInt32 = 120_000
  /// A press for which no time is given.
  static let shortPressMilliseconds: UInt32 = 50

  /// Reads a call whose arguments have the types of the interface.
  /// - Parameters:
  ///   - call: The call.
  ///   - description: The device.
  ///   - peer: The number that the caller's sessions have; 0 for a caller without.
  /// - Throws: A refusal where an argument names nothing of this device or is out of bounds.
  init(
    _ call: OpaquePointer,
    in description: Description,
    from peer: UInt16
  ) throws(BusRefusal) {
    let member = sd_bus_message_get_member(call).map { String(cString: $0) } ?? ""
    // By the names one after the other: the standard library would keep a table of hashes.
    guard let method = BusMethod.allCases.first(where: { $0.rawValue == member }) else {
      throw BusRefusal(.invalidArgument, "\(member): no such method")
    }
    let arguments = BusArguments(message: BusMessage(message: call), description: description)
    switch method {
    case .describe: self = .describe
    case .trace: self = .trace
    case .edges: self = .call(.edges(after: try arguments.count()))
    case .openSession:
      let (name, source) = try arguments.opening()
      self = .open(name: name, source)
    case .press, .turn, .contact: self = .call(try arguments.touch(method))
    case .play: self = .call(.request(.session(try arguments.source(), .play)))
    case .pause: self = .call(.request(.session(try arguments.source(), .pause)))
    case .stop: self = .call(.request(.session(try arguments.source(), .stop)))
    case .playSystemSound:
      self = .call(.request(.playSound(peer: peer, try arguments.sound())))
    case .playFeedback:
      let feedback: Feedback = try arguments.named("type", arguments.text())
      self = .call(.request(.feedback(peer: peer, feedback)))
    case .prepareFeedback: self = .call(.request(.prepareFeedback(peer: peer)))
    case .setLevel:
      self = .call(.request(.setLevel(try arguments.volume(), try arguments.level())))
    case .setGain:
      self = .call(.request(.setGain(try arguments.volume(), try arguments.gain())))
    case .step:
      let volume = try arguments.volume()
      self = .call(.request(.step(volume, try arguments.small("steps", within: -16...16))))
    case .setMute: self = .call(.request(.setMute(try arguments.bool())))
    case .toggleMute: self = .call(.request(.toggleMute))
    case .setSilent: self = .call(.request(.setSilent(try arguments.bool())))
    case .setRoute: self = .call(.request(.chooseRoute(try arguments.route())))
    case .setBalance:
      self = .call(.request(.setBalance(try arguments.small("balance", within: -100...100))))
    }
  }
}

/// Takes the arguments of a call one after the other.
struct BusArguments {
  let message: BusMessage
  let description: Description

  func volume() throws(BusRefusal) -> Volume {
    let name = try text()
    switch Volume(name: name) {
    case .system: return .system
    case .ringer: return .ringer
    case .alarm, nil:
      throw BusRefusal(.invalidArgument, "volume: no such volume (\(name)), system or ringer")
    }
  }

  func level() throws(BusRefusal) -> Level {
    let level = try number()
    guard level >= 0, level <= 1 else {
      throw BusRefusal(.invalidArgument, "level: out of range (\(decimal(level))), 0 to 1")
    }
    return Level(parts: Int32((level * 10_000).rounded()))
  }

  func gain() throws(BusRefusal) -> Gain { try gain(number()) }

  func gain(_ decibels: Double) throws(BusRefusal) -> Gain {
    guard decibels >= -100, decibels <= 100 else {
      throw BusRefusal(
        .invalidArgument,
        "gain: out of range (\(decimal(decibels)) dB), -100 to 100 dB"
      )
    }
    return Gain(millibels: Int32((decibels * 100).rounded()))
  }

  func small(_ name: String, within bounds: ClosedRange<Int8>) throws(BusRefusal) -> Int8 {
    let value = try integer()
    guard let small = Int8(exactly: value), bounds.contains(small) else {
      throw BusRefusal(
        .invalidArgument,
        "\(name): out of range (\(value)), \(bounds.lowerBound) to \(bounds.upperBound)"
      )
    }
    return small
  }

  func route() throws(BusRefusal) -> UInt8 {
    try position("route", in: description.names.outputs, else: .noSuchRoute)
  }

  func source() throws(BusRefusal) -> UInt8 {
    try position("source", in: description.names.sources, else: .noSuchSource)
  }

  func sound() throws(BusRefusal) -> UInt8 {
    try position("sound", in: description.names.sounds, else: .noSuchSound)
  }

  // MARK: Controls

  func touch(_ method: BusMethod) throws(BusRefusal) -> BusCall.Kind {
    let names = description.names.controls
    let control = try position("control", in: names, else: .noSuchControl)
    let name = names[Int(control)]
    let fitting = description.touch(of: Int(control))
    switch method {
    case .press where fitting == .button:
      return .press(control: control, holdMilliseconds: try hold())
    case .turn where fitting == .knob:
      try allowSimulation(name)
      let detents = try small("detents", within: -100...100)
      return .turn(control: control, detents: Int32(detents))
    case .contact where fitting != .knob:
      try allowSimulation(name)
      return .contact(control: control, isOn: try bool())
    default:
      throw BusRefusal(
        .invalidArgument,
        "\(name): cannot do this (\(method.rawValue)), \(fitting.rawValue) it"
      )
    }
  }

  func count() throws(BusRefusal) -> UInt32 {
    guard let count = message.count() else { throw BusArguments.unreadable }
    return count
  }

  private func hold() throws(BusRefusal) -> UInt32 {
    let hold = try count()
    guard hold <= BusRequest.holdMilliseconds else {
      throw BusRefusal(
        .invalidArgument,
        "hold: too long (\(hold) ms), at most \(BusRequest.holdMilliseconds) ms"
      )
    }
    return hold == 0 ? BusRequest.shortPressMilliseconds : hold
  }

  private func allowSimulation(_ name: String) throws(BusRefusal) {
    if description.names.isSimulated { return }
    throw BusRefusal(.notOnThisDevice, "\(name): is a real contact, move it by hand")
  }

  // MARK: Values

  private func position(
    _ what: String,
    in names: [String],
    else kind: BusRefusal.Kind
  ) throws(BusRefusal) -> UInt8 {
    let name = try text()
    // The last one of a name is a session, the first one the source whose place it has.
    if !name.isEmpty, let position = names.lastIndex(of: name) { return UInt8(position) }
    let there = names.filter { !$0.isEmpty }
    let known = there.isEmpty ? "this device has none" : "one of \(there.joined(separator: ", "))"
    throw BusRefusal(kind, "\(what): no such \(what) (\(name)), \(known)")
  }

  func bool() throws(BusRefusal) -> Bool {
    guard let value = message.bool() else { throw BusArguments.unreadable }
    return value
  }

  func texts() throws(BusRefusal) -> [String] {
    guard let value = message.texts() else { throw BusArguments.unreadable }
    return value
  }

  func text() throws(BusRefusal) -> String {
    guard let value = message.text() else { throw BusArguments.unreadable }
    return value
  }

  private func number() throws(BusRefusal) -> Double {
    guard let value = message.number() else { throw BusArguments.unreadable }
    return value
  }

  private func integer() throws(BusRefusal) -> Int32 {
    guard let value = message.integer() else { throw BusArguments.unreadable }
    return value
  }

  /// Cannot happen: sd-bus has compared the types with the interface.
  static var unreadable: BusRefusal {
    BusRefusal(.invalidArgument, "arguments: not those of the interface")
  }
}

/// How a control is moved, as the method that does it.
private enum Touch: String {
  case button = "Press"
  case knob = "Turn"
  case contact = "Switch"
}

extension Description {
  fileprivate func touch(of control: Int) -> Touch {
    guard control < configuration.controls.count else { return .button }
    switch configuration.controls[control].role {
    case .knob: return .knob
    case .silentSwitch, .headphoneDetect, .microphoneSwitch, .lid: return .contact
    case .mute where configuration.controls[control].latching: return .contact
    case .volumeUp, .volumeDown, .mute, .knobPush, .playPause, .play, .pause, .next, .previous,
      .stop, .headset, .microphoneMute, .power:
      return .button
    }
  }
}

// MARK: Refusals

extension BusRefusal {
  /// The policy's reply about something as a refusal; nil where it is none.
  init?(_ reply: Reply, subject: String) {
    switch reply {
    case .done, .limited, .stillSilent, .held:
      return nil
    case .refusedByHardwareSwitch:
      self.init(
        .refusedByHardwareSwitch,
        "\(subject): this device has a switch for it, which decides: move it there"
      )
    case .noSuchRoute:
      self.init(.noSuchRoute, "\(subject): not there now, plug it in or choose another route")
    case .noSuchSource:
      self.init(.noSuchSource, "\(subject): takes no such command")
    case .busy:
      self.init(.busy, "\(subject): a call has the floor (SES-2), try again when it has ended")
    case .inBackground:
      self.init(
        .inBackground,
        "\(subject): its category does not start in background (SES-11), come to the front first"
      )
    case .microphoneMuted:
      self.init(
        .microphoneMuted,
        "\(subject): the microphone is off (SES-10), switch it on or open the lid"
      )
    case .notAllowed:
      self.init(
        .notAllowed,
        "\(subject): the category does not take this mode or these options (SES-1), options are for"
          + " playback and play-and-record"
      )
    case .gainAboveZero:
      self.init(.gainAboveZero, "\(subject): a session's gain is at most 0 dB (VOL-10)")
    case .tooManySessions:
      self.init(
        .tooManySessions,
        "\(subject): all places are taken (SES-12), 32 and the last 4 for alarms and calls"
      )
    case .tooManyOfPeer:
      self.init(.tooManySessions, "\(subject): one program has at most 8 sessions (SES-12)")
    case .notActive:
      self.init(
        .notActive,
        "\(subject): none of this program's sessions is active and in front (FBK-8), activate one"
      )
    case .notOnThisDevice:
      self.init(.notOnThisDevice, "\(subject): this device has none, see its board file")
    }
  }
}

extension BusCall.Kind {
  /// What the call is about, in the words of the command line and the board file.
  func subject(in names: DeviceNames) -> String {
    switch self {
    case .press(let control, _), .turn(let control, _), .contact(let control, _):
      names.controls.name(at: Int(control))
    case .ended(let place): names.sources.name(at: Int(place))
    case .edges: "edges"
    case .request(let request): request.subject(in: names)
    }
  }
}

extension Request {
  fileprivate func subject(in names: DeviceNames) -> String {
    switch self {
    case .setLevel(let volume, _), .setGain(let volume, _), .step(let volume, _): volume.name
    case .setMute, .toggleMute: "mute"
    case .setSilent: "silent"
    case .chooseRoute(let output): names.outputs.name(at: Int(output))
    case .setBalance: "balance"
    case .session(let source, _), .setCategory(let source, _), .setMode(let source, _),
      .setOptions(let source, _), .setSessionGain(let source, _), .setCommands(let source, _),
      .setPausesOnUnplug(let source, _):
      names.sources.name(at: Int(source))
    case .command(let command): command.name
    case .open(_, let source): source.category.name
    case .feedback, .prepareFeedback: "feedback"
    case .playSound: "sound"
    case .shutDown: "tactusd"
    }
  }
}
