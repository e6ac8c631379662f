// SPDX-License-Identifier: Apache-2.0
//
// Every GPIO line of the board: who has it, and what its edges tell of the contact behind it.
//
//   idle   what the bias makes of a line that nothing touches
//   bounce edges that follow each other faster than a finger can press and let go

import TactusCore
import TactusLinux

extension Examination {
  /// No finger presses for a shorter time.
  private static let fingerMilliseconds: UInt64 = 40
  /// So many gaps longer than the debounce time are no accident.
  private static let bounceCount = 3
  /// So often must a knob have rested before its detents are judged.
  private static let restCount = 8
  /// A contact that is active for so long since the start was not just touched (RTE-9).
  private static let startSeconds = 10.0
  /// So many edges come from no hand while the doctor listens.
  private static let noisyEdges = 20

  func checkLines(_ findings: inout Findings) {
    guard let board, board.status != .simulated else { return }
    let unusable = checkChips(of: board, &findings)
    for index in board.controls.indices { check(control: index, of: board, unusable, &findings) }
    for line in drivenLines(of: board) where !unusable.contains(line.labels) {
      check(driven: line, &findings)
    }
    for wanted in board.inputDevices { check(wanted, &findings) }
    for signal in board.signals { check(device: signal, &findings) }
  }

  // MARK: Chips

  /// Looks for every chip that the board needs.
  /// - Returns: The labels of those whose lines need not be looked at one by one.
  private func checkChips(of board: Board, _ findings: inout Findings) -> [[String]] {
    var wanted: [[String]] = []
    func add(_ labels: [String]) { if !wanted.contains(labels) { wanted.append(labels) } }
    for control in board.controls {
      if case .lines(let labels, _, _, _) = control.contact { add(labels) }
    }
    for line in drivenLines(of: board) { add(line.labels) }
    return wanted.filter { !isUsable($0, &findings) }
  }

  private func isUsable(_ labels: [String], _ findings: inout Findings) -> Bool {
    let name = labels.first ?? "GPIO"
    do throws(LineError) {
      let chip = try chips.chip(labelled: labels)
      if let refusal = refusal(of: chip.path) {
        let user = Account.name(ofUser: program?.user ?? 0)
        findings.fail(
          chip.label,
          "\(refusal), so that no button works",
          remedy(for: user, chip.path, group: "gpio")
        )
        return false
      }
      findings.ok(chip.label, "\(chip.path), \(chip.lineCount) lines")
      return true
    } catch {
      if case .missingChip(let present) = error.cause {
        findings.fail(
          name,
          "there is no such chip, there is \(present.isEmpty ? "none" : list(present))",
          "is this the board's machine? Its driver may be missing; tactus lines shows what is there"
        )
      } else {
        findings.warn(
          chips.denied.first ?? name,
          "you may not open it, so that nothing is said of its lines",
          "sudo tactus doctor, or join its group: sudo adduser $USER gpio"
        )
      }
      return false
    }
  }

  // MARK: Lines that are driven

  private struct DrivenLine {
    let name: String
    let labels: [String]
    let offset: UInt32
  }

  private func drivenLines(of board: Board) -> [DrivenLine] {
    var lines: [DrivenLine] = []
    for output in board.outputs {
      guard let line = output.amplifier else { continue }
      lines.append(
        DrivenLine(
          name: "\(output.name) amplifier",
          labels: line.chipLabels,
          offset: line.offset
        )
      )
    }
    for signal in board.signals {
      guard let line = signal.line else { continue }
      lines.append(DrivenLine(name: signal.name, labels: line.chipLabels, offset: line.offset))
    }
    return lines
  }

  private func check(driven line: DrivenLine, _ findings: inout Findings) {
    do throws(LineError) {
      let chip = try chips.chip(labelled: line.labels)
      let information = try chip.line(line.offset)
      guard isFree(information, line.name, line.offset, &findings) else { return }
      findings.ok(line.name, "line \(line.offset), \(information.isOutput ? "output" : "input")")
    } catch {
      findings.fail(line.name, error.description, "tactus board check; tactus lines")
    }
  }

