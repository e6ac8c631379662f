// SPDX-License-Identifier: Apache-2.0
//
// The parts of D-Bus messages that this service uses, and the names of its members.

import CTactus

/// A method of `org.tactus1.Manager`; deploy/dbus/org.tactus1.xml says what each does.
public enum BusMethod: String, CaseIterable, Sendable {
  case describe = "Describe"
  case trace = "Trace"
  case edges = "Edges"
  case setLevel = "SetLevel"
  case setGain = "SetGain"
  case step = "Step"
  case setMute = "SetMute"
  case toggleMute = "ToggleMute"
  case setSilent = "SetSilent"
  case setRoute = "SetRoute"
  case setBalance = "SetBalance"
  case play = "Play"
  case pause = "Pause"
  case stop = "Stop"
  case playSystemSound = "PlaySystemSound"
  case playFeedback = "PlayFeedback"
  case prepareFeedback = "PrepareFeedback"
  case openSession = "OpenSession"
  case press = "Press"
  case turn = "Turn"
  case contact = "Switch"
}

/// A property of `org.tactus1.Manager`.
public enum BusProperty: String, CaseIterable, Sendable {
  case version = "Version"
  case board = "Board"
  case level = "Level"
  case ringer = "Ringer"
  case keysSet = "KeysSet"
  case muted = "Muted"
  case silentSwitch = "SilentSwitch"
  case silent = "Silent"
  case silenceReasons = "SilenceReasons"
  case route = "Route"
  case routes = "Routes"
  case balance = "Balance"
  case limitArmed = "LimitArmed"
  case sources = "Sources"
  case faults = "Faults"
}

/// A method of `org.tactus1.Session`.
public enum BusSessionMethod: String, CaseIterable, Sendable {
  case activate = "Activate"
  case deactivate = "Deactivate"
  case setCategory = "SetCategory"
  case setMode = "SetMode"
  case setOptions = "SetOptions"
  case setGain = "SetGain"
  case setPlaying = "SetPlaying"
  case setBackground = "SetBackground"
  case setCommands = "SetCommands"
  case setPauseOnUnplug = "SetPauseOnUnplug"
}

/// A property of `org.tactus1.Session`.
public enum BusSessionProperty: String, CaseIterable, Sendable {
  case name = "Name"
  case category = "Category"
  case mode = "Mode"
  case options = "Options"
  case state = "State"
  case gain = "Gain"
  case audible = "Audible"
  case silenceReasons = "SilenceReasons"
  case silence = "Silence"
}

/// A signal of `org.tactus1.Session`.
public enum BusSessionSignal: String, CaseIterable, Sendable {
  case interruptionBegan = "InterruptionBegan"
  case interruptionEnded = "InterruptionEnded"
  case routeChanged = "RouteChanged"
  case silenceSecondaryAudioHint = "SilenceSecondaryAudioHint"
  case command = "Command"
}

/// A request that is refused; nothing has changed.
public struct BusRefusal: Error, Equatable, CustomStringConvertible {
  /// The D-Bus errors of the interface, `org.tactus1.Error.` before them.
  public enum Kind: String, CaseIterable, Sendable {
    case invalidArgument = "InvalidArgument"
    case refusedByHardwareSwitch = "RefusedByHardwareSwitch"
    case noSuchRoute = "NoSuchRoute"
    case noSuchSource = "NoSuchSource"
    case noSuchControl = "NoSuchControl"
    case noSuchSound = "NoSuchSound"
    case notOnThisDevice = "NotOnThisDevice"
    case nameInUse = "NameInUse"
    case noSuchSession = "NoSuchSession"
    case notYourSession = "NotYourSession"
    case tooManySessions = "TooManySessions"
    case notAllowed = "NotAllowed"
    case gainAboveZero = "GainAboveZero"
    case busy = "Busy"
    case inBackground = "InBackground"
    case microphoneMuted = "MicrophoneMuted"
    case notActive = "NotActive"
    case tooManyCalls = "TooManyCalls"

    static let prefix = "org.tactus1.Error."

    var errorName: String { Kind.prefix + rawValue }

    init?(errorName: String) {
      guard let name = errorName.after(Kind.prefix) else { return nil }
      self.init(rawValue: name)
    }
  }

  public let kind: Kind
  /// `<object>: <what> (<value>), <bound or next step>`.
  public let message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
}

/// A value of a message.
public enum BusValue: Equatable, Sendable {
  case text(String)
  case texts([String])
  case bool(Bool)
  case number(Double)
  case integer(Int32)
  case count(UInt32)
  case tick(Int64)
  /// Names and their values, as an argument only.
  indirect case options([BusOption])
}

