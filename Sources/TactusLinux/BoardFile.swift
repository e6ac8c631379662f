// SPDX-License-Identifier: Apache-2.0
//
// Finding and loading board files.

public import TactusCore

extension Board {
  /// Loads a board file.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - folders: where the boards are that it may extend; the first is the one that its own folder
  ///     is in.
  ///   - timing: what turns durations into ticks.
  ///   - lenient: leave out what is wrong instead of refusing the whole file.
  /// - Returns: the board and what is wrong; no board where it cannot be used.
  public static func load(
    path: String,
    folders: BoardFolders = BoardFolders(),
    timing: Timing = Timing(),
    lenient: Bool = false
  ) -> Loaded<Board> {
    let mistakes = Mistakes(file: path)
    var family = BoardExtension(mistakes, folders: folders.beside(path))
    var board: Board?
    if let root = family.tree(path: path), !root.isBaseMissing || lenient {
      var reader = BoardReader(mistakes, timing: timing)
      board = reader.read(root)
      board?.bases = family.bases
      board?.fillSources()
    }
    if mistakes.errorCount > 0 && !lenient { board = nil }
    return Loaded(value: board, diagnostics: mistakes.sorted)
  }

  /// What a board file uses the lines 0 to 27 of a Raspberry Pi's header for.
  ///
  /// - Parameters:
  ///   - path: where the file is.
  ///   - folders: where the boards are that it may extend.
  /// - Returns: the uses of each line, also those that are mistakes, and what is wrong; nothing
  ///   where the board's lines are not behind such a header.
  public static func headerUses(path: String, folders: BoardFolders) -> Loaded<[[LineUse]]> {
    let mistakes = Mistakes(file: path)
    var family = BoardExtension(mistakes, folders: folders.beside(path))
    var uses: [[LineUse]]?
    if let root = family.tree(path: path) {
      var reader = BoardReader(mistakes, timing: Timing())
      _ = reader.read(root)
      if reader.pins.hasHeader { uses = reader.pins.uses }
    }
    return Loaded(value: uses, diagnostics: mistakes.sorted)
  }

  /// Tells the policy of the sources.
  ///
  /// None is exclusive where the board cannot have one.
  mutating func fillSources() {
    configuration.sources.removeAll()
    configuration.soundSource = nil
    let hasRoom = sources.count < Configuration.maximumSources
    if !sounds.isEmpty, !sources.contains(.sounds), hasRoom { sources.append(.sounds) }
    if exclusiveObstacle != nil {
      for index in sources.indices { sources[index].isExclusive = false }
    }
    for source in sources {
      var told = Source(
        category: source.category,
        mode: source.mode,
        trim: source.trim,
        pausesOnUnplug: source.pausesOnUnplug,
        hasPlayer: source.player != nil,
        isAdopted: source.player != nil,
        resumesAlways: source.resumesAlways,
        playsAtStart: source.playsAtStart,
        isExclusive: source.isExclusive
      )
      told.isUntold = source.playsAtStart && source.player == nil
      if source == .sounds, !sounds.isEmpty {
        // Tactus is its player.
        told.hasPlayer = true
        configuration.soundSource = UInt8(configuration.sources.count)
      }
      configuration.sources.append(told)
    }
  }
}

/// What is wrong with a board file, or with a settings file if its name begins with `tactus`.
public func checkFile(path: String, folders: BoardFolders = BoardFolders()) -> [Diagnostic] {
  let name = path.split(at: "/").last ?? ""
  return name.hasPrefix("tactus")
    ? DeviceSettings.load(path: path).diagnostics
    : Board.load(path: path, folders: folders).diagnostics
}

/// The tree of a file, nil where it cannot be read.
func yamlTree(path: String, _ mistakes: Mistakes, fileNumber: Int = 0) -> YamlNode? {
  do throws(SystemError) {
    let bytes = try contents(of: path, limit: YamlBounds.bytes)
    return yamlTree(bytes, mistakes, fileNumber: fileNumber)
  } catch {
    let file = Place(line: 0, column: 0, fileNumber: fileNumber)
    mistakes.error(file, "", "cannot \(error.operation) (\(reason(of: error.code)))")
    return nil
  }
}
