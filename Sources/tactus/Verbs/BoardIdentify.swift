// SPDX-License-Identifier: Apache-2.0
//
// `tactus board identify`: which shipped boards this machine may be.

import TactusCore
import TactusLinux

/// Runs `board identify`.
func identifyBoard(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let folders = boardFolders(invocation)
  let machine = MachineIdentity()
  let candidates = folders.boards.compactMap { entry -> Candidate? in
    let loaded = Board.load(path: entry.path, folders: folders, lenient: true)
    return loaded.value.map { Candidate(board: $0, fit: BoardFit($0, machine)) }
  }
  let seen = candidates.filter { $0.fit.verdict != .absent }.sorted { $0.rank < $1.rank }
  if invocation.has("--json") {
    let members = [
      Json.Member("machine", json(machine)),
      Json.Member("boards", .array(seen.map { $0.json })),
    ]
    output.write(Json.object(members).written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: rows(of: machine, on: page) + seen.flatMap { $0.rows(on: page) }))
    if let advice = advice(seen) { output.write(advice + "\n") }
  }
  return seen.contains { $0.isPossible } ? .success : .checkFailed
}

/// A board beside the machine.
private struct Candidate {
  let board: Board
  let fit: BoardFit

  var isPossible: Bool { fit.verdict == .fits || fit.verdict == .lacksCard }

  /// What fits comes first, of that what the EEPROM names.
  var rank: Int {
    switch fit.verdict {
    case .fits: fit.isNamed ? 0 : 1
    case .lacksCard: 2
    case .differs, .absent: 3
    }
  }

  private var word: (text: String, style: Style) {
    switch fit.verdict {
    case .fits: ("fits", .green)
    case .lacksCard: ("fits, but its sound card is missing", .yellow)
    case .differs, .absent: ("does not fit", .dim)
    }
  }

  func rows(on page: Page) -> [Row] {
    var head = page.row
    head.add(board.name, isPossible ? .bold : .dim)
    head.add("  ")
    head.add(word.text, word.style)
    var rows = [head]
    for reason in fit.reasons where isPossible { rows.append(line("+", reason, .green, on: page)) }
    for objection in fit.objections { rows.append(line("-", objection, .red, on: page)) }
    if fit.verdict == .lacksCard {
      for overlay in board.overlay {
        rows.append(line(">", "write \(overlay) into config.txt and start anew", .yellow, on: page))
      }
    }
    return rows
  }

  private func line(_ sign: String, _ text: String, _ style: Style, on page: Page) -> Row {
    var row = page.row
    row.fill(to: 2)
    row.add(sign, style)
    row.add(" \(text)")
    return row
  }

  var json: Json {
    .object([
      Json.Member("name", .text(board.name)),
      Json.Member("fits", .bool(fit.verdict == .fits)),
      Json.Member("lacksCard", .bool(fit.verdict == .lacksCard)),
      Json.Member("reasons", .array(fit.reasons.map { .text($0) })),
      Json.Member("objections", .array(fit.objections.map { .text($0) })),
    ])
  }
}

private func rows(of machine: MachineIdentity, on page: Page) -> [Row] {
  var table = Table()
  let hat = machine.hatProduct.map { [machine.hatVendor ?? "", $0].joined(separator: " ") }
  table.add(["machine", machine.model ?? "no device tree"])
  table.add(["HAT", hat ?? "none with an EEPROM"])
  let cards = machine.cards.map { $0.id }.joined(separator: ", ")
  table.add(["cards", cards.isEmpty ? "none" : cards])
  let chips = machine.chipLabels.joined(separator: ", ")
  table.add(["chips", chips.isEmpty ? "none that may be opened" : chips])
  return table.rows(on: page, indentation: 0) + [page.row]
}

private func advice(_ seen: [Candidate]) -> String? {
  let fitting = seen.filter { $0.fit.verdict == .fits }
  if fitting.count == 1 { return "\nboard: \(fitting[0].board.name)" }
  if fitting.count > 1 {
    return "\nNothing on the machine tells these apart; what is printed on the board does."
  }
  if seen.contains(where: { $0.fit.verdict == .lacksCard }) { return nil }
  return
    "No shipped board fits. Is the overlay in config.txt? tactus board list shows the boards;\n"
    + "tactus board new describes your own."
}

private func json(_ machine: MachineIdentity) -> Json {
  .object([
    Json.Member("model", machine.model.map { .text($0) } ?? .null),
    Json.Member("hatVendor", machine.hatVendor.map { .text($0) } ?? .null),
    Json.Member("hatProduct", machine.hatProduct.map { .text($0) } ?? .null),
    Json.Member("cards", .array(machine.cards.map { .text($0.id) })),
    Json.Member("chips", .array(machine.chipLabels.map { .text($0) })),
  ])
}
