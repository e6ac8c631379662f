// SPDX-License-Identifier: Apache-2.0
//
// A control that was moved, as it is shown: what it does, and what to write for it.

import TactusCore
import TactusLinux

/// What was measured of a control.
struct Measured {
  private enum Kind {
    case contact(ContactMeasurement)
    case knob(KnobMeasurement)
  }

  let name: String
  /// How many edges came.
  let edges: Int
  /// The lines that its board file should have and has not; empty where all is well.
  let settings: [String]
  private let kind: Kind
  private let debounceMilliseconds: UInt64
  private let isSwitch: Bool

  /// - Parameters:
  ///   - control: what was moved.
  ///   - board: its board.
  ///   - edges: the control's own, by rising time.
  init(_ control: BoardControl, _ board: Board, _ edges: [EdgeRecording.Edge]) {
    name = control.name
    self.edges = edges.count
    let position = board.controls.firstIndex { $0.name == control.name } ?? 0
    let policy = board.configuration.controls[position]
    let tick = UInt64(board.configuration.timing.tickMicroseconds)
    debounceMilliseconds = UInt64(policy.debounceTicks) * tick / 1_000
    isSwitch = Measured.isSwitch(control.role) || policy.latching
    guard case .lines(_, _, _, let polarity) = control.contact else {
      kind = .contact(ContactMeasurement([]))
      settings = []
      return
    }
    if control.role == .knob {
      let measurement = KnobMeasurement(edges)
      kind = .knob(measurement)
      settings = measurement.settings(
        isInverted: policy.inverted,
        transitionsPerDetent: Int(policy.transitionsPerDetent)
      )
    } else {
      let measurement = ContactMeasurement(edges)
      kind = .contact(measurement)
      settings = measurement.settings(
        polarity: polarity,
        debounceMilliseconds: debounceMilliseconds,
        isSwitch: isSwitch
      )
    }
  }

  /// Whether it stays where it is put, so that its rest says nothing of its polarity.
  static func isSwitch(_ role: Role) -> Bool {
    switch role {
    case .silentSwitch, .microphoneSwitch, .lid, .headphoneDetect, .knob: true
    case .volumeUp, .volumeDown, .mute, .knobPush, .playPause, .play, .pause, .next, .previous,
      .stop, .headset, .microphoneMute, .power:
      false
    }
  }

  // MARK: For people

  func rows(on page: Page, isTitled: Bool) -> [Row] {
    var rows: [Row] = []
    if isTitled {
      var title = page.row
      title.add(name, .bold)
      rows.append(title)
    }
    if edges == 0 {
      rows.append(line("did not move", .yellow, on: page))
      return rows
    }
    switch kind {
    case .contact(let contact): rows += self.rows(of: contact, on: page)
    case .knob(let knob): rows += self.rows(of: knob, on: page)
    }
    if settings.isEmpty {
      rows.append(line("well as the board file has it", .green, on: page))
    } else {
      rows.append(line("\(page.glyphs.next) write for \(name) in the board file:", .cyan, on: page))
      for setting in settings { rows.append(line("    \(setting)", [.cyan, .bold], on: page)) }
    }
    return rows
  }

  private func rows(of contact: ContactMeasurement, on page: Page) -> [Row] {
    let times = isSwitch ? "moved" : "pressed"
    let rest = contact.isHighAtRest == true ? "high" : "low"
    let active = contact.isHighAtRest == true ? "low" : "high"
    let level = isSwitch ? "was \(rest) at first" : "rests \(rest), so it is active \(active)"
    var rows = [
      line("\(times) \(contact.presses) times, \(contact.edges) edges; \(level)", on: page),
      line(
        "bounces for \(milliseconds(contact.longestBounceNanoseconds)) at most, longest gap"
          + " \(milliseconds(contact.longestGapNanoseconds)); debounce: \(debounceMilliseconds) ms",
        on: page
      ),
    ]
    let most = contact.bounces.max() ?? 0
    let bounds = ContactMeasurement.boundsMilliseconds
    for (place, count) in contact.bounces.enumerated() where count > 0 {
      let isLast = place == bounds.count
      var row = page.row
      row.add("    \(isLast ? "over" : "under") \(bounds[min(place, bounds.count - 1)]) ms", .dim)
      row.fill(to: 17)
      let width = max(1, count * 30 / max(most, 30))
      row.add(String(repeating: page.glyphs.full, count: width), .green)
      row.add(" \(count)", .dim)
      rows.append(row)
    }
    return rows
  }

  private func rows(of knob: KnobMeasurement, on page: Page) -> [Row] {
    let way =
      switch knob.isClockwise {
      case true?: "A before B, which is clockwise"
      case false?: "B before A, which is anticlockwise"
      case nil: "to and fro"
      }
    let detents = knob.transitionsPerDetent.map { "\($0) transitions to a detent" }
    return [
      line("\(knob.edges) edges, \(abs(knob.transitions)) transitions; \(way)", on: page),
      line(
        (detents ?? "too few clicks to tell the transitions of a detent")
          + (knob.jumps > 0 ? "; \(knob.jumps) times both lines at once" : ""),
        on: page
      ),
    ]
  }

  private func line(_ text: String, _ style: Style = [], on page: Page) -> Row {
    var row = page.row
    row.add("  \(text)", style)
    return row
  }

  // MARK: For programs

  var json: Json {
    var members = [
      Json.Member("control", .text(name)),
      Json.Member("edges", .integer(Int64(edges))),
      Json.Member("settings", .array(settings.map { .text($0) })),
    ]
    switch kind {
    case .contact(let contact):
      members += [
        Json.Member("presses", .integer(Int64(contact.presses))),
        Json.Member("restsHigh", contact.isHighAtRest.map { .bool($0) } ?? .null),
        Json.Member("bounceMilliseconds", .number(Double(contact.longestBounceNanoseconds) / 1e6)),
        Json.Member("gapMilliseconds", .number(Double(contact.longestGapNanoseconds) / 1e6)),
        Json.Member("bounces", .array(contact.bounces.map { .integer(Int64($0)) })),
      ]
    case .knob(let knob):
      members += [
        Json.Member("transitions", .integer(Int64(knob.transitions))),
        Json.Member("clockwise", knob.isClockwise.map { .bool($0) } ?? .null),
        Json.Member(
          "transitionsPerDetent",
          knob.transitionsPerDetent.map { .integer(Int64($0)) } ?? .null
        ),
        Json.Member("jumps", .integer(Int64(knob.jumps))),
      ]
    }
    return .object(members)
  }
}
