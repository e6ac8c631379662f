// SPDX-License-Identifier: Apache-2.0
//
// The language of the command line as one table, from which parsing, help and advice come.
//
//   verb     what to do: one word, or two where the first is a group ("set volume")
//   operand  what to do it to, by position
//   option   how to do it, by name; `--name value` or `--name=value`

import TactusCore

/// Everything `tactus` can do.
enum Verb: CaseIterable {
  case status, watch, why
  case setVolume, setRinger, setMute, setSilent, setRoute, setBalance
  case play, pause, stop, sound, feedback, run, bridge
  case press, turn, toggleSwitch
  case metrics, lines, mixer
  case boardCheck, boardList, boardPins, boardIdentify, boardNew, boardCompile
  case doctor, test
  case trace, tracePlot, record, replay, sim
  case policyMatrix, policyRun
  case complete, playSounds
}

/// Where the overview shows a verb.
enum Chapter: CaseIterable {
  case look, set, touch, inspect, prove

  var title: String {
    switch self {
    case .look: "See what the device does"
    case .set: "Set it"
    case .touch: "Touch the controls of a simulated board"
    case .inspect: "Find out what is wrong; the daemon need not run"
    case .prove: "Ask the policy: what would happen, what did, what never may"
    }
  }
}

/// One argument by position.
struct OperandEntry {
  /// In brackets where it may be missing, with points where there may be more.
  let name: String
  let about: String

  var isOptional: Bool { name.hasPrefix("[") }
  var isRepeated: Bool { name.hasSuffix("...") }
}

/// One argument by name.
struct OptionEntry {
  let name: String
  /// What its value is called; nil for an option without one.
  let value: String?
  let about: String

  /// How to write it: `--hold MS`.
  var written: String { value.map { "\(name) \($0)" } ?? name }
}

/// One verb with all that is said about it.
struct VerbEntry {
  let verb: Verb
  let chapter: Chapter
  /// As typed: "status", "set volume".
  let words: String
  let operands: [OperandEntry]
  let options: [OptionEntry]
  /// One line for the overview.
  let summary: String
  /// What else a person should know, line by line.
  let details: [String]

  init(
    _ verb: Verb,
    _ chapter: Chapter,
    _ words: String,
    _ operands: [OperandEntry] = [],
    options: [OptionEntry] = [],
    _ summary: String,
    details: [String] = []
  ) {
    self.verb = verb
    self.chapter = chapter
    self.words = words
    self.operands = operands
    self.options = options
    self.summary = summary
    self.details = details
  }

  /// How to write it: `tactus press CONTROL [--hold MS]`.
  var usage: String {
    var text = "tactus \(words)"
    for operand in operands { text += " \(operand.name)" }
    let written = options.map { " [\($0.written)]" }.joined()
    let isLong = text.utf8.count + written.utf8.count > 90
    if !isLong { return text + written }
    // Behind -- nothing is an option of ours.
    let separator = operands.last?.isRepeated ?? false ? " --" : ""
    let names = operands.map { " \($0.name)" }.joined()
    return "tactus \(words) [OPTION]...\(separator)\(names)"
  }
}

/// The table.
enum Grammar {
  /// Allowed with every verb, before or after it.
  static let global: [OptionEntry] = [
    OptionEntry(
      name: "--bus",
      value: "BUS",
      about: "where the daemon is: system (default), session or a D-Bus address"
    ),
    OptionEntry(
      name: "--boards",
      value: "DIR",
      about: "where the boards are (default /usr/share/tactus/boards)"
    ),
    OptionEntry(name: "--help", value: nil, about: "this help; also of one verb"),
    OptionEntry(name: "--version", value: nil, about: "the version of this program"),
  ]