  /// Whether a line is ours, or free where there is no daemon; else says who has it.
  private func isFree(
    _ line: LineInfo,
    _ object: String,
    _ offset: UInt32,
    _ findings: inout Findings
  ) -> Bool {
    let isOurs = line.consumer.hasPrefix("tactus:")
    if line.isUsed && !isOurs {
      let user = line.consumer.isEmpty ? "somebody without a name" : "\"\(line.consumer)\""
      findings.fail(
        object,
        "line \(offset) is busy, held by \(user), so it does nothing",
        "stop that program, or take the overlay that claims the line out of config.txt"
      )
      return false
    }
    if device != nil, !isOurs {
      findings.fail(
        object,
        "line \(offset) is free although tactusd runs",
        "journalctl -u tactusd says why it does not have it; restart it"
      )
      return false
    }
    return true
  }

  // MARK: Contacts

  private func check(
    control index: Int,
    of board: Board,
    _ unusable: [[String]],
    _ findings: inout Findings
  ) {
    let control = board.controls[index]
    guard case .lines(let labels, let offsets, let bias, let polarity) = control.contact,
      !unusable.contains(labels)
    else { return }
    do throws(LineError) {
      let chip = try chips.chip(labelled: labels)
      for offset in offsets {
        guard isFree(try chip.line(offset), control.name, offset, &findings) else { return }
      }
    } catch {
      return findings.fail(control.name, error.description, "tactus board check; tactus lines")
    }
    let contact = ContactFacts(
      name: control.name,
      role: control.role,
      isLatching: board.configuration.controls[index].latching,
      place: offsets.count == 1
        ? "line \(offsets[0])" : "lines " + offsets.map { "\($0)" }.joined(separator: ", "),
      bias: bias,
      polarity: polarity
    )
    if let state = device?.controls.first(where: { $0.name == control.name }) {
      check(contact, state, board.configuration.controls[index], board, &findings)
    } else if index < samples.count, let sample = samples[index] {
      check(contact, sample, &findings)
    }
  }

  /// What the daemon counted tells of the contact.
  private func check(
    _ contact: ContactFacts,
    _ state: Device.Control,
    _ policy: Control,
    _ board: Board,
    _ findings: inout Findings
  ) {
    let before = findings.list.count
    if state.isNoisy {
      findings.fail(
        contact.name,
        "\(contact.place) changes without end (\(state.edges) edges): the pin floats, or its cable"
          + " picks up noise",
        contact.holdAdvice
      )
    } else if contact.isMomentary, state.state != 0, state.changes == 0 {
      checkStart(contact, &findings)
    } else if state.isStuck {
      findings.fail(
        contact.name,
        "pressed for more than 60 s: the button is stuck or its cable is shorted",
        "look whether it is jammed; it works again when it is let go"
      )
    }
    if contact.role == .knob {
      checkKnob(contact, state, policy, &findings)
    } else if !state.isNoisy {
      checkBounce(contact, state, policy, board, &findings)
    }
    checkDetect(contact, state, &findings)
    checkLosses(contact, state, &findings)
    guard findings.list.count == before else { return }
    findings.ok(contact.name, "\(contact.words), \(contact.word(for: state))")
  }

  /// A button that was pressed before anybody could press it.
  private func checkStart(_ contact: ContactFacts, _ findings: inout Findings) {
    let other = contact.polarity == .activeHigh ? "low" : "high"
    switch contact.isActiveWhenIdle {
    case true?:
      findings.fail(
        contact.name,
        "pressed since the start: its polarity is wrong, \(contact.bias.name) holds the line where"
          + " active: \(contact.polarityWord) takes it for pressed",
        "write active: \(other) for \(contact.name) in the board file"
      )
    case false?:
      guard (device?.seconds ?? 0) >= Examination.startSeconds else { return }
      findings.fail(
        contact.name,
        "pressed since the start, against its \(contact.bias.name): the button is stuck or shorted,"
          + " or its polarity is wrong",
        "look whether it is jammed; if it is not, write active: \(other) in the board file"
      )
    case nil:
      guard (device?.seconds ?? 0) >= Examination.startSeconds else { return }
      findings.fail(
        contact.name,
        "pressed since the start: its polarity is wrong, or it is stuck",
        "if nobody holds it, write active: \(other) for \(contact.name) in the board file"
      )
    }
  }

