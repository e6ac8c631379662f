// SPDX-License-Identifier: Apache-2.0
//
// `tactus board pins`: the 40-pin header as a board uses it, before anything is soldered.

import TactusCore
import TactusLinux

/// Runs `board pins`.
func drawPins(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let folders = boardFolders(invocation)
  let wanted = invocation.operands[0]
  let path = try path(ofBoard: wanted, in: folders)
  let loaded = Board.headerUses(path: path, folders: folders)
  let mistakes = loaded.diagnostics.filter { $0.severity == .error }
  guard let uses = loaded.value else {
    if !mistakes.isEmpty { throw Failure(.configuration, saying: mistakes[0].description) }
    throw Failure(
      .configuration,
      wanted,
      "its lines are not behind a Raspberry Pi's header",
      next: "tactus board check shows what it has"
    )
  }
  let header = Header(title: wanted, uses: uses)
  if let file = invocation.value(of: "--svg") {
    let picture = header.picture
    if file == "-" {
      output.write(picture)
    } else {
      do throws(SystemError) { try writeFile(picture, to: file) } catch {
        throw Failure(.checkFailed, saying: error.description)
      }
    }
  } else if invocation.has("--json") {
    output.write(header.json.written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: header.rows(on: page)))
    output.write(page.text(of: mistakes.map { row(of: $0, on: page) }))
  }
  return mistakes.isEmpty ? .success : .configuration
}

/// The header with what each of its positions is for.
private struct Header {
  let title: String
  /// By line.
  let uses: [[LineUse]]

  /// What a position looks like.
  private enum Look: CaseIterable {
    case ours, taken, possible, free, conflict, supply, ground

    var style: Style {
      switch self {
      case .ours: [.green, .bold]
      case .taken: .cyan
      case .possible: .yellow
      case .free: []
      case .conflict: [.red, .reverse]
      case .supply: .red
      case .ground: .dim
      }
    }

    var colour: String {
      switch self {
      case .ours: "#1a7f37"
      case .taken: "#0969a8"
      case .possible: "#b07d00"
      case .free: "#ffffff"
      case .conflict: "#d1242f"
      case .supply: "#8a2432"
      case .ground: "#30363d"
      }
    }

    /// What the picture says of the colour; nil for what the label tells.
    var about: String? {
      switch self {
      case .ours: "yours"
      case .taken: "taken"
      case .possible: "free with a condition"
      case .free: "free"
      case .conflict: "used twice"
      case .supply, .ground: nil
      }
    }
  }

  private struct Pin {
    /// 1…40.
    let number: Int
    let look: Look
    /// `BCM 17`, `3.3 V`, `ground`.
    let label: String
    let owner: String
  }

  private var pins: [Pin] {
    HeaderPosition.all.enumerated().map { index, position in
      switch position {
      case .supply(let tenths):
        let rest = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
        return Pin(number: index + 1, look: .supply, label: "\(tenths / 10)\(rest) V", owner: "")
      case .ground: return Pin(number: index + 1, look: .ground, label: "ground", owner: "")
      case .line(let line):
        let uses = uses[Int(line)]
        let owners = uses.map { $0.kind == .possible ? brief($0.owner) : $0.owner }
        return Pin(
          number: index + 1,
          look: look(of: uses),
          label: "BCM \(line)",
          owner: owners.joined(separator: " and ")
        )
      }
    }
  }

  private func look(of uses: [LineUse]) -> Look {
    let certain = uses.filter { $0.kind != .possible }
    if certain.count > 1 { return .conflict }
    switch certain.first?.kind {
    case .asked: return .ours
    case .taken: return .taken
    case .possible, nil: return uses.isEmpty ? .free : .possible
    }
  }

  /// A condition without its advice.
  private func brief(_ owner: String) -> String { owner.split(at: ",").first ?? owner }

  // MARK: On a terminal

