// SPDX-License-Identifier: Apache-2.0
//
// How sound is let out and taken away: the movement of an output's and a source's gain in time
// (SIL-8), and the values its registers must hold at each moment. Why it moves is decided in
// `Resolve`.
//
//   position   the gain of this moment, on the way to the target
//   cut        silence without a fade: unplug, fault, start, a route not in use
//   open       the codec path is un-silenced

/// The movement of one output.
struct OutputDrive: Plain {
  enum Phase: Plain { case closed, opening, open, closing }

  private(set) var phase = Phase.closed
  /// The gain of this moment in millibels, while not closed.
  private(set) var position: Int32 = 0
  private var slope: Int32 = 0
  private(set) var openedAt: Tick = 0
  /// When it was closed, or last became present: from then on it must be found silent.
  private(set) var closedAt: Tick = 0
  /// Silenced, written and read back since its controls appeared (VOL-8).
  var isReady = false
  /// A silence was not confirmed in time (SIL-11).
  var isNotSilent = false
  var gain = Register<Gain>()
  var codecSwitch = Register<Bool>()
  var amplifier = Register<Bool>()
  var foreign = ForeignChanges()
  /// When the amplifier line was last driven to silence.
  var amplifierOffAt: Tick?
  /// The gain of its level, at which it waits while closed.
  var restingGain = Gain.unity
  /// Since when nothing sounds there, for an amplifier with `idle-off`.
  var soundlessSince: Tick?

  init() {}

  var isMoving: Bool { phase == .opening || phase == .closing }

  var isFaulty: Bool {
    isNotSilent || gain.isFaulty || codecSwitch.isFaulty || amplifier.isFaulty
  }

  /// How many ticks the fade to silence under way still takes.
  func fallTicks(to floor: Int32) -> Tick { Tick(max(position - floor, 0) / max(slope, 1)) }

  /// The controls appeared: nothing is known of them.
  mutating func appear(at now: Tick) {
    self = OutputDrive()
    closedAt = now
  }

  /// Moves by one tick.
  /// - Parameters:
  ///   - now: The tick.
  ///   - isWanted: It may be heard.
  ///   - isCut: Silence comes at once.
  ///   - target: The gain to be at.
  ///   - floor: The lowest gain of the fade.
  ///   - fadeInTicks: From the floor to the target; 0 is at once.
  ///   - fadeOutTicks: From the position to the floor; 0 is at once.
  ///   - mayRise: The amplifier is on and everything that must be silent is.
  mutating func move(
    at now: Tick,
    isWanted: Bool,
    isCut: Bool,
    target: Int32,
    floor: Int32,
    fadeInTicks: Tick,
    fadeOutTicks: Tick,
    mayRise: Bool
  ) {
    switch phase {
    case .closed:
      guard isWanted else { return }
      phase = .opening
      openedAt = now
      position = min(floor, target)
      startRise(to: target, over: fadeInTicks)
      if fadeInTicks == 0 { rise(to: target, mayRise: mayRise) }
    case .opening, .open:
      if isWanted {
        if phase == .open {
          follow(target, mayRise: mayRise)
        } else {
          rise(to: target, mayRise: mayRise)
        }
      } else if isCut || fadeOutTicks == 0 || position <= floor {
        close(at: now)
      } else {
        phase = .closing
        slope = perTick(position - floor, over: fadeOutTicks)
        fall(at: now, floor: floor)
      }
    case .closing:
      if isWanted {
        phase = .opening
        startRise(from: floor, to: target, over: max(fadeInTicks, 1))
        rise(to: target, mayRise: mayRise)
      } else if isCut {
        close(at: now)
      } else {
        fall(at: now, floor: floor)
      }
    }
  }

  private mutating func startRise(from floor: Int32? = nil, to target: Int32, over ticks: Tick) {
    slope = ticks == 0 ? Int32.max / 2 : perTick(target - (floor ?? position), over: ticks)
  }

  private mutating func rise(to target: Int32, mayRise: Bool) {
    if position > target { position = target }
    guard mayRise else { return }
    position = target - position <= slope ? target : position + slope
    if position == target { phase = .open }
  }

  private mutating func follow(_ target: Int32, mayRise: Bool) {
    if target < position || mayRise { position = target }
  }

  private mutating func fall(at now: Tick, floor: Int32) {
    position -= slope
    if position <= floor { close(at: now) }
  }

