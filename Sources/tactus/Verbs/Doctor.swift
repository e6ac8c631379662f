// SPDX-License-Identifier: Apache-2.0
//
// `tactus doctor`: everything that Tactus needs of a machine, looked at from outside.
//
//   finding  one thing that was looked at: good, worth knowing, or broken, and what to do about it

import TactusCore
import TactusLinux

/// Runs `doctor`.
func examine(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  var doctor = Doctor(invocation)
  doctor.examine()
  if invocation.has("--json") {
    output.write(doctor.json.written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: doctor.rows(on: page)))
  }
  return doctor.findings.contains { $0.verdict == .fail } ? .checkFailed : .success
}

/// One thing that was looked at.
struct Finding: Equatable {
  enum Verdict: Equatable {
    case ok, warn, fail

    var name: String {
      switch self {
      case .ok: "ok"
      case .warn: "warn"
      case .fail: "fail"
      }
    }
  }

  let verdict: Verdict
  /// What was looked at: a control, a card, a file.
  let object: String
  /// What there is, and what that means.
  let meaning: String
  /// What to do; empty where nothing is to be done.
  let advice: String
}

/// Looks at a machine, from the ground up.
struct Doctor {
  private let invocation: Invocation
  private(set) var findings: [Finding] = []
  private let chips = Chips()
  /// The daemon's description, when it answers.
  private var device: Device?
  private var board: Board?

  init(_ invocation: Invocation) { self.invocation = invocation }

  mutating func examine() {
    examineDaemon()
    examineBoard()
    examineChips()
    guard let board, board.status != .simulated else { return }
    examineLines(of: board)
    for wanted in board.inputDevices { examine(wanted) }
    examineSound(of: board)
    examineAccess()
  }

  private mutating func ok(_ object: String, _ meaning: String) {
    findings.append(Finding(verdict: .ok, object: object, meaning: meaning, advice: ""))
  }

  private mutating func warn(_ object: String, _ meaning: String, _ advice: String) {
    findings.append(Finding(verdict: .warn, object: object, meaning: meaning, advice: advice))
  }

  private mutating func fail(_ object: String, _ meaning: String, _ advice: String) {
    findings.append(Finding(verdict: .fail, object: object, meaning: meaning, advice: advice))
  }
}

// MARK: - The daemon

extension Doctor {
  private mutating func examineDaemon() {
    do throws(Failure) {
      let daemon = try Daemon(invocation)
      let device = try Device(describedBy: try daemon.describe())
      self.device = device
      ok("tactusd", "\(device.version) answers on the \(daemon.place)")
      if device.version != tactusVersion {
        warn(
          "versions",
          "tactusd is \(device.version), this program \(tactusVersion)",
          "restart tactusd after an update: systemctl restart tactusd"
        )
      }
      examineFaults(of: device)
    } catch {
      fail("tactusd", error.sentence, "see journalctl -u tactusd for why it ended")
    }
  }

  private mutating func examineFaults(of device: Device) {
    for fault in device.faults {
      fail("fault", fault, "the findings below show whether its line or control is at fault")
    }
    switch device.sound {
    case .notSilent:
      fail(
        "silence",
        "the codec did not confirm that it is silent",
        "switch the amplifier off by hand; the mixer findings below say what refuses"
      )
    case .silent: warn("silence", device.explanation.joined(separator: ", "), "see tactus status")
    case .sound: ok("sound", device.explanation.joined(separator: ", "))
    }
  }
}

// MARK: - The board

extension Doctor {
  private mutating func examineBoard() {
    let loaded = loadBoard()
    board = loaded.value
    for diagnostic in loaded.diagnostics {
      let isError = diagnostic.severity == .error
      let finding = Finding(
        verdict: isError ? .fail : .warn,
        object: "board",
        meaning: diagnostic.description,
        advice: ""
      )
      findings.append(finding)
    }
    guard let board else { return }
    ok("board", "\(board.name), \(board.title)")
    if board.status == .unverified {
      warn("board", "not every fact of it is confirmed", "its README names those that are not")
    }
  }

