// SPDX-License-Identifier: Apache-2.0
//
// `tactus run`: any program as a session. It plays to the default ALSA device, which is the
// session's for it; the policy silences it and lets it be heard, and it is never stopped half-way.
//
//   own failures  125, 126 (found, but cannot be run) and 127 (not found), as env(1) has them
//   exit code     else the program's own, or 128 and the signal's number

import TactusCore
import TactusLinux

/// Runs `run`; does not return.
func runProgram(_ invocation: Invocation) throws(Failure) -> ExitCode {
  do throws(Failure) {
    let plan = try SessionPlan(invocation)
    Program.end(try plan.run())
  } catch {
    writeError(error.message)
    Program.end(ExitCode.cannotRun.rawValue)
  }
}

/// What the command line asks for.
private struct SessionPlan {
  private static let reachMicroseconds: UInt64 = 1_000_000
  private let address: BusAddress
  private let arguments: [String]
  private let category: Category
  private let options: [BusOption]
  /// The name without what makes it one of its own.
  private let name: String
  private let isNamed: Bool
  /// How long it may be silenced by others; nil is for ever.
  private let stopAfterSeconds: UInt64?

  init(_ invocation: Invocation) throws(Failure) {
    address = BusAddress(argument: invocation.value(of: "--bus") ?? "system")
    arguments = invocation.operands
    options = try SessionPlan.options(invocation)
    isNamed = invocation.has("--name")
    name = invocation.value(of: "--name") ?? SessionPlan.name(of: invocation.operands[0])
    stopAfterSeconds =
      invocation.has("--stop-after")
      ? UInt64(try number(invocation.value(of: "--stop-after") ?? "", in: 0...86_400, of: "run"))
      : nil
    // Last, as a person may be asked: not before all else is right.
    category =
      if let word = invocation.value(of: "--category") {
        try SessionPlan.category(named: word)
      } else {
        try SessionPlan.askForCategory()
      }
  }

  private static func category(named word: String) throws(Failure) -> Category {
    if let category = Category(name: word.kebabCase) { return category }
    let known = Category.allCases.map { $0.name }
    let all = "one of \(known.joined(separator: ", "))"
    let next = advice(for: word, among: known, otherwise: all)
    throw Failure(.usage, "--category", "no such category", value: word, next: next)
  }

  /// There is no default: a person is asked until the answer is a category.
  private static func askForCategory() throws(Failure) -> Category {
    writeError(CategoryTable.text)
    while canAsk, let word = answer(to: "category:") {
      do throws(Failure) {
        return try category(named: word)
      } catch {
        writeError(error.message)
      }
    }
    throw Failure(
      .usage,
      "run",
      "which category?",
      next: "there is no default, write --category and one of the table"
    )
  }

  private static func options(_ invocation: Invocation) throws(Failure) -> [BusOption] {
    var options: [BusOption] = []
    var words: [String] = []
    if invocation.has("--mix-with-others") { words.append(SessionOption.mixWithOthers.name) }
    if invocation.has("--duck-others") { words.append(SessionOption.duckOthers.name) }
    if invocation.has("--interrupt-spoken-audio") {
      words.append(SessionOption.interruptSpokenAudioAndMixWithOthers.name)
    }
    if !words.isEmpty { options.append(BusOption("options", .texts(words))) }
    if let mode = invocation.value(of: "--mode") { options.append(BusOption("mode", .text(mode))) }
    if let text = invocation.value(of: "--gain") {
      let gain = Double(try number(text, in: -100...0, of: "--gain"))
      options.append(BusOption("gain", .number(gain)))
    }
    if invocation.has("--resumes-always") {
      options.append(BusOption("resumesAlways", .bool(true)))
    }
    if invocation.has("--plays-on-unplug") {
      options.append(BusOption("pauseOnUnplug", .bool(false)))
    }
    // What the program itself cannot do is done by silence, and by its end.
    let commands = [TactusCore.Command.play, .stop].map { $0.name }
    options.append(BusOption("commands", .texts(commands)))
    return options
  }