  private mutating func close(at now: Tick) {
    phase = .closed
    closedAt = now
  }
}

/// The movement of one source's gain.
struct SourceDrive: Plain {
  /// The lowest gain of a fade, before silence.
  static let floor: Int32 = -5_100

  var register = Register<Gain>()
  var isPresent = true
  private(set) var position: Gain = .silence
  private(set) var isMoving = false
  private var slope: Int32 = 0
  /// When its gain was last lowered: the ear follows one PCM buffer later.
  private(set) var loweredAt: Tick = -1_000_000

  init() {}

  /// What it is lowered by for others now (SES-7).
  private(set) var duck = Gain.unity
  private(set) var isDuckMoving = false

  /// On its way to silence.
  var isFalling: Bool { isMoving && slope < 0 }

  /// Silent at the ear, confirmed and one PCM buffer ago.
  func isSettledSilent(at now: Tick, settleTicks: Tick) -> Bool {
    if !isPresent { return true }
    return position.isSilence && register.holds(.silence) && now - loweredAt >= settleTicks
  }

  /// Moves what it is lowered by, one tick towards `target`; a source that is not heard is there at
  /// once, so that a stream born while ducked starts ducked.
  mutating func moveDuck(
    to target: Gain,
    depth: Gain,
    attackTicks: Tick,
    releaseTicks: Tick,
    isAtOnce: Bool
  ) {
    isDuckMoving = false
    guard duck != target else { return }
    let isAttack = target < duck
    let step = perTick(-depth.millibels, over: isAttack ? attackTicks : releaseTicks)
    if isAtOnce || abs(target.millibels - duck.millibels) <= step {
      duck = target
      return
    }
    duck = Gain(millibels: duck.millibels + (isAttack ? -step : step))
    isDuckMoving = true
  }

  /// Moves by one tick towards `goal`; a fade of 0 ticks is at once.
  mutating func move(at now: Tick, to goal: Gain, fadeInTicks: Tick, fadeOutTicks: Tick) {
    guard goal != position else {
      isMoving = false
      return
    }
    let before = position
    if goal.isSilence {
      fall(over: fadeOutTicks)
    } else if position.isSilence || isMoving && goal > position {
      rise(to: goal, over: fadeInTicks)
    } else {
      position = goal
      isMoving = false
    }
    if position < before { loweredAt = now }
  }

  private mutating func fall(over ticks: Tick) {
    if ticks == 0 || position.isSilence || position.millibels <= SourceDrive.floor {
      position = .silence
      isMoving = false
      return
    }
    if !isMoving || slope > 0 {
      slope = -perTick(position.millibels - SourceDrive.floor, over: ticks)
      isMoving = true
    }
    let next = position.millibels + slope
    position = next <= SourceDrive.floor ? .silence : Gain(millibels: next)
    if position.isSilence { isMoving = false }
  }

  private mutating func rise(to goal: Gain, over ticks: Tick) {
    if ticks == 0 || goal.millibels <= SourceDrive.floor {
      position = goal
      isMoving = false
      return
    }
    if position.isSilence {
      position = Gain(millibels: SourceDrive.floor)
      slope = 0
    }
    // A goal that is raised meanwhile is reached in the same time.
    slope = max(slope, perTick(goal.millibels - SourceDrive.floor, over: ticks))
    isMoving = true
    let next = position.millibels + slope
    position = next >= goal.millibels ? goal : Gain(millibels: next)
    if position == goal {
      isMoving = false
      slope = 0
    }
  }
}

/// How far a fade goes in each tick, at least 1 mB: rounded up, so that it never takes longer than
/// `ticks`.
private func perTick(_ distance: Int32, over ticks: Tick) -> Int32 {
  let count = Int32(ticks)
  return max((distance + count - 1) / count, 1)
}

/// How often somebody else moved a control of an output lately (VOL-6).
struct ForeignChanges: Plain {
  /// So many within the window are worth a notice.
  static let stubborn: Int32 = 3

  private var count: Int32 = 0
  private var windowStart: Tick = 0

  init() {}

  /// Counts one; answers true when it makes the third within the window.
  mutating func note(at now: Tick, windowTicks: Tick) -> Bool {
    if count == 0 || now - windowStart > windowTicks {
      count = 0
      windowStart = now
    }
    count += 1
    return count == ForeignChanges.stubborn
  }
}
