// SPDX-License-Identifier: Apache-2.0
//
// What the sources are doing. Each source of the configuration is one session.

/// The session of one source.
struct Session: Plain {
  private(set) var isActive = false
  private(set) var isPlaying = false
  /// Reasons of its own that stay until their cause ends: `awaitingPause`, `silencedByPerson`.
  private(set) var reasons: SilenceReasons = .none
  /// Paused by an unplug and not started again since (RTE-3).
  private(set) var isPausedByUnplug = false
  private var pauseSentAt: Tick = 0

  /// It makes sound, whatever silences it.
  var isSounding: Bool { isActive && isPlaying }

  /// Takes what its program, its player or a person did.
  mutating func take(_ event: SessionEvent, at now: Tick, answerTicks: Tick) {
    switch event {
    case .activate:
      isActive = true
      isPlaying = true
      reasons.drop(.silencedByPerson)
    case .play:
      isActive = true
      isPlaying = true
      startAgain()
      reasons.drop(.silencedByPerson)
    case .background, .foreground: break
    case .deactivate, .deactivateNotifying, .died, .stop:
      isActive = false
      isPlaying = false
      reasons = .none
      isPausedByUnplug = false
    case .playing:
      if isActive { isPlaying = true }
    case .notPlaying, .pauseAnswered:
      isPlaying = false
      if now - pauseSentAt <= answerTicks { reasons.drop(.awaitingPause) }
    case .pause:
      isPlaying = false
      isPausedByUnplug = false
    }
  }

  /// A person starts it again explicitly after an unplug (RTE-2).
  mutating func startAgain() {
    reasons.drop(.awaitingPause)
    isPausedByUnplug = false
  }

  /// An unplug pauses it; silent until it has answered.
  mutating func pauseByUnplug(at now: Tick) {
    reasons.add(.awaitingPause)
    isPausedByUnplug = true
    pauseSentAt = now
  }

  /// A volume key silences this ring until it starts anew (VOL-2a).
  mutating func silenceByPerson() { reasons.add(.silencedByPerson) }
}

/// All sessions of the device.
struct Sessions: Plain {
  private var storage = InlineArray<32, Session>(repeating: Session())

  init(_ configuration: Configuration) {
    for index in configuration.sources.indices
    where configuration.sources.elements[index].playsAtStart {
      storage[index].take(.play, at: 0, answerTicks: 0)
    }
  }

  subscript(_ index: Int) -> Session {
    get { storage[index] }
    set { storage[index] = newValue }
  }

  /// Whether any session makes sound for which `matches` holds.
  mutating func isSounding(_ configuration: inout Configuration, where matches: (Category) -> Bool)
    -> Bool
  {
    for index in configuration.sources.indices
    where storage[index].isSounding && matches(configuration.sources.elements[index].category) {
      return true
    }
    return false
  }
}

extension Source {
  /// Whether an unplug of the route in use pauses it (RTE-2).
  var isPausedByUnplug: Bool {
    guard pausesOnUnplug else { return false }
    switch category {
    case .ambient, .soloAmbient, .playback: return true
    case .playAndRecord: return mode != .voiceChat
    case .record, .ringtone, .alert, .systemSound, .alarm: return false
    }
  }
}
