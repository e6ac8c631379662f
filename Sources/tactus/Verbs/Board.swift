// SPDX-License-Identifier: Apache-2.0
//
// `tactus board check` and `tactus board list`: board files before a device depends on them.

import TactusCore
import TactusLinux

/// Runs `board check`.
func checkBoard(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let folders = boardFolders(invocation)
  let wanted = invocation.operands[0]
  let path = try path(ofBoard: wanted, in: folders)
  let loaded = Board.load(path: path)
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
  let boards = boardFolders(invocation).boards
  if invocation.has("--json") {
    output.write(Json.array(boards.map { json($0.name, $0.path) }).written(onOneLine: false) + "\n")
  } else {
    var table = Table()
    for (name, path) in boards {
      let board = Board.load(path: path, lenient: true).value
      table.add([
        Span(text: name, style: .bold),
        Span(text: board?.status.name ?? "wrong", style: .dim),
        Span(text: board?.title ?? "see tactus board check \(name)", style: []),
      ])
    }
    let page = Page.standardOutput()
    output.write(page.text(of: table.rows(on: page, indentation: 0)))
  }
  guard boards.isEmpty else { return .success }
  throw Failure(
    .configuration,
    "boards",
    "none found",
    value: boardFolders(invocation).paths.joined(separator: ", "),
    next: "name their folder with --boards"
  )
}

/// Where the command line looks for boards.
func boardFolders(_ invocation: Invocation) -> BoardFolders {
  BoardFolders(named: invocation.value(of: "--boards").map { [$0] } ?? [])
}

private func row(of diagnostic: Diagnostic, on page: Page) -> Row {
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

private func json(_ name: String, _ path: String) -> Json {
  let board = Board.load(path: path, lenient: true).value
  return .object([
    Json.Member("name", .text(name)),
    Json.Member("title", .text(board?.title ?? "")),
    Json.Member("status", board.map { .text($0.status.name) } ?? .null),
    Json.Member("path", .text(path)),
  ])
}

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
