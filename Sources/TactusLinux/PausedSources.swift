// SPDX-License-Identifier: Apache-2.0
//
// Whom Tactus has paused, over a restart (SES-18): the sources' names, one a line, in a file that
// does not outlive the power. By name, since a changed configuration gives other positions.

import CTactus
import TactusCore

/// The file of paused sources.
public struct PausedSources {
  private static let sizeMaximum = 4_096

  private let path: String
  private let names: [String]
  /// What the file says; nil until it is known.
  private var kept: UInt32?

  /// Keeps them in `FOLDER/paused`.
  public init(folder: String, sources: [BoardSource]) {
    path = "\(folder)/paused"
    names = sources.map { $0.name }
  }

  /// What a former run left, one bit for each source that is still configured; a file that cannot
  /// be read is none.
  public mutating func read() -> UInt32 {
    guard let bytes = try? contents(of: path, limit: PausedSources.sizeMaximum) else { return 0 }
    var paused: UInt32 = 0
    for name in String(decoding: bytes, as: UTF8.self).split(at: "\n") {
      if let index = names.firstIndex(of: name) { paused |= 1 << UInt32(index) }
    }
    kept = paused
    return paused
  }

  /// Writes them if they are others than before.
  public mutating func keep(_ paused: UInt32) throws(SystemError) {
    guard paused != kept else { return }
    kept = paused
    var text = ""
    for index in names.indices where paused & 1 << UInt32(index) != 0 {
      text += names[index] + "\n"
    }
    try replaceFile(path, with: Array(text.utf8))
  }
}
