// SPDX-License-Identifier: Apache-2.0

/// Lines of cells, aligned; the last cell of a line is as long as it is.
struct Table {
  private var lines: [[Span]] = []

  mutating func add(_ cells: [Span]) { lines.append(cells) }

  mutating func add(_ cells: [String]) { add(cells.map { Span(text: $0, style: []) }) }

  /// The table, two columns between the cells, each line moved to the right.
  func rows(on page: Page, indentation: Int = 2) -> [Row] {
    var widths: [Int] = []
    for line in lines {
      for (index, cell) in line.dropLast().enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], columns(of: cell.text))
      }
    }
    return lines.map { line in
      var row = page.row
      var column = indentation
      for (index, cell) in line.enumerated() {
        row.fill(to: column)
        row.add(cell.text, cell.style)
        column += (index < widths.count ? widths[index] : 0) + 2
      }
      return row
    }
  }
}

/// Items side by side, in as many rows as they need; all rows begin where the first one is filled.
func flow(_ items: [[Span]], after first: Row) -> [Row] {
  let gap = 3
  var rows: [Row] = []
  var current = first
  for item in items {
    let needed = item.reduce(0) { $0 + columns(of: $1.text) }
    if current.width + needed > current.limit, current.width > first.width {
      rows.append(current)
      current = Row(limit: first.limit)
      current.fill(to: first.width)
    }
    for span in item { current.add(span.text, span.style) }
    current.fill(to: min(current.limit, current.width + gap))
  }
  return rows + [current]
}
