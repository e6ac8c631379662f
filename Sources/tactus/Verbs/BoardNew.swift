// SPDX-License-Identifier: Apache-2.0
//
// `tactus board new`: a board file for a device of one's own, which extends a shipped board. What
// the options do not say is asked at a terminal.

import TactusCore
import TactusLinux

/// Runs `board new`.
func newBoard(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let folders = boardFolders(invocation)
  let plan = try BoardPlan(invocation, folders)
  let path = invocation.value(of: "--out") ?? "\(plan.name)/board.yaml"
  guard !fileExists(path) else {
    throw Failure(.checkFailed, path, "is there already", next: "write --out and another file")
  }
  do throws(SystemError) {
    let isAbsolute = path.hasPrefix("/")
    let folder = Array(path.split(at: "/").dropLast()).joined(separator: "/")
    if !folder.isEmpty { try makeFolder((isAbsolute ? "/" : "") + folder) }
    try writeFile(plan.text, to: path)
  } catch {
    throw Failure(.checkFailed, saying: error.description)
  }
  let loaded = Board.load(path: path, folders: folders)
  let page = Page.standardOutput()
  output.write(page.text(of: loaded.diagnostics.map { row(of: $0, on: page) }))
  output.write("\(path): written\nnext: tactus board pins \(path)\n")
  return loaded.hasErrors ? .configuration : .success
}

/// A contact that a maker may have.
private struct Fitting {
  let option: String
  let role: Role
  let question: String

  static let all = [
    Fitting(option: "--volume-up", role: .volumeUp, question: "Volume-up button"),
    Fitting(option: "--volume-down", role: .volumeDown, question: "Volume-down button"),
    Fitting(option: "--knob", role: .knob, question: "Knob, as A,B or A,B,PUSH"),
    Fitting(option: "--mute", role: .mute, question: "Mute button"),
    Fitting(option: "--silent-switch", role: .silentSwitch, question: "Silent switch"),
    Fitting(option: "--play-pause", role: .playPause, question: "Play button"),
  ]

  var lineCounts: ClosedRange<Int> { role == .knob ? 2...3 : 1...1 }
}

/// What is to be written.
private struct BoardPlan {
  /// What becomes of a contact.
  private enum Choice {
    /// As the extended board has it.
    case kept
    case none
    case lines([UInt32])
  }

  let name: String
  private let base: Board
  private var choices: [(role: Role, choice: Choice)] = []
  private var led: UInt32?

  init(_ invocation: Invocation, _ folders: BoardFolders) throws(Failure) {
    name = try BoardPlan.name(invocation)
    base = try BoardPlan.base(invocation, folders)
    let asks = canAsk
    if asks {
      writeError("Lines are BCM numbers. Enter keeps what is in brackets, none leaves it out.")
    }
    for fitting in Fitting.all {
      let text = invocation.value(of: fitting.option)
      let asked = text ?? (asks ? answer(to: question(fitting)) : nil) ?? ""
      choices.append((fitting.role, try BoardPlan.choice(asked, fitting)))
    }
    let text = invocation.value(of: "--led")
    let asked = text ?? (asks ? answer(to: "LED that shows silence [none]:") : nil) ?? ""
    if !asked.isEmpty, asked != "none" { led = try BoardPlan.line(asked, of: "--led") }
  }

