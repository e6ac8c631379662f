// SPDX-License-Identifier: Apache-2.0
//
// A board: what a device is made of, as its board file says.
//
//   control   something a person touches, or a detect contact
//   output    one way to the ear: the controls of a route, its amplifier, its PCM
//   source    a PCM that players write to
//   signal    what Tactus drives to show or switch something: LED, trigger, haptic motor
//   fixed     a mixer control that must sit at one value, set once at the start (VOL-11)
//
// `controls`, `outputs` and `sources` have the same positions as in `configuration`.

public import TactusCore

/// A device's hardware, with what the policy is told about it.
public struct Board: Sendable {
  /// How far a board file was tried.
  public enum Status: Plain, CaseIterable, Equatable {
    /// Its facts are confirmed, by a real board or a primary source.
    case verified
    /// Some fact is not; the board's README names it.
    case unverified
    /// There is no hardware: everything is in memory.
    case simulated
  }

  /// What names the board, as its folder does.
  public var name: String
  /// For people.
  public var title: String
  /// What it is, in one line; empty where the file does not say.
  public var description: String
  /// The boards that its file extends, the nearest one first.
  public var bases: [String]
  public var status: Status
  /// The facts that are not confirmed; empty unless the status is `unverified`.
  public var unverified: [String]
  /// What tells the board from others.
  public var identity: BoardIdentity
  /// Lines that the machine's config.txt must have.
  public var overlay: [String]
  public var controls: [BoardControl]
  /// Input devices whose keys act; with any, the last controls are the keys.
  public private(set) var inputDevices: [BoardInputDevice]
  public var outputs: [BoardOutput]
  public var sources: [BoardSource]
  /// Where players are found (SES-13); nil where tactusd itself is.
  public var playersBus: BusAddress?
  public var signals: [BoardSignal]
  /// The device's own sounds, first those of feedback in the order of its types; none where the
  /// board has no `sounds` among its signals.
  public var sounds: [BoardSound]
  /// What closes the way of the microphones' sound (SES-10); all of them together are one switch.
  public var capture: [BoardCaptureSwitch]
  public var fixed: [FixedControl]
  /// Lines that belong to somebody.
  public var reserved: [ReservedLine]
  /// What the policy knows; the curves stand for nominal windows until `setWindow`.
  public var configuration: Configuration
}

/// What tells a board from others, beside its cards and chips.
///
/// Everything that is given must fit; but an EEPROM that is not there says nothing, and empty lists
/// ask nothing.
public struct BoardIdentity: Equatable, Sendable {
  /// Words of the machine's name, any of which it must have, such as `Raspberry Pi 4`.
  public var models: [String] = []
  /// How the vendor's name in the HAT's EEPROM may begin.
  public var hatVendors: [String] = []
  /// The names that the product may have in the HAT's EEPROM.
  public var hatProducts: [String] = []
  /// Mixer controls that the card must have, beside those of the routes.
  public var controls: [String] = []
  /// Mixer controls of similar boards, which the card must not have.
  public var foreignControls: [String] = []
}

/// A line of a chip that is chosen by label.
public struct BoardLine: Equatable, Sendable {
  /// Acceptable labels of the chip; an earlier one wins.
  public var chipLabels: [String]
  public var offset: UInt32
  public var polarity: Polarity
}

/// Something a person touches, or a detect contact.
public struct BoardControl: Equatable, Sendable {
  /// Where its state comes from.
  public enum Contact: Equatable, Sendable {
    /// Lines of one chip.
    ///
    /// A and B of a knob; else it is on while any of them is active.
    case lines(chipLabels: [String], offsets: [UInt32], bias: Bias, Polarity)
    /// A jack that the kernel watches, on a card with one of these ids.
    case jack(cardIDs: [String], ControlAddress)
    /// Keys of input devices.
    case keys
    /// Memory.
    case simulated
  }

  /// Unique on its board; a knob's push is a control of its own, `NAME-push`.
  public var name: String
  public var role: Role
  public var contact: Contact

  public init(name: String, role: Role, contact: Contact) {
    self.name = name
    self.role = role
    self.contact = contact
  }
}

/// Input devices whose keys act by their codes (CTL-5).
public struct BoardInputDevice: Equatable, Sendable {
  /// What the pattern is held against.
  public enum Selector: Plain, CaseIterable, Equatable {
    /// The device's own name, as in /proc/bus/input/devices.
    case name
    /// A link below /dev/input, such as `by-id/usb-*-event-kbd`.
    case link
    /// A tag that a udev rule gives; no pattern.
    case tag
  }

  public var selector: Selector
  /// With the wildcards of the shell.
  public var pattern: String
  /// No other program hears its keys.
  public var isGrabbed: Bool
}

/// One way to the ear.
public struct BoardOutput: Equatable, Sendable {
  /// The name of its route, such as `speaker`.
  public var name: String
  /// Ids that its card may have; empty on a simulated board.
  public var cardIDs: [String]
  /// The control that sets its gain; without one the level is part of each source's gain.
  public var volume: BoardVolume?
  /// What silences it in the codec.
  public var mute: BoardMute
  /// Where players are mixed to.
  public var pcm: BoardPCM
  /// The line of its amplifier; active is the level at which it plays.
  public var amplifier: BoardLine?
  /// The gain of level 1, or less where the codec has less (VOL-4).
  public var maximumGain: Gain
}

/// A volume control.
public struct BoardVolume: Equatable, Sendable {
  public var address: ControlAddress
  /// What the board file knows better than the driver.
  public var correction: DecibelScale.Correction
  /// The lowest gain that is not silence, where the board file says.
  public var lowest: Gain
  /// The highest gain, where the board file says.
  public var highest: Gain
}