/// One of the options of a call.
public struct BusOption: Equatable, Sendable {
  let name: String
  let value: BusValue

  public init(_ name: String, _ value: BusValue) {
    self.name = name
    self.value = value
  }
}

extension BusValue {
  /// The type, as D-Bus writes it.
  var signature: String {
    switch self {
    case .text: "s"
    case .texts: "as"
    case .bool: "b"
    case .number: "d"
    case .integer: "i"
    case .count: "u"
    case .tick: "t"
    case .options: "a{sv}"
    }
  }
}

/// Reads and fills a message that somebody else owns.
struct BusMessage {
  let message: OpaquePointer?

  func append(_ value: BusValue) {
    switch value {
    case .text(let text): appendText(text)
    case .texts(let texts):
      sd_bus_message_open_container(message, letter("a"), "s")
      for text in texts { appendText(text) }
      sd_bus_message_close_container(message)
    case .bool(let bool): appendBasic("b", Int32(bool ? 1 : 0))
    case .number(let number): appendBasic("d", number)
    case .integer(let integer): appendBasic("i", integer)
    case .count(let count): appendBasic("u", count)
    case .tick(let tick): appendBasic("t", UInt64(tick))
    case .options(let options):
      sd_bus_message_open_container(message, letter("a"), "{sv}")
      for option in options { append(option) }
      sd_bus_message_close_container(message)
    }
  }

  private func append(_ option: BusOption) {
    sd_bus_message_open_container(message, letter("e"), "sv")
    appendText(option.name)
    sd_bus_message_open_container(message, letter("v"), option.value.signature)
    append(option.value)
    sd_bus_message_close_container(message)
    sd_bus_message_close_container(message)
  }

  private func appendText(_ text: String) {
    _ = text.withCString { sd_bus_message_append_basic(message, letter("s"), $0) }
  }

  private func appendBasic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) {
    _ = withUnsafePointer(to: value) { sd_bus_message_append_basic(message, letter(type), $0) }
  }

  /// The next value, a string; nil where it is none.
  func text() -> String? {
    var pointer: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, letter("s"), &pointer) > 0 else { return nil }
    return pointer.map { String(cString: $0) }
  }

  /// The next value, a path; nil where it is none.
  func path() -> String? {
    var pointer: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, letter("o"), &pointer) > 0 else { return nil }
    return pointer.map { String(cString: $0) }
  }

  /// A copy of the next value, a descriptor; nil where it is none.
  func descriptor() -> Descriptor? {
    guard let number = basic("h", Int32(-1)) else { return nil }
    return try? Descriptor(tactus_copy(number), "hold", "session")
  }

  func bool() -> Bool? { basic("b", Int32(0)).map { $0 != 0 } }
  func number() -> Double? { basic("d", 0.0) }
  func integer() -> Int32? { basic("i", Int32(0)) }
  func count() -> UInt32? { basic("u", UInt32(0)) }
  func tick() -> Int64? { basic("t", UInt64(0)).map { Int64(clamping: $0) } }

  /// The next value, an array of strings; nil where it is none.
  func texts() -> [String]? {
    guard enter("a", "s") else { return nil }
    var texts: [String] = []
    while let text = text() { texts.append(text) }
    leave()
    return texts
  }

  /// The next value, a variant of one of the types of `BusValue`; nil where it is none.
  func variant() -> BusValue? {
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, nil, &contents) > 0, let contents else { return nil }
    let signature = String(cString: contents)
    guard enter("v", signature) else { return nil }
    defer { sd_bus_message_exit_container(message) }
    switch signature {
    case "s": return text().map { .text($0) }
    case "as": return texts().map { .texts($0) }
    case "b": return bool().map { .bool($0) }
    case "d": return number().map { .number($0) }
    case "i": return integer().map { .integer($0) }
    case "u": return count().map { .count($0) }
    case "t": return tick().map { .tick($0) }
    default: return nil
    }
  }

  /// Goes into an array, a structure, an entry or a variant; false behind the last one.
  func enter(_ type: Unicode.Scalar, _ contents: String) -> Bool {
    sd_bus_message_enter_container(message, letter(type), contents) > 0
  }

  /// Goes out again of what `enter` went into.
  func leave() { sd_bus_message_exit_container(message) }

  private func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ start: Value) -> Value? {
    var value = start
    return sd_bus_message_read_basic(message, letter(type), &value) > 0 ? value : nil
  }
}

/// A type's letter as C has it.
func letter(_ scalar: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: scalar.value) }
