// SPDX-License-Identifier: Apache-2.0
//
// `tactus mixer`: the raw controls of the sound cards, by the names that board files use.

import TactusCore
import TactusLinux

/// Runs `mixer`.
func listControls(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  var cards = SoundCard.list()
  if let id = invocation.value(of: "--card") {
    let present = cards.map { $0.id }
    cards = cards.filter { $0.id == id }
    if cards.isEmpty {
      let error = MixerError.cardMissing(id: id, present: present)
      throw Failure(.checkFailed, saying: error.description)
    }
  }
  do throws(MixerError) {
    if invocation.has("--json") {
      output.write(try controlList(of: cards).written(onOneLine: false) + "\n")
    } else {
      let page = Page.standardOutput()
      for (index, card) in cards.enumerated() {
        if index > 0 { output.write("\n") }
        output.write(page.text(of: rows(of: card, try controls(of: card), on: page)))
      }
    }
  } catch {
    throw Failure(.checkFailed, saying: error.description)
  }
  if cards.isEmpty {
    throw Failure(
      .checkFailed,
      "sound",
      "no card that may be opened",
      next: "is the overlay in config.txt, and are you in the group audio?"
    )
  }
  return .success
}

/// The controls of cards, for programs.
func controlList(of cards: [SoundCardDescription]) throws(MixerError) -> Json {
  var list: [Json] = []
  for card in cards { list.append(json(card, try controls(of: card))) }
  return .array(list)
}

/// One control as it is now.
private struct Found {
  let address: ControlAddress
  /// Nil for a control that is no number, switch or choice.
  var control: MixerControl?
  var values: ControlValues?
  /// Of a volume with a dB range.
  var scale: DecibelScale?
}

private func controls(of card: SoundCardDescription) throws(MixerError) -> [Found] {
  let open = try SoundCard(id: card.id)
  var list: [Found] = []
  for address in try open.controls() {
    var found = Found(address: address)
    if let control = try? open.control(address) {
      found.control = control
      if control.isReadable { found.values = try? open.read(control) }
      found.scale = scale(of: control, on: open)
    }
    list.append(found)
  }
  return list
}

private func scale(of control: MixerControl, on card: borrowing SoundCard) -> DecibelScale? {
  guard control.kind == .integer, let table = try? card.gainTable(of: control), !table.isEmpty
  else { return nil }
  let scale = DecibelScale(table: table, rawRange: control.rawMinimum...control.rawMaximum)
  return scale.source == .driver ? scale : nil
}

// MARK: For people

private func rows(of card: SoundCardDescription, _ list: [Found], on page: Page) -> [Row] {
  var title = page.row
  title.add(card.id, .bold)
  title.add("  card \(card.number), \(card.name), \(card.driver)", .dim)
  var table = Table()
  for found in list {
    table.add([
      Span(text: name(of: found.address), style: []),
      Span(text: shape(of: found), style: .dim),
      Span(text: value(of: found, page.glyphs), style: .bold),
      Span(text: gains(of: found, page.glyphs), style: .dim),
      Span(text: lock(of: found), style: .yellow),
    ])
  }
  return [title] + table.rows(on: page)
}

private func name(of address: ControlAddress) -> String {
  var text = address.name
  if address.index != 0 { text += " index \(address.index)" }
  return address.interface == .card ? "card: \(text)" : text
}

/// Channels and range: `2 × 0…207`.
private func shape(of found: Found) -> String {
  guard let control = found.control else { return "other" }
  let channels = control.channelCount == 1 ? "" : "\(control.channelCount) × "
  switch control.kind {
  case .integer: return "\(channels)\(control.rawMinimum)…\(control.rawMaximum)"
  case .boolean: return "\(channels)off/on"
  case .enumerated: return "\(channels)\(control.items.count) choices"
  }
}

private func value(of found: Found, _ glyphs: Glyphs) -> String {
  guard let control = found.control, let values = found.values else { return "?" }
  var words: [String] = []
  for channel in 0..<values.channelCount {
    let raw = values[channel]
    switch control.kind {
    case .integer: words.append("\(raw)")
    case .boolean: words.append(raw == 0 ? "off" : "on")
    case .enumerated:
      let isKnown = control.items.indices.contains(Int(raw))
      words.append(isKnown ? control.items[Int(raw)] : "\(raw)")
    }
  }
  guard let first = words.first else { return "" }
  var text = words.allSatisfy { $0 == first } ? first : words.joined(separator: " ")
  if let scale = found.scale, values.channelCount > 0 {
    text += " = \(decibels(scale.gain(atRaw: values[0]).decibels, glyphs))"
  }
  return text
}

private func gains(of found: Found, _ glyphs: Glyphs) -> String {
  guard let scale = found.scale else { return "" }
  let silence = scale.hasSilence ? "silent, " : ""
  let lowest = decibels(scale.lowest.decibels, glyphs)
  return "\(silence)\(lowest) to \(decibels(scale.highest.decibels, glyphs))"
}

private func lock(of found: Found) -> String {
  guard let control = found.control else { return "" }
  if let process = control.lockingProcess { return "locked by process \(process)" }
  if control.isInactive { return "inactive" }
  return control.isWritable ? "" : "read only"
}

// MARK: For programs

private func json(_ card: SoundCardDescription, _ list: [Found]) -> Json {
  .object([
    Json.Member("id", .text(card.id)),
    Json.Member("number", .integer(Int64(card.number))),
    Json.Member("name", .text(card.name)),
    Json.Member("driver", .text(card.driver)),
    Json.Member("controls", .array(list.map { json($0) })),
  ])
}

private func json(_ found: Found) -> Json {
  var members = [
    Json.Member("name", .text(found.address.name)),
    Json.Member("index", .integer(Int64(found.address.index))),
    Json.Member("interface", .text(found.address.interface == .card ? "card" : "mixer")),
  ]
  guard let control = found.control else {
    return .object(members + [Json.Member("kind", .text("other"))])
  }
  members += [
    Json.Member("kind", .text(word(for: control.kind))),
    Json.Member("channels", .integer(Int64(control.channelCount))),
    Json.Member("minimum", .integer(Int64(control.rawMinimum))),
    Json.Member("maximum", .integer(Int64(control.rawMaximum))),
    Json.Member("items", .array(control.items.map { .text($0) })),
    Json.Member("values", values(found)),
    Json.Member("writable", .bool(control.isWritable)),
    Json.Member("inactive", .bool(control.isInactive)),
    Json.Member("userMade", .bool(control.isUserMade)),
    Json.Member("lockedBy", control.lockingProcess.map { .integer(Int64($0)) } ?? .null),
    Json.Member("decibels", found.scale.map { json($0) } ?? .null),
  ]
  return .object(members)
}

private func values(_ found: Found) -> Json {
  guard let values = found.values else { return .null }
  return .array((0..<values.channelCount).map { .integer(Int64(values[$0])) })
}

private func json(_ scale: DecibelScale) -> Json {
  .object([
    Json.Member("lowest", .number(scale.lowest.decibels)),
    Json.Member("highest", .number(scale.highest.decibels)),
    Json.Member("silentAtMinimum", .bool(scale.hasSilence)),
  ])
}

private func word(for kind: MixerControl.Kind) -> String {
  switch kind {
  case .integer: "integer"
  case .boolean: "boolean"
  case .enumerated: "enumerated"
  }
}
