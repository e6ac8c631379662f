// SPDX-License-Identifier: Apache-2.0
//
// What the sessions are doing. Every place of `Configuration.sources` that is open is one session;
// who may have the floor beside whom is decided in `Floor`.
//
//   floor      the right to be heard: a session that has it is active
//   holder     another session that keeps one from the floor
//   pending    interrupted or held, and not yet told that it is over
//   held       pending from its start on: it has not begun yet (SES-2)
//   left out   told that it is over, without resuming: silent until it is started again

/// The bit of a place in a set of sessions.
///
/// A masking shift, since the other one is generic and may allocate.
func bit(_ place: Int) -> UInt32 { 1 &<< UInt32(place) }

/// The session of one place.
struct Session: Plain {
  var isOpen = false
  /// Whoever opened it (SES-12); configured sources are everybody's.
  var peer: UInt16 = 0
  var isActive = false
  var isPlaying = false
  var isInBackground = false
  /// Reasons of its own that stay until their cause ends: `awaitingPause`, `silencedByPerson`.
  var reasons: SilenceReasons = .none
  /// The rule that gave it its state.
  var rule = Rule.ses2

  /// Sessions are newer the greater this is: counted at each start.
  var startNumber: UInt32 = 0
  /// A person started it, and not its program.
  var isStartedByPerson = false
  /// Its effect on others has begun: it has been in a position to be heard (SES-2).
  var hasInfluence = false
  /// It last made sound then (CTL-2).
  var lastPlayedAt: Tick?
  /// Was told that secondary audio should be silent (SES-9).
  var isToldToBeSilent = false
  /// Its start opened the capture path; a muted microphone takes that back (SES-10).
  var mayCapture = false

  // MARK: While pending

  /// Why it does not have the floor; nil when it is not pending.
  var interruption: Interruption?
  /// The sessions that keep it from the floor, one bit for each place.
  var holders: UInt32 = 0
  /// Until then it waits for a holder from before a restart (SES-18).
  var formerHolderUntil: Tick?
  var isHeld = false
  /// It made sound when it was interrupted, and no person has paused it since.
  var wasPlaying = false
  /// A person paused it meanwhile (SES-4).
  var isPausedByPerson = false
  /// Every holder that went away has given leave to resume (SES-3).
  var mayResume = true
  var isLeftOut = false

  // MARK: Players

  /// Paused by an unplug and not started again since (RTE-3).
  var isPausedByUnplug = false
  /// When its player was asked to pause, and whether it has.
  var pauseSentAt: Tick?
  var hasAnsweredPause = false
  /// Its player has paused since it was interrupted, in time or not.
  var hasStopped = false
  /// A second pause of this interruption was sent; there is no third (SES-13).
  var hasRepeatedPause = false

  init() {}

  /// It makes sound, whatever silences it.
  var isSounding: Bool { isActive && isPlaying }

  /// Its player has the card open, as far as is known: nobody else can sound (`isExclusive`).
  var holdsCard: Bool { isEmitting && (isActive || !hasStopped && !isPausedByPerson) }

  /// Told of an interruption, and not yet of its end.
  var isPending: Bool { interruption != nil }

  /// Its player makes sound, as far as is known, also while it is kept from the floor.
  var isEmitting: Bool { isSounding || wasPlaying && !isActive }

  /// Goes on by itself when nobody keeps it from the floor any longer.
  var waitsToResume: Bool { isPending && wasPlaying && !isPausedByPerson && mayResume }

  /// Nobody is left who keeps it from the floor.
  var isFree: Bool { holders == 0 && formerHolderUntil == nil && interruption != .microphoneMuted }

  /// Reasons of its own, those of the floor included.
  var ownReasons: SilenceReasons {
    isPending || isLeftOut ? reasons.union(.interrupted) : reasons
  }

  /// It loses the floor, or does not get it.
  mutating func suspend(
    _ reason: Interruption,
    holders: UInt32,
    isHeld: Bool,
    at now: Tick,
    _ rule: Rule
  ) {
    if isPlaying { lastPlayedAt = now }
    if !isPending { hasRepeatedPause = false }
    wasPlaying = isPlaying
    hasStopped = !isPlaying
    isActive = false
    isPlaying = false
    interruption = reason
    self.holders = holders
    self.isHeld = isHeld
    self.rule = rule
    isPausedByPerson = false
    mayResume = true
    isLeftOut = false
  }

  /// It is not pending any longer.
  mutating func forgetInterruption() {
    interruption = nil
    holders = 0
    formerHolderUntil = nil
    isHeld = false
    isLeftOut = false
  }

  /// It has the floor.
  mutating func begin(isPlaying: Bool, at now: Tick) {
    forgetInterruption()
    isActive = true
    hasInfluence = false
    self.isPlaying = isPlaying
    if isPlaying { lastPlayedAt = now }
  }

  /// It gives up the floor, or the hope of it.
  mutating func end() {
    forgetInterruption()
    isActive = false
    isPlaying = false
    wasPlaying = false
    hasInfluence = false
    mayCapture = false
    reasons = .none
    isPausedByUnplug = false
    pauseSentAt = nil
  }

  /// A person starts it again explicitly after an unplug (RTE-2).
  mutating func startAgain() {
    reasons.drop(.awaitingPause)
    isPausedByUnplug = false
  }

  /// Its player is asked to pause.
  mutating func notePause(at now: Tick) {
    pauseSentAt = now
    hasAnsweredPause = false
  }

  /// Its player has paused; what waited for that waits no longer, if it came in time (RTE-2).
  mutating func answerPause(at now: Tick, answerTicks: Tick) {
    isPlaying = false
    hasStopped = true
    guard let sentAt = pauseSentAt, now - sentAt <= answerTicks else { return }
    hasAnsweredPause = true
    reasons.drop(.awaitingPause)
  }
}

/// All sessions of the device.
struct Sessions: Plain {
  private var storage = InlineArray<32, Session>(repeating: Session())
  private var starts: UInt32 = 0

  init(_ configuration: Configuration) {
    for index in configuration.sources.indices {
      storage[index].isOpen = true
      guard configuration.sources.elements[index].playsAtStart else { continue }
      storage[index].begin(isPlaying: true, at: 0)
      storage[index].startNumber = nextStart()
      storage[index].hasInfluence = true
    }
  }

  /// Sources that were paused when a former run ended wait for whoever held them (SES-18).
  mutating func restore(paused: UInt32, until: Tick) {
    for index in 0..<32 where storage[index].isOpen && paused & bit(index) != 0 {
      storage[index].isPlaying = true
      storage[index].startNumber = nextStart()
      storage[index].suspend(.otherSession, holders: 0, isHeld: false, at: 0, .ses18)
      storage[index].formerHolderUntil = until
      storage[index].hasAnsweredPause = true
      storage[index].hasStopped = true
    }
  }

  subscript(_ index: Int) -> Session {
    get { storage[index] }
    set { storage[index] = newValue }
    _modify { yield &storage[index] }
  }

  /// The number of the next start.
  mutating func nextStart() -> UInt32 {
    starts &+= 1
    return starts
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
  /// What decides about it among others.
  var kind: SessionKind { SessionKind(category, mode: mode, options: options) }

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
