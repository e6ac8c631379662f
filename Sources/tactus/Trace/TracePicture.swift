// SPDX-License-Identifier: Apache-2.0
//
// The picture of a trace. Time goes from left to right; from top to bottom: volume, gain, route,
// why it was silent, sessions, inputs, notices.
//
//   lane    a row of bars with a name at its left
//   chart   a panel with lines over a scale; each line has its name at its right end
//   mark    a moment on the time axis

import TactusCore
import TactusLinux

/// Draws histories.
struct TracePicture {
  private static let width = 1_200.0
  private static let left = 168.0
  private static let right = 104.0
  private static let laneHeight = 16.0
  private static let lanePitch = 21.0
  /// So many lanes of sessions and inputs are drawn.
  private static let maximumLanes = 24

  private let history: TraceHistory
  private let times: TraceTimes
  private let note: String
  /// What is drawn, in ns of `MonotonicClock`.
  private let start: UInt64
  private let end: UInt64
  private var svg = Svg()
  /// Where the next thing is drawn.
  private var y = 0.0
  private var marks: [(x: Double, label: String)] = []
  private var lanesTop = 0.0

  /// - Parameters:
  ///   - history: What happened.
  ///   - times: Its clock.
  ///   - bounds: The part that is wanted, in ns of `MonotonicClock`; what the trace lacks is not
  ///     drawn.
  ///   - note: What the reader should know of the trace; empty for nothing.
  init(
    _ history: TraceHistory,
    _ times: TraceTimes,
    within bounds: ClosedRange<UInt64>,
    note: String
  ) {
    self.history = history
    self.times = times
    self.note = note
    let first = times.clock.nanoseconds(of: history.first)
    let last = times.clock.nanoseconds(of: history.last)
    start = min(max(first, bounds.lowerBound), last)
    // An empty trace has a second of its own.
    end = max(min(last, bounds.upperBound), start + 1_000_000_000)
  }

  /// The file.
  mutating func draw() -> String {
    drawTitle()
    marks = timeMarks()
    lanesTop = y
    drawLevel()
    drawGain()
    drawRoute()
    drawReasons()
    drawSessions()
    drawInputs()
    drawNotices()
    drawAxis()
    drawLegend()
    // The grid lies behind everything.
    var page = Svg()
    for mark in marks { page.line(mark.x, lanesTop, mark.x, axisY, Colour.grid) }
    page.add(svg)
    return page.file(width: TracePicture.width, height: y + 14, title: title)
  }

  private var axisY = 0.0

  // MARK: Places

  private var plotWidth: Double { TracePicture.width - TracePicture.left - TracePicture.right }
  private var plotEnd: Double { TracePicture.width - TracePicture.right }

  private func x(_ tick: Tick) -> Double { x(nanoseconds: times.clock.nanoseconds(of: tick)) }

  private func x(nanoseconds: UInt64) -> Double {
    let share = (Double(nanoseconds) - Double(start)) / Double(end - start)
    return TracePicture.left + min(max(share, 0), 1) * plotWidth
  }

  private func isShown(_ tick: Tick) -> Bool {
    (start...end).contains(times.clock.nanoseconds(of: tick))
  }

  /// The stretches that can be seen.
  private func visible<Value>(
    _ series: Series<Value>
  ) -> [(from: Double, to: Double, value: Value)] {
    series.stretches(until: history.last).compactMap { stretch in
      guard times.clock.nanoseconds(of: stretch.to) >= start,
        times.clock.nanoseconds(of: stretch.from) <= end
      else { return nil }
      return (x(stretch.from), x(stretch.to), stretch.value)
    }
  }

  // MARK: Title

  private var title: String {
    "\(history.board.isEmpty ? "Tactus" : history.board), \(span)"
  }

  private var span: String {
    guard times.clock.knowsWall else {
      return "\(elapsed(seconds(start))) – \(elapsed(seconds(end))) since the start"
    }
    let (from, to) = (wall(start), wall(end))
    let isOneDay = from.date == to.date
    return "\(from.date), \(from.time) – \(isOneDay ? "" : "\(to.date), ")\(to.time)"
  }

