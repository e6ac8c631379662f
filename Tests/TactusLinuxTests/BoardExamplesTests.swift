// SPDX-License-Identifier: Apache-2.0
//
// The table of accepted and refused files in `boards`: the folder is the verdict, and the comments
// at the end of each file are the messages that the loader gives. TACTUS_UPDATE=1 writes them anew.
//
//   accepted           by the schema and by the loader, perhaps with warnings
//   refused            by both
//   refused-by-loader  for reasons that no schema can know
//
// deploy/check-boards holds the schema against the same folders.

import Foundation
import Testing

@testable import TactusLinux

private let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(
  path: "boards"
)
private let folders = BoardFolders(named: [
  URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../boards")
    .standardized.path(percentEncoded: false)
])
private let mark = "#! "

struct BoardExample: CustomTestStringConvertible, Sendable {
  let folder: String
  let file: URL

  var testDescription: String { "\(folder)/\(file.lastPathComponent)" }

  /// What the loader says, without the file's name.
  var messages: [String] {
    let path = file.path(percentEncoded: false)
    return checkFile(path: path, folders: folders).map {
      String($0.description.dropFirst(path.count + 1))
    }
  }

  static let all = ["accepted", "refused", "refused-by-loader"].flatMap { folder in
    let files = try? FileManager.default.contentsOfDirectory(
      at: examples.appending(path: folder),
      includingPropertiesForKeys: nil
    )
    return (files ?? []).sorted { $0.path() < $1.path() }.map {
      BoardExample(folder: folder, file: $0)
    }
  }
}

@Suite struct BoardExamplesTests {
  @Test("each example is accepted or refused as its folder says", arguments: BoardExample.all)
  func verdict(_ example: BoardExample) {
    let isRefused = example.messages.contains { !$0.contains(": warning") }
    #expect(isRefused == (example.folder != "accepted"), "\(example.messages)")
  }

  @Test("each mistake is named with its place and what to write", arguments: BoardExample.all)
  func messages(_ example: BoardExample) throws {
    let text = try String(contentsOf: example.file, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let expected = lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    if ProcessInfo.processInfo.environment["TACTUS_UPDATE"] != nil {
      var kept = lines.filter { !$0.hasPrefix(mark) }
      while kept.last == "" { kept.removeLast() }
      let written = kept + example.messages.map { mark + $0 }
      try (written.joined(separator: "\n") + "\n")
        .write(to: example.file, atomically: true, encoding: .utf8)
    } else {
      #expect(example.messages == expected)
    }
  }
}
