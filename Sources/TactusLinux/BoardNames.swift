// SPDX-License-Identifier: Apache-2.0
//
// The words of board and settings files and what they stand for, in one place. boards/schema.json has the
// same; a test compares them.

public import TactusCore

enum Words {
  static let status: [(String, Board.Status)] = [
    ("verified", .verified), ("unverified", .unverified), ("simulated", .simulated),
  ]

  static let roles: [(String, Role)] = [
    ("volume-up", .volumeUp), ("volume-down", .volumeDown), ("knob", .knob), ("mute", .mute),
    ("silent-switch", .silentSwitch), ("headphone-detect", .headphoneDetect),
    ("microphone-switch", .microphoneSwitch), ("lid", .lid), ("play-pause", .playPause),
    ("next", .next), ("previous", .previous), ("stop", .stop), ("headset", .headset),
    ("power", .power),
  ]

  static let routes: [(String, RouteKind)] = [
    ("speaker", .speaker), ("headphones", .headphones), ("line", .line),
    ("bluetooth", .bluetooth), ("network", .network),
  ]

  static let biases: [(String, Bias)] = [
    ("pull-up", .pullUp), ("pull-down", .pullDown), ("none-external", .noneExternal),
  ]

  static let polarities: [(String, Polarity)] = [("low", .activeLow), ("high", .activeHigh)]

  static let whenReleased: [(String, ReleasedAmplifier)] = [
    ("silent", .silent), ("live", .live), ("unknown", .unknown),
  ]

  static let categories: [(String, TactusCore.Category)] = [
    ("ambient", .ambient), ("soloAmbient", .soloAmbient), ("playback", .playback),
    ("record", .record), ("playAndRecord", .playAndRecord), ("ringtone", .ringtone),
    ("alert", .alert), ("systemSound", .systemSound), ("alarm", .alarm),
  ]

  static let modes: [(String, Mode)] = [
    ("standard", .standard), ("spokenAudio", .spokenAudio), ("voiceChat", .voiceChat),
  ]

  static let formats: [(String, String)] = [
    ("S16_LE", "S16_LE"), ("S24_LE", "S24_LE"), ("S24_3LE", "S24_3LE"), ("S32_LE", "S32_LE"),
  ]

  static let signals: [(String, SignalWord)] = [
    ("led", .led), ("trigger", .trigger), ("haptic", .haptic),
  ]

  static let lights: [(String, BoardSignal.Role)] = [
    ("status", .statusLED), ("silent", .silentLED), ("microphone", .microphoneLED),
    ("activity", .activityLED),
  ]

  static let i2s: [(String, I2SUse)] = [
    ("playback", .playback), ("duplex", .duplex), ("none", .none),
  ]
}

/// The role of a signal before its details are read.
enum SignalWord { case led, trigger, haptic }

/// Which of the header's I²S pins are in use.
enum I2SUse { case playback, duplex, none }

extension Role {
  /// As board files write it; a knob's push has no word of its own.
  public var name: String {
    if self == .knobPush { return "knob-push" }
    return Words.roles.first { $0.1 == self }?.0 ?? ""
  }
}

extension RouteKind {
  /// As board files write it.
  public var name: String { Words.routes.first { $0.1 == self }?.0 ?? "" }
}

extension TactusCore.Category {
  /// As settings write it.
  public var name: String { Words.categories.first { $0.1 == self }?.0 ?? "" }
}
