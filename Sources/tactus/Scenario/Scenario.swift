// SPDX-License-Identifier: Apache-2.0
//
// A scenario: what happens to a device, and when. One event a line:
//
//   0 ms     open music playback             # a program opens a session; it is called music here
//   100 ms   activate music
//   2000 ms  press mute
//   5000 ms  end
//
//   step     one line: a time and an event
//   event    what a program, a person or a player does
//   peer     the program behind a session; each session has its own unless the scenario says so

import TactusCore

/// What happens, by rising time.
struct Scenario {
  var steps: [ScenarioStep] = []
  /// The names of the sessions, by their number in the events.
  var names: [String] = []
  /// When it ends; nil is when nothing is left to happen.
  var end: Int64?
}

/// One line of a scenario.
struct ScenarioStep {
  let milliseconds: Int64
  let event: ScenarioEvent
}

/// What happens in one line.
///
/// Sessions are meant by their number in `Scenario.names`.
enum ScenarioEvent {
  case open(session: Int, peer: UInt16, Source)
  /// The program's Activate, and SetPlaying(true).
  case activate(session: Int)
  /// Something that a program, a player or a person does to a session.
  case session(Int, SessionEvent)
  case setCategory(Int, TactusCore.Category)
  case setMode(Int, Mode)
  case setOptions(Int, SessionOptions)
  case setGain(Int, Gain)
  case setCommands(Int, CommandSet)
  case setPausesOnUnplug(Int, Bool)
  /// A button, pressed for so long.
  case press(control: Int, milliseconds: Int64)
  /// A knob by so many detents.
  case turn(control: Int, detents: Int)
  /// A switch, or the plug.
  case put(control: Int, Bool)
  /// What software or a person asks of the device.
  case ask(Request)
}
