// SPDX-License-Identifier: Apache-2.0
//
// Everything that can happen to the policy. Callbacks only collect inputs; nothing is decided
// outside the tick.

/// The inputs of one tick, in the order in which they happened.
///
/// When it is full, the gatherer leaves what is still waiting in its source; edges lost that way
/// are reported by `Input.lost` and re-read by `Input.level`.
public typealias Inputs = List<256, Input>

/// One thing that happened.
///
/// Controls, outputs and sources are named by their position in `Configuration`.
public enum Input: Plain, Equatable {
  /// A control changed to a state: 0 or 1 for a contact, A<<1 | B for a knob.
  case edge(control: UInt8, state: UInt8)
  /// A control was read, not heard: at the start, after a gap, in an audit.
  case level(control: UInt8, state: UInt8)
  /// So many edges of a control were lost; a `level` follows.
  case lost(control: UInt8, count: UInt16)
  /// A control's line came or went.
  case line(control: UInt8, present: Bool)

  /// An output's codec controls came or went, with its card.
  case output(UInt8, present: Bool)
  /// An output's volume turned out to have this range: its lowest gain that is not mute, and the
  /// smaller of its maximum and the route's `max-db`. The curve is made anew (VOL-4).
  case window(output: UInt8, lowest: Gain, top: Gain)
  /// An output's volume was read back, after our write or somebody else's.
  case gain(output: UInt8, Gain)
  /// An output's switch was read back.
  case switched(output: UInt8, on: Bool)
  /// An output's amplifier line was read back.
  case amplifier(output: UInt8, on: Bool)
  /// A source's gain was read back.
  case source(UInt8, Gain)
  /// A source's gain control came or went, with its card; at the start all are taken to be there.
  case sourceControl(UInt8, present: Bool)
  /// The capture switch came or went, with its card; at the start it is taken to be there.
  case captureControl(present: Bool)
  /// The capture switch was read back (SES-10).
  case capture(on: Bool)
  /// A sound that was asked for has ended, or did not begin: once for each.
  case soundEnded
  /// A write was refused by the hardware or by somebody's lock.
  case failed(Part, UInt8)

  /// Somebody asks for something; answered by `Effect.reply` with the same token.
  case request(token: UInt16, Request)
  /// A session's program or player did something.
  case session(UInt8, SessionEvent)
}

/// What a write goes to.
public enum Part: Plain, CaseIterable {
  case gain, outputSwitch, amplifier, source, capture
}

/// What software asks for, by D-Bus or the command line.
public enum Request: Plain, Equatable {
  case setLevel(Volume, Level)
  case setGain(Volume, Gain)
  case step(Volume, Int8)
  case setMute(Bool)
  case toggleMute
  /// Only where no silent switch is fitted (SIL-3).
  case setSilent(Bool)
  case chooseRoute(UInt8)
  /// −100…100 (VOL-9).
  case setBalance(Int8)
  /// A person's word to a session, or its program's.
  case session(UInt8, SessionEvent)
  /// A person's word to whatever plays (CTL-2).
  case command(Command)
  /// A program opens a session; `Effect.opened` names its place.
  ///
  /// `peer` is whoever has so many at
  /// most (SES-12).
  case open(peer: UInt16, Source)
  case setCategory(UInt8, Category)
  case setMode(UInt8, Mode)
  case setOptions(UInt8, SessionOptions)
  /// A session's own gain, at most 0 dB (VOL-10).
  case setSessionGain(UInt8, Gain)
  case setCommands(UInt8, CommandSet)
  case setPausesOnUnplug(UInt8, Bool)
  /// An answer at the device, for a program or a person's tool (FBK-8).
  case feedback(peer: UInt16, Feedback)
  /// One of the device's own sounds (FBK-4).
  case playSound(peer: UInt16, UInt8)
  /// Something is about to be answered (FBK-5).
  case prepareFeedback(peer: UInt16)
  /// Silence everything, write the state, and stay silent, since the daemon is about to end.
  case shutDown
}

/// The answer to a request.
public enum Reply: Plain, CaseIterable {
  /// Done as asked.
  case done
  /// Done as far as a limit allows: `max-level` or the armed headphone limit (VOL-13, VOL-16).
  case limited
  /// Done, but something else still silences (SIL-3).
  case stillSilent
  /// A hardware switch is not overridden by software (SIL-3).
  case refusedByHardwareSwitch
  /// There is no such route, or it is not there now.
  case noSuchRoute
  /// There is no such source.
  case noSuchSource
  /// Granted, and told of an interruption at once: an alarm or a ring has the floor (SES-2).
  case held
  /// A call has the floor (SES-2).
  case busy
  /// Its category does not start in background (SES-11).
  case inBackground
  /// The microphone is off (SES-10).
  case microphoneMuted
  /// The category does not take these options or this mode (SES-1).
  case notAllowed
  /// A gain above 0 dB (VOL-10).
  case gainAboveZero
  /// There are 32 sessions, or 28 and this is neither an alarm nor a call (SES-12).
  case tooManySessions
  /// This peer has 8 sessions (SES-12).
  case tooManyOfPeer
  /// None of the program's sessions is active and in front (FBK-8).
  case notActive
  /// There is nothing to set: the volume does not exist on this device.
  case notOnThisDevice
}
