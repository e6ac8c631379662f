// SPDX-License-Identifier: Apache-2.0
//
// `tactus why`: every rule that decided what is heard, by its id.

import TactusCore
import TactusLinux

/// Runs `why`.
func explain(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let daemon = try Daemon(invocation)
  let description = try daemon.describe()
  let device = try Device(describedBy: description)
  let name = invocation.operands.first
  if let name, !device.sources.contains(where: { $0.name == name }) {
    let names = device.sources.map { $0.name }.joined(separator: ", ")
    throw Failure(.usage, "why", "no such source", value: name, next: "one of \(names)")
  }
  if invocation.has("--json") {
    output.write("\(grounds(description, of: name).written())\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: Reasons(device: device, source: name, page: page).rows))
  }
  return .success
}

/// The members of the description that say why: those of the device, or of one source.
private func grounds(_ description: String, of name: String?) -> Json {
  let json = (try? Json(parsing: description)) ?? .null
  let sources = json["sources"]?.elements ?? []
  if let name { return sources.first { $0["name"]?.text == name } ?? .null }
  return .object([
    Json.Member("silent", json["silent"] ?? .null),
    Json.Member("why", json["why"] ?? .null),
    Json.Member("sources", .array(sources)),
  ])
}

/// The device, then each source, with the rules under them.
private struct Reasons {
  let device: Device
  /// This source alone; nil is the device with all.
  let source: String?
  let page: Page

  var rows: [Row] {
    var rows: [Row] = []
    if source == nil {
      rows.append(head(device.sound.word, device.explanation.joined(separator: ", ")))
      rows += device.why.map(ground)
    }
    for one in device.sources where source == nil || source == one.name {
      rows.append(head(one.name, words(one)))
      rows += one.why.map(ground)
    }
    return rows
  }

  private func words(_ source: Device.Source) -> String {
    var words = [source.category, source.state]
    if !source.heldBy.isEmpty { words.append("by \(source.heldBy.joined(separator: ", "))") }
    if source.isActive { words.append(decibels(source.decibels, page.glyphs)) }
    return words.joined(separator: ", ")
  }

  private func head(_ name: String, _ text: String) -> Row {
    var row = page.row
    row.add(name, .bold)
    row.add("  \(text)")
    return row
  }

  private func ground(_ ground: Device.Ground) -> Row {
    var row = page.row
    row.add("  \(ground.rule)", .cyan)
    row.fill(to: 10)
    row.add(ground.text)
    return row
  }
}