  /// The board that was named, else that of the settings, which may be a file anywhere, else the
  /// one that the daemon was started with.
  private func loadBoard() -> Loaded<Board> {
    let folders = boardFolders(invocation)
    let named = invocation.value(of: "--board")
    let loaded = Board.load(board: named, folders: folders, lenient: true)
    guard named == nil, let device, loaded.value?.name != device.board else { return loaded }
    return Board.load(board: device.board, folders: folders, lenient: true)
  }

  private mutating func examineChips() {
    ok("libgpiod", lineLibraryVersion())
    for path in chips.denied {
      fail(path, "you may not open it", "join the group gpio: sudo adduser $USER gpio")
    }
    if !chips.found.isEmpty {
      ok("gpio", chips.found.map { "\($0.label) (\($0.lineCount) lines)" }.joined(separator: ", "))
    } else if chips.denied.isEmpty, board?.status != .simulated {
      fail("gpio", "this machine has no GPIO chip", "is its driver loaded? Is this the device?")
    }
  }
}

// MARK: - Lines

extension Doctor {
  private mutating func examineLines(of board: Board) {
    for control in board.controls {
      guard case .lines(let labels, let offsets, _, _) = control.contact else { continue }
      for offset in offsets { examineLine(control.name, labels, offset) }
    }
    for output in board.outputs {
      guard let line = output.amplifier else { continue }
      examineLine("\(output.name) amplifier", line.chipLabels, line.offset)
    }
    for signal in board.signals {
      guard let line = signal.line else { continue }
      examineLine(signal.name, line.chipLabels, line.offset)
    }
  }

  private mutating func examine(_ wanted: BoardInputDevice) {
    let found = wanted.present
    if found.isEmpty {
      warn(
        "input device",
        "none that fits is there (\(wanted.selector.name): \(wanted.pattern))",
        "connect it; names are in /proc/bus/input/devices, links in /dev/input/by-id"
      )
    }
    for device in found {
      if device.isReadable {
        ok("input device", "\(device.name), \(device.path)")
      } else {
        fail(
          "input device",
          "\(device.name), \(device.path): you may not open it",
          "join the group input: sudo adduser $USER input"
        )
      }
    }
  }

  private mutating func examineLine(_ object: String, _ labels: [String], _ offset: UInt32) {
    do throws(LineError) {
      let chip = try chips.chip(labelled: labels)
      let line = try chip.line(offset)
      let place = "\(chip.label) line \(offset)"
      if line.consumer.hasPrefix("tactus:") {
        ok(object, "\(place), held by tactusd")
      } else if line.isUsed {
        let user = line.consumer.isEmpty ? "somebody without a name" : line.consumer
        fail(
          object,
          "\(place) is in use by \(user), so it does nothing",
          "stop that program, or take the overlay that claims the line out of config.txt"
        )
      } else if device != nil {
        warn(object, "\(place) is free although tactusd runs", "restart it, or see its log")
      } else {
        ok(object, "\(place), free")
      }
    } catch {
      fail(object, error.description, "")
    }
  }
}

// MARK: - Sound

extension Doctor {
  private mutating func examineSound(of board: Board) {
    for output in board.outputs { examine(output) }
    for control in board.capture { examine(control.address, on: control.cardIDs, of: "capture") }
    for fixed in board.fixed { examine(fixed.address, on: fixed.cardIDs, of: "fixed control") }
  }

  private mutating func examine(_ output: BoardOutput) {
    guard let id = output.cardIDs.first(where: { SoundCard.isPresent(id: $0) }) else {
      let present = SoundCard.list().map { $0.id }
      fail(
        output.name,
        "its card \(output.cardIDs.joined(separator: " or ")) is not there, there is "
          + (present.isEmpty ? "none that may be opened" : present.joined(separator: ", ")),
        "write the board's overlay into config.txt and reboot; join the group audio"
      )
      return
    }
    ok(output.name, "card \(id)")
    examineHolders(of: id)
    if let volume = output.volume {
      examine(volume.address, on: [id], of: output.name)
      examineWindow(volume, of: output, on: id)
    }
    if case .control(let address, _, _) = output.mute {
      examine(address, on: [id], of: output.name)
    }
  }

