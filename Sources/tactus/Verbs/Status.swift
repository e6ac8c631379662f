// SPDX-License-Identifier: Apache-2.0
//
// `tactus status`: what the device does, at a glance.

import TactusCore
import TactusLinux

/// Runs `status`.
func showStatus(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let daemon = try Daemon(invocation)
  let description = try daemon.describe()
  if invocation.has("--json") {
    output.write(description + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(
      page.text(of: Status(device: try Device(describedBy: description), page: page).rows)
    )
  }
  return .success
}

/// The device in about ten lines.
struct Status {
  let device: Device
  let page: Page
  private static let labelWidth = 12

  var rows: [Row] {
    var rows = [sound, line("board", board), line("volume", volume), line("ringer", ringer)]
    rows.append(line("route", route))
    rows.append(line("mute", device.isMuted ? "on" : "off", device.isMuted ? .yellow : []))
    rows.append(line("silent", silent, device.isSilentSwitchOn ? .yellow : []))
    rows += inputs + lamp + answers + sources + notices
    for (index, fault) in device.faults.enumerated() {
      rows.append(line(index == 0 ? "faults" : "", fault, .red))
    }
    return rows
  }

  private func line(_ label: String, _ text: String, _ style: Style = []) -> Row {
    var row = page.row
    row.add(label, .dim)
    row.fill(to: Status.labelWidth)
    row.add(text, style)
    return row
  }

  private var sound: Row {
    let colour: Style =
      switch device.sound {
      case .sound: .green
      case .silent: .yellow
      case .notSilent: .red
      }
    var row = page.row
    row.add(device.sound.word, colour.union(.bold))
    row.fill(to: Status.labelWidth)
    row.add(device.explanation.joined(separator: ", "), .bold)
    return row
  }

  private var board: String {
    "\(device.board), tactusd \(device.version)"
  }

  private var volume: String {
    var words = [percent(device.level)]
    if let route = device.routeInUse {
      words.append(decibels(route.decibels, page.glyphs))
      if route.maximumLevel < .full { words.append("max-level \(percent(route.maximumLevel))") }
    }
    if let limit = device.limit { words.append("headphone limit \(percent(limit))") }
    if device.balance != 0 { words.append("balance \(signed(device.balance, page.glyphs))") }
    return words.joined(separator: ", ")
  }

  private var ringer: String {
    percent(device.ringer) + (device.keysSet == Volume.ringer.name ? ", set by the keys now" : "")
  }

  private var route: String {
    let used = device.route ?? "none"
    let others = device.routes.filter { $0.isAvailable && $0.name != device.route }
    guard !others.isEmpty else { return used }
    return "\(used), or \(others.map { $0.name }.joined(separator: ", "))"
  }

  private var silent: String {
    let state = device.isSilentSwitchOn ? "on" : "off"
    return device.hasHardwareSilentSwitch ? "\(state), by the switch at the device" : state
  }

  private var inputs: [Row] {
    guard !device.controls.isEmpty else { return [line("inputs", "none")] }
    var label = Row(limit: page.width ?? 80)
    label.add("inputs", .dim)
    label.fill(to: Status.labelWidth)
    return flow(device.controls.map { $0.spans(page.glyphs) }, after: label)
  }

  /// What the status lamp shows, in words.
  private var lamp: [Row] {
    guard device.channels.contains(where: { $0.name == "led" }), let indication = device.indication
    else { return [] }
    let isWarning = indication == .fault || indication == .microphoneOff
    return [line("lamp", indication.phrase(on: device), isWarning ? .red : [])]
  }

  /// The ways in which the device answers a hand.
  private var answers: [Row] {
    guard !device.channels.isEmpty else { return [] }
    let words = device.channels.map { channel in
      channel.percent == 0
        ? "\(channel.name) off"
        : channel.percent == 100 ? channel.name : "\(channel.name) \(channel.percent) %"
    }
    return [line("feedback", words.joined(separator: ", "))]
  }

  /// The newest notices, each with what to do about it.
  private var notices: [Row] {
    let shown = device.events.filter { $0.isNotice }.suffix(3).reversed()
    return shown.enumerated().map { index, event in
      line(
        index == 0 ? "notices" : "",
        "\(elapsed(device.seconds - event.seconds)) ago: \(event.sentence)",
        .yellow
      )
    }
  }

  private var sources: [Row] {
    guard !device.sources.isEmpty else { return [line("sources", "none")] }
    var table = Table()
    for source in device.sources {
      let (state, style) = source.sentence(on: device)
      let gain = source.isActive ? decibels(source.decibels, page.glyphs) : ""
      table.add([
        Span(text: source.name, style: source.isHeard ? .bold : []),
        Span(text: source.category, style: .dim),
        Span(text: gain, style: .dim),
        Span(text: state, style: style),
      ])
    }
    var rows = table.rows(on: page, indentation: Status.labelWidth)
    rows[0] = labelled("sources", rows[0])
    return rows
  }

  /// A row that begins with spaces, with a label in their place.
  private func labelled(_ label: String, _ row: Row) -> Row {
    var result = line(label, "")
    for span in row.spans.dropFirst() { result.add(span.text, span.style) }
    return result
  }
}

extension Indication {
  /// What it tells a person.
  fileprivate func phrase(on device: Device) -> String {
    switch self {
    case .fault: "fault"
    case .microphoneOff: "microphone off"
    case .silent: "silent"
    case .softMute: "muted"
    case .route: "sound goes to \(device.route ?? "nowhere")"
    case .activity: "something plays"
    case .rest: "at rest"
    }
  }
}