  private func wall(_ nanoseconds: UInt64) -> WallTime {
    WallTime(nanoseconds: Int64(nanoseconds) + times.clock.wallOffset)
  }

  /// Seconds since the daemon began.
  private func seconds(_ nanoseconds: UInt64) -> Double {
    let origin = Double(times.clock.nanoseconds(of: history.first))
    return times.seconds(history.first) + (Double(nanoseconds) - origin) / 1e9
  }

  private mutating func drawTitle() {
    svg.text(history.board.isEmpty ? "Tactus" : history.board, 20, 32, size: 19, isBold: true)
    svg.text(span, TracePicture.width - 20, 32, size: 14, Colour.soft, anchor: .end)
    let ticks = "\(history.tickCount) tick\(history.tickCount == 1 ? "" : "s") that did something"
    svg.text("\(duration), \(ticks), tactus \(tactusVersion)", 20, 50, size: 11, Colour.soft)
    if !note.isEmpty {
      svg.text(note, TracePicture.width - 20, 50, size: 11, Colour.alarm, anchor: .end)
    }
    y = 58
  }

  private var duration: String {
    let tenths = Int((Double(end - start) / 1e8).rounded())
    if tenths < 1_200 { return "\(fixed(Double(tenths) / 10)) s" }
    let seconds = tenths / 10
    if seconds < 7_200 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
  }

  // MARK: Charts

  private mutating func panel(_ name: String, _ height: Double) -> Double {
    y += 16
    let top = y
    svg.text(name, 20, top + 12, size: 12, isBold: true)
    svg.line(TracePicture.left, top + height, plotEnd, top + height, Colour.frame)
    y = top + height
    return top
  }

  private mutating func scale(_ label: String, _ y: Double) {
    svg.line(TracePicture.left, y, plotEnd, y, Colour.grid)
    svg.text(label, TracePicture.left - 8, y + 4, size: 10, Colour.soft, anchor: .end)
  }

  private mutating func drawLevel() {
    let height = 100.0
    let top = panel("Volume", height)
    for percent in [0, 25, 50, 75, 100] {
      scale("\(percent) %", top + height - Double(percent) / 100 * (height - 6))
    }
    func place(_ parts: Int32) -> Double { top + height - Double(parts) / 10_000 * (height - 6) }
    let ringer = visible(history.ringer).map { (from: $0.from, to: $0.to, y: place($0.value)) }
    svg.path(Stroke(ringer).path, Colour.ringer, width: 1.4, dashes: "5 4")
    let level = visible(history.level).map { (from: $0.from, to: $0.to, y: place($0.value)) }
    svg.path(Stroke(level).path, Colour.outputs[0], width: 2)
    var ends: [(y: Double, text: String, colour: String)] = []
    if let last = visible(history.level).last {
      ends.append((place(last.value), "level \(percent(last.value))", Colour.outputs[0]))
    }
    if let last = visible(history.ringer).last {
      ends.append((place(last.value), "ringer \(percent(last.value))", Colour.ringer))
    }
    drawEnds(ends)
  }

  private func percent(_ parts: Int32) -> String { "\((Int(parts) + 50) / 100) %" }

  /// Names at the right ends of lines, moved apart where they would touch.
  private mutating func drawEnds(_ ends: [(y: Double, text: String, colour: String)]) {
    var next = -100.0
    for end in ends.sorted(by: { $0.y < $1.y }) {
      let place = max(end.y + 4, next)
      svg.text(end.text, plotEnd + 8, place, size: 11, end.colour, isBold: true)
      next = place + 13
    }
  }

