// SPDX-License-Identifier: Apache-2.0
//
// From words to a verb, and every way in which words can be wrong.

import TactusCore
import TactusLinux
import Testing

@testable import tactus

@Suite("Parser")
struct ParserTests {
  @Test("every verb is in the table once, and parses from its own usage")
  func everyVerbParses() throws {
    #expect((Grammar.verbs + Grammar.hidden).map { $0.verb } == Verb.allCases)
    for entry in Grammar.verbs {
      var words = entry.words.split(separator: " ").map(String.init)
      words += entry.operands.map { $0.name }
      for option in entry.options { words += [option.name] + (option.value.map { [$0] } ?? []) }
      guard case .run(let invocation) = try parse(words) else {
        Issue.record("\(entry.words) is not run")
        continue
      }
      #expect(invocation.verb == entry.verb)
      #expect(invocation.operands == entry.operands.map { $0.name })
      for option in entry.options {
        #expect(invocation.has(option.name))
        #expect(invocation.value(of: option.name) == option.value)
      }
    }
  }

  @Test("options stand before or after the verb, with a space or an equals sign")
  func optionsStandAnywhere() throws {
    for words in [
      ["--bus", "session", "status"], ["status", "--bus", "session"], ["status", "--bus=session"],
      ["--bus=system", "status", "--bus", "session"],
    ] {
      guard case .run(let invocation) = try parse(words) else {
        Issue.record("\(words) is not run")
        continue
      }
      #expect(invocation.verb == .status)
      #expect(invocation.value(of: "--bus") == "session")
    }
  }

  @Test(
    "what begins with a minus and a digit is an operand, and so is all after --",
    arguments: [
      ["set", "volume", "-20dB"], ["set", "volume", "-1"], ["set", "volume", "--", "-x"],
    ]
  )
  func amountsAreOperands(words: [String]) throws {
    guard case .run(let invocation) = try parse(words) else {
      Issue.record("\(words) is not run")
      return
    }
    #expect(invocation.operands == [words.last])
  }

  @Test(
    "a wrong command line is one line with the nearest right word, and exit code 64",
    arguments: [
      ([], "tactus: command: missing, tactus --help lists them"),
      (["sttus"], "tactus: command: no such command (sttus), did you mean status?"),
      (["frobnicate"], "tactus: command: no such command (frobnicate), tactus --help lists them"),
      (["status", "--jsn"], "tactus: status: no such option (--jsn), did you mean --json?"),
      (["status", "-j"], "tactus: status: no such option (-j), see tactus status --help"),
      (
        ["status", "--hold", "3"],
        "tactus: status: no such option (--hold), see tactus status --help"
      ),
      (["--buss", "x"], "tactus: command: no such command (x), tactus --help lists them"),
      (["--buss"], "tactus: command: no such option (--buss), did you mean --bus?"),
      (["status", "now"], "tactus: status: too much (now), write tactus status [--json]"),
      (["press"], "tactus: press: missing CONTROL, write tactus press CONTROL [--hold MS]"),
      (["set"], "tactus: set: missing what, one of volume, ringer, mute, silent, route, balance"),
      (["set", "volum", "1"], "tactus: set: no such thing (volum), did you mean volume?"),
      (
        ["board", "x"],
        "tactus: board: no such thing (x), one of check, list, pins, identify, new, compile"
      ),
      (
        ["status", "--bus"],
        "tactus: --bus: missing BUS, where the daemon is: system (default), session or a D-Bus"
          + " address"
      ),
      (["status", "--json=1"], "tactus: --json: takes no value (1)"),
      (
        ["board", "list", "a\u{1b}[2J"],
        "tactus: board list: too much (a?[2J), write tactus board list [--json]"
      ),
    ] as [([String], String)]
  )
  func wrongWords(words: [String], message: String) throws {
    let failure = try #require(throws: Failure.self) { try parse(words) }
    #expect(failure.message == message)
    #expect(failure.code == .usage)
  }

  @Test(
    "a wrong command line of run is a failure of its own, 125, as its program may end with 64",
    arguments: [
      (
        ["run", "--categry", "alert", "--", "true"],
        "tactus: run: no such option (--categry), did you mean --category?"
      ),
      (["--hold=3", "run", "true"], "tactus: run: no such option (--hold), see tactus run --help"),
      (
        ["run", "--category"],
        "tactus: --category: missing C, what kind of sound it is; else you are asked"
      ),
      (
        ["run", "--category", "alert"],
        "tactus: run: missing PROGRAM..., write tactus run [OPTION]... -- PROGRAM..."
      ),
    ] as [([String], String)]
  )
  func wrongRun(words: [String], message: String) throws {
    let failure = try #require(throws: Failure.self) { try parse(words) }
    #expect(failure.message == message)
    #expect(failure.code == .cannotRun)
  }

