// SPDX-License-Identifier: Apache-2.0
//
// `tactus test`: a person moves each control and says what is heard; the program shows what the
// contacts really do, and offers the settings that suit them.
//
//   turn      one control's time: until it has been moved often enough, or time is over
//   measure   what its edges tell: ContactMeasurement, KnobMeasurement
//
// When all is well the device says so, as it answers a hand: `success`.
//
// At a terminal each control has its turn; without one, all are listened to for `--seconds`.

import TactusCore
import TactusLinux

/// Runs `test`.
func testDevice(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let test = try DeviceTest(invocation, output)
  var isGood = true
  if !invocation.has("--sound") { isGood = try test.controls() }
  if invocation.has("--sound") || (test.isAtTerminal && !invocation.has("--control")) {
    isGood = try SoundTest(invocation, test.board, output).run() && isGood
  }
  if isGood { tellSuccess(invocation) }
  return isGood ? .success : .checkFailed
}

/// The device itself says that all is well, where it can (FBK-2).
private func tellSuccess(_ invocation: Invocation) {
  guard let daemon = try? Daemon(invocation) else { return }
  _ = try? daemon.ask(.playFeedback, [.text(Feedback.success.name)])
}

/// A test of a device.
struct DeviceTest {
  /// So often is a control moved at a terminal, and so long may it then be still.
  private static let movements = 5
  private static let quietNanoseconds: UInt64 = 1_500_000_000
  private static let turnSeconds = 20

  let board: Board
  let isAtTerminal = canAsk
  private let invocation: Invocation
  private let output: StandardOutput
  private let page = Page.standardOutput()
  private let wanted: [BoardControl]
  private let seconds: Int

  init(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) {
    self.invocation = invocation
    self.output = output
    let answer = DaemonAnswer(invocation)
    board = try DeviceTest.board(invocation, answer)
    let controls = board.controls.filter {
      if case .lines = $0.contact { true } else { false }
    }
    if let name = invocation.value(of: "--control") {
      wanted = controls.filter { $0.name == name }
      if wanted.isEmpty {
        let names = controls.map { $0.name }
        let all = names.isEmpty ? "this board has no lines" : "one of \(list(names, "or"))"
        let next = advice(for: name, among: names, otherwise: all)
        throw Failure(.usage, "--control", "no such control", value: name, next: next)
      }
    } else {
      wanted = controls
    }
    seconds = try number(
      invocation.value(of: "--seconds") ?? "\(DeviceTest.turnSeconds)",
      in: 1...3_600,
      of: "test"
    )
  }

  private static func board(
    _ invocation: Invocation,
    _ answer: DaemonAnswer
  ) throws(Failure) -> Board {
    let loaded = Examination.loadBoard(invocation, answer.device)
    if let board = loaded.value { return board }
    let mistake = loaded.diagnostics.first { $0.severity == .error }?.description
    throw Failure(.configuration, saying: mistake ?? "board: none, name it with --board")
  }

  // MARK: Controls

  /// Lets every control be moved; answers whether all are well.
  func controls() throws(Failure) -> Bool {
    guard !wanted.isEmpty else { return true }
    let source = try source()
    let recorder = try recorder()
    if source.isFromDaemon { say("tactusd runs: what you touch is also done.", .dim) }
    return isAtTerminal
      ? try takeTurns(source, recorder) : try listen(to: wanted, source, recorder)
  }

  private func source() throws(Failure) -> EdgeSource {
    if DaemonAnswer(invocation).device != nil {
      return try EdgeSource(wanted, from: try Daemon(invocation))
    }
    return try EdgeSource(wanted, of: Chips())
  }

  private func takeTurns(
    _ source: EdgeSource,
    _ recorder: borrowing Recorder
  ) throws(Failure) -> Bool {
    var isGood = true
    for control in wanted {
      say("")
      say(control.name, .bold)
      say("  \(request(for: control)); Enter goes on to the next")
      let edges = try turn(of: control, source, recorder)
      let measured = Measured(control, board, edges)
      show(measured)
      // What was left out is no fault.
      isGood = isGood && (measured.settings.isEmpty)
    }
    return isGood
  }

