// SPDX-License-Identifier: Apache-2.0
//
// `tactus board check`, `list` and `compile`: board files before a device depends on them.

import TactusCore
import TactusLinux

/// Runs `board check`.
func checkBoard(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let folders = boardFolders(invocation)
  let wanted = invocation.operands[0]
  let path = try path(ofBoard: wanted, in: folders)
  let loaded = Board.load(path: path, folders: folders)
  if invocation.has("--json") {
    output.write(json(loaded, path: path).written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: loaded.diagnostics.map { row(of: $0, on: page) }))
    if let board = loaded.value { output.write("\(path): good, \(summary(of: board))\n") }
  }
  return loaded.hasErrors ? .configuration : .success
}

/// Runs `board list`.
func listBoards(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let folders = boardFolders(invocation)
  let boards = folders.boards
  if invocation.has("--json") {
    let list = boards.map { json($0.name, $0.path, folders) }
    output.write(Json.array(list).written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: list(boards, folders, on: page)))
  }
  guard boards.isEmpty else { return .success }
  throw Failure(
    .configuration,
    "boards",
    "none found",
    value: folders.paths.joined(separator: ", "),
    next: "name their folder with --boards"
  )
}

/// The boards as a table; below each what it is and which facts of it are not confirmed.
private func list(
  _ boards: [(name: String, path: String)],
  _ folders: BoardFolders,
  on page: Page
) -> [Row] {
  let loaded = boards.map { Board.load(path: $0.path, folders: folders, lenient: true).value }
  var table = Table()
  for (entry, board) in zip(boards, loaded) {
    table.add([
      Span(text: entry.name, style: .bold),
      board.map { Span(text: $0.status.name, style: style(of: $0.status)) }
        ?? Span(text: "wrong", style: .red),
      Span(text: board?.title ?? "see tactus board check \(entry.name)", style: []),
    ])
  }
  var rows: [Row] = []
  for (head, board) in zip(table.rows(on: page, indentation: 0), loaded) {
    rows.append(head)
    guard let board else { continue }
    if !board.description.isEmpty { rows.append(detail(board.description, on: page)) }
    rows += board.unverified.map { detail("? \($0)", on: page) }
  }
  return rows
}

private func detail(_ text: String, on page: Page) -> Row {
  var row = page.row
  row.fill(to: 2)
  row.add(text, .dim)
  return row
}

private func style(of status: Board.Status) -> Style {
  switch status {
  case .verified: .green
  case .unverified: .yellow
  case .simulated: .dim
  }
}

/// Runs `board compile`.
func compileBoard(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  var tick: Int32?
  if let text = invocation.value(of: "--tick") {
    tick = Int32(try number(text, in: 1...20, of: "--tick"))
  }
  let loaded = Board.load(
    board: invocation.operands.first,
    settingsPath: invocation.value(of: "--settings") ?? DeviceSettings.standardPath,
    folders: boardFolders(invocation),
    tickMicroseconds: tick.map { $0 * 1_000 },
    lenient: invocation.has("--lenient")
  )
  output.write(CompiledBoard(loaded).encoded)
  return loaded.value == nil ? .configuration : .success
}

/// Where the command line looks for boards.
func boardFolders(_ invocation: Invocation) -> BoardFolders {
  BoardFolders(named: invocation.values(of: "--boards"))
}

func row(of diagnostic: Diagnostic, on page: Page) -> Row {
  var row = Row(limit: 10_000)
  row.add(diagnostic.description, diagnostic.severity == .error ? .red : .yellow)
  return row
}

/// What a board has, in numbers: `8 inputs, 2 routes, 3 sources`.
private func summary(of board: Board) -> String {
  let inputs = board.controls.filter { $0.contact != .keys }
  let parts = [
    count(inputs.count, "input"), count(board.outputs.count, "route"),
    count(board.sources.count, "source"),
  ]
  return parts.joined(separator: ", ")
}

private func count(_ number: Int, _ thing: String) -> String {
  "\(number) \(thing)\(number == 1 ? "" : "s")"
}

private func json(_ loaded: Loaded<Board>, path: String) -> Json {
  .object([
    Json.Member("file", .text(path)),
    Json.Member("good", .bool(!loaded.hasErrors)),
    Json.Member("diagnostics", .array(loaded.diagnostics.map { json($0) })),
  ])
}

private func json(_ diagnostic: Diagnostic) -> Json {
  .object([
    Json.Member("severity", .text(diagnostic.severity == .error ? "error" : "warning")),
    Json.Member("file", .text(diagnostic.file)),
    Json.Member("line", .integer(Int64(diagnostic.place.line))),
    Json.Member("column", .integer(Int64(diagnostic.place.column))),
    Json.Member("key", .text(diagnostic.key)),
    Json.Member("message", .text(diagnostic.message)),
  ])
}

private func json(_ name: String, _ path: String, _ folders: BoardFolders) -> Json {
  let board = Board.load(path: path, folders: folders, lenient: true).value
  return .object([
    Json.Member("name", .text(name)),
    Json.Member("title", .text(board?.title ?? "")),
    Json.Member("description", .text(board?.description ?? "")),
    Json.Member("status", board.map { .text($0.status.name) } ?? .null),
    Json.Member("unverified", texts(board?.unverified)),
    Json.Member("extends", texts(board?.bases)),
    Json.Member("overlay", texts(board?.overlay)),
    Json.Member("routes", texts(board?.outputs.map { $0.name })),
    Json.Member("controls", texts(board?.controls.map { $0.name })),
    Json.Member("path", .text(path)),
  ])
}

private func texts(_ list: [String]?) -> Json { .array((list ?? []).map { .text($0) }) }

/// Where a board is that was named, or given as a file.
func path(ofBoard wanted: String, in folders: BoardFolders) throws(Failure) -> String {
  if let path = folders.path(of: wanted) { return path }
  throw Failure(
    .configuration,
    wanted,
    "no such board",
    next: advice(
      for: wanted,
      among: folders.boards.map { $0.name },
      otherwise: "tactus board list shows them"
    )
  )
}