  private mutating func drawGain() {
    let height = 120.0
    let silent = 18.0
    let top = panel("Gain", height)
    let highest = max(0, history.gains.map { $0.highest }.max() ?? 0)
    let range = Double(6_000 + highest)
    func place(_ gain: Gain) -> Double {
      if gain.millibels <= -6_000 && gain.isSilence { return top + height - 4 }
      let share = Double(highest - max(gain.millibels, -6_000)) / range
      return top + 4 + share * (height - 8 - silent)
    }
    for decibels in [0, -20, -40, -60] {
      let label = decibels == 0 ? "0 dB" : "−\(-decibels) dB"
      scale(label, place(Gain(millibels: Int32(decibels * 100))))
    }
    scale("silent", place(.silence))
    var ends: [(y: Double, text: String, colour: String)] = []
    for (index, series) in history.gains.enumerated() {
      let colour = Colour.outputs[index % Colour.outputs.count]
      let stretches = visible(series)
      let known = stretches.compactMap { stretch in
        stretch.value.map { (from: stretch.from, to: stretch.to, y: place($0)) }
      }
      svg.path(Stroke(known).path, colour, width: 1.8)
      if let last = stretches.last?.value {
        ends.append((place(last), history.outputs[index], colour))
      }
    }
    drawEnds(ends)
  }

  // MARK: Lanes

  private mutating func header(_ name: String) {
    y += 14
    svg.text(name, 20, y + 10, size: 12, isBold: true)
  }

  /// A lane with its name; answers where its bars are.
  private mutating func lane(_ name: String) -> Double {
    let top = y + 2
    svg.rectangle(TracePicture.left, top, plotWidth, TracePicture.laneHeight, Colour.lane)
    let fitting = Svg.fitting(name, in: TracePicture.left - 44, size: 11)
    svg.text(fitting, TracePicture.left - 10, top + 12, anchor: .end)
    y += TracePicture.lanePitch
    return top
  }

  private mutating func bar(
    _ from: Double,
    _ to: Double,
    _ top: Double,
    _ colour: String,
    _ label: String = ""
  ) {
    let width = max(to - from, 1.5)
    let start = min(from, plotEnd - width)
    svg.rectangle(start, top + 1, width, TracePicture.laneHeight - 2, colour, radius: 1.5)
    guard !label.isEmpty, Svg.width(of: label, size: 10) + 8 <= width else { return }
    svg.text(label, start + 5, top + 12, size: 10, "#ffffff")
  }

  /// A title line of a section whose lanes begin at once.
  private mutating func section(_ name: String) {
    header(name)
    y += 18
  }

  private mutating func drawRoute() {
    header("Route")
    y -= 2
    let top = lane("")
    for stretch in visible(history.route) {
      guard let output = stretch.value else { continue }
      let colour = Colour.outputs[Int(output) % Colour.outputs.count]
      let name = Int(output) < history.outputs.count ? history.outputs[Int(output)] : ""
      bar(stretch.from, stretch.to, top, colour, name)
    }
  }

  private mutating func drawReasons() {
    section("Silence")
    var top = lane("nothing heard")
    for stretch in visible(history.silent) where stretch.value {
      bar(stretch.from, stretch.to, top, Colour.silent)
    }
    for (index, reason) in SilenceReason.allCases.enumerated() {
      let stretches = visible(history.reasons[index]).filter { $0.value }
      guard !stretches.isEmpty else { continue }
      top = lane(reason.name)
      let colour = reason == .fault ? Colour.alarm : Colour.reason
      for stretch in stretches { bar(stretch.from, stretch.to, top, colour) }
    }
  }

  private mutating func drawSessions() {
    let shown = history.sessions.filter { session in
      visible(session.sound).contains { $0.value != .absent && $0.value != .idle }
    }
    section("Sessions")
    guard !shown.isEmpty else { return remark("none did anything") }
    for session in shown.prefix(TracePicture.maximumLanes) {
      let top = lane(session.name)
      for stretch in visible(session.sound) {
        guard let colour = stretch.value.colour else { continue }
        bar(stretch.from, stretch.to, top, colour, stretch.value.word)
      }
    }
    more(shown.count)
  }

  private mutating func drawInputs() {
    let shown = history.touches.filter { touch in
      touch.isTouched
        && (touch.troubles.contains { isShown($0) } || touch.detents.contains { isShown($0.tick) }
          || touch.role != .knob && visible(touch.state).contains { $0.value != 0 })
    }
    section("Inputs")
    guard !shown.isEmpty else { return remark("none was touched") }
    for touch in shown.prefix(TracePicture.maximumLanes) {
      let top = lane(touch.name)
      if touch.role == .knob {
        for detent in touch.detents where isShown(detent.tick) {
          drawDetent(x(detent.tick), top, detent.isClockwise)
        }
      } else {
        for stretch in visible(touch.state) where stretch.value != 0 {
          bar(stretch.from, stretch.to, top, Colour.touch)
        }
      }
      for tick in touch.troubles where isShown(tick) {
        svg.rectangle(x(tick) - 1, top, 2, TracePicture.laneHeight, Colour.alarm)
      }
    }
    more(shown.count)
  }

