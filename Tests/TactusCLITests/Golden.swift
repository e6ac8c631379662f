// SPDX-License-Identifier: Apache-2.0
//
// What the command line shows, kept as files in Golden. After a change that is meant,
// `TACTUS_GOLDEN=write swift test --filter TactusCLITests` writes them anew, and the difference is
// for the reviewer to see.

import Foundation
import Testing

/// Expects a text to be as kept.
func expectGolden(
  _ name: String,
  _ text: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden/\(name).txt")
  if ProcessInfo.processInfo.environment["TACTUS_GOLDEN"] == "write" {
    try Data(text.utf8).write(to: file)
    return
  }
  let kept = try String(contentsOf: file, encoding: .utf8)
  #expect(text == kept, "\(name)", sourceLocation: sourceLocation)
}