  @Test("--help and --version win over what is missing")
  func helpWins() throws {
    guard case .help(["set", "volume"]) = try parse(["set", "volume", "--help"]),
      case .help(["press"]) = try parse(["-h", "press"]),
      case .help(["set"]) = try parse(["help", "set"]),
      case .help([]) = try parse(["--help"]), case .version = try parse(["press", "--version"])
    else {
      Issue.record("not what was asked")
      return
    }
  }
}

@Suite("Calls")
struct CallTests {
  @Test(
    "a verb is the call of the daemon that it says",
    arguments: [
      (["set", "volume", "40%"], Call(.setLevel, .text("system"), .number(0.4))),
      (["set", "volume", "-20dB"], Call(.setGain, .text("system"), .number(-20))),
      (["set", "ringer", "-6.25 dB"], Call(.setGain, .text("ringer"), .number(-6.25))),
      (["set", "volume", "+1"], Call(.step, .text("system"), .integer(1))),
      (["set", "ringer", "-16"], Call(.step, .text("ringer"), .integer(-16))),
      (["set", "mute", "on"], Call(.setMute, .bool(true))),
      (["set", "mute", "off"], Call(.setMute, .bool(false))),
      (["set", "mute", "toggle"], Call(.toggleMute)),
      (["set", "silent", "on"], Call(.setSilent, .bool(true))),
      (["set", "route", "line"], Call(.setRoute, .text("line"))),
      (["set", "balance", "-100"], Call(.setBalance, .integer(-100))),
      (["play", "music"], Call(.play, .text("music"))),
      (["pause", "music"], Call(.pause, .text("music"))),
      (["stop", "music"], Call(.stop, .text("music"))),
      (["press", "mute"], Call(.press, .text("mute"), .count(0))),
      (["press", "mute", "--hold", "120000"], Call(.press, .text("mute"), .count(120_000))),
      (["turn", "knob", "-3"], Call(.turn, .text("knob"), .integer(-3))),
      (["switch", "jack", "on"], Call(.contact, .text("jack"), .bool(true))),
    ] as [([String], Call)]
  )
  func verbsAreCalls(words: [String], expected: Call) throws {
    guard case .run(let invocation) = try parse(words) else {
      Issue.record("\(words) is not run")
      return
    }
    #expect(try call(for: invocation) == expected)
  }

  @Test(
    "a value that cannot be right is refused with its bound, before the daemon is asked",
    arguments: [
      (
        ["set", "volume", "40"],
        "tactus: set volume: not an amount (40), write 0% to 100%, -20dB, or -16 to +16 steps"
          + " with their sign"
      ),
      (["set", "mute", "onn"], "tactus: set mute: no such value (onn), did you mean on?"),
      (["set", "silent", "maybe"], "tactus: set silent: no such value (maybe), one of on, off"),
      (
        ["set", "balance", "101"],
        "tactus: set balance: not a number in its range (101), write -100 to 100"
      ),
      (
        ["press", "mute", "--hold", "0"],
        "tactus: --hold: not a number in its range (0), write 1 to 120000"
      ),
      (["turn", "knob", "x"], "tactus: turn: not a number in its range (x), write -100 to 100"),
      (["switch", "jack", "in"], "tactus: switch: no such value (in), did you mean on?"),
    ] as [([String], String)]
  )
  func wrongValues(words: [String], message: String) throws {
    guard case .run(let invocation) = try parse(words) else {
      Issue.record("\(words) is not run")
      return
    }
    let failure = try #require(throws: Failure.self) { try call(for: invocation) }
    #expect(failure.message == message)
    #expect(failure.code == .usage)
  }

  @Test("amounts: just inside and just outside every bound")
  func amounts() {
    #expect(Amount("0%") == .level(.zero))
    #expect(Amount("100%") == .level(.full))
    #expect(Amount("6.25%") == .level(Level(sixteenths: 1)))
    #expect(Amount("-200dB") == .gain(Gain(millibels: -20_000)))
    #expect(Amount("+6DB") == .gain(Gain(millibels: 600)))
    #expect(Amount("-.5dB") == .gain(Gain(millibels: -50)))
    #expect(Amount("+16") == .steps(16))
    for wrong in [
      "", "%", "dB", "40", "101%", "-1%", "6.255%", "1.2.3%", "-201dB", "51dB", "+17", "-17", "+0",
      "--1", "1e2%", "١%", "99999999999%", "4 0%",
    ] {
      #expect(Amount(wrong) == nil, "\(wrong)")
    }
  }

  @Test("a limit and a remaining silence are remarked, plain success is not")
  func remarks() {
    let call = Call(.toggleMute)
    #expect(remark(on: "done", of: call) == nil)
    #expect(remark(on: "limited", of: call)?.hasPrefix("stopped at a limit") == true)
    #expect(remark(on: "still-silent", of: call)?.contains("still silences") == true)
  }
}
