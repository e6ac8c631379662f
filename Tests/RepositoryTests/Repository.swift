// SPDX-License-Identifier: Apache-2.0
//
// The repository as its own tests see it: files by their path from the root, and their text.

import Foundation
import Testing

/// One text file of the repository.
struct SourceFile {
  /// The path from the repository's root.
  let path: String
  let lines: [Substring]

  var name: String { String(path.split(separator: "/").last ?? "") }
  var nameExtension: String {
    name.contains(".") ? String(name.split(separator: ".").last ?? "") : ""
  }
  var isScript: Bool { lines.first?.hasPrefix("#!/") ?? false }

  /// Expects a rule of every line, and shows the places of those that break it as an editor opens
  /// them.
  func expectNoLine(
    where breaksRule: (Substring) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let places = zip(1..., lines).filter { breaksRule($0.1) }.map { "\(path):\($0.0): \($0.1)" }
    guard !places.isEmpty else { return }
    let shown = places.prefix(5) + (places.count > 5 ? ["… \(places.count) in all"] : [])
    Issue.record("\(shown.joined(separator: "\n"))", sourceLocation: sourceLocation)
  }
}

enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// All text files, build results and what tools keep for themselves excepted.
  static let files: [SourceFile] = {
    let enumerator = FileManager.default.enumerator(atPath: root.path())
    var files: [SourceFile] = []
    while let path = enumerator?.nextObject() as? String {
      if [".build", ".git", "__pycache__"].contains((path as NSString).lastPathComponent) {
        enumerator?.skipDescendants()
      } else if let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) {
        files.append(
          SourceFile(
            path: path,
            lines: text.split(separator: "\n", omittingEmptySubsequences: false)
          )
        )
      }
    }
    return files.sorted { $0.path < $1.path }
  }()

  /// The files that people write line by line: programs, scripts, device trees, configuration; not
  /// what tests take as input.
  static let sources = files.filter {
    !$0.path.hasPrefix("Tests/TactusLinuxTests/boards/")
      && ($0.isScript
        || [
          "swift", "c", "h", "py", "yaml", "dts", "dtso", "config", "xml", "service", "rules",
          "conf",
        ].contains($0.nameExtension))
  }

  static func files(under folder: String) -> [SourceFile] {
    files.filter { $0.path.hasPrefix(folder + "/") }
  }

  static func file(_ path: String) throws -> SourceFile {
    guard let file = files.first(where: { $0.path == path }) else { throw Missing(path: path) }
    return file
  }

  /// The names of the folders right under a folder.
  static func folders(in folder: String) -> [String] {
    Set(
      files(under: folder).map { $0.path.dropFirst(folder.count + 1).split(separator: "/") }
        .filter { $0.count > 1 }.map { String($0[0]) }
    ).sorted()
  }

  struct Missing: Error { let path: String }
}