  /// Up is clockwise.
  private mutating func drawDetent(_ x: Double, _ top: Double, _ isClockwise: Bool) {
    let middle = top + TracePicture.laneHeight / 2
    let tip = isClockwise ? middle - 6.5 : middle + 6.5
    let base = isClockwise ? middle + 1 : middle - 1
    let ends = "L\(fixed(x + 3.5)) \(fixed(base))L\(fixed(x - 3.5)) \(fixed(base))Z"
    svg.shape("M\(fixed(x)) \(fixed(tip))\(ends)", Colour.touch)
  }

  private mutating func remark(_ text: String) {
    svg.text(text, TracePicture.left, y + 12, size: 11, Colour.soft)
    y += TracePicture.lanePitch
  }

  private mutating func more(_ count: Int) {
    guard count > TracePicture.maximumLanes else { return }
    remark("and \(count - TracePicture.maximumLanes) more")
  }

  /// Texts beside their moments, in as many rows as they need; without room a moment is alone.
  private mutating func drawNotices() {
    let shown = history.notices.filter { isShown($0.tick) }
    guard !shown.isEmpty else { return }
    section("Notices")
    let top = y
    var free: [Double] = []
    for notice in shown {
      let x = x(notice.tick)
      let width = Svg.width(of: notice.text, size: 10.5) + 16
      // Where it would leave the picture the text stands at the left of its moment.
      let isLeft = x + width > TracePicture.width - 12
      let from = isLeft ? x - width : x
      var row = free.firstIndex { $0 <= from }
      if row == nil, free.count < 5 {
        row = free.count
        free.append(0)
      }
      let place = top + Double(row ?? 0) * 15
      svg.line(x, top, x, place + 12, Colour.alarm)
      svg.shape(
        "M\(fixed(x)) \(fixed(place + 12))l-3.5 -7l7 0Z",
        Colour.alarm
      )
      guard let row else { continue }
      svg.text(
        notice.text,
        isLeft ? x - 7 : x + 7,
        place + 11,
        size: 10.5,
        anchor: isLeft ? .end : .start
      )
      free[row] = from + width
    }
    y = top + Double(free.count) * 15 + 4
  }

  // MARK: Time

  private mutating func drawAxis() {
    y += 8
    axisY = y
    svg.line(TracePicture.left, y, plotEnd, y, Colour.axis)
    for mark in marks {
      svg.line(mark.x, y, mark.x, y + 5, Colour.axis)
      svg.text(mark.label, mark.x, y + 18, size: 11, anchor: .middle)
    }
    y += 30
  }

  /// Round moments, at least 84 apart in the picture.
  private func timeMarks() -> [(x: Double, label: String)] {
    let steps = [
      0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400,
      43_200, 86_400, 604_800,
    ]
    let span = Double(end - start) / 1e9
    let step = steps.first { plotWidth * $0 / span >= 84 } ?? 2_592_000
    let knowsWall = times.clock.knowsWall
    let origin =
      knowsWall
      ? Double(wall(start).secondsOfDay) + Double(wall(start).milliseconds) / 1e3 : seconds(start)
    var marks: [(x: Double, label: String)] = []
    var next = (origin / step).rounded(.up)
    while (next * step - origin) <= span + 1e-6, marks.count < 64 {
      let offset = UInt64(max((next * step - origin) * 1e9, 0))
      marks.append((x(nanoseconds: start + offset), label(next * step, step)))
      next += 1
    }
    return marks
  }