/// How an output is silenced in the codec.
public enum BoardMute: Equatable, Sendable {
  /// Not at all.
  case none
  /// The lowest raw value of its volume control is silence.
  case volume
  /// A switch of its own, or an enumerated control.
  case control(ControlAddress, silent: ControlSetting, audible: ControlSetting)
}

/// A mixer control that closes the way of a microphone's sound.
public struct BoardCaptureSwitch: Equatable, Sendable {
  public var cardIDs: [String]
  public var address: ControlAddress
  public var closed: ControlSetting
  public var open: ControlSetting
}

/// What a mixer control is set to.
public enum ControlSetting: Equatable, Sendable {
  case isOn(Bool)
  case raw(Int32)
  case gain(Gain)
  /// An item of an enumerated control, by its exact name.
  case item(String)
}

/// A mixer control that must sit at one value on every channel (VOL-11).
public struct FixedControl: Equatable, Sendable {
  public var cardIDs: [String]
  public var address: ControlAddress
  public var setting: ControlSetting
}

/// A playback device.
public struct BoardPCM: Equatable, Sendable {
  public var cardIDs: [String]
  /// The device of the card, nearly always 0.
  public var device: UInt32
  public var rateHertz: Int32
  /// ALSA's name, such as `S16_LE`.
  public var format: String
  public var channelCount: Int32
}

/// A PCM that players write to.
public struct BoardSource: Equatable, Sendable {
  /// Players open `tactus:NAME`.
  public var name: String
  /// The player that is adopted for it; nil where there is none to be told anything.
  public var player: PlayerPattern?
  /// As the policy knows it.
  public var category: Category
  public var mode: Mode
  public var trim: Gain
  public var pausesOnUnplug: Bool
  /// After every interruption, also one that ends without leave (SES-4).
  public var resumesAlways: Bool
  public var playerVolume: PlayerVolume
  public var playsAtStart: Bool
  /// Its PCM is the card itself: samples arrive as they are, and nobody else plays meanwhile.
  public var isExclusive = false

  /// What a device without configured sources has: any program, which counts as playing.
  public static let standard = BoardSource(
    name: "default",
    player: nil,
    category: .playback,
    mode: .standard,
    trim: .unity,
    pausesOnUnplug: true,
    resumesAlways: false,
    playerVolume: .own,
    playsAtStart: true
  )
}

/// What shows or switches something.
public struct BoardSignal: Equatable, Sendable {
  public enum Role: Plain, Equatable {
    case statusLED, silentLED, microphoneLED, activityLED
    /// Switches other equipment on while an output, by its position, may be heard.
    case trigger(output: UInt8)
    case haptic
  }

  /// How it is driven.
  public enum Means: Equatable, Sendable {
    /// A GPIO line.
    case line(BoardLine)
    /// By the kernel: a lamp of its LED class, or a motor behind an input device; by the pattern of
    /// its name, with the wildcards of the shell.
    case device(String)
    /// Memory.
    case simulated
  }

  public var name: String
  public var role: Role
  public var means: Means

  /// Its line; nil where it is driven otherwise.
  public var line: BoardLine? {
    if case .line(let line) = means { line } else { nil }
  }
}

/// A line that belongs to somebody.
public struct ReservedLine: Equatable, Sendable {
  public var offset: UInt32
  public var owner: String
}

extension Board {
  /// Why no source can have the card for itself here; nil where one can: without a gain of its own
  /// only the hardware can set its level and silence it.
  var exclusiveObstacle: String? {
    for output in outputs {
      if output.volume == nil { return "the route \(output.name) has no hardware volume" }
      if output.mute == .none, output.amplifier == nil {
        return "the route \(output.name) has neither mute nor amplifier"
      }
    }
    return nil
  }

  /// Takes the range that an output's control really has, in place of the board file's.
  ///
  /// - Parameters:
  ///   - position: the output.
  ///   - lowest: the lowest gain that is not silence.
  ///   - highest: the highest one.
  ///   - hasSilence: whether the control's lowest raw value is silence.
  public mutating func setWindow(
    output position: Int,
    lowest: Gain,
    highest: Gain,
    hasSilence: Bool
  ) {
    let top = min(highest, outputs[position].maximumGain)
    configuration.outputs[position].curve = Curve(lowest: lowest, top: top)
    if outputs[position].mute == .volume { configuration.outputs[position].hasSwitch = hasSilence }
  }
}

extension Board {
  /// What the keys of input devices may mean.
  static let keyRoles: [Role] = [
    .volumeUp, .volumeDown, .mute, .playPause, .play, .pause, .stop, .next, .previous,
    .microphoneMute, .headset,
  ]

  /// So many controls of its own a board may have, so that there is room for the keys.
  static let maximumOwnControls = Configuration.maximumControls - keyRoles.count

  /// Listens to more input devices.
  mutating func add(_ devices: [BoardInputDevice]) {
    if inputDevices.isEmpty && !devices.isEmpty { addKeys() }
    inputDevices += devices
  }

  private mutating func addKeys() {
    for role in Board.keyRoles {
      controls.append(BoardControl(name: "\(role.name)-key", role: role, contact: .keys))
      configuration.controls.append(Control(role: role, debounceTicks: 0, isKey: true))
    }
  }
}

extension Board {
  /// A board of nothing.
  init(timing: Timing) {
    name = ""
    title = ""
    description = ""
    bases = []
    status = .unverified
    unverified = []
    identity = BoardIdentity()
    overlay = []
    controls = []
    inputDevices = []
    outputs = []
    sources = []
    signals = []
    sounds = []
    capture = []
    fixed = []
    reserved = []
    configuration = Configuration(timing: timing)
  }
}