  /// A program on the card itself keeps Tactus's mix out, unless it plays through it.
  private mutating func examineHolders(of id: String) {
    for holder in SoundCard.holders(cardID: id) where holder.isPlayback {
      let meaning = "\(holder.program) (process \(holder.process)) plays on \(id)"
      if ["pipewire", "pulseaudio", "wireplumber"].contains(holder.program) {
        fail(
          "sound server",
          "\(meaning) and leaves no room for others",
          "remove \(holder.program), or keep it off this card"
        )
      } else {
        ok("player", meaning)
      }
    }
  }

  private mutating func examine(
    _ address: ControlAddress,
    on ids: [String],
    of object: String
  ) {
    guard let id = ids.first(where: { SoundCard.isPresent(id: $0) }) else { return }
    do throws(MixerError) {
      let control = try SoundCard(id: id).control(address)
      let holder = control.lockingProcess
      ok(object, address.description + (holder.map { ", locked by process \($0)" } ?? ""))
    } catch {
      fail(object, error.description, "tactus mixer --card \(id) lists the controls")
    }
  }

  private mutating func examineWindow(
    _ volume: BoardVolume,
    of output: BoardOutput,
    on id: String
  ) {
    do throws(MixerError) {
      let card = try SoundCard(id: id)
      let control = try card.control(volume.address)
      let scale = DecibelScale(
        table: try card.gainTable(of: control),
        rawRange: control.rawMinimum...control.rawMaximum,
        correction: volume.correction
      )
      let curve = Curve(lowest: scale.lowest, top: min(scale.highest, output.maximumGain))
      let window =
        "level 0 to 100 % is \(decibels(curve.floor.decibels, .unicode))"
        + " to \(decibels(curve.top.decibels, .unicode))"
      if scale.source == .rawSteps {
        warn(output.name, "the driver gives no dB: \(window) is a guess", "write min-db and max-db")
      } else {
        ok(output.name, window)
      }
    } catch {
      // The control itself is a finding already.
      return
    }
  }
}

// MARK: - Rights

extension Doctor {
  private mutating func examineAccess() {
    for group in ["gpio", "audio"] {
      switch Account.isMember("tactus", of: group) {
      case true?: ok("user tactus", "is in the group \(group)")
      case false?:
        warn(
          "user tactus",
          "is not in the group \(group), which tactusd needs as a service",
          "sudo adduser tactus \(group)"
        )
      case nil:
        warn("user tactus", "the user or the group \(group) does not exist", "install the package")
      }
    }
    let folder = "/var/lib/tactus"
    if Account.canWrite(folder) {
      ok("state", "\(folder) can be written")
    } else {
      warn(
        "state",
        "\(folder) cannot be written by you, so nothing is known of tactusd's rights",
        "systemd makes it at the first start; run the doctor with sudo"
      )
    }
  }
}

// MARK: - Showing

extension Doctor {
  func rows(on page: Page) -> [Row] {
    var rows: [Row] = []
    let width = min(24, findings.map { columns(of: $0.object) }.max() ?? 0)
    for finding in findings {
      var row = page.row
      row.add(finding.verdict.name, finding.style.union(.bold))
      row.fill(to: 6)
      row.add(finding.object)
      row.fill(to: max(row.width + 2, width + 8))
      row.add(finding.meaning, finding.verdict == .ok ? .dim : [])
      rows.append(row)
      guard !finding.advice.isEmpty else { continue }
      var advice = page.row
      advice.fill(to: width + 8)
      advice.add("→ \(finding.advice)", .cyan)
      rows.append(advice)
    }
    return rows
  }

  var json: Json {
    .object([
      Json.Member("good", .bool(!findings.contains { $0.verdict == .fail })),
      Json.Member(
        "findings",
        .array(
          findings.map { finding in
            .object([
              Json.Member("verdict", .text(finding.verdict.name)),
              Json.Member("object", .text(finding.object)),
              Json.Member("meaning", .text(finding.meaning)),
              Json.Member("advice", .text(finding.advice)),
            ])
          }
        )
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
}
