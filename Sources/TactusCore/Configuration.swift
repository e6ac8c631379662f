// SPDX-License-Identifier: Apache-2.0
//
// What the policy is told about the device once, when a board and the listener's settings are
// loaded. All values are plain: names, pins and ALSA controls stay with the loader, which uses the
// same positions in the same lists.
//
//   control   something a person touches, or a detect contact; reported by its position in
//   `controls`
//   output    one way to the ear, with its own level: the codec path of a route
//   source    a PCM that players write to, with its own gain and its own session

/// What a control is for.
///
/// A role's meaning is fixed (CTL-1).
public enum Role: Plain, CaseIterable {
  case volumeUp, volumeDown, mute, silentSwitch, headphoneDetect
  /// The rotation of a knob; its states are A<<1 | B.
  case knob
  /// The push of the same knob.
  case knobPush
  case microphoneSwitch, lid
  case playPause, next, previous, stop, headset
  case power
  /// Only keys of input devices have these (CTL-5).
  case play, pause, microphoneMute
}

/// One control.
///
/// Contacts have the states 0 (released, open, out) and 1 (pressed, on, in), polarity already
/// applied.
public struct Control: Plain {
  public var role: Role
  /// A contact must be stable for so long before its next change counts.
  public var debounceTicks: Tick
  /// A mute button that stays where it is put.
  public var latching: Bool
  /// 1, 2 or 4 (knob only).
  public var transitionsPerDetent: Int32
  /// A and B are swapped (knob only).
  public var inverted: Bool
  /// Largest factor for fast turning, 1…4; 1 is none (knob only).
  public var acceleration: Int32
  /// A key of input devices: it does not bounce, and it is no half of a pair (CTL-5).
  public var isKey: Bool

  public init(
    role: Role,
    debounceTicks: Tick = 2,
    latching: Bool = false,
    transitionsPerDetent: Int32 = 4,
    inverted: Bool = false,
    acceleration: Int32 = 1,
    isKey: Bool = false
  ) {
    self.role = role
    self.debounceTicks = debounceTicks
    self.latching = latching
    self.transitionsPerDetent = transitionsPerDetent
    self.inverted = inverted
    self.acceleration = acceleration
    self.isKey = isKey
  }
}

/// Where sound comes out.
public enum RouteKind: Plain, CaseIterable {
  case speaker, headphones, line, bluetooth, network
}

/// What an amplifier does when nobody holds its line (RTE-10).
public enum ReleasedAmplifier: Plain, CaseIterable {
  case silent, live, unknown
}

/// An amplifier with a line of its own (RTE-10).
public struct Amplifier: Plain {
  /// From the stream being open and settled until the line may be enabled.
  public var enableTicks: Tick
  /// From the line being silent until the codec path behind it is closed.
  public var disableTicks: Tick
  /// Silent after so long without sound; 0 is never.
  public var idleOffTicks: Tick
  public var whenReleased: ReleasedAmplifier

  public init(
    enableTicks: Tick = 0,
    disableTicks: Tick = 0,
    idleOffTicks: Tick = 0,
    whenReleased: ReleasedAmplifier = .silent
  ) {
    self.enableTicks = enableTicks
    self.disableTicks = disableTicks
    self.idleOffTicks = idleOffTicks
    self.whenReleased = whenReleased
  }
}

/// One way to the ear.
public struct Output: Plain {
  public var kind: RouteKind
  /// The codec has a volume for it; without one the level is part of each source's gain.
  public var hasVolume: Bool
  /// The codec can silence it: a switch, or a lowest raw value that is mute.
  public var hasSwitch: Bool
  /// From level to gain, over the usable window (VOL-4).
  public var curve: Curve
  /// Caps the system level (VOL-16).
  public var maximumLevel: Level
  /// The position in `controls` of the contact that says whether it is plugged in.
  public var detect: UInt8?
  public var amplifier: Amplifier?
  /// Chosen first among those never used; greater is first (RTE-4).
  public var priority: Int32

  public init(
    kind: RouteKind,
    hasVolume: Bool,
    hasSwitch: Bool,
    curve: Curve,
    maximumLevel: Level = .full,
    detect: UInt8? = nil,
    amplifier: Amplifier? = nil,
    priority: Int32 = 0
  ) {
    self.kind = kind
    self.hasVolume = hasVolume
    self.hasSwitch = hasSwitch
    self.curve = curve
    self.maximumLevel = maximumLevel
    self.detect = detect
    self.amplifier = amplifier
    self.priority = priority
  }
}

