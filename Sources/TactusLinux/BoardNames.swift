// SPDX-License-Identifier: Apache-2.0
//
// The words of board and settings files that are not the policy's own, and how all of them are
// listed. boards/schema.json has the same words; a test compares them.

import TactusCore

/// The words that a file may use, each with what it stands for.
enum Words {
  /// The roles that an input of a board may have.
  ///
  /// A knob's push belongs to its knob, and the last three are of keys alone.
  static var roles: [(String, Role)] {
    Words.all().filter { ![.knobPush, .play, .pause, .microphoneMute].contains($0.1) }
  }

  static let biases: [(String, Bias)] = [
    (Bias.pullUp.name, .pullUp), (Bias.pullDown.name, .pullDown),
    (Bias.noneExternal.name, .noneExternal),
  ]

  static let polarities: [(String, Polarity)] = [("low", .activeLow), ("high", .activeHigh)]

  static let formats = ["S16_LE", "S24_LE", "S24_3LE", "S32_LE"].map { ($0, $0) }

  static let lights: [(String, BoardSignal.Role)] = [
    ("status", .statusLED), ("silent", .silentLED), ("microphone", .microphoneLED),
    ("activity", .activityLED),
  ]

  /// All words of a closed set.
  static func all<Word: Named>() -> [(String, Word)] { Word.allCases.map { ($0.name, $0) } }
}

/// The role of a signal before its details are read.
enum SignalWord: String, Named {
  case led, trigger, haptic, sounds
  var name: String { rawValue }
}

/// Which of the header's I²S pins are in use.
enum I2SUse: String, Named {
  case playback, duplex, none
  var name: String { rawValue }
}

/// Which header the board's lines are behind.
enum PinHeader: Named {
  case raspberryPi, none
  var name: String { self == .raspberryPi ? "raspberry-pi" : "none" }
}

extension Board.Status: Named {
  public var name: String {
    switch self {
    case .verified: "verified"
    case .unverified: "unverified"
    case .simulated: "simulated"
    }
  }
}

extension Named {
  /// All words of the set.
  static var words: [String] { Self.allCases.map { $0.name } }
}
