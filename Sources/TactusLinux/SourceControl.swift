// SPDX-License-Identifier: Apache-2.0
//
// The volume control of a source: what a person, a duck or an interruption does to one player.
//
// A player writes to `tactus:NAME`, whose PCM is ALSA's softvol plug-in. Softvol takes its gain
// from a control on the card, which it looks for when the player opens the PCM:
//
//   not there          softvol makes it, at 0 dB, and owns it while the player runs
//   there, as it wants softvol obeys it, whoever owns it
//   there, otherwise   softvol removes it and makes its own; if somebody owns it, the player's open
//                      fails with EBUSY
//
// So the daemon makes the control first, in the very shape that the PCM's definition asks for, and
// owns it: the kernel creates a user control at raw 0, which is silence, and locked by its maker.
// When the daemon ends the control stays, unlocked. Players keep obeying it, so it is never removed
// in passing: softvol remembers the control's number, and one that is made anew has another, which
// leaves a running player at its last gain for ever.
//
// From pcm_softvol.c, the same in alsa-lib 1.2.8 (Debian 12) and 1.2.14 (Debian 13).

import CTactus
import TactusCore

/// The shape of every source's control and the curve that softvol applies.
public struct SourceVolume: Equatable, Sendable {
  /// Gain per raw step.
  ///
  /// A whole number of millibels, or softvol's table and its curve would differ.
  ///
  /// It divides a duck's step of 0.5 dB a tick (SES-7), so that every step heard is the same.
  public static let stepMillibels: Int32 = 10
  /// Softvol's bound: 1024 raw values.
  public static let minimumMillibelsRange: ClosedRange<Int32> = -10_230 ... -10
  /// Both channels of a stereo source.
  static let channelCount = 2
  /// The longest name of a source: a control's name holds 43 bytes, and alsa-lib cuts what is
  /// longer.
  public static let sourceNameLimit = 30
  /// The longest name that leaves room for what simple mixers tell a playback volume by.
  private static let suffixedNameLimit = 20

  /// The gain that the curve would have at raw 0, where it is silent instead.
  public let minimumMillibels: Int32

  /// - Parameter minimumMillibels: rounded down to a whole step and into `minimumMillibelsRange`.
  ///   The default is 60 dB, as wide as a route's window (VOL-4), and silence.
  public init(minimumMillibels: Int32 = -6_010) {
    let range = SourceVolume.minimumMillibelsRange
    let steps =
      (min(max(minimumMillibels, range.lowerBound), range.upperBound)
        - (SourceVolume.stepMillibels - 1)) / SourceVolume.stepMillibels
    self.minimumMillibels = steps * SourceVolume.stepMillibels
  }

  /// How many raw values there are.
  public var resolution: Int32 { rawMaximum + 1 }

  /// 0 dB.
  public var rawMaximum: Int32 { -minimumMillibels / SourceVolume.stepMillibels }

  /// The name of a source's control.
  public static func controlName(source: String) -> String {
    source.utf8.count <= suffixedNameLimit
      ? "Tactus \(source) Playback Volume" : "Tactus \(source)"
  }

  /// Whether a source's name can be part of a control's name and of a PCM's: 1 to 30 small letters,
  /// digits and hyphens.
  public static func isSourceName(_ name: String) -> Bool {
    (1...sourceNameLimit).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
      }
  }

  /// Raw values and gains, raw 0 silent.
  public var scale: DecibelScale {
    DecibelScale(
      table: table,
      rawRange: 0...rawMaximum,
      correction: DecibelScale.Correction(silentUpToRaw: 0)
    )
  }

  /// The TLV that softvol expects, word for word.
  var table: [UInt32] {
    [
      UInt32(SND_CTL_TLVT_DB_SCALE), 8, UInt32(bitPattern: minimumMillibels),
      UInt32(SourceVolume.stepMillibels),
    ]
  }
}

extension SoundCard {
  /// Makes the control of a source, or takes over the one that is there, and leaves it locked by
  /// this handle and silent.
  ///
  /// - Throws: `controlLocked` when a player came first and holds a control of its own;
  ///   `controlUnsuitable` when the driver itself has a control of that name.
  public func makeSourceControl(
    named source: String,
    _ volume: SourceVolume
  ) throws(MixerError) -> MixerControl {
    let address = ControlAddress(SourceVolume.controlName(source: source))
    precondition(SourceVolume.isSourceName(source))
    // Somebody may make or remove the control between two of our steps, but not for ever.
    for _ in 0..<3 {
      if let control = try adopt(address, volume) {
        try write(control.values(0), to: control)
        return control
      }
      try add(address, volume)
    }
    throw .controlRefused(address, operation: "making it", errno: EBUSY)
  }

  /// Removes a source's control for good: when its source is no longer configured.
  ///
  /// A player that still runs keeps its last gain, so its control is to be silent for longer than
  /// a PCM buffer, 20 ms, before.
  public func removeSourceControl(_ control: MixerControl) throws(MixerError) {
    let identity = try identityStorage(control.address)
    defer { snd_ctl_elem_id_free(identity) }
    try check(snd_ctl_elem_remove(handle, identity), control.address, "removing")
  }

  /// Locks the control that is there if it has the right shape, and removes it if not.
  ///
  /// - Returns: nil when there is none (any more).
  private func adopt(
    _ address: ControlAddress,
    _ volume: SourceVolume
  ) throws(MixerError) -> MixerControl? {
    let control: MixerControl
    do { control = try self.control(address) } catch {
      if case .controlMissing = error { return nil }
      throw error
    }
    guard control.isUserMade else {
      throw .controlUnsuitable(address, reason: "the driver has a control of this name")
    }
    try lock(control)
    if control.kind == .integer, control.channelCount == SourceVolume.channelCount,
      control.rawMinimum == 0, control.rawMaximum == volume.rawMaximum,
      try gainTable(of: control) == volume.table
    {
      return control
    }
    try removeSourceControl(control)
    return nil
  }

  private func add(_ address: ControlAddress, _ volume: SourceVolume) throws(MixerError) {
    let identity = try identityStorage(address)
    defer { snd_ctl_elem_id_free(identity) }
    let channelCount = UInt32(SourceVolume.channelCount)
    let status = snd_ctl_elem_add_integer(
      handle,
      identity,
      channelCount,
      0,
      Int(volume.rawMaximum),
      0
    )
    if status == -EBUSY { return }
    try check(status, address, "making it")
    var table = volume.table
    try check(snd_ctl_elem_tlv_write(handle, identity, &table), address, "writing its gain table")
  }
}
