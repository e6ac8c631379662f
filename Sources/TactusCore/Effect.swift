// SPDX-License-Identifier: Apache-2.0
//
// Everything the policy can ask for. Effects are ordered: silence first, un-silence last.

/// The effects of one tick.
///
/// Writes are bounded by construction (one per control, VOL-9); when notices or feedback find no
/// room they are dropped, writes are kept for the next tick, since they are the difference to what
/// was applied.
public typealias Effects = List<128, Effect>

/// One thing to be done.
///
/// Controls, outputs and sources are named by their position in `Configuration`.
public enum Effect: Plain, Equatable {
  /// Write an output's volume on every channel, then read it back.
  case gain(output: UInt8, Gain)
  /// Silence or un-silence an output in the codec, then read it back.
  case switched(output: UInt8, on: Bool)
  /// Drive an output's amplifier line, then read it back.
  case amplifier(output: UInt8, on: Bool)
  /// Write a source's gain, then read it back.
  case source(UInt8, Gain)
  /// Lock or unlock an output's codec controls against other programs (T-7).
  case lock(output: UInt8, Bool)
  /// Balance for all further gain writes, −100…100.
  case balance(Int8)

  /// Open or close the capture path, then read it back (SES-10).
  case capture(on: Bool)

  /// Read all levels of all lines and report them as `Input.level`.
  case readLevels
  /// Ask a session's player to pause; it answers `pauseAnswered` (RTE-2).
  case pause(source: UInt8)
  /// Ask a session's player to go on (RTE-3, `resume-on-replug`).
  case resume(source: UInt8)
  /// A session has a place now; goes before the reply to the same request.
  case opened(token: UInt16, UInt8)
  /// A session lost the floor: it is inactive, and silent after its fade.
  ///
  /// `by` is the session that
  /// took it, where one did.
  case interruptionBegan(UInt8, Interruption, by: UInt8?, Rule)
  /// A session may have the floor back, or is told that it will not get it (SES-3).
  case interruptionEnded(UInt8, shouldResume: Bool, Rule)
  /// Secondary audio should be silent, or need not be any longer (SES-9).
  case hint(UInt8, shouldBeSilent: Bool)
  /// A command for a session that supports it (CTL-2).
  case command(UInt8, Command, Rule)
  /// A command that reached nobody (CTL-4).
  case undelivered(Command, Undelivered, Rule)
  /// The route changed; sessions are told why and what it was before (RTE-6).
  case routeChanged(RouteChange, previous: UInt8?, current: UInt8?)

  /// Write `Policy.saved` (VOL-12).
  case persist
  /// Everything is silent and written: the daemon may end, or the power go off.
  case finished(powerOff: Bool)
  /// The answer to a request.
  case reply(token: UInt16, Reply)
  /// Something a person should know; `count` tells how many equal ones there were in the last ten
  /// minutes, and only the first of them is news (FBK-6).
  case notice(Notice, UInt8, count: UInt16)
  /// An answer at the device, on exactly these channels; its gain is written.
  ///
  /// Without any channel it only says what happened.
  case feedback(Feedback, FeedbackChannels)
  /// Make motor and sound ready for 2 s (FBK-5).
  case prepareFeedback
  /// Play one of the device's own sounds; its gain is written.
  case playSound(UInt8)
}

/// Why the route changed (RTE-6).
public enum RouteChange: Plain, CaseIterable {
  case newDeviceAvailable, oldDeviceUnavailable, override, noSuitableRoute, configurationChange
}

/// Something a person should know.
///
/// The number beside it is the control, output or source concerned.
public enum Notice: Plain, CaseIterable {
  /// A button was held for more than 60 s.
  case stuck
  /// A control changes without end; a floating pin.
  case noisy
  /// A control's line went away or came back.
  case lineLost, lineBack
  /// An output's controls went away or came back (RTE-8).
  case outputLost, outputBack
  /// An output cannot be silenced: "not silent" (SIL-11).
  case notSilent
  /// An output or source does not take what is written.
  case writeFault, writeRecovered
  /// Another program keeps moving a control (VOL-6).
  case foreignMixer
  /// Headphone detect has been active since the start (RTE-9).
  case detectStuck
  /// Headphone detect has not moved for days (RTE-9).
  case detectIdle
  /// The headphone limit was re-armed and the level lowered (VOL-13).
  case limitRearmed
}