  /// A time of day, or a time since the daemon began, as precise as the step needs.
  private func label(_ seconds: Double, _ step: Double) -> String {
    guard times.clock.knowsWall else { return elapsed(seconds) }
    let tenths = Int((seconds * 10).rounded())
    let day = tenths / 10 % 86_400
    let minutes = "\(two(day / 3_600)):\(two(day % 3_600 / 60))"
    if step >= 60 { return minutes }
    let text = "\(minutes):\(two(day % 60))"
    return step < 1 ? "\(text).\(tenths % 10)" : text
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private mutating func drawLegend() {
    var x = TracePicture.left
    y += 8
    for sound in TraceHistory.Sound.allCases {
      guard let colour = sound.colour else { continue }
      guard history.sessions.contains(where: { $0.sound.points.contains { $0.value == sound } })
      else { continue }
      svg.rectangle(x, y - 9, 11, 11, colour, radius: 1.5)
      svg.text(sound.word, x + 16, y, size: 10.5, Colour.soft)
      x += 16 + Svg.width(of: sound.word, size: 10.5) + 18
    }
    if history.touches.contains(where: { !$0.troubles.isEmpty }) {
      svg.rectangle(x + 4, y - 10, 2, 13, Colour.alarm)
      svg.text("glitch, lost edge or illegal jump", x + 16, y, size: 10.5, Colour.soft)
      x += 16 + Svg.width(of: "glitch, lost edge or illegal jump", size: 10.5) + 18
    }
    if history.touches.contains(where: { !$0.detents.isEmpty }) {
      drawDetent(x + 6, y - 12, true)
      svg.text("clockwise", x + 16, y, size: 10.5, Colour.soft)
    }
  }
}

// MARK: Lines

/// A line through stretches, as a path; many in one place are one stroke.
private struct Stroke {
  private(set) var path = ""
  /// The last place; nil before the first.
  private var at: (x: Double, y: Double)?

  init(_ stretches: [(from: Double, to: Double, y: Double)]) {
    var index = 0
    while index < stretches.count {
      let stretch = stretches[index]
      var low = stretch.y
      var high = stretch.y
      var last = stretch
      // What would lie on one hair is drawn as one.
      while index + 1 < stretches.count, stretches[index + 1].from - stretch.from < 0.4 {
        index += 1
        last = stretches[index]
        low = min(low, last.y)
        high = max(high, last.y)
      }
      move(to: stretch)
      if low != high { path += "V\(fixed(low))V\(fixed(high))V\(fixed(last.y))" }
      path += "H\(fixed(last.to))"
      at = (last.to, last.y)
      index += 1
    }
    if path.isEmpty { path = "M0 0" }
  }

  private mutating func move(to stretch: (from: Double, to: Double, y: Double)) {
    if let at, stretch.from - at.x < 0.5 {
      path += "H\(fixed(stretch.from))V\(fixed(stretch.y))"
    } else {
      path += "M\(fixed(stretch.from)) \(fixed(stretch.y))"
    }
  }
}

extension Series<Gain?> {
  /// The highest gain, in millibels.
  fileprivate var highest: Int32 { points.compactMap { $0.value?.millibels }.max() ?? 0 }
}

// MARK: Colours

/// Colours that differ for most eyes, on white.
private enum Colour {
  static let outputs = ["#1465a8", "#b5479a", "#2f7d4f", "#7a5bc0", "#8c6d1f"]
  static let ringer = "#9a6a00"
  static let silent = "#5b6672"
  static let reason = "#d27a12"
  static let touch = "#2b4257"
  static let alarm = "#c4282d"
  static let soft = "#5b6672"
  static let axis = "#6b7683"
  static let frame = "#c5ccd3"
  static let grid = "#e3e7eb"
  static let lane = "#f1f3f5"
}

extension TraceHistory.Sound {
  fileprivate var colour: String? {
    switch self {
    case .absent, .idle: nil
    case .paused: "#a3adb7"
    case .heard: "#2f8f4e"
    case .ducked: "#6aa57c"
    case .silenced: "#d27a12"
    case .interrupted: "#c4282d"
    case .held: "#7a5bc0"
    }
  }

  fileprivate var word: String {
    switch self {
    case .absent, .idle: ""
    case .paused: "paused"
    case .heard: "heard"
    case .ducked: "lowered"
    case .silenced: "silenced"
    case .interrupted: "interrupted"
    case .held: "held"
    }
  }
}
