// SPDX-License-Identifier: Apache-2.0
//
// The programs that run now, as /proc tells of them.

import CTactus
import TactusCore

/// A program that runs.
public struct RunningProgram: Equatable, Sendable {
  public let process: Int32
  /// The kernel's name for it, 15 characters at most.
  public let name: String
  /// The user whose rights it has.
  public let user: UInt32
  /// The groups whose rights it has.
  public let groups: [UInt32]

  /// Reads what is told of a process; nil where there is none.
  init?(process: Int32, root: String) {
    let folder = "\(root)/\(process)"
    guard let name = Machine.lines(of: "\(folder)/comm").first else { return nil }
    self.process = process
    self.name = name
    var user: UInt32 = 0
    var groups: [UInt32] = []
    for line in Machine.lines(of: "\(folder)/status") {
      if let ids = line.after("Uid:") { user = RunningProgram.numbers(ids).dropFirst().first ?? 0 }
      if let ids = line.after("Gid:") {
        groups += RunningProgram.numbers(ids).dropFirst().prefix(1)
      }
      if let ids = line.after("Groups:") { groups += RunningProgram.numbers(ids) }
    }
    self.user = user
    self.groups = groups
  }

  /// Its file; empty where this user is not told.
  public var path: String { RunningProgram.link("/proc/\(process)/exe") }

  /// The programs of a name, oldest first.
  public static func all(named name: String, root: String = "/proc") -> [RunningProgram] {
    processes(root).compactMap { RunningProgram(process: $0, root: root) }
      .filter { $0.name == name }
  }

  /// The programs that have a device or file open, as far as this user is told: root of all.
  public static func all(holding path: String, root: String = "/proc") -> [RunningProgram] {
    processes(root).filter { holds($0, path, root) }
      .compactMap { RunningProgram(process: $0, root: root) }
  }

  private static func processes(_ root: String) -> [Int32] {
    ((try? names(in: root, beginning: "")) ?? []).compactMap { wholeNumber($0) }
      .compactMap { Int32(exactly: $0) }.sorted { $0 < $1 }
  }

  private static func holds(_ process: Int32, _ path: String, _ root: String) -> Bool {
    let folder = "\(root)/\(process)/fd"
    guard let open = try? names(in: folder, beginning: "") else { return false }
    return open.contains { link("\(folder)/\($0)") == path }
  }

  private static func link(_ path: String) -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return "" }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func numbers(_ text: String) -> [UInt32] {
    text.split(at: "\t").flatMap { $0.split(at: " ") }.compactMap { wholeNumber($0) }
      .compactMap { UInt32(exactly: $0) }
  }
}