  /// The program's name as far as ALSA takes it.
  private static func name(of program: String) -> String {
    let file = program.split(at: "/").last ?? ""
    var bytes: [UInt8] = []
    for byte in file.utf8 {
      let small = byte | 0x20
      let isLetter = small >= UInt8(ascii: "a") && small <= UInt8(ascii: "z")
      if isLetter { bytes.append(small) }
      if byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "-") {
        bytes.append(byte)
      }
    }
    let name = String(decoding: bytes.prefix(20), as: UTF8.self)
    return name.isEmpty ? "program" : name
  }

  // MARK: Running

  /// The exit code.
  func run() throws(Failure) -> Int32 {
    do throws(BusClientError) {
      var client = try BusClient(address, timeoutMicroseconds: SessionPlan.reachMicroseconds)
      let session = try open(client)
      let outcome = try client.call(session, .activate)
      try client.call(session, .setPlaying, .bool(true))
      if outcome == Reply.held.name {
        writeError(
          "tactus: run: \(session.name) is held by others, it is silent until they have ended"
        )
      }
      setEnvironment(AsoundConfiguration.deviceVariable, "tactus:\(session.name)")
      return runSession(&client, session)
    } catch .refused(let refusal) {
      if category == .alarm { return runPlain(refusal.description) }
      throw Failure(.checkFailed, saying: refusal.description)
    } catch {
      if category == .alarm { return runPlain(error.description) }
      throw Failure(.unavailable, saying: error.description)
    }
  }

  /// Opens a session of the program's name, or with a number behind it where there are several.
  private func open(_ client: borrowing BusClient) throws(BusClientError) -> HeldSession {
    var attempt = 1
    while true {
      let name = attempt == 1 ? self.name : "\(self.name)-\(attempt)"
      do throws(BusClientError) {
        return try client.openSession(name, category, options)
      } catch .refused(let refusal) where refusal.kind == .nameInUse && !isNamed && attempt < 32 {
        attempt += 1
      }
    }
  }
}

// MARK: The program

extension SessionPlan {
  /// Runs the program beside its session.
  private func runSession(_ client: inout BusClient, _ session: borrowing HeldSession) -> Int32 {
    do throws(SystemError) {
      var watch = try ProgramWatch(arguments)
      try watch.follow(client.descriptor)
      while true {
        if let code = try watch.wait() {
          _ = try? client.call(session, .deactivate, .bool(true))
          return code
        }
        do throws(BusClientError) {
          try take(news: &client, session, &watch)
        } catch {
          // Its bus is gone: the program goes on without anybody to tell it anything.
          watch.forget(client.descriptor)
        }
      }
    } catch {
      writeError("tactus: run: \(error.description)")
      return ExitCode.cannotRun.rawValue
    }
  }

  private func take(
    news client: inout BusClient,
    _ session: borrowing HeldSession,
    _ watch: inout ProgramWatch
  ) throws(BusClientError) {
    while let news = try client.next(waiting: 0) {
      guard case .session(let signal, let word) = news else { continue }
      switch (signal, word) {
      case (.interruptionBegan, _):
        if let stopAfterSeconds { watch.stop(after: stopAfterSeconds) }
      case (.interruptionEnded, "true"): watch.goOn()
      case (.command, TactusCore.Command.play.name):
        watch.goOn()
        _ = try? client.call(session, .activate)
        _ = try? client.call(session, .setPlaying, .bool(true))
      case (.command, TactusCore.Command.stop.name): watch.stop(after: 0)
      default: break
      }
    }
  }

  /// An alarm is heard without a session, too: on the card itself, whose volume nobody guards then.
  private func runPlain(_ reason: String) -> Int32 {
    writeError("tactus: run: \(reason)")
    writeError("tactus: run: an alarm is not lost, it plays on the card without a session")
    if AsoundConfiguration.isPublished {
      setEnvironment(AsoundConfiguration.deviceVariable, AsoundConfiguration.plainDevice)
    } else if let card = plainCard {
      setEnvironment("ALSA_CARD", card)
    }
    do throws(SystemError) {
      var watch = try ProgramWatch(arguments)
      while true { if let code = try watch.wait() { return code } }
    } catch {
      writeError("tactus: run: \(error.description)")
      return ExitCode.cannotRun.rawValue
    }
  }

