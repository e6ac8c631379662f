// SPDX-License-Identifier: Apache-2.0
//
// A report as one file, for somebody who cannot reach the device: what was found, and what it was
// found from. Names of people, machines and networks are taken out.

import TactusCore
import TactusLinux

/// Everything that a report needs.
struct Bundle {
  private static let folderName = "tactus-report"
  private static let journalLines = 2_000

  private let examination: Examination
  private let report: DoctorReport
  private let scrubber: Scrubber

  init(_ examination: Examination, _ report: DoctorReport) {
    self.examination = examination
    self.report = report
    scrubber = Scrubber(keeping: examination.board)
  }

  /// Writes the tar.
  /// - Throws: `checkFailed` where something of it cannot be written, or there is no tar.
  func write(to path: String) throws(Failure) {
    do throws(SystemError) {
      let folder = try TemporaryFolder(prefix: "tactus-report")
      let inside = "\(folder.path)/\(Bundle.folderName)"
      try makeFolder(inside)
      try fill(inside)
      let code = try runToEnd(["tar", "-cf", path, "-C", folder.path, Bundle.folderName])
      if code != 0 { throw SystemError("write", path, code: code) }
    } catch {
      let isTarMissing = error.object == "tar" && error.isMissing
      throw Failure(
        .checkFailed,
        "bundle",
        isTarMissing ? "there is no tar" : error.description,
        next: isTarMissing ? "apt install tar" : "name a file that you may write"
      )
    }
  }

  private func fill(_ folder: String) throws(SystemError) {
    func put(_ name: String, _ text: String) throws(SystemError) {
      try writeFile(scrubber.clean(text), to: "\(folder)/\(name)")
    }
    try put("README.txt", Bundle.readme)
    try put("doctor.txt", Page.pipe.text(of: report.rows(on: .pipe)))
    try put("doctor.json", report.json.written(onOneLine: false) + "\n")
    try put("versions.txt", versions)
    if !examination.answer.description.isEmpty {
      try put("describe.json", examination.answer.description + "\n")
    }
    if let path = boardPath, let text = try? text(of: path) { try put("board.yaml", text) }
    if let text = try? text(of: DeviceSettings.standardPath) { try put("settings.yaml", text) }
    try put("lines.json", lineList(of: examination.chips).written(onOneLine: false) + "\n")
    if let controls = try? controlList(of: SoundCard.list()) {
      try put("mixer.json", controls.written(onOneLine: false) + "\n")
    }
    let cards = ["/proc/asound/cards", "/proc/asound/pcm"].flatMap { Machine.lines(of: $0) }
    try put("cards.txt", cards.joined(separator: "\n") + "\n")
    // A ring of inputs and effects, which has no names.
    if let trace = examination.answer.tracePath { try? copyFile(trace, to: "\(folder)/trace") }
    try journal(folder)
  }

  private var versions: String {
    var lines = [
      "tactus \(tactusVersion)", "tactusd \(examination.device?.version ?? "does not answer")",
      Machine.kernel, "libgpiod \(lineLibraryVersion())",
    ]
    if let model = Machine.model { lines.append(model) }
    lines += Machine.lines(of: "/proc/asound/version")
    lines += Machine.lines(of: "/etc/os-release").filter { $0.hasPrefix("PRETTY_NAME") }
    return lines.joined(separator: "\n") + "\n"
  }

  private var boardPath: String? {
    let name = examination.invocation.value(of: "--board") ?? examination.board?.name
    return name.flatMap { boardFolders(examination.invocation).path(of: $0) }
  }

  /// What the unit and the kernel said, as far as this user may read it.
  private func journal(_ folder: String) throws(SystemError) {
    let journal = "\(folder)/journal.txt"
    let words = "-q --no-hostname -o short-monotonic -n \(Bundle.journalLines)"
    let script = "(journalctl -u tactusd \(words); journalctl -k \(words) -g 'asoc|snd|gpio|i2c')"
    _ = try runToEnd(["sh", "-c", "\(script) >\"$0\" 2>/dev/null", journal])
    guard let text = try? text(of: journal) else { return }
    try writeFile(scrubber.clean(text), to: journal)
  }

  private static let readme = """
    A report of `tactus doctor --bundle`.

      doctor.txt     every finding, for people; doctor.json for programs
      versions.txt   programs, kernel, libraries, machine
      describe.json  the device as tactusd describes it: levels, routes, sources, controls, events
      board.yaml     the board file; settings.yaml the device's settings
      lines.json     GPIO chips and lines, with who uses them
      mixer.json     every mixer control of the sound cards; cards.txt the cards
      trace          the last inputs and effects, for `tactus replay` of the same version
      journal.txt    what tactusd's unit and the kernel's sound and GPIO drivers said

    What is not there could not be read. The machine's name stands as <host>, users as <user>,
    hardware addresses as <address>. Names of networks and what was played are not collected.
    Look through it before you send it.

    """
}

/// Takes personal names out of a text.
struct Scrubber {
  private let words: [(word: String, place: String)]

  /// - Parameter board: its words are no personal names, even where a machine is called so.
  init(keeping board: Board?) {
    var own = ["tactus", "tactusd", "root"]
    if let board {
      own += [board.name] + board.controls.map { $0.name } + board.outputs.map { $0.name }
      own += board.sources.map { $0.name } + board.outputs.flatMap { $0.cardIDs }
    }
    self.init(host: Machine.hostName, people: Account.people, keeping: own)
  }

  init(host: String, people: [String], keeping own: [String]) {
    let names = [(host, "<host>")] + people.map { ($0, "<user>") }
    words = names.filter { name, _ in name.utf8.count > 2 && !own.contains(name) }
      .map { (word: $0.0, place: $0.1) }
  }

  /// The text without them.
  func clean(_ text: String) -> String {
    var result: [UInt8] = []
    var word: [UInt8] = []
    for byte in text.utf8 {
      if Scrubber.isPart(byte) {
        word.append(byte)
      } else {
        result += replaced(word)
        word.removeAll()
        result.append(byte)
      }
    }
    result += replaced(word)
    return String(decoding: result, as: UTF8.self)
  }

  /// Letters, digits, and what holds names and addresses together.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: ":"), 0x80...0xff:
      true
    default: false
    }
  }

  private func replaced(_ word: [UInt8]) -> [UInt8] {
    // `name:` is the name with a colon behind it.
    let bare = word.last == UInt8(ascii: ":") ? Array(word.dropLast()) : word
    let end = word.dropFirst(bare.count)
    for (name, place) in words where bare.elementsEqual(name.utf8) {
      return Array(place.utf8) + end
    }
    if Scrubber.isAddress(bare) { return Array("<address>".utf8) + end }
    return word
  }

  /// Six pairs of hexadecimal digits with `:`, `-` or `_` between them, perhaps in a longer word,
  /// as BlueZ and udev write it.
  private static func isAddress(_ word: [UInt8]) -> Bool {
    guard word.count >= 17 else { return false }
    return (0...word.count - 17).contains { start in
      (0..<17).allSatisfy { place in
        let byte = word[start + place]
        if place % 3 == 2 { return [0x3a, 0x2d, 0x5f].contains(byte) }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          return true
        default: return false
        }
      }
    }
  }
}
