// SPDX-License-Identifier: Apache-2.0
//
// Sessions: what kind of sound a source makes, and what it is doing.
//
//   category   why the sound is there; decides what the silent switch and the volumes do to it
//   session    a source that may sound: active (has the floor), playing (makes sound now)
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

  /// The volume that governs it (VOL-2, VOL-3).
  public var volume: Volume {
    switch self {
    case .ringtone, .alert, .systemSound: .ringer
    case .alarm: .alarm
    case .ambient, .soloAmbient, .playback, .record, .playAndRecord: .system
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

/// What happens to a session from outside.
public enum SessionEvent: Plain, CaseIterable {
  /// The program activates it, or a player that knows no sessions starts.
  case activate
  /// The program ends its use of sound.
  case deactivate
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
  /// Its program died.
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