  /// The card of the board that this device is set to.
  private var plainCard: String? {
    let folders = BoardFolders(named: [])
    let loaded = Board.load(
      board: nil,
      settingsPath: DeviceSettings.standardPath,
      folders: folders,
      lenient: true
    )
    let there = SoundCard.list().map { $0.id }
    return loaded.value?.outputs.first?.pcm.cardIDs.first { there.contains($0) }
  }
}

/// The program and what may end it.
private struct ProgramWatch: ~Copyable {
  private static let program: UInt32 = 0
  private static let signals: UInt32 = 1
  private static let bus: UInt32 = 2
  /// How long it may take to end when it is asked to.
  private static let killNanoseconds: UInt64 = 5_000_000_000

  private let loop: EventLoop
  private var signals: Signals
  private let child: ChildProcess
  /// When it is to be asked to end, and whether it has been.
  private var deadline: UInt64?
  private var isAsked = false

  init(_ arguments: [String]) throws(SystemError) {
    let signals = try Signals()
    let loop = try EventLoop()
    let child = ProgramWatch.start(arguments)
    try loop.add(child.descriptor, token: ProgramWatch.program)
    try loop.add(signals.descriptor, token: ProgramWatch.signals)
    self.loop = loop
    self.signals = signals
    self.child = child
  }

  /// Does not return where the program cannot be run.
  private static func start(_ arguments: [String]) -> ChildProcess {
    do throws(SystemError) {
      return try ChildProcess(arguments)
    } catch {
      writeError("tactus: run: \(error.description)")
      Program.end(error.isMissing ? 127 : 126)
    }
  }

  mutating func follow(_ descriptor: Int32) throws(SystemError) {
    try loop.add(descriptor, token: ProgramWatch.bus)
  }

  mutating func forget(_ descriptor: Int32) { loop.remove(descriptor) }

  mutating func stop(after seconds: UInt64) {
    if deadline == nil { deadline = MonotonicClock.now() + seconds * 1_000_000_000 }
  }

  mutating func goOn() { if !isAsked { deadline = nil } }

  /// Waits for whatever happens next; gives the exit code when it was the program's end.
  mutating func wait() throws(SystemError) -> Int32? {
    let count = try loop.wait(until: deadline)
    for index in 0..<count {
      switch loop[index].token {
      case ProgramWatch.program: return child.takeExitCode()
      case ProgramWatch.signals: while let signal = signals.next() { child.send(signal) }
      default: break
      }
    }
    if let deadline, MonotonicClock.now() >= deadline {
      if isAsked { child.kill() } else { child.send(.terminate) }
      isAsked = true
      self.deadline = MonotonicClock.now() + ProgramWatch.killNanoseconds
    }
    return nil
  }
}

/// The categories for one who does not know them yet.
private enum CategoryTable {
  static var text: String {
    var text = "Which kind of sound is it?\n"
    for category in Category.allCases {
      text += "  \(padded(category.name, to: 16))  \(about(category))\n"
    }
    return text
  }

  private static func about(_ category: Category) -> String {
    switch category {
    case .ambient: "goes with other sound; silent by the silent switch"
    case .soloAmbient: "alone; silent by the silent switch: games"
    case .playback: "music, speech, radio that a person asked for"
    case .record: "records, and plays nothing"
    case .playAndRecord: "both; with --mode voice-chat a call"
    case .ringtone: "somebody calls; interrupts, by the ringer volume"
    case .alert: "a doorbell, a message; lowers the rest, by the ringer volume"
    case .systemSound: "a click or a beep, by the ringer volume"
    case .alarm: "must be heard, also under the silent switch and the mute"
    }
  }
}
