// SPDX-License-Identifier: Apache-2.0
//
// Sessions: what kind of sound a source makes, and what it is doing.
//
//   category   why the sound is there; decides what the silent switch and the volumes do to it
//   session    a source that may sound: active (has the floor), playing (makes sound now)
//   adopted    a player that knows nothing of sessions: it is told to pause and to go on, and what
//              it says of itself is taken for what a person wants (SES-13)
//   sounding   active and playing, `record` excepted, whatever silences it
//   heard      sounding, and nothing silences it

/// Why a sound is there.
public enum Category: Plain, CaseIterable {
  case ambient, soloAmbient, playback, record, playAndRecord
  case ringtone, alert, systemSound
  case alarm

  /// Whether the silent switch silences it (SIL-1).
  public var obeysSilentSwitch: Bool {
    switch self {
    case .ambient, .soloAmbient, .ringtone, .alert, .systemSound: true
    case .playback, .record, .playAndRecord, .alarm: false
    }
  }

  /// The volume that governs it; none governs `record`, which is not heard (VOL-2, VOL-3).
  public var volume: Volume? {
    switch self {
    case .ringtone, .alert, .systemSound: .ringer
    case .alarm: .alarm
    case .ambient, .soloAmbient, .playback, .playAndRecord: .system
    case .record: nil
    }
  }
}

/// Which volume governs a sound.
///
/// A person sets `system` and `ringer`; `alarm` follows the ringer with a floor (VOL-3).
public enum Volume: Plain, CaseIterable {
  case system, ringer, alarm
}

/// A refinement of a category.
public enum Mode: Plain, CaseIterable {
  case standard, spokenAudio, voiceChat
}

/// What a session does beside others (SES-1).
public struct SessionOptions: OptionSet, Plain {
  public static func == (left: SessionOptions, right: SessionOptions) -> Bool {
    left.rawValue == right.rawValue
  }

  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Sounds together with others.
  public static let mixWithOthers = SessionOptions(rawValue: 1 << 0)
  /// Others are lowered while it is heard; implies mixing.
  public static let duckOthers = SessionOptions(rawValue: 1 << 1)
  /// Speech of others is paused, the rest lowered; implies mixing.
  public static let interruptSpokenAudio = SessionOptions(rawValue: 1 << 2)

  // Spelled out, since the generic set operations may allocate.
  public static var none: SessionOptions { SessionOptions(rawValue: 0) }
  public var isEmpty: Bool { rawValue == 0 }
  public func contains(_ other: SessionOptions) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
  /// Any of the three.
  public var mixes: Bool { rawValue != 0 }
  /// Lowers others while heard.
  public var ducks: Bool { contains(.duckOthers) || contains(.interruptSpokenAudio) }
}

/// What a person may ask of whatever plays (CTL-2).
public enum Command: Plain, CaseIterable {
  case play, pause, toggle, stop, next, previous
}

/// The commands that a session supports (CTL-3).
public struct CommandSet: Plain, Equatable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// What every player can do until it says otherwise.
  public static let all = CommandSet(rawValue: 0b11_1111)
  public static let none = CommandSet(rawValue: 0)

  public func contains(_ command: Command) -> Bool { rawValue & CommandSet.bit(command) != 0 }
  public func with(_ command: Command) -> CommandSet {
    CommandSet(rawValue: rawValue | CommandSet.bit(command))
  }
  public func without(_ command: Command) -> CommandSet {
    CommandSet(rawValue: rawValue & ~CommandSet.bit(command))
  }

  private static func bit(_ command: Command) -> UInt8 {
    switch command {
    case .play: 1 << 0
    case .pause: 1 << 1
    case .toggle: 1 << 2
    case .stop: 1 << 3
    case .next: 1 << 4
    case .previous: 1 << 5
    }
  }
}

/// Why a command reached nobody (CTL-4).
public enum Undelivered: Plain, CaseIterable {
  /// Nothing plays, and nothing has played lately.
  case nobody
  /// The one that it would go to does not support it (CTL-3).
  case unsupported
  /// A call has the floor (SES-6).
  case busy
  /// An alarm or a ring has the floor; it starts when that ends (SES-6).
  case held
}

/// Why a session lost the floor (SES-16).
public enum Interruption: Plain, CaseIterable {
  case otherSession, call, alarm, ringtone, microphoneMuted, routeDisconnected, byPerson, fault
}

/// What happens to a session from outside.
public enum SessionEvent: Plain, CaseIterable {
  /// The program activates it, or a player that knows no sessions starts.
  case activate
  /// The program activates it, and makes no sound yet.
  case activateNotPlaying
  /// The program ends its use of sound, and gives no notice to those it interrupted.
  case deactivate
  /// The program ends its use of sound, and those it interrupted may go on.
  case deactivateNotifying
  /// The program says that it is in background (SES-11).
  case background
  /// The program says that it is in front again.
  case foreground
  /// It makes sound now, by the program's own doing.
  case playing
  /// It makes no sound now, by the program's own doing.
  case notPlaying
  /// A person starts it.
  case play
  /// A person pauses it.
  case pause
  /// A person stops it.
  case stop
  /// Its player acknowledges the pause that was sent (RTE-2).
  case pauseAnswered
  /// Its program died, or closed the session: its place is free again, if it was opened (SES-12).
  case died
}

/// Why a session cannot be heard; each reason is ended by its own cause only (SIL-10).
public struct SilenceReasons: OptionSet, Plain {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  // The set operations are spelled out, since the generic ones of OptionSet may allocate.

  /// No reason.
  public static var none: SilenceReasons { SilenceReasons(rawValue: 0) }
  public var isEmpty: Bool { rawValue == 0 }
  public func contains(_ other: SilenceReasons) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
  public func isDisjoint(with other: SilenceReasons) -> Bool { rawValue & other.rawValue == 0 }
  public func union(_ other: SilenceReasons) -> SilenceReasons {
    SilenceReasons(rawValue: rawValue | other.rawValue)
  }
  public func subtracting(_ other: SilenceReasons) -> SilenceReasons {
    SilenceReasons(rawValue: rawValue & ~other.rawValue)
  }
  mutating func add(_ other: SilenceReasons) { self = union(other) }
  mutating func drop(_ other: SilenceReasons) { self = subtracting(other) }

  /// The silent switch is on (per session).
  public static let silentSwitch = SilenceReasons(rawValue: 1 << 0)
  /// Somebody else has the floor (per session).
  public static let interrupted = SilenceReasons(rawValue: 1 << 1)
  /// The level that governs it is 0 (per session, by volume).
  public static let levelZero = SilenceReasons(rawValue: 1 << 2)
  /// Paused by an unplug and not yet started again (per session).
  public static let awaitingPause = SilenceReasons(rawValue: 1 << 3)
  /// Its program is in background (per session).
  public static let background = SilenceReasons(rawValue: 1 << 4)
  /// A volume key silenced this ring (per session, VOL-2a).
  public static let silencedByPerson = SilenceReasons(rawValue: 1 << 5)
  /// The mute button or software (device).
  public static let softMute = SilenceReasons(rawValue: 1 << 6)
  /// The codec is not known to be safe yet (device).
  public static let starting = SilenceReasons(rawValue: 1 << 7)
  /// The route is changing (device).
  public static let routeSettling = SilenceReasons(rawValue: 1 << 8)
  /// The hardware does not do what it must (device).
  public static let fault = SilenceReasons(rawValue: 1 << 9)

  /// The codec cannot be trusted or the route is moving: no fade, nothing opens.
  static var unsafe: SilenceReasons { starting.union(routeSettling).union(fault) }
}
