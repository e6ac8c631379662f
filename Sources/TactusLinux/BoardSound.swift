// SPDX-License-Identifier: Apache-2.0
//
// The device's own sounds: which there are, and the source that they are.
//
//   built-in   the sound of a type of feedback, which the package brings; a file of the listener's
//   may
//              take its place, and has its name
//   own        one that the listener's settings add, by a name of its own

public import TactusCore

/// One of the device's own sounds.
public struct BoardSound: Equatable, Sendable {
  /// So many there may be.
  public static let countMaximum = 64
  /// Where packages put the built-in ones.
  public static let folder = "/usr/share/tactus/sounds"

  /// What it is asked for by.
  public let name: String
  public let path: String

  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// What is wrong with its file; nil where it can be played.
  public var mistake: String? {
    do throws(WaveError) {
      _ = try WaveFile(path: path)
      return nil
    } catch {
      return "\(path) \(error.description)"
    }
  }

  /// One for each type of feedback, in their order.
  public static var builtIn: [BoardSound] {
    Feedback.allCases.map { BoardSound(name: $0.name, path: "\(folder)/\($0.name).wav") }
  }
}

extension BoardSource {
  /// What the device's own sounds are played by: started by Tactus alone, under the ringer volume.
  public static let sounds = BoardSource(
    name: "sounds",
    player: nil,
    category: .systemSound,
    mode: .standard,
    trim: .unity,
    pausesOnUnplug: false,
    resumesAlways: false,
    playerVolume: .own,
    playsAtStart: false
  )
}

extension Board {
  /// Gives the board its own sounds.
  mutating func addSounds() {
    sounds = BoardSound.builtIn
    configuration.feedbackChannels = configuration.feedbackChannels.union(.sound)
  }

  /// Puts the listener's files in the places of the built-in ones, and behind them.
  mutating func replaceSounds(by files: [BoardSound]) {
    guard !sounds.isEmpty else { return }
    for file in files {
      if let place = sounds.firstIndex(where: { $0.name == file.name }) {
        sounds[place] = file
      } else if sounds.count < BoardSound.countMaximum {
        sounds.append(file)
      }
    }
  }
}

extension Feedback {
  /// The position of its sound among a board's.
  public var sound: UInt8 { UInt8(Feedback.allCases.firstIndex(of: self) ?? 0) }
}
