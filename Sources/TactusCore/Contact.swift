// SPDX-License-Identifier: Apache-2.0
//
// From a bouncing contact to accepted changes. A press is accepted on its first edge when the line
// was quiet and still reads active, so it costs no time; every other change counts when the line
// has been stable for long enough. A lock-out window would read the chatter of a release as a
// second press.
//
//   raw        the state last reported
//   accepted   the state that counts
//   quiet      no edge for the debounce time, and raw is accepted
//   glitch     edges on a quiet line that were gone again when the tick ran

/// The debouncing of one contact, and what is known of its health.
struct Contact: Plain {
  /// Edges within the noise window above which a control is noisy: well above a worn switch's
  /// bounce.
  static let noisyEdges: Int32 = 400

  enum Change: Plain, Equatable { case none, pressed, released }

  private(set) var isAccepted = false
  private(set) var isRaw = false
  /// The first sample has been taken; it is a fact, never a press (T-7).
  private(set) var isSampled = false
  /// Held since before the first sample: not a press, and its release means nothing.
  private(set) var isInherited = false
  private(set) var lastEdge: Tick = 0
  /// When the accepted state changed last.
  private(set) var changedAt: Tick = 0
  /// The bounce is over, but the line has not been re-read since.
  private(set) var wantsReading = false
  var glitches: Int64 = 0
  var lostEdges: Int64 = 0
  var changes: Int64 = 0
  var isPresent = true
  /// It stays where it is put.
  var isSwitch = false
  private(set) var isNoisy = false
  private var windowStart: Tick = 0
  private var edgesInWindow: Int32 = 0

  init() {}

  /// Takes the first sample.
  ///
  /// What stays where it is put has no press to inherit: its release counts (SIL-2).
  mutating func sample(_ state: Bool, at now: Tick) {
    isSampled = true
    isInherited = state && !isSwitch
    isRaw = state
    isAccepted = state
    changedAt = now
    lastEdge = now - 1_000_000
  }

  /// Evaluates the debounce time; goes before this tick's edges (T-1).
  mutating func elapse(at now: Tick, debounceTicks: Tick) -> Change {
    guard !isNoisy, now - lastEdge >= debounceTicks else { return .none }
    return isRaw == isAccepted ? .none : accept(isRaw, at: now)
  }

  /// Takes this tick's edges: how many there were, and how the line reads after them.
  mutating func take(edges: Int32, state: Bool, at now: Tick, debounceTicks: Tick) -> Change {
    countNoise(edges, at: now)
    guard !isNoisy else {
      isRaw = state
      lastEdge = now
      return .none
    }
    // What was stable for so long, `elapse` has accepted.
    let wasQuiet = now - lastEdge >= debounceTicks
    if wasQuiet && !isAccepted {
      guard state else {
        glitches += 1
        return .none
      }
      isRaw = true
      lastEdge = now
      wantsReading = true
      return accept(true, at: now)
    }
    isRaw = state
    lastEdge = now
    wantsReading = true
    return .none
  }

  /// Takes what a key did in this tick: how often it was pressed, and how it stands.
  ///
  /// It does not bounce, so that it is believed at once.
  mutating func take(presses: Int32, state: Bool, at now: Tick) {
    changes += 2 * Int64(presses) + (isAccepted ? 1 : 0) - (state ? 1 : 0)
    isInherited = isInherited && state && presses == 0
    isRaw = state
    isAccepted = state
    changedAt = now
    lastEdge = now
  }

  /// Takes a held button for let go of, since its line cannot be believed any more; answers whether
  /// a gesture ends with it.
  mutating func letGo(at now: Tick) -> Bool {
    guard isAccepted, !isSwitch else { return false }
    isRaw = false
    return accept(false, at: now) == .released
  }

  /// The line came or went; what it said before counts no more, and its next state is a first
  /// sample.
  mutating func lose(present: Bool) {
    isPresent = present
    if !present { isRaw = isAccepted }
    isSampled = false
    wantsReading = false
  }

  /// Whether the bounce has just ended and the line should be re-read: interrupts do get lost.
  mutating func takeWantsReading(at now: Tick, debounceTicks: Tick) -> Bool {
    guard wantsReading, !isNoisy, now - lastEdge >= debounceTicks else { return false }
    wantsReading = false
    return true
  }

  /// The tick at which `elapse` or `takeWantsReading` would do something.
  func deadline(debounceTicks: Tick) -> Tick? {
    if isNoisy { return windowStart + noiseTicks }
    return isRaw != isAccepted || wantsReading ? lastEdge + debounceTicks : nil
  }

  private mutating func accept(_ state: Bool, at now: Tick) -> Change {
    isAccepted = state
    changedAt = now
    changes += 1
    if !state && isInherited {
      isInherited = false
      return .none
    }
    return state ? .pressed : .released
  }

  // MARK: Noise

  /// Length of the noise window, given by `Timing`.
  var noiseTicks: Tick = 200

  private mutating func countNoise(_ edges: Int32, at now: Tick) {
    if now - windowStart >= noiseTicks {
      windowStart = now
      edgesInWindow = 0
    }
    edgesInWindow = min(edgesInWindow + edges, 1_000_000)
  }

  /// Updates `isNoisy`; answers true when it has just become so.
  mutating func judgeNoise(at now: Tick) -> Bool {
    if edgesInWindow > Contact.noisyEdges && !isNoisy {
      isNoisy = true
      return true
    }
    if isNoisy && now - windowStart >= noiseTicks {
      isNoisy = edgesInWindow > Contact.noisyEdges
      windowStart = now
      edgesInWindow = 0
      // Where a switch stands now, `elapse` accepts; what a button did in the noise is no press.
      if !isNoisy && !isSwitch { sample(isRaw, at: now) }
    }
    return false
  }
}
