// SPDX-License-Identifier: Apache-2.0
//
// Where board files are found: a board is a folder with a board.yaml, and the folder's name is its
// name.

import CTactus
import TactusCore

/// The folders that hold boards, in the order in which they are searched.
public struct BoardFolders: Sendable {
  /// Where packages put boards.
  public static let installed = "/usr/share/tactus/boards"

  public let paths: [String]

  /// The folders that the command line names, then the installed boards, then those of the source
  /// tree that the program was built in.
  public init(named paths: [String] = []) {
    self.paths = paths + [BoardFolders.installed] + BoardFolders.ofSourceTree
  }

  private init(_ paths: [String]) { self.paths = paths }

  /// These folders, and before them the one that a board's own folder is in.
  func beside(_ path: String) -> BoardFolders {
    guard path.hasSuffix("/board.yaml") else { return self }
    let folders = path.split(at: "/").dropLast(2)
    let start = path.utf8.first == UInt8(ascii: "/") ? "/" : folders.isEmpty ? "." : ""
    return BoardFolders([start + Array(folders).joined(separator: "/")] + paths)
  }

  /// A board's file: of a path the path itself, of a name the first folder that has it.
  public func path(of board: String) -> String? {
    if BoardFolders.isPath(board) { return board }
    for folder in paths {
      let path = "\(folder)/\(board)/board.yaml"
      if fileExists(path) { return path }
    }
    return nil
  }

  /// The names of all boards, sorted; of two with one name the one that would be taken.
  public var boards: [(name: String, path: String)] {
    var found: [(name: String, path: String)] = []
    for folder in paths {
      for name in (try? names(in: folder, beginning: "")) ?? [] {
        let path = "\(folder)/\(name)/board.yaml"
        let isNew = !found.contains { $0.name == name }
        if isNew && fileExists(path) { found.append((name, path)) }
      }
    }
    return found.sorted { $0.name < $1.name }
  }

  private static func isPath(_ board: String) -> Bool {
    board.utf8.contains(UInt8(ascii: "/")) || board.hasSuffix(".yaml") || board.hasSuffix(".yml")
  }

  /// `boards` beside a folder that the program lies in, if it is a source tree's.
  private static var ofSourceTree: [String] {
    var folders = programPath().split(at: "/")
    while folders.popLast() != nil {
      let boards = "/\((folders + ["boards"]).joined(separator: "/"))"
      if fileExists("\(boards)/schema.json") { return [boards] }
    }
    return []
  }
}

extension Board {
  /// Loads a device's settings and board: what the daemon starts with and SIGHUP re-reads.
  ///
  /// - Parameters:
  ///   - board: a name or path from the command line; nil for the one in the settings.
  ///   - settingsPath: the settings file, which may be missing.
  ///   - folders: where boards are found.
  ///   - tickMicroseconds: length of a tick, over the settings'.
  ///   - lenient: leave out what is wrong instead of refusing everything.
  /// - Returns: the board with the settings applied, and what is wrong with either file.
  public static func load(
    board: String?,
    settingsPath: String = DeviceSettings.standardPath,
    folders: BoardFolders,
    tickMicroseconds: Int32? = nil,
    lenient: Bool = false
  ) -> Loaded<Board> {
    let loadedSettings = DeviceSettings.load(path: settingsPath, lenient: lenient)
    let settings = loadedSettings.value ?? DeviceSettings()
    guard let wanted = board ?? settings.board else {
      return Loaded(
        value: nil,
        diagnostics: loadedSettings.diagnostics + [noBoard(settingsPath, "no board", folders)]
      )
    }
    guard let path = folders.path(of: wanted) else {
      let missing = noBoard(wanted, "no such board", folders)
      return Loaded(value: nil, diagnostics: loadedSettings.diagnostics + [missing])
    }
    let timing = Timing(tickMicroseconds: tickMicroseconds ?? settings.tickMicroseconds)
    let loadedBoard = Board.load(path: path, folders: folders, timing: timing, lenient: lenient)
    var value = loadedSettings.value == nil ? nil : loadedBoard.value
    value?.apply(settings)
    let unfit = value.map { settings.diagnostics(for: $0, file: settingsPath) } ?? []
    if !lenient, unfit.contains(where: { $0.severity == .error }) { value = nil }
    return Loaded(
      value: value,
      diagnostics: loadedSettings.diagnostics + unfit + loadedBoard.diagnostics
    )
  }

  private static func noBoard(
    _ object: String,
    _ problem: String,
    _ folders: BoardFolders
  ) -> Diagnostic {
    let names = folders.boards.map { $0.name }
    let near = nearest(to: object, among: names)
    let advice = near ?? (names.isEmpty ? "the path of a board.yaml" : oneOf(names))
    return Diagnostic(
      severity: .error,
      file: object,
      place: .file,
      key: "board",
      message: "\(problem), write \(advice)"
    )
  }
}
