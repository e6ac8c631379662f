// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that goes with its test.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("tactus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func put(_ name: String, _ text: String) { put(name, Array(text.utf8)) }

  func put(_ name: String, _ bytes: [UInt8]) {
    _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(bytes))
  }

  func bytes(of name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data())
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
