// SPDX-License-Identifier: Apache-2.0
//
// What survives a restart (VOL-12): the policy's `Saved` as named entries of the state file, so
// that a board whose routes changed places still finds its own levels.

import TactusCore
import TactusLinux

/// Reads and writes the state, and tells once when it cannot.
struct Keeper: ~Copyable {
  private let store: StateStore
  private var writer: StateWriter
  private let routes: [String]
  private let journal: Journal
  private var waiting: [StateEntry]?
  private var told: StoreError?

  init(folder: String, board: Board, journal: Journal) throws(SystemError) {
    do throws(SystemError) { try makeFolder(folder) } catch {
      journal.log(.warning, "state: \(error.description), going on without")
    }
    store = StateStore(folder: folder)
    writer = try StateWriter(store: store)
    routes = board.outputs.map { $0.name }
    self.journal = journal
  }

  /// Readable when a writing has ended.
  var descriptor: Int32 { writer.descriptor }

  // MARK: Reading

  /// What a former run kept; nil, with a notice, when it cannot be used.
  func read() -> Saved? {
    switch store.read() {
    case .ok(let entries): return saved(entries)
    case .missing: journal.log(.info, "state: none yet, starting with the defaults")
    case .torn: complain("torn")
    case .foreign: complain("not a state file")
    case .newer(let version): complain("of a newer version (\(version))")
    case .unreadable(let error): complain(error.description)
    }
    return nil
  }

  private func complain(_ what: String) {
    journal.log(.warning, "state: \(what), starting with the defaults")
  }

  private func saved(_ entries: [StateEntry]) -> Saved {
    var saved = Saved()
    for entry in entries {
      switch entry.value {
      case .number(let value): take(entry.key, value, &saved)
      case .text(let text):
        if entry.key == "route" { saved.chosenRoute = position(of: text) }
      }
    }
    return saved
  }

  private func take(_ key: String, _ value: Int64, _ saved: inout Saved) {
    switch key {
    case "ringer": saved.ringer = level(value)
    case "muted": saved.isMuted = value != 0
    case "balance": saved.balance = (-100...100).contains(value) ? Int8(value) : nil
    default:
      guard let route = key.after("level-"), let output = position(of: route) else { return }
      saved.levels[Int(output)] = level(value)
    }
  }

  /// A level that is in range; else none, never a loud one.
  private func level(_ value: Int64) -> Level? {
    (0...10_000).contains(value) ? Level(parts: Int32(value)) : nil
  }

  private func position(of route: String) -> UInt8? {
    routes.firstIndex(of: route).map { UInt8($0) }
  }

  // MARK: Writing

  /// Begins to write, or waits for the writing under way.
  mutating func keep(_ saved: Saved) {
    let entries = entries(saved)
    if writer.isWriting { waiting = entries } else { writer.begin(entries) }
  }

  private func entries(_ saved: Saved) -> [StateEntry] {
    var entries: [StateEntry] = []
    for index in routes.indices {
      guard let level = saved.levels[index] else { continue }
      entries.append(StateEntry("level-\(routes[index])", .number(Int64(level.parts))))
    }
    if let ringer = saved.ringer {
      entries.append(StateEntry("ringer", .number(Int64(ringer.parts))))
    }
    entries.append(StateEntry("muted", .number(saved.isMuted ? 1 : 0)))
    if let balance = saved.balance {
      entries.append(StateEntry("balance", .number(Int64(balance))))
    }
    if let route = saved.chosenRoute {
      entries.append(StateEntry("route", .text(routes[Int(route)])))
    }
    return entries
  }

  /// Why the last writing failed; nil where it did not.
  var fault: String? { told?.description }

  /// Takes the outcome of a writing; a failure is told once until one succeeds.
  mutating func takeOutcome() {
    switch writer.takeOutcome() {
    case .kept: told = nil
    case .failed(let error):
      if told != error {
        journal.log(.warning, "state: \(error.description)")
        told = error
      }
    case nil: break
    }
    if let entries = waiting {
      waiting = nil
      writer.begin(entries)
    }
  }

  /// Waits until everything is written.
  mutating func finish() {
    while writer.isWriting { takeOutcome() }
  }
}
