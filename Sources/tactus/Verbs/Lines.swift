// SPDX-License-Identifier: Apache-2.0
//
// `tactus lines`: the GPIO chips, their lines, and who uses them.

import TactusCore
import TactusLinux

/// Runs `lines`.
func listLines(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let chips = Chips()
  if invocation.has("--json") {
    output.write(lineList(of: chips).written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    for (index, chip) in chips.found.enumerated() {
      if index > 0 { output.write("\n") }
      output.write(page.text(of: rows(of: chip, on: page)))
    }
  }
  if let path = chips.denied.first {
    throw Failure(.checkFailed, path, "not allowed", next: "join the group gpio or use sudo")
  }
  if chips.found.isEmpty {
    throw Failure(.checkFailed, "GPIO", "no chip", next: "is the driver loaded?")
  }
  return .success
}

/// The chips and their lines, for programs.
func lineList(of chips: Chips) -> Json { .array(chips.found.map { json($0) }) }

private func rows(of chip: Chip, on page: Page) -> [Row] {
  var title = page.row
  title.add(chip.label, .bold)
  title.add("  \(chip.name), \(chip.lineCount) lines", .dim)
  var table = Table()
  for offset in 0..<chip.lineCount {
    do throws(LineError) {
      table.add(cells(offset, try chip.line(offset)))
    } catch {
      table.add([Span(text: "\(offset)", style: []), Span(text: error.description, style: .red)])
    }
  }
  return [title] + table.rows(on: page)
}

private func cells(_ offset: UInt32, _ line: LineInfo) -> [Span] {
  var direction = line.isOutput ? "output" : "input"
  if line.isActiveLow { direction += ", active low" }
  let user = !line.isUsed ? "free" : line.consumer.isEmpty ? "used" : "used by \(line.consumer)"
  let isOurs = line.consumer.hasPrefix("tactus:")
  return [
    Span(text: offset < 10 ? " \(offset)" : "\(offset)", style: []),
    Span(text: line.name.isEmpty ? "-" : line.name, style: line.name.isEmpty ? .dim : []),
    Span(text: direction, style: .dim),
    Span(text: line.bias?.name ?? "-", style: .dim),
    Span(text: user, style: isOurs ? .green : line.isUsed ? .yellow : .dim),
  ]
}

private func json(_ chip: Chip) -> Json {
  .object([
    Json.Member("label", .text(chip.label)),
    Json.Member("name", .text(chip.name)),
    Json.Member("path", .text(chip.path)),
    Json.Member(
      "lines",
      .array(
        (0..<chip.lineCount).compactMap { offset in
          (try? chip.line(offset)).map { json(offset, $0) }
        }
      )
    ),
  ])
}

private func json(_ offset: UInt32, _ line: LineInfo) -> Json {
  .object([
    Json.Member("offset", .integer(Int64(offset))),
    Json.Member("name", .text(line.name)),
    Json.Member("used", .bool(line.isUsed)),
    Json.Member("consumer", .text(line.consumer)),
    Json.Member("output", .bool(line.isOutput)),
    Json.Member("activeLow", .bool(line.isActiveLow)),
    Json.Member("bias", line.bias.map { .text($0.name) } ?? .null),
  ])
}
