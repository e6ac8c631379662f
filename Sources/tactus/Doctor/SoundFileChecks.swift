// SPDX-License-Identifier: Apache-2.0
//
// The device's own sounds: their files, and the program that plays them.

import TactusCore
import TactusLinux

extension Examination {
  func checkSoundFiles(_ findings: inout Findings) {
    guard let board, !board.sounds.isEmpty else { return }
    let mistakes = board.sounds.compactMap { $0.mistake }
    if let first = mistakes.first {
      findings.fail(
        "sounds",
        "\(mistakes.count) of \(board.sounds.count) cannot be played, such as \(first)",
        "install the package tactus, which brings \(BoardSound.folder); then restart tactusd"
      )
    } else {
      findings.ok("sounds", "all \(board.sounds.count) can be played")
    }
    checkSoundProgram(&findings)
  }

  /// tactusd has them played by the command line beside it.
  private func checkSoundProgram(_ findings: inout Findings) {
    guard let path = program?.path, let name = path.split(at: "/").last else { return }
    let player = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self) + "tactus"
    guard !path.isEmpty, !fileExists(player) else { return }
    findings.warn(
      "sounds",
      "\(player) is missing, which plays them for tactusd",
      "install tactus beside tactusd"
    )
  }
}