  private func request(for control: BoardControl) -> String {
    switch control.role {
    case .knob: "turn it clockwise, slowly, by ten clicks"
    case .headphoneDetect: "plug headphones in and out, three times"
    case .silentSwitch, .microphoneSwitch: "move it to and fro, three times"
    case .lid: "close and open it, three times"
    case .volumeUp, .volumeDown, .mute, .knobPush, .playPause, .play, .pause, .next, .previous,
      .stop, .headset, .microphoneMute, .power:
      "press it five times, as you usually do"
    }
  }

  /// Collects a control's edges until it has been moved enough.
  private func turn(
    of control: BoardControl,
    _ source: EdgeSource,
    _ recorder: borrowing Recorder
  ) throws(Failure) -> [EdgeRecording.Edge] {
    var edges: [EdgeRecording.Edge] = []
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var shown = 0
    while MonotonicClock.now() < end, !takeWaitingLine() {
      for edge in try source.next() {
        try recorder.add(edge)
        if edge.control == control.name { edges.append(edge) }
      }
      if edges.count != shown {
        shown = edges.count
        showProgress(of: control, edges)
      }
      if isEnough(edges, of: control) { break }
    }
    if shown > 0 { say("") }
    return edges
  }

  private func showProgress(of control: BoardControl, _ edges: [EdgeRecording.Edge]) {
    let count =
      control.role == .knob
      ? abs(KnobMeasurement(edges).transitions) : ContactMeasurement(edges).presses
    let sign = control.role == .knob ? page.glyphs.dot : page.glyphs.on
    output.write("\r  \(String(repeating: sign, count: min(count, 60)))")
    try? output.flush()
  }

  private func isEnough(_ edges: [EdgeRecording.Edge], of control: BoardControl) -> Bool {
    guard let last = edges.last,
      MonotonicClock.now() > last.nanoseconds + DeviceTest.quietNanoseconds
    else { return false }
    if control.role == .knob { return KnobMeasurement(edges).transitionsPerDetent != nil }
    let needed = Measured.isSwitch(control.role) ? 3 : DeviceTest.movements
    return ContactMeasurement(edges).presses >= needed
  }

  /// Listens to all at once.
  private func listen(
    to controls: [BoardControl],
    _ source: EdgeSource,
    _ recorder: borrowing Recorder
  ) throws(Failure) -> Bool {
    for control in controls where invocation.has("--control") && !invocation.has("--json") {
      say("\(control.name): \(request(for: control)); \(seconds) s")
    }
    try? output.flush()
    var edges: [EdgeRecording.Edge] = []
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    while MonotonicClock.now() < end {
      for edge in try source.next() {
        try recorder.add(edge)
        edges.append(edge)
      }
    }
    let measured = controls.map { control in
      Measured(control, board, edges.filter { $0.control == control.name })
    }
    if invocation.has("--json") {
      output.write(Json.array(measured.map { $0.json }).written(onOneLine: false) + "\n")
    } else {
      for one in measured { show(one) }
    }
    let isNamed = invocation.has("--control")
    return !measured.contains { !$0.settings.isEmpty || (isNamed && $0.edges == 0) }
  }

  // MARK: Saying

  private func say(_ text: String, _ style: Style = []) {
    guard !invocation.has("--json") else { return }
    var row = page.row
    row.add(text, style)
    output.write(page.text(of: [row]))
    try? output.flush()
  }

  private func show(_ measured: Measured) {
    output.write(page.text(of: measured.rows(on: page, isTitled: !isAtTerminal)))
    try? output.flush()
  }

  // MARK: Recording

  private func recorder() throws(Failure) -> Recorder {
    guard let path = invocation.value(of: "--record") else { return Recorder(nil) }
    do throws(SystemError) {
      return Recorder(try EdgeRecorder(path: path, board: board.name))
    } catch {
      throw Failure(.checkFailed, saying: error.description)
    }
  }

  /// A recorder, or none.
  private struct Recorder: ~Copyable {
    private let recorder: EdgeRecorder?

    init(_ recorder: consuming EdgeRecorder?) { self.recorder = recorder }

    borrowing func add(_ edge: EdgeRecording.Edge) throws(Failure) {
      do throws(SystemError) {
        switch recorder {
        case .some(let recorder): try recorder.add(edge)
        case .none: break
        }
      } catch {
        throw Failure(.checkFailed, saying: error.description)
      }
    }
  }
}
