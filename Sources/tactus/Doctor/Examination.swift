// SPDX-License-Identifier: Apache-2.0
//
// What the findings are made of: the daemon's own words, the board, the machine; looked at once.

import TactusCore
import TactusLinux

/// What is there.
struct Examination {
  let invocation: Invocation
  let chips = Chips()
  /// How the daemon answered, or why it did not.
  let answer: DaemonAnswer
  /// The daemon as a program; nil where none runs.
  let program = RunningProgram.all(named: "tactusd").last
  let board: Board?
  let boardDiagnostics: [Diagnostic]
  /// Where there is no daemon: what the contacts did while this program listened, by position.
  let samples: [ContactSample?]

  init(_ invocation: Invocation) {
    self.invocation = invocation
    answer = DaemonAnswer(invocation)
    let loaded = Examination.loadBoard(invocation, answer.device)
    board = loaded.value
    boardDiagnostics = loaded.diagnostics
    if let board, program == nil, answer.device == nil, board.status != .simulated {
      samples = ContactSample.all(of: board, chips)
    } else {
      samples = []
    }
  }

  /// The daemon's description, when it answers.
  var device: Device? { answer.device }

  /// The board that was named, else that of the settings, which may be a file anywhere, else the
  /// one that the daemon was started with.
  static func loadBoard(_ invocation: Invocation, _ device: Device?) -> Loaded<Board> {
    let folders = boardFolders(invocation)
    let named = invocation.value(of: "--board")
    let loaded = Board.load(board: named, folders: folders, lenient: true)
    guard named == nil, let device, loaded.value?.name != device.board else { return loaded }
    return Board.load(board: device.board, folders: folders, lenient: true)
  }

  /// Why the daemon's user may not open a device; nil where it may, or does not run.
  func refusal(of path: String) -> String? {
    guard let program, let rights = Rights(of: path),
      !rights.allow(user: program.user, groups: program.groups)
    else { return nil }
    return "tactusd runs as \(Account.name(ofUser: program.user)), who may not open \(path)"
      + " (\(rights.words))"
  }

  /// What to do where a user may not open a device.
  func remedy(for user: String, _ path: String, group: String) -> String {
    guard let rights = Rights(of: path), rights.mode & 0o060 == 0o060, rights.group != 0 else {
      return "give it to a group by a udev rule (GROUP=, MODE=0660), then: sudo adduser \(user)"
        + " \(group)"
    }
    let owner = Account.name(ofGroup: rights.group)
    return "sudo adduser \(user) \(owner), then start it again"
  }
}

/// What the daemon says of itself.
struct DaemonAnswer {
  private(set) var device: Device?
  /// The description as it came; empty without one.
  private(set) var description = ""
  private(set) var failure: Failure?
  /// "system bus".
  private(set) var place = ""
  /// The file that holds its trace; nil where it does not say.
  private(set) var tracePath: String?

  init(_ invocation: Invocation) {
    do throws(Failure) {
      let daemon = try Daemon(invocation)
      place = daemon.place
      description = try daemon.describe()
      device = try Device(describedBy: description)
      tracePath = try? daemon.ask(.trace)
    } catch {
      failure = error
    }
  }

  /// Why it does not answer, without what every verb advises then.
  var reason: String {
    let sentence = failure?.sentence ?? "no description"
    let words = String(sentence.prefix { $0 != ")" })
    return words.utf8.count < sentence.utf8.count ? "\(words))" : sentence
  }

  /// Where players find what there is.
  var runtimeFolder: String {
    guard let parts = tracePath?.split(at: "/"), parts.count > 1 else { return "/run/tactus" }
    return "/" + Array(parts.dropLast()).joined(separator: "/")
  }
}

/// What a contact did while nobody was asked to touch it.
enum ContactSample {
  /// Bit i is line i, active; and so many edges came.
  case listened(bits: UInt32, edges: Int)
  case refused(LineError)

  /// How long is listened.
  static let nanoseconds: UInt64 = 500_000_000

  private final class Held {
    var lines: InputLines
    let bits: UInt32

    init(_ lines: consuming InputLines) throws(LineError) {
      bits = try lines.levels().bits
      self.lines = lines
    }
  }

  /// Listens to the lines of a board that nobody uses, all at once.
  static func all(of board: Board, _ chips: Chips) -> [ContactSample?] {
    var held: [Held?] = []
    var samples: [ContactSample?] = []
    for control in board.controls {
      held.append(nil)
      samples.append(nil)
      guard case .lines(let labels, let offsets, let bias, let polarity) = control.contact else {
        continue
      }
      do throws(LineError) {
        let lines = try InputLines(
          chip: try chips.chip(labelled: labels),
          offsets: offsets,
          bias: bias,
          polarity: polarity,
          control: "doctor"
        )
        held[held.count - 1] = try Held(lines)
      } catch {
        samples[samples.count - 1] = .refused(error)
      }
    }
    guard held.contains(where: { $0 != nil }) else { return samples }
    Machine.pause(nanoseconds: nanoseconds)
    var edges = [Edge](repeating: Edge(), count: InputLines.edgesMaximum)
    for (index, one) in held.enumerated() {
      guard let one else { continue }
      var span = edges.mutableSpan
      let drained = try? one.lines.drain(into: &span)
      samples[index] = .listened(bits: one.bits, edges: drained?.count ?? 0)
    }
    return samples
  }
}