/// A PCM that players write to, and the session it is.
public struct Source: Plain, Equatable {
  public var category: Category
  public var mode: Mode
  public var options: SessionOptions
  /// A lasting correction in the listener's settings, at most 0 dB (VOL-10).
  public var trim: Gain
  /// What the program itself takes off, at most 0 dB (VOL-10).
  public var gain = Gain.unity
  /// Whether an unplug pauses it (RTE-2).
  public var pausesOnUnplug: Bool
  /// Whether a player is there to be told to pause.
  ///
  /// Without one, an act of a person at the device (volume up, un-mute,
  /// choosing a route) starts it again after an unplug, since nothing else could.
  public var hasPlayer: Bool
  /// That player knows nothing of sessions (SES-13).
  public var isAdopted: Bool
  /// Resumes after every interruption that it played in, with or without notice (SES-4).
  public var resumesAlways: Bool
  /// Goes on with silent input while the microphone is off (SES-10).
  public var overridesMutedMicrophone: Bool
  /// The commands that it supports (CTL-3).
  public var commands = CommandSet.all
  /// Counts as playing while anything plays on its card, since nobody says more.
  ///
  /// Which of several such sources sounds is not known, so they do nothing to each other.
  public var isUntold = false
  /// Counts as active and playing from the start: a program that tells nobody what it does.
  public var playsAtStart: Bool
  /// Has the card for itself while it plays, and no gain of its own: only the output can silence
  /// it.
  ///
  /// It is adopted and under the system volume.
  public var isExclusive: Bool

  public init(
    category: Category,
    mode: Mode = .standard,
    options: SessionOptions = .none,
    trim: Gain = .unity,
    pausesOnUnplug: Bool = true,
    hasPlayer: Bool = false,
    isAdopted: Bool = false,
    resumesAlways: Bool = false,
    overridesMutedMicrophone: Bool = false,
    playsAtStart: Bool = false,
    isExclusive: Bool = false
  ) {
    self.category = category
    self.mode = mode
    self.options = options
    self.trim = trim
    self.pausesOnUnplug = pausesOnUnplug
    self.hasPlayer = hasPlayer
    self.isAdopted = isAdopted
    self.resumesAlways = resumesAlways
    self.overridesMutedMicrophone = overridesMutedMicrophone
    self.playsAtStart = playsAtStart
    self.isExclusive = isExclusive
  }
}

/// The listener's choices, with the defaults of the rules.
public struct Settings: Plain {
  /// Level of a route never used (VOL-7).
  public var firstLevel = Level(percent: 40)
  /// Highest level at boot (VOL-7).
  public var startCeiling = Level(percent: 75)
  /// Whether headphones have a limit at all (VOL-13).
  public var limitsHeadphones = true
  /// The headphone limit (VOL-13).
  public var headphoneLimit = Level(sixteenths: 10)
  /// Ringer level when none was ever set (VOL-2).
  public var ringer = Level(percent: 60)
  /// Lowest level of an alarm (VOL-3).
  public var alarmFloor = Level(percent: 40)
  /// Soft mute silences alarms too (SIL-4).
  public var muteSilencesAlarms = false
  /// Controls stay locked against other programs (VOL-6).
  public var ownsMixer = false
  /// Plugging resumes what the unplug paused (RTE-3).
  public var resumesOnReplug = false
  /// How much others are lowered by a duck, −20 dB (SES-7).
  public var duck = Gain(millibels: -2_000)
  /// How strong each channel answers (FBK-3).
  public var feedback = FeedbackSettings()
  /// Balance, −100 (left only) … 100 (right only) (VOL-9).
  public var balance: Int8 = 0

  public init() {}
}

/// Everything the policy knows in advance.
public struct Configuration: Plain {
  /// Bound of `controls`; the loader refuses more.
  public static let maximumControls = 32
  /// Bound of `outputs`; the loader refuses more.
  public static let maximumOutputs = 5
  /// Bound of `sources`; the loader refuses more (SES-12).
  public static let maximumSources = 32

  public var timing: Timing
  public var settings = Settings()
  /// The board has a capture switch that Tactus drives (SES-10).
  public var hasCaptureSwitch = false
  /// The ways that the board has to answer a person.
  public var feedbackChannels = FeedbackChannels.none
  /// The place of the device's own sounds among the sources.
  public var soundSource: UInt8?
  public var controls = List<32, Control>(filler: Control(role: .stop))
  public var outputs = List<5, Output>(
    filler: Output(kind: .speaker, hasVolume: false, hasSwitch: false, curve: Curve())
  )
  public var sources = List<32, Source>(filler: Source(category: .playback))

  /// An empty device.
  public init(timing: Timing = Timing()) { self.timing = timing }

  /// The position of the board's first control with this role, or of the key with this role.
  public func control(_ role: Role, isKey: Bool = false) -> Int? {
    for index in controls.indices
    where controls[index].role == role && controls[index].isKey == isKey {
      return index
    }
    return nil
  }

  /// The position of the first output of this kind.
  public func output(_ kind: RouteKind) -> Int? {
    for index in outputs.indices where outputs[index].kind == kind { return index }
    return nil
  }
}