  private static func name(_ invocation: Invocation) throws(Failure) -> String {
    let given = invocation.operands.first ?? (canAsk ? answer(to: "Name of your device:") : nil)
    guard let name = given, !name.isEmpty else {
      throw Failure(.usage, "board new", "missing the name", next: "such as my-radio")
    }
    let isGood = name.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-")
    }
    guard isGood, name.utf8.count <= 40 else {
      let next = "write a to z, 0 to 9 and -, at most 40"
      throw Failure(.usage, "board new", "not a name for a board", value: name, next: next)
    }
    return name
  }

  private static func base(
    _ invocation: Invocation,
    _ folders: BoardFolders
  ) throws(Failure) -> Board {
    var wanted = invocation.value(of: "--extends")
    if wanted == nil, canAsk {
      let fitting = self.fitting(folders)
      let standard = fitting.map { " [\($0)]" } ?? ""
      let said = answer(to: "Sound board, as tactus board list names it\(standard):") ?? ""
      wanted = said.isEmpty ? fitting : said
    }
    guard let wanted else {
      let next = "write --extends and a board that tactus board list shows"
      throw Failure(.usage, "board new", "missing the board that it extends", next: next)
    }
    let path = try path(ofBoard: wanted, in: folders)
    let loaded = Board.load(path: path, folders: folders)
    guard let board = loaded.value else {
      throw Failure(.configuration, saying: loaded.diagnostics.first?.description ?? wanted)
    }
    return board
  }

  /// The only shipped board that fits this machine.
  private static func fitting(_ folders: BoardFolders) -> String? {
    let machine = MachineIdentity()
    let names = folders.boards.filter { entry in
      let board = Board.load(path: entry.path, folders: folders).value
      return board.map { BoardFit($0, machine).verdict == .fits } ?? false
    }
    return names.count == 1 ? names[0].name : nil
  }

  private static func choice(_ text: String, _ fitting: Fitting) throws(Failure) -> Choice {
    if text.isEmpty { return .kept }
    if text == "none" { return .none }
    let words = text.split(at: ",")
    guard fitting.lineCounts.contains(words.count) else {
      let next = fitting.role == .knob ? "write A,B or A,B,PUSH" : "write one line"
      throw Failure(.usage, fitting.option, "wrong number of lines", value: text, next: next)
    }
    var lines: [UInt32] = []
    for word in words { lines.append(try line(word, of: fitting.option)) }
    return .lines(lines)
  }

  private static func line(_ text: String, of option: String) throws(Failure) -> UInt32 {
    UInt32(try number(text, in: 0...511, of: option))
  }

  private func question(_ fitting: Fitting) -> String {
    let lines = base.lines(of: fitting.role)
    let standard = lines.isEmpty ? "none" : lines.map { "\($0)" }.joined(separator: ",")
    return "\(fitting.question) [\(standard)]:"
  }

  // MARK: The file

  /// The board file.
  var text: String {
    var text = """
      # SPDX-License-Identifier: CC0-1.0
      name: \(name)
      extends: \(base.name)
      title: \(name)
      status: unverified
      unverified: everything, until tactus test has seen it

      """
    let without = without
    if !without.isEmpty { text += "\nwithout: [\(without.joined(separator: ", "))]\n" }
    let inputs = choices.compactMap { entry -> String? in
      guard case .lines(let lines) = entry.choice else { return nil }
      return item(entry.role, lines)
    }
    if !inputs.isEmpty {
      text += "\n# From the line to ground, closed when pressed; the chip's resistor pulls up.\n"
      text += "inputs:\n" + inputs.joined()
    }
    if let led {
      text += "\nsignals:\n  - role: led\n    shows: silent\n    line: \(led)\n    active: high\n"
    }
    return text
  }

  private func item(_ role: Role, _ lines: [UInt32]) -> String {
    var text = "  - role: \(role.name)\n"
    if role == .knob {
      text += "    a: \(lines[0])\n    b: \(lines[1])\n"
      if lines.count > 2 { text += "    push: \(lines[2])\n" }
    } else {
      text += "    line: \(lines[0])\n"
    }
    return text + "    bias: pull-up\n"
  }

  /// The names of inherited inputs that the device has not, or whose lines it uses otherwise.
  private var without: [String] {
    var used = led.map { [$0] } ?? []
    for case (_, .lines(let lines)) in choices { used += lines }
    return base.controls.compactMap { control in
      guard case .lines(_, let offsets, _, _) = control.contact, control.role != .knobPush
      else { return nil }
      for (role, choice) in choices where role == control.role {
        switch choice {
        case .none: return control.name
        case .lines: return nil
        case .kept: break
        }
      }
      return offsets.contains { used.contains($0) } ? control.name : nil
    }
  }
}

extension Board {
  /// The lines of the control with a role; a knob's push is the third.
  fileprivate func lines(of role: Role) -> [UInt32] {
    var lines: [UInt32] = []
    let roles = role == .knob ? [role, .knobPush] : [role]
    for control in controls where roles.contains(control.role) {
      if case .lines(_, let offsets, _, _) = control.contact { lines += offsets }
    }
    return lines
  }
}