  /// Edges that came later than the debounce time and sooner than a finger.
  private func checkBounce(
    _ contact: ContactFacts,
    _ state: Device.Control,
    _ policy: Control,
    _ board: Board,
    _ findings: inout Findings
  ) {
    let tick = UInt64(board.configuration.timing.tickMicroseconds)
    let debounce = UInt64(policy.debounceTicks) * tick / 1_000
    let bounds = EdgeCounts.gapBoundsMilliseconds
    var count = 0
    var longest: UInt64 = 0
    for (place, upper) in bounds.enumerated() where place < state.gaps.count {
      let lower = place == 0 ? 0 : bounds[place - 1]
      guard lower >= debounce, upper <= Examination.fingerMilliseconds, state.gaps[place] > 0
      else { continue }
      count += state.gaps[place]
      longest = upper
    }
    guard count >= Examination.bounceCount else { return }
    findings.fail(
      contact.name,
      "bounces longer than its debounce time of \(debounce) ms (\(count) times, up to \(longest)"
        + " ms): one press counts as several",
      "write debounce: \(longest) ms for \(contact.name) in the board file; tactus test measures it"
    )
  }

  /// A knob rests in its detents: in one of the four states, in two, or in all of them.
  private func checkKnob(
    _ contact: ContactFacts,
    _ state: Device.Control,
    _ policy: Control,
    _ findings: inout Findings
  ) {
    let all = state.rests.reduce(0, +)
    // A knob that was let go of between two detents rests elsewhere now and then.
    let places = state.rests.count { $0 * 10 > all }
    if all >= Examination.restCount, places > 0 {
      let transitions = places == 1 ? 4 : places == 2 ? 2 : 1
      if transitions != Int(policy.transitionsPerDetent) {
        findings.fail(
          contact.name,
          "it rests in \(places) of 4 states, so a detent is \(transitions) transition"
            + "\(transitions == 1 ? "" : "s"), not \(policy.transitionsPerDetent): a click counts"
            + " \(transitions > Int(policy.transitionsPerDetent) ? "too often" : "too rarely")",
          "write transitions-per-detent: \(transitions) for \(contact.name) in the board file"
        )
      }
    }
    if state.illegalJumps > 10, state.illegalJumps * 10 > state.edges {
      findings.warn(
        contact.name,
        "A and B often change at once (\(state.illegalJumps) times): steps are lost",
        "check both wires and the bias; 10 nF from each line to ground helps a bad contact"
      )
    }
  }

  private func checkDetect(
    _ contact: ContactFacts,
    _ state: Device.Control,
    _ findings: inout Findings
  ) {
    guard contact.role == .headphoneDetect, let device else { return }
    if state.state != 0, state.changes == 0, device.seconds >= Examination.startSeconds {
      findings.warn(
        contact.name,
        "plugged in since the start: if nothing is plugged in, the jack's contact is inverted",
        "write active: \(contact.polarity == .activeHigh ? "low" : "high") for \(contact.name) in"
          + " the board file, or choose: tactus set route speaker"
      )
    } else if device.events.contains(where: {
      $0.kind == Notice.detectIdle.name && $0.object == contact.name
    }) {
      findings.warn(
        contact.name,
        "has not moved for days",
        "plug something in: if nothing happens, check the wire of \(contact.place)"
      )
    }
  }

  private func checkLosses(
    _ contact: ContactFacts,
    _ state: Device.Control,
    _ findings: inout Findings
  ) {
    if state.lostEdges > 10, state.lostEdges * 20 > state.edges, !state.isNoisy {
      findings.warn(
        contact.name,
        "\(state.lostEdges) of its edges were lost; levels are read again, so nothing hangs",
        "it chatters: check the contact, or the processor is busy (wake-ups above)"
      )
    }
    if state.glitches > 10, state.glitches * 4 > state.edges, !state.isNoisy {
      findings.warn(
        contact.name,
        "\(state.glitches) spikes too short for a press: the line picks up noise",
        contact.holdAdvice
      )
    }
  }

