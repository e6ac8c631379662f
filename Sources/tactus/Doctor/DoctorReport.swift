// SPDX-License-Identifier: Apache-2.0
//
// Findings as a page: by area, what is wrong in whole sentences, what is well in a few dim words.

import TactusCore
import TactusLinux

/// Everything that was found.
struct DoctorReport {
  let areas: [Findings]

  func count(_ verdict: Finding.Verdict) -> Int { areas.reduce(0) { $0 + $1.count(verdict) } }

  // MARK: For people

  func rows(on page: Page) -> [Row] {
    var rows: [Row] = []
    let objects = areas.flatMap { $0.list.map { columns(of: $0.object) } }
    // On a phone every name has a line of its own.
    let isNarrow = page.width.map { $0 < 60 } ?? false
    let width = isNarrow ? 0 : min(22, objects.max() ?? 0)
    for findings in areas where !findings.list.isEmpty {
      if !rows.isEmpty { rows.append(page.row) }
      var title = page.row
      title.add(findings.area.title, .bold)
      rows.append(title)
      for finding in findings.list { rows += self.rows(of: finding, width, on: page) }
    }
    return rows + [page.row, summary(on: page)]
  }

  private func rows(of finding: Finding, _ width: Int, on page: Page) -> [Row] {
    var row = page.row
    row.add("  \(finding.verdict.name)", finding.style.union(finding.verdict == .ok ? [] : .bold))
    row.fill(to: 8)
    row.add(finding.object, finding.verdict == .ok ? [] : .bold)
    let indentation = 8 + width + 2
    // A long name has a line of its own.
    var rows: [Row] = []
    if row.width > indentation - 2 {
      rows.append(row)
      row = page.row
    }
    row.fill(to: indentation)
    rows += wrapped(finding.meaning, finding.verdict == .ok ? .dim : [], after: row)
    guard !finding.advice.isEmpty else { return rows }
    var advice = page.row
    advice.fill(to: indentation)
    advice.add(page.glyphs.next, .cyan)
    advice.add(" ")
    return rows + wrapped(finding.advice, .cyan, after: advice)
  }

  private func summary(on page: Page) -> Row {
    var row = page.row
    let failures = count(.fail)
    let warnings = count(.warn)
    if failures > 0 { row.add("\(failures) fail", [.red, .bold]) }
    if failures > 0, warnings > 0 { row.add(", ") }
    if warnings > 0 { row.add("\(warnings) warn", [.yellow, .bold]) }
    if failures + warnings > 0 { row.add(", ") }
    row.add("\(count(.ok)) ok", failures + warnings > 0 ? .dim : [.green, .bold])
    return row
  }

  // MARK: For programs

  var json: Json {
    .object([
      Json.Member("good", .bool(count(.fail) == 0)),
      Json.Member(
        "findings",
        .array(areas.flatMap { findings in findings.list.map { $0.json(in: findings.area) } })
      ),
    ])
  }
}

extension Finding {
  fileprivate var style: Style {
    switch verdict {
    case .ok: .green
    case .warn: .yellow
    case .fail: .red
    }
  }

  fileprivate func json(in area: Area) -> Json {
    .object([
      Json.Member("area", .text(area.name)),
      Json.Member("verdict", .text(verdict.name)),
      Json.Member("object", .text(object)),
      Json.Member("meaning", .text(meaning)),
      Json.Member("advice", .text(advice)),
    ])
  }
}

/// A text word by word in as many rows as it needs, all of which begin where the first one is
/// filled.
func wrapped(_ text: String, _ style: Style, after first: Row) -> [Row] {
  var rows: [Row] = []
  var current = first
  for word in text.split(at: " ") {
    let isFirst = current.width == first.width
    if !isFirst, current.width + 1 + columns(of: word) > current.limit {
      rows.append(current)
      current = Row(limit: first.limit)
      current.fill(to: first.width)
      current.add(word, style)
    } else {
      current.add(isFirst ? word : " \(word)", style)
    }
  }
  return rows + [current]
}
