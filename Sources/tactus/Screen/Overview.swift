// SPDX-License-Identifier: Apache-2.0
//
// The full screen of `tactus watch`, from top to bottom: who, sound or silence and why, volumes,
// route, inputs, sources, events, keys. What grows takes the rows that the rest leaves.

import TactusCore
import TactusLinux

/// How a device is laid out on a screen of a size.
struct Overview {
  let device: Device
  /// Where the device was found, such as "system bus".
  let place: String
  /// A sentence for the person at the keys; empty for none.
  let message: String
  let width: Int
  let height: Int
  let glyphs: Glyphs

  private var isWide: Bool { width >= 64 }
  /// Room for empty rows between the sections.
  private var isRoomy: Bool { height >= 24 }
  private var labelWidth: Int { isWide ? 11 : 9 }
  private var row: Row { Row(limit: width) }

  /// Exactly `height` rows.
  var rows: [Row] {
    var top = title + word
    top += section(volumes + [routes])
    top += section(inputs)
    let bottom = messageRow + legend
    var middle: [Row] = []
    let room = height - top.count - bottom.count
    let kept = height < 16 ? 1 : min(3, heardOf.count)
    let table = section(sources(upTo: max(2, room - (isRoomy ? 1 : 0) - kept)))
    middle += table + events(upTo: max(0, room - table.count))
    var all = top + middle
    while all.count < height - bottom.count { all.append(row) }
    return Array((all.prefix(max(0, height - bottom.count)) + bottom).prefix(height))
  }

  /// Rows with an empty one before them, where there is room.
  private func section(_ rows: [Row]) -> [Row] { isRoomy && !rows.isEmpty ? [row] + rows : rows }

  // MARK: Who

  private var title: [Row] {
    var title = row
    title.add(" Tactus", .bold)
    title.add("  \(device.board)", .cyan)
    title.addAtEnd(
      isWide ? "\(device.version) \(glyphs.dot) \(place) " : "\(device.version) ",
      .dim
    )
    guard isWide else { return [title] }
    var rule = row
    rule.add(String(repeating: glyphs.rule, count: width), .dim)
    return [title, rule]
  }

  // MARK: Sound or silence

  private var soundStyle: Style {
    switch device.sound {
    case .sound: [.green, .bold]
    case .silent: [.yellow, .bold]
    case .notSilent: [.red, .bold]
    }
  }

  private var word: [Row] {
    let lines = device.explanation
    let text = device.sound.word
    if isWide, isRoomy, let letters = bigWord(text, glyphs) {
      var rows: [Row] = []
      for (index, line) in letters.enumerated() {
        var row = row
        row.add("  ")
        row.add(line, soundStyle)
        row.fill(to: max(34, row.width + 3))
        let isLast = index == letters.count - 1 && lines.count > letters.count
        let rest = lines.dropFirst(index).joined(separator: ", ")
        if index < lines.count { row.add(isLast ? rest : lines[index]) }
        rows.append(row)
      }
      return section(rows)
    }
    var row = row
    row.add(" ")
    row.add(" \(text) ", soundStyle.union(.reverse))
    row.add("  \(lines.joined(separator: ", "))")
    return section([row])
  }

  // MARK: Volumes and route

  private var volumes: [Row] {
    let maximum = device.routeInUse?.maximumLevel ?? .full
    var volume = labelled("Volume")
    addBar(&volume, device.level, beyond: min(maximum, device.limit ?? .full))
    volume.add(isWide ? "   " : " ")
    volume.add(decibels(device.routeInUse?.decibels, glyphs))
    addKeys(&volume, isSet: device.keysSet == "system")
    var ringer = labelled("Ringer")
    addBar(&ringer, device.ringer, beyond: .full)
    addKeys(&ringer, isSet: device.keysSet == "ringer")
    return [volume] + marks(maximum) + [ringer]
  }

  private func labelled(_ label: String) -> Row {
    var row = row
    row.add(" \(label)", .dim)
    row.fill(to: labelWidth)
    return row
  }

  /// Sixteen segments, as the keys move them, and the percent.
  private func addBar(_ row: inout Row, _ level: Level, beyond: Level) {
    let columns = barWidth
    let halves = Int(level.parts) * columns * 2 / 10_000
    let isSounding = device.sound != .silent
    row.add(
      String(repeating: glyphs.full, count: halves / 2) + (halves % 2 == 1 ? glyphs.half : ""),
      isSounding ? .green : []
    )
    let filled = (halves + 1) / 2
    let allowed = max(filled, (Int(beyond.parts) * columns + 9_999) / 10_000)
    row.add(String(repeating: glyphs.empty, count: allowed - filled), .dim)
    row.add(String(repeating: glyphs.beyond, count: columns - allowed), .dim)
    let text = percent(level)
    row.fill(to: row.width + max(1, (isWide ? 7 : 6) - text.count))
    row.add(text, .bold)
  }

  private var barWidth: Int { width >= 100 ? 48 : isWide ? 32 : min(16, max(4, width - 24)) }

  /// What the keys set is marked with them.
  private func addKeys(_ row: inout Row, isSet: Bool) {
    guard isSet, isWide else { return }
    row.fill(to: labelWidth + barWidth + 22)
    row.add("\(glyphs.up) \(glyphs.down)", .dim)
  }

  /// Where the level stops, under the bar.
  private func marks(_ maximum: Level) -> [Row] {
    var found: [(Level, String)] = []
    if let limit = device.limit, limit <= maximum { found.append((limit, "headphone limit")) }
    if maximum < .full { found.append((maximum, "max-level")) }
    var row = row
    for (level, name) in found {
      let column = labelWidth + max(0, Int(level.parts) * barWidth / 10_000 - 1)
      guard column >= row.width else { continue }
      row.fill(to: column)
      row.add("\(glyphs.mark) \(name) \(percent(level))  ", .yellow)
    }
    return found.isEmpty ? [] : [row]
  }

