// SPDX-License-Identifier: Apache-2.0
//
// What a session may ask for beside its category, as words: on the bus, in settings, in scenarios.

public import TactusCore

/// One option, so that a set of them can be written and read (SES-1).
public enum SessionOption: CaseIterable, Named, Sendable {
  case mixWithOthers, duckOthers, interruptSpokenAudioAndMixWithOthers

  public var name: String {
    switch self {
    case .mixWithOthers: "mix-with-others"
    case .duckOthers: "duck-others"
    case .interruptSpokenAudioAndMixWithOthers: "interrupt-spoken-audio-and-mix-with-others"
    }
  }

  /// The set of this option alone.
  public var set: SessionOptions {
    switch self {
    case .mixWithOthers: .mixWithOthers
    case .duckOthers: .duckOthers
    case .interruptSpokenAudioAndMixWithOthers: .interruptSpokenAudio
    }
  }
}

extension SessionOptions {
  /// The names of the options in the set, in the order of `SessionOption`.
  public var names: [String] {
    SessionOption.allCases.filter { self.contains($0.set) }.map { $0.name }
  }
}