  private static let json = OptionEntry(
    name: "--json",
    value: nil,
    about: "the same as JSON, for programs"
  )
  private static let range = [
    OptionEntry(name: "--from", value: "TIME", about: "from a time of day on, such as 20:14"),
    OptionEntry(name: "--to", value: "TIME", about: "up to a time of day"),
    OptionEntry(name: "--last", value: "TIME", about: "only its last 90s, 10m or 2h"),
  ]
  private static let amount = OperandEntry(
    name: "AMOUNT",
    about: "40% of the range, -20dB of gain, or +1 or -1 of its 16 steps"
  )
  private static let control = OperandEntry(
    name: "CONTROL",
    about: "a name that tactus status shows under inputs"
  )
  private static let source = OperandEntry(
    name: "SOURCE",
    about: "a name that tactus status shows under sources"
  )
  private static let board = OperandEntry(
    name: "BOARD",
    about: "the name of a shipped board, or a board.yaml"
  )
  private static let onOff = OperandEntry(name: "on|off", about: "the position")

  /// The verbs, in the order of the overview.
  static let verbs: [VerbEntry] = [
    VerbEntry(
      .status,
      .look,
      "status",
      options: [json],
      "volume, route, silence and what is heard, at a glance"
    ),
    VerbEntry(
      .watch,
      .look,
      "watch",
      options: [
        OptionEntry(name: "--json", value: nil, about: "one line of JSON at each change, flushed"),
        OptionEntry(
          name: "--hands",
          value: "FILE",
          about: "a pipe to a program that moves the contacts: touches go there, one a line"
        ),
      ],
      "the same, live on the whole screen",
      details: [
        "On a simulated board the keys press its contacts, bounce included; on a real one they set",
        "what the contact would have set. The screen is drawn only when something changes.",
        "",
        "  up down  volume            s  silent switch    r      next route",
        "  m        mute              h  headphones       space  play or pause the first source",
        "  + - k j  volume, too     q  leave",
      ]
    ),
    VerbEntry(
      .why,
      .look,
      "why",
      [OperandEntry(name: "[SOURCE]", about: "this one only, as tactus status names it")],
      options: [json],
      "which rules decided what is heard, by their ids"
    ),
    VerbEntry(
      .setVolume,
      .set,
      "set volume",
      [amount],
      "the volume of the route in use",
      details: ["It stops at the board's max-level and at the headphone limit, and says so."]
    ),
    VerbEntry(
      .setRinger,
      .set,
      "set ringer",
      [amount],
      "the volume of ringtones, alerts and the device's own sounds"
    ),
    VerbEntry(
      .setMute,
      .set,
      "set mute",
      [OperandEntry(name: "on|off|toggle", about: "the soft mute; the level is kept")],
      "silence everything but alarms, or hear it again"
    ),
    VerbEntry(
      .setSilent,
      .set,
      "set silent",
      [onOff],
      "the silent switch, where the board has none",
      details: ["A hardware switch is never overridden by software."]
    ),
    VerbEntry(
      .setRoute,
      .set,
      "set route",
      [OperandEntry(name: "NAME", about: "speaker, headphones, line, bluetooth or network")],
      "where sound comes out"
    ),
    VerbEntry(
      .setBalance,
      .set,
      "set balance",
      [OperandEntry(name: "N", about: "-100 (left only) to 100 (right only), 0 is the middle")],
      "left against right"
    ),
    VerbEntry(.play, .set, "play", [source], "start a source, as a person would"),
    VerbEntry(.pause, .set, "pause", [source], "pause a source"),
    VerbEntry(.stop, .set, "stop", [source], "stop a source"),
    VerbEntry(
      .sound,
      .set,
      "sound",
      [
        OperandEntry(
          name: "[NAME]",
          about: "one of the device's sounds; without it they are listed"
        )
      ],
      "play one of the device's own sounds",
      details: [
        "They sound at the ringer volume, one at a time, never while something records, and obey",
        "the silent switch and the mute. Exit code 1: not played, with the reason.",
      ]
    ),
    VerbEntry(
      .feedback,
      .set,
      "feedback",
      [OperandEntry(name: "[TYPE]", about: "what it tells; without it the seven are explained")],
      "answer at the device by light, motor and sound",
      details: ["Exit code 1: nothing at the device can answer now, with the reason."]
    ),
    VerbEntry(
      .run,
      .set,
      "run",
      [OperandEntry(name: "PROGRAM...", about: "behind --, with its arguments")],
      options: [
        OptionEntry(
          name: "--category",
          value: "C",
          about: "what kind of sound it is; else you are asked"
        ),
        OptionEntry(name: "--mode", value: "M", about: "spoken-audio or voice-chat"),
        OptionEntry(name: "--mix-with-others", value: nil, about: "sounds beside others"),
        OptionEntry(name: "--duck-others", value: nil, about: "others are lowered meanwhile"),
        OptionEntry(
          name: "--interrupt-spoken-audio",
          value: nil,
          about: "others' speech is paused meanwhile, the rest is lowered"
        ),
        OptionEntry(name: "--gain", value: "DB", about: "its own gain, -100 to 0"),
        OptionEntry(name: "--resumes-always", value: nil, about: "after every interruption"),
        OptionEntry(
          name: "--plays-on-unplug",
          value: nil,
          about: "goes on when headphones are unplugged"
        ),
        OptionEntry(
          name: "--stop-after",
          value: "S",
          about: "ends the program after so many seconds of interruption"
        ),
        OptionEntry(name: "--name", value: "NAME", about: "instead of the program's"),
      ],
      "run a program as a session: aplay, mpv, a script",
      details: [
        "tactus run --category alert -- aplay bell.wav",
        "",
        "The program plays to the default ALSA device. While others have the floor it is silent",
        "and runs on. An alarm plays without tactusd, too. Exit code: the program's, or 125, 126",
        "(cannot be run) and 127 (not found), as env(1) has them.",
      ]
    ),
    VerbEntry(
      .bridge,
      .set,
      "bridge",
      [],
      options: [
        OptionEntry(
          name: "--players",
          value: "BUS",
          about: "where they are: session (default), system or a D-Bus address"
        ),
        OptionEntry(name: "--settings", value: "FILE", about: "instead of /etc/tactus/tactus.yaml"),
      ],
      "adopt the players of your own session, as long as it runs"
    ),
    VerbEntry(
      .press,
      .touch,
      "press",
      [control],
      options: [
        OptionEntry(
          name: "--hold",
          value: "MS",
          about: "milliseconds until the release, 1 to 120000"
        )
      ],
      "press a button and let go"
    ),
    VerbEntry(
      .turn,
      .touch,
      "turn",
      [control, OperandEntry(name: "N", about: "detents, -100 to 100, clockwise above 0")],
      "turn a knob"
    ),
    VerbEntry(
      .toggleSwitch,
      .touch,
      "switch",
      [control, onOff],
      "move a switch, or plug the headphones in or out"
    ),
    VerbEntry(
      .metrics,
      .inspect,
      "metrics",
      options: [
        OptionEntry(
          name: "--write",
          value: "FILE",
          about: "into this file, all at once, such as node_exporter's tactus.prom"
        )
      ],
      "counters and gauges for fleets, as OpenMetrics text",
      details: [
        "Where tactusd does not answer, tactus_up is 0 and the exit code 69.",
        "tactus(1) explains all names and units.",
      ]
    ),
    VerbEntry(
      .lines,
      .inspect,
      "lines",
      options: [json],
      "GPIO chips and their lines, with who uses them"
    ),
    VerbEntry(
      .mixer,
      .inspect,
      "mixer",
      options: [
        OptionEntry(name: "--card", value: "ID", about: "this card only, such as sndrpihifiberry"),
        json,
      ],
      "the raw controls of the sound cards: channels, range, dB, lock"
    ),
    VerbEntry(
      .boardCheck,
      .inspect,
      "board check",
      [board],
      options: [json],
      "every mistake of a board file, with its place and what to write"
    ),
    VerbEntry(
      .boardList,
      .inspect,
      "board list",
      options: [json],
      "the shipped boards, and what is not confirmed"
    ),
    VerbEntry(
      .boardPins,
      .inspect,
      "board pins",
      [board],
      options: [
        OptionEntry(
          name: "--svg",
          value: "OUT",
          about: "draw it into this file (- is standard output)"
        ),
        json,
      ],
      "the 40-pin header: which pin is whose, which are free"
    ),
    VerbEntry(
      .boardIdentify,
      .inspect,
      "board identify",
      options: [json],
      "which shipped boards this machine may be, and why",
      details: [
        "It reads the device tree, the HAT's EEPROM as the firmware copied it, the sound cards and",
        "the GPIO chips. It never probes a bus.",
      ]
    ),
    VerbEntry(
      .boardNew,
      .inspect,
      "board new",
      [OperandEntry(name: "[NAME]", about: "what your device is called, such as my-radio")],
      options: [
        OptionEntry(name: "--extends", value: "BOARD", about: "the shipped board that it has"),
        OptionEntry(name: "--volume-up", value: "LINE", about: "a button, by its BCM number"),
        OptionEntry(name: "--volume-down", value: "LINE", about: "a button"),
        OptionEntry(name: "--knob", value: "A,B[,PUSH]", about: "a rotary encoder"),
        OptionEntry(name: "--mute", value: "LINE", about: "a mute button"),
        OptionEntry(name: "--silent-switch", value: "LINE", about: "a ring/silent switch"),
        OptionEntry(name: "--play-pause", value: "LINE", about: "a button"),
        OptionEntry(name: "--led", value: "LINE", about: "an LED that shows silence"),
        OptionEntry(name: "--out", value: "FILE", about: "where to (default NAME/board.yaml)"),
      ],
      "write a board file for a device of your own",
      details: [
        "It extends a shipped board by your buttons, knob, switch and LED. At a terminal it asks",
        "for what the options do not say; then run tactus board check on the file.",
      ]
    ),
    VerbEntry(
      .boardCompile,
      .inspect,
      "board compile",
      [OperandEntry(name: "[BOARD]", about: "a name or file (default: the settings' one)")],
      options: [
        OptionEntry(name: "--settings", value: "FILE", about: "instead of /etc/tactus/tactus.yaml"),
        OptionEntry(name: "--tick", value: "MS", about: "length of a tick, 1 to 20"),
        OptionEntry(name: "--lenient", value: nil, about: "leave out what is wrong"),
      ],
      "what tactusd starts with: board and settings, in bytes for it alone",
      details: ["tactusd runs this at its start and on SIGHUP; a version reads only its own bytes."]
    ),
    VerbEntry(
      .doctor,
      .inspect,
      "doctor",
      options: [
        OptionEntry(
          name: "--board",
          value: "NAME",
          about: "the board to check for (default: the daemon's)"
        ),
        json,
        OptionEntry(
          name: "--bundle",
          value: "FILE",
          about: "one tar with all that a report needs, and nothing personal"
        ),
      ],
      "check the whole machine; each finding says what to do",
      details: [
        "With tactusd it tells what its edges and read-backs show; without it, it listens to the",
        "lines for half a second. Run as root it sees everything. Exit code 1: something fails.",
      ]
    ),
    VerbEntry(
      .test,
      .inspect,
      "test",
      options: [
        OptionEntry(name: "--control", value: "NAME", about: "this one only, and no sound"),
        OptionEntry(name: "--seconds", value: "N", about: "how long to wait for each (default 20)"),
        OptionEntry(name: "--record", value: "FILE", about: "keep the raw edges, as text"),
        OptionEntry(name: "--sound", value: nil, about: "only tones on each output, then silence"),
        OptionEntry(name: "--board", value: "NAME", about: "the board (default: the daemon's)"),
        json,
      ],
      "move each control, see how it bounces and what to set; hear each output",
      details: [
        "While tactusd runs the edges come through it (group tactus), and it acts upon them; else",
        "the lines are read directly. Without a terminal all controls are listened to at once.",
        "Exit code 1: something needs another setting; else the device answers with success.",
        "",
        "A record has one line for an edge: nanoseconds, control, line (A, B or -), level (1 is",
        "high); its first line is tactus-edges 1 BOARD.",
      ]
    ),
    VerbEntry(
      .trace,
      .prove,
      "trace",
      [OperandEntry(name: "[FILE]", about: "a recorded trace; without it the daemon's own")],
      options: [
        OptionEntry(name: "--follow", value: nil, about: "go on with what happens from now on"),
        OptionEntry(
          name: "--all",
          value: nil,
          about: "also every write and everything that was read back"
        ),
      ] + range + [
        OptionEntry(name: "--json", value: nil, about: "one line of JSON for each tick")
      ],
      "what happened: one line for each tick that did something",
      details: [
        "Each line has the time, what came in, what changed, and the rule that decided it. It",
        "holds about an hour of a listener's evening, and is there after any kind of end.",
      ]
    ),
    VerbEntry(
      .tracePlot,
      .prove,
      "trace plot",
      [OperandEntry(name: "[FILE]", about: "a recorded trace; without it the daemon's own")],
      options: [
        OptionEntry(
          name: "--svg",
          value: "OUT",
          about: "draw it into this file (- is standard output)"
        ),
        OptionEntry(name: "--png", value: "OUT", about: "the same as PNG; needs rsvg-convert"),
      ] + range,
      "a picture of a trace: inputs, level, gain, route, silence, sessions"
    ),
    VerbEntry(
      .record,
      .prove,
      "record",
      [OperandEntry(name: "FILE", about: "where to")],
      "keep the daemon's trace in a file"
    ),
    VerbEntry(
      .replay,
      .prove,
      "replay",
      [OperandEntry(name: "FILE", about: "a trace (tactus record), or raw edges (tactus test)")],
      options: [
        OptionEntry(
          name: "--board",
          value: "NAME",
          about: "on another board, by name or file: what would have happened there"
        ),
        OptionEntry(
          name: "--debounce",
          value: "MS",
          about: "with another debounce time for every contact, 0 to 1000"
        ),
        OptionEntry(
          name: "--json",
          value: nil,
          about: "one line of JSON for each tick, then one for all"
        ),
      ],
      "run a trace again, or what was recorded on another board",
      details: [
        "A trace alone must have the same effects at every tick; the first that differs is named.",
        "With --board or --debounce the hands and programs of the trace, or the raw edges, happen",
        "there: what would have been a press, a step or a glitch, and what would have come of it.",
      ]
    ),
    VerbEntry(
      .sim,
      .prove,
      "sim",
      options: [
        OptionEntry(name: "--seed", value: "N", about: "where chance begins (default 1)"),
        OptionEntry(name: "--ticks", value: "N", about: "how long a run is (default 200000)"),
        OptionEntry(
          name: "--seeds",
          value: "N",
          about: "how many runs, from --seed on (default 1)"
        ),
        OptionEntry(name: "--canary", value: nil, about: "with an invariant that must fail"),
        OptionEntry(
          name: "--measure",
          value: nil,
          about: "only what a tick costs with every input active"
        ),
      ],
      "a speaker in memory, with faults, every rule checked at every tick"
    ),
    VerbEntry(
      .policyMatrix,
      .prove,
      "policy matrix",
      options: [json],
      "who may be heard beside whom: every category against every other"
    ),
    VerbEntry(
      .policyRun,
      .prove,
      "policy run",
      [OperandEntry(name: "SCENARIO", about: "a file of what happens when; - is standard input")],
      options: [
        OptionEntry(
          name: "--board",
          value: "NAME",
          about: "the board it happens on, by name or file (default simulated)"
        ),
        OptionEntry(name: "--json", value: nil, about: "one line of JSON for each change"),
      ],
      "play a scenario through the policy; each change with its rule",
      details: ScenarioHelp.lines
    ),
  ]

  /// What works and is not shown: shells and tactusd ask, not people.
  static let hidden = [
    VerbEntry(
      .complete,
      .inspect,
      "complete",
      [OperandEntry(name: "KIND", about: "boards, controls, routes, sources, sounds, …")],
      "what a shell offers for a word, one a line"
    ),
    VerbEntry(
      .playSounds,
      .inspect,
      "play-sounds",
      [
        OperandEntry(name: "PERCENT", about: "of their amplitude"),
        OperandEntry(name: "PCM", about: "by ALSA's name"),
        OperandEntry(name: "FILE...", about: "the sounds, by position"),
      ],
      "plays the device's own sounds as tactusd says on standard input"
    ),
  ]

  /// The entry of a verb.
  static func entry(of verb: Verb) -> VerbEntry {
    for entry in verbs + hidden where entry.verb == verb { return entry }
    preconditionFailure("a verb without an entry in the table")
  }
}