  private var routes: Row {
    var row = labelled("Route")
    if device.route == nil { row.add("none  ", .red) }
    for route in device.routes {
      let isUsed = route.name == device.route
      if device.routes.count > 1 {
        row.add(isUsed ? "\(glyphs.on) " : "\(glyphs.off) ", isUsed ? .green : .dim)
      }
      row.add(route.name, isUsed ? .bold : route.isAvailable ? [] : .dim)
      if route.isFaulty { row.add(" faulty", .red) }
      if isWide, !route.isAvailable { row.add(route.isPresent ? " (out)" : " (absent)", .dim) }
      row.add(isWide ? "   " : "  ")
    }
    let balance = "balance \(signed(device.balance, glyphs))"
    if device.balance != 0, row.width + columns(of: balance) <= width { row.add(balance, .dim) }
    return row
  }

  // MARK: Inputs

  /// All inputs where there is room, else those that are on or wrong.
  private var inputs: [Row] {
    let label = labelled("Inputs")
    let all = flow(device.controls.map { $0.spans(glyphs) }, after: label)
    guard all.count > (isRoomy ? 4 : 3) else { return all }
    let telling = device.controls.filter { $0.isOn || $0.isWrong }
    let rest = "\(device.controls.count - telling.count) at rest"
    return flow(
      telling.map { $0.spans(glyphs) } + [[Span(text: rest, style: .dim)]],
      after: label
    )
  }

  // MARK: Sources and events

  private func sources(upTo most: Int) -> [Row] {
    let shown = device.sources.count <= most ? device.sources.count : max(0, most - 1)
    var rows: [Row] = []
    for (index, source) in ranked(upTo: shown).enumerated() {
      var row = index == 0 ? labelled("Sources") : row
      row.fill(to: labelWidth)
      let nameWidth = width >= 100 ? 28 : isWide ? 14 : 12
      row.add(shortenedName(source.name, to: nameWidth, glyphs), source.isHeard ? .bold : [])
      row.fill(to: labelWidth + nameWidth)
      row.add(" ")
      if isWide {
        row.add(source.category, .dim)
        row.fill(to: labelWidth + nameWidth + 15)
        row.add(" ")
      }
      let (state, style) = source.state(on: device)
      let gain = isWide && source.isActive ? decibels(source.decibels, glyphs) : ""
      row.add(shortened(state, to: width - row.width - columns(of: gain) - 1, glyphs), style)
      row.addAtEnd(gain.isEmpty ? "" : "\(gain) ", .dim)
      rows.append(row)
    }
    if shown < device.sources.count {
      var row = row
      row.fill(to: labelWidth)
      row.add("and \(device.sources.count - shown) more", .dim)
      rows.append(row)
    }
    return rows
  }

  /// Those that matter most, where not all find room; else all in their order.
  private func ranked(upTo most: Int) -> [Device.Source] {
    if device.sources.count <= most { return device.sources }
    var found: [Device.Source] = []
    for rank in 0...2 { found += device.sources.filter { $0.rank == rank } }
    return Array(found.prefix(most))
  }

  /// What a person wants to hear of: feedback and sounds are for the hand and the ear.
  private var heardOf: [Device.Event] {
    device.events.filter { $0.kind != "feedback" && $0.kind != "sound" }
  }

  private func events(upTo most: Int) -> [Row] {
    var rows: [Row] = []
    for (index, event) in heardOf.suffix(most).reversed().enumerated() {
      var row = index == 0 ? labelled("Events") : row
      row.fill(to: labelWidth)
      let time = elapsed(event.seconds)
      row.add(time, .dim)
      row.fill(to: labelWidth + max(9, time.count + 2))
      row.add(shortened(event.sentence, to: width - row.width, glyphs), index == 0 ? [] : .dim)
      rows.append(row)
    }
    return rows
  }

  // MARK: Keys

  private var messageRow: [Row] {
    guard !message.isEmpty else { return isRoomy ? [row] : [] }
    var row = row
    row.add(" \(message)", .yellow)
    return [row]
  }

  private var legend: [Row] {
    var entries = [
      ("\(glyphs.up) \(glyphs.down)", "volume"), ("m", "mute"), ("s", "silent switch"),
    ]
    if device.control(.headphoneDetect) != nil { entries.append(("h", "headphones")) }
    if device.routes.count > 1 { entries.append(("r", "route")) }
    if !device.sources.isEmpty { entries.append(("space", "play")) }
    entries.append(("q", "leave"))
    if height < 8 { return [] }
    // One row is enough where there are few.
    if height < 16 { entries = [entries[0], entries[1], ("r", "route"), ("q", "leave")] }
    var rows: [Row] = []
    var current = row
    for (key, meaning) in entries {
      let needed = columns(of: key) + columns(of: meaning) + 2
      if current.width + needed > width {
        rows.append(current)
        current = row
      }
      current.add(" ")
      current.add(key, .bold)
      current.add(" \(meaning)", .dim)
      if current.width < width { current.add(" ") }
    }
    rows.append(current)
    return height < 16 ? Array(rows.prefix(1)) : rows
  }
}

extension Device.Source {
  /// 0 plays, 1 waits or has the floor, 2 does nothing.
  fileprivate var rank: Int {
    if isPlaying && isActive { return 0 }
    return isActive || state == "interrupted" || state == "held" ? 1 : 2
  }
}
