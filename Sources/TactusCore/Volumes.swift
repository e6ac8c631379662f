// SPDX-License-Identifier: Apache-2.0
//
// The levels that people set, the mutes, and the headphone limit.
//
//   cap      the highest system level of a route now: `max-level`, and the headphone limit while it
//   is armed
//   armed    the headphone limit holds until a person crosses it deliberately (VOL-13)

/// What people have set.
struct Volumes: Plain {
  /// Per output; nil for a route never used (VOL-7).
  var levels = InlineArray<5, Level?>(repeating: nil)
  var ringer: Level
  /// The soft mute.
  var isMuted = false
  /// A latching mute button stands on mute.
  var isMuteLatched = false
  /// The silent switch, or software where none is fitted.
  var isSilentSwitchOn = false
  var balance: Int8
  var limit = HeadphoneLimit()
  /// When a volume key or the knob was last used, and for which volume (VOL-2).
  var lastKeyAt: Tick?
  var lastKeyVolume = Volume.system
  /// When the state to be kept changed first and last since it was written (VOL-12).
  private(set) var firstChangeAt: Tick?
  private var lastChangeAt: Tick = 0
  private var persistedAt: Tick = -1_000_000

  /// What was kept, under the ceilings that hold at boot (VOL-7).
  init(_ configuration: Configuration, saved: Saved?) {
    let settings = configuration.settings
    ringer = saved?.ringer ?? settings.ringer
    isMuted = saved?.isMuted ?? false
    balance = saved?.balance ?? settings.balance
    guard let saved else { return }
    for index in configuration.outputs.indices {
      guard let level = saved.levels[index] else { continue }
      levels[index] = min(level, settings.startCeiling)
    }
  }

  /// Muted, by whichever cause.
  var isSoftMuted: Bool { isMuted || isMuteLatched }

  /// Notes that something to be kept has changed.
  mutating func noteChange(at now: Tick) {
    firstChangeAt = firstChangeAt ?? now
    lastChangeAt = now
  }

  /// When the state is to be written (VOL-12).
  func persistsAt(_ timing: Timing) -> Tick? {
    guard let firstChangeAt else { return nil }
    let quiet = min(
      lastChangeAt + timing.persistDelayTicks,
      firstChangeAt + timing.persistIntervalTicks
    )
    return max(quiet, persistedAt + timing.persistIntervalTicks)
  }

  /// Notes that the state was handed over to be written.
  mutating func notePersisted(at now: Tick) {
    firstChangeAt = nil
    persistedAt = now
  }
}

/// The headphone limit and the ways across it (VOL-13).
struct HeadphoneLimit: Plain {
  private(set) var isArmed = true
  private var stoppedAt: Tick?
  private var releasedAt: Tick?
  private var lastTurnAt: Tick = -1_000_000
  private var aboveTicks: Tick = 0
  private var aboveSince: Tick?

  init() {}

  /// Whether this touch, which would cross, may: a new press within 3 s of the release, or a detent
  /// after a rest.
  ///
  /// A press acts up to `pairWindowTicks` after its edge, and is new when that edge came after the
  /// release.
  func allows(_ gesture: VolumeGesture, at now: Tick, _ timing: Timing) -> Bool {
    switch gesture {
    case .hold: return false
    case .press:
      guard let releasedAt else { return false }
      return now - releasedAt > timing.pairWindowTicks
        && now - releasedAt <= timing.limitWindowTicks
    case .turn:
      guard let stoppedAt else { return false }
      return now - stoppedAt <= timing.limitWindowTicks
        && now - max(lastTurnAt, stoppedAt) >= timing.limitKnobRestTicks
    }
  }

  /// A button stopped at the limit is still down.
  var holdsBack: Bool { stoppedAt != nil && releasedAt == nil }

  /// A touch was stopped at the limit.
  mutating func stop(_ gesture: VolumeGesture, at now: Tick) {
    stoppedAt = now
    releasedAt = gesture == .turn ? now : nil
  }

  mutating func noteTurn(at now: Tick) { lastTurnAt = now }

  mutating func noteRelease(at now: Tick) {
    if stoppedAt != nil && releasedAt == nil { releasedAt = now }
  }

  /// A person crossed it.
  mutating func disarm() {
    isArmed = false
    stoppedAt = nil
    releasedAt = nil
    aboveTicks = 0
    aboveSince = nil
  }

  /// Counts the time of sound above the limit; answers true when that re-arms it.
  mutating func count(isAbove: Bool, at now: Tick, rearmTicks: Tick) -> Bool {
    if let since = aboveSince {
      if now >= since + rearmTicks - aboveTicks {
        self = HeadphoneLimit()
        return true
      }
      if !isAbove {
        aboveTicks += now - since
        aboveSince = nil
      }
    } else if isAbove && !isArmed {
      aboveSince = now
    }
    return false
  }

  /// When it is armed again if the sound goes on.
  func rearmsAt(rearmTicks: Tick) -> Tick? {
    guard let aboveSince else { return nil }
    return aboveSince + rearmTicks - aboveTicks
  }
}