  func rows(on page: Page) -> [Row] {
    let pins = pins
    let dot = page.glyphs
    // Two columns of owners around 34 columns of labels, numbers and dots.
    let longest = pins.reduce(8) { max($0, columns(of: $1.owner)) }
    let room = page.width.map { min(max($0 - 34, 16) / 2, longest) } ?? longest
    var rows: [Row] = []
    for index in stride(from: 0, to: pins.count, by: 2) {
      let (left, right) = (pins[index], pins[index + 1])
      var row = page.row
      let owner = String(left.owner.prefix(room))
      row.fill(to: 1 + room - columns(of: owner))
      row.add(owner, left.look.style)
      row.fill(to: 3 + room + 6 - columns(of: left.label))
      row.add(left.label, left.look.style)
      row.fill(to: room + 12 - columns(of: "\(left.number)"))
      row.add("\(left.number) ", .dim)
      row.add(left.look == .free ? dot.off : dot.on, left.look.style)
      row.add(" ")
      row.add(right.look == .free ? dot.off : dot.on, right.look.style)
      row.add(" \(right.number)", .dim)
      row.fill(to: room + 20)
      row.add(right.label, right.look.style)
      row.fill(to: room + 28)
      row.add(String(right.owner.prefix(room)), right.look.style)
      rows.append(row)
    }
    return rows + [page.row] + legend(on: page)
  }

  private func legend(on page: Page) -> [Row] {
    var conditions: [(owner: String, lines: [String])] = []
    for (line, uses) in uses.enumerated() {
      for use in uses where use.kind == .possible {
        if conditions.last?.owner != use.owner { conditions.append((use.owner, [])) }
        conditions[conditions.count - 1].lines.append("\(line)")
      }
    }
    var rows = conditions.map { owner, lines in
      var row = page.row
      row.add(" BCM \(lines.joined(separator: ", ")): \(owner)", .yellow)
      return row
    }
    var row = page.row
    for look in Look.allCases {
      guard let about = look.about else { continue }
      row.add(" ")
      row.add(look == .free ? page.glyphs.off : page.glyphs.on, look.style)
      row.add(" \(about) ")
    }
    rows.append(row)
    return rows
  }

  // MARK: As a picture

  var picture: String {
    let (width, top, pitch) = (760.0, 64.0, 26.0)
    let middle = width / 2
    var svg = Svg()
    svg.text(title, middle, 34, size: 18, anchor: .middle, isBold: true)
    svg.rectangle(middle - 34, top - 16, 68, pitch * 20 + 6, "#1f2328", radius: 6)
    for pin in pins {
      let isLeft = pin.number % 2 == 1
      let side = isLeft ? -1.0 : 1.0
      let x = middle + side * 14
      let y = top + Double((pin.number - 1) / 2) * pitch
      svg.rectangle(x - 9, y - 9, 18, 18, pin.look.colour, radius: pin.number == 1 ? 2 : 9)
      let isDark = pin.look != .free
      svg.text(
        "\(pin.number)",
        x,
        y + 3.5,
        size: 9,
        isDark ? "#ffffff" : "#1f2328",
        anchor: .middle
      )
      let anchor: Svg.Anchor = isLeft ? .end : .start
      let colour = pin.look == .free ? "#59636e" : pin.look.colour
      svg.text(pin.label, middle + side * 44, y + 4, size: 12, colour, anchor: anchor)
      let owner = pin.look == .free ? "" : pin.owner
      svg.text(
        Svg.fitting(owner, in: 240, size: 12),
        middle + side * 110,
        y + 4,
        size: 12,
        colour,
        anchor: anchor,
        isBold: pin.look == .ours || pin.look == .conflict
      )
    }
    let bottom = top + pitch * 20 + 20
    var x = 120.0
    for look in Look.allCases {
      guard let about = look.about else { continue }
      svg.rectangle(x, bottom - 8, 12, 12, "#59636e", radius: 6)
      svg.rectangle(x + 1, bottom - 7, 10, 10, look.colour, radius: 5)
      svg.text(about, x + 18, bottom + 2, size: 11)
      x += 18 + Svg.width(of: about, size: 11) + 24
    }
    return svg.file(width: width, height: bottom + 24, title: "The header of \(title)")
  }

  // MARK: For programs

  var json: Json {
    .array(
      HeaderPosition.all.enumerated().map { index, position in
        var members = [Json.Member("position", .integer(Int64(index + 1)))]
        switch position {
        case .supply(let tenths): members.append(Json.Member("decivolts", .integer(Int64(tenths))))
        case .ground: members.append(Json.Member("ground", .bool(true)))
        case .line(let line):
          members.append(Json.Member("line", .integer(Int64(line))))
          members.append(Json.Member("uses", .array(uses[Int(line)].map { json($0) })))
        }
        return .object(members)
      }
    )
  }

  private func json(_ use: LineUse) -> Json {
    let kind =
      switch use.kind {
      case .asked: "asked"
      case .taken: "taken"
      case .possible: "possible"
      }
    return .object([
      Json.Member("kind", .text(kind)), Json.Member("owner", .text(use.owner)),
    ])
  }
}
