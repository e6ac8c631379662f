// SPDX-License-Identifier: Apache-2.0
//
// `tactus replay`: runs the policy again over a trace; the same inputs must have the same effects.
// With another board file or debounce time: what would have happened there, from a trace or from
// raw edges.

import TactusCore
import TactusLinux

/// Runs `replay`.
func replay(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let path = invocation.operands[0]
  if isEdgeRecording(path) { return try replayEdges(path, invocation, output) }
  let file = try TraceFile(path: path)
  if invocation.has("--board") || invocation.has("--debounce") {
    let recorded = TracePlayer(file.trace).names.board
    let board = try board(invocation, named: recorded, timing: TraceTimes(file.trace).timing)
    tell(Reenactment(file.trace, on: board), invocation, output)
    return file.tellDamage()
  }
  switch file.trace.replay() {
  case .same(let ticks, let policy):
    output.write("\(path): the same effects in all \(ticks) ticks, up to tick \(policy.now)\n")
    return file.tellDamage()
  case .differs(let tick, let recorded, let replayed):
    let time = TraceTimes(file.trace).precise(tick)
    output.write("\(path): differs at tick \(tick), \(time)\n")
    output.write("  recorded  \(list(recorded))\n  replayed  \(list(replayed))\n")
    return .checkFailed
  }
}

private func list(_ effects: [Effect]) -> String {
  effects.isEmpty ? "nothing" : effects.map { $0.text }.joined(separator: "; ")
}

// MARK: On another board

private func replayEdges(
  _ path: String,
  _ invocation: Invocation,
  _ output: StandardOutput
) throws(Failure) -> ExitCode {
  let recording: EdgeRecording
  do throws(Diagnostic) {
    recording = try EdgeRecording(path: path)
  } catch {
    throw Failure(.checkFailed, saying: error.description)
  }
  let board = try board(invocation, named: recording.board, timing: Timing())
  let folders = boardFolders(invocation)
  let recorded = folders.path(of: recording.board).flatMap { Board.load(path: $0).value }
  tell(Reenactment(recording, on: board, recordedOn: recorded), invocation, output)
  return .success
}

/// The board that it happens on, with the debounce time that is wanted.
private func board(
  _ invocation: Invocation,
  named recorded: String,
  timing: Timing
) throws(Failure) -> Board {
  let wanted = invocation.value(of: "--board") ?? recorded
  let path = try path(ofBoard: wanted, in: boardFolders(invocation))
  guard var board = Board.load(path: path, timing: timing).value else {
    throw Failure(.configuration, path, "cannot be used", next: "see tactus board check \(wanted)")
  }
  guard let text = invocation.value(of: "--debounce") else { return board }
  let milliseconds = Int64(try number(text, in: 0...1_000, of: "--debounce"))
  for index in board.configuration.controls.indices
  where !board.configuration.controls[index].isKey {
    board.configuration.controls[index].debounceTicks = timing.ticks(milliseconds: milliseconds)
  }
  return board
}

/// Writes what would have happened: each tick that does something, then each control.
private func tell(
  _ reenactment: Reenactment,
  _ invocation: Invocation,
  _ output: StandardOutput
) {
  let outcome = reenactment.run()
  let timing = reenactment.configuration.timing
  let isJson = invocation.has("--json")
  let page = Page.standardOutput()
  for line in outcome.lines where !line.isEmpty {
    let milliseconds = timing.milliseconds(line.tick)
    if isJson {
      output.write(line.json(atMilliseconds: milliseconds).written() + "\n")
    } else {
      var row = Row(limit: 10_000)
      row.fill(to: max(0, 7 - "\(milliseconds)".utf8.count))
      row.add("\(milliseconds) ms  ", .dim)
      line.add(to: &row, on: page)
      output.write(page.text(of: [row]))
    }
  }
  for (name, count) in reenactment.leftOut {
    let edges = "\(count) edge\(count == 1 ? "" : "s")"
    writeError("tactus: \(name): not on \(reenactment.names.board), \(edges) left out")
  }
  if isJson {
    output.write(summary(reenactment, outcome).written() + "\n")
  } else {
    var table = Table()
    for cells in totals(reenactment, outcome) { table.add(cells) }
    output.write("\n" + page.text(of: table.rows(on: page)))
  }
}

extension TraceLine {
  fileprivate func json(atMilliseconds milliseconds: Int64) -> Json {
    .object([
      Json.Member("time", .integer(milliseconds)),
      Json.Member("inputs", .array(inputs.map { .text($0) })),
      Json.Member("changes", .array(changes.map { $0.json })),
    ])
  }
}

/// What each control did in all.
private func totals(_ reenactment: Reenactment, _ outcome: Outcome) -> [[String]] {
  var rows: [[String]] = []
  for index in reenactment.configuration.controls.indices where outcome.edges[index] > 0 {
    let state = outcome.after.controls[index]
    let isKnob = reenactment.configuration.controls[index].role == .knob
    var words = ["\(outcome.edges[index]) edge\(outcome.edges[index] == 1 ? "" : "s")"]
    let before = outcome.before.controls[index]
    let changes = Int(state.changes - before.changes)
    let count = isKnob ? changes : (changes + (before.state == 0 ? 1 : 0)) / 2
    words.append("\(count) \(isKnob ? "detent" : "press")\(count == 1 ? "" : isKnob ? "s" : "es")")
    if state.glitches > 0 {
      words.append("\(Int(state.glitches)) glitch\(state.glitches == 1 ? "" : "es")")
    }
    if state.illegalJumps > 0 { words.append("\(Int(state.illegalJumps)) illegal") }
    if state.lostEdges > 0 { words.append("\(Int(state.lostEdges)) lost") }
    if state.isNoisy { words.append("noisy") }
    rows.append([Labels(reenactment.names).control(UInt8(index)), words.joined(separator: ", ")])
  }
  let (from, to) = (percent(outcome.before.level), percent(outcome.after.level))
  rows.append(["volume", from == to ? "stays at \(to)" : "\(from) to \(to)"])
  return rows
}

private func summary(_ reenactment: Reenactment, _ outcome: Outcome) -> Json {
  var controls: [Json] = []
  for index in reenactment.configuration.controls.indices where outcome.edges[index] > 0 {
    let state = outcome.after.controls[index]
    let before = outcome.before.controls[index]
    controls.append(
      .object([
        Json.Member("name", .text(Labels(reenactment.names).control(UInt8(index)))),
        Json.Member("edges", .integer(Int64(outcome.edges[index]))),
        Json.Member("changes", .integer(state.changes - before.changes)),
        Json.Member("glitches", .integer(state.glitches)),
        Json.Member("illegalJumps", .integer(state.illegalJumps)),
        Json.Member("lostEdges", .integer(state.lostEdges)),
        Json.Member("noisy", .bool(state.isNoisy)),
      ])
    )
  }
  return .object([
    Json.Member("board", .text(reenactment.names.board)),
    Json.Member("controls", .array(controls)),
    Json.Member("levelPercentBefore", .integer(outcome.before.level.percent)),
    Json.Member("levelPercent", .integer(outcome.after.level.percent)),
    Json.Member(
      "leftOut",
      .array(
        reenactment.leftOut.map { name, count in
          .object([
            Json.Member("name", .text(name)), Json.Member("edges", .integer(Int64(count))),
          ])
        }
      )
    ),
  ])
}