  /// What a moment of listening tells, without the daemon.
  private func check(
    _ contact: ContactFacts,
    _ sample: ContactSample,
    _ findings: inout Findings
  ) {
    switch sample {
    case .refused(let error):
      findings.fail(contact.name, error.description, "tactus lines shows who has which line")
    case .listened(_, let edges) where edges >= Examination.noisyEdges:
      findings.fail(
        contact.name,
        "\(edges) edges in half a second: the pin floats, or its cable picks up noise",
        contact.holdAdvice
      )
    case .listened(let bits, let edges):
      if contact.isMomentary, bits != 0 {
        if contact.isActiveWhenIdle == true { return checkStart(contact, &findings) }
        return findings.warn(
          contact.name,
          "\(contact.place) reads pressed now",
          "if nobody holds it: is it jammed, or its polarity wrong?"
        )
      }
      let word = contact.role == .knob ? "" : bits != 0 ? ", on" : ", off"
      findings.ok(contact.name, contact.words + word + (edges > 0 ? ", \(edges) edges now" : ""))
    }
  }

  // MARK: Input devices

  private func check(_ wanted: BoardInputDevice, _ findings: inout Findings) {
    let found = wanted.present
    if found.isEmpty {
      findings.warn(
        "input device",
        "none that fits is there (\(wanted.selector.name): \(wanted.pattern))",
        "connect it; names are in /proc/bus/input/devices, links in /dev/input/by-id"
      )
    }
    for device in found {
      if let refusal = refusal(of: device.path) {
        findings.fail(
          device.name,
          refusal,
          remedy(for: Account.name(ofUser: program?.user ?? 0), device.path, group: "input")
        )
      } else if device.isReadable || program != nil {
        findings.ok("input device", "\(device.name), \(device.path)")
      } else {
        findings.warn(
          "input device",
          "\(device.name), \(device.path): you may not open it",
          "sudo tactus doctor, or: sudo adduser $USER input"
        )
      }
    }
  }
}

/// A contact as its board file has it.
private struct ContactFacts {
  let name: String
  let role: Role
  let isLatching: Bool
  /// `line 23`.
  let place: String
  let bias: Bias
  let polarity: Polarity

  /// `line 23, pull-up`.
  var words: String { "\(place), \(bias.name)" }

  var polarityWord: String { polarity == .activeHigh ? "high" : "low" }

  /// Whether a finger must stay on it.
  var isMomentary: Bool {
    switch role {
    case .silentSwitch, .headphoneDetect, .microphoneSwitch, .lid, .knob: false
    case .mute: !isLatching
    case .volumeUp, .volumeDown, .knobPush, .playPause, .play, .pause, .next, .previous, .stop,
      .headset, .microphoneMute, .power:
      true
    }
  }

  /// Whether a line that nothing touches counts as active; nil where no bias inside the chip says.
  var isActiveWhenIdle: Bool? {
    switch bias {
    case .pullUp: polarity == .activeHigh
    case .pullDown: polarity == .activeLow
    case .noneExternal: nil
    }
  }

  /// How a line is kept from floating.
  var holdAdvice: String {
    bias == .noneExternal
      ? "fit a resistor of 10 kΩ from \(place) to the supply, or write bias: pull-up"
      : "is the wire of \(place) broken or near a motor? Fit a resistor of 10 kΩ, shorten the cable"
  }

  func word(for state: Device.Control) -> String {
    if role == .knob {
      return state.edges == 0 ? "never turned" : "\(state.changes) detents, \(state.edges) edges"
    }
    let level =
      switch role {
      case .headphoneDetect: state.isOn ? "plugged in" : "unplugged"
      case .lid: state.isOn ? "closed" : "open"
      default: isMomentary ? (state.isOn ? "pressed" : "released") : (state.isOn ? "on" : "off")
      }
    return "\(level), " + (state.edges == 0 ? "never moved" : "\(state.edges) edges")
  }
}
