// SPDX-License-Identifier: Apache-2.0
//
// What can be seen of the policy from outside, and what it wants to have kept.

/// The state of the device as one value.
///
/// What concerns the hardware is what was read back (SIL-9).
public struct Snapshot: Plain {
  public var tick: Tick = 0
  /// System level of the route in use.
  public var level = Level.zero
  public var ringer = Level.zero
  /// The volume that the keys would set now (VOL-2).
  public var keysSet = Volume.system
  public var isMuted = false
  /// The microphone is off by its switch, a closed lid or a key (SES-10).
  public var isMicrophoneMuted = false
  /// The capture path as read back; nil when unknown or not there.
  public var isCaptureOn: Bool?
  /// Position of the silent switch, hardware or software.
  public var isSilentSwitchOn = false
  public var hasHardwareSilentSwitch = false
  public var route: UInt8?
  public var routeKind: RouteKind?
  public var balance: Int8 = 0
  /// The headphone limit holds (VOL-13).
  public var isLimitArmed = true
  /// Reasons that silence the whole device.
  public var reasons: SilenceReasons = []
  /// Nothing can be heard, as read back; false also when it cannot be known.
  public var isSilent = false
  public var outputs = List<5, OutputState>(filler: OutputState())
  public var sources = List<32, SourceState>(filler: SourceState())
  public var controls = List<32, ControlState>(filler: ControlState())
  /// Ticks by which the loop woke too late, in all (T-3).
  public var lateTicks: Int64 = 0

  public init() {}
}

/// An output as seen from outside.
public struct OutputState: Plain {
  public var isPresent = false
  /// Can be chosen now.
  public var isAvailable = false
  /// Its own level (VOL-7).
  public var level = Level.zero
  /// As read back; nil when unknown or not there.
  public var appliedGain: Gain?
  public var appliedOn: Bool?
  public var amplifierOn: Bool?
  public var isFaulty = false
  public init() {}
}

/// A source as seen from outside.
public struct SourceState: Plain {
  /// A session is there: a configured source, or one that a program has opened.
  public var isOpen = false
  public var category = Category.playback
  public var mode = Mode.standard
  public var options = SessionOptions.none
  /// Why it does not have the floor, as long as it may get it back; nil otherwise.
  public var interruption: Interruption?
  /// The sessions that keep it from the floor, one bit for each place.
  public var holders: UInt32 = 0
  /// It has not begun yet: it starts when the last holder ends (SES-2).
  public var isHeld = false
  /// It may be heard as soon as those that it interrupted are silent (SES-2).
  public var isWaiting = false
  public var isInBackground = false
  /// Secondary audio should be silent (SES-9).
  public var shouldBeSilent = false
  /// How much it is lowered for others now, at most 0 dB (SES-7).
  public var duck = Gain.unity
  /// What was asked of its gain in this tick.
  public var wantedGain = Gain.silence
  /// The rule that gave it this state.
  public var rule = Rule.ses2
  public var isActive = false
  public var isPlaying = false
  /// Why it is not heard; empty when it is.
  public var reasons: SilenceReasons = []
  /// As read back; nil when unknown.
  public var appliedGain: Gain?
  /// Its gain cannot be written.
  public var isFaulty = false
  public init() {}
}

/// A control as seen from outside.
public struct ControlState: Plain {
  public var isPresent = true
  /// The accepted state: pressed, on, plugged in; for a knob, A<<1 | B.
  public var state: UInt8 = 0
  public var glitches: Int64 = 0
  public var lostEdges: Int64 = 0
  /// Illegal jumps of a knob.
  public var illegalJumps: Int64 = 0
  public var isStuck = false
  public var isNoisy = false
  /// Accepted changes, or detents of a knob.
  public var changes: Int64 = 0
  public init() {}
}

/// What survives a restart (VOL-12).
public struct Saved: Plain {
  /// Per output; nil for a route never used.
  public var levels = InlineArray<5, Level?>(repeating: nil)
  public var ringer: Level?
  public var isMuted = false
  /// The route a person chose last.
  public var chosenRoute: UInt8?
  public var balance: Int8?

  public init() {}
}
