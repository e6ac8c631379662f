// SPDX-License-Identifier: Apache-2.0
//
// The board file and the settings, as `tactus board check` reads them.

import TactusCore
import TactusLinux

extension Examination {
  func checkBoard(_ findings: inout Findings) {
    for diagnostic in boardDiagnostics {
      if diagnostic.severity == .error {
        findings.fail("board file", diagnostic.description, "tactus board check has every mistake")
      } else {
        findings.warn("board file", diagnostic.description, "change it, or leave it as it is meant")
      }
    }
    guard let board else { return }
    findings.ok(board.name, board.title)
    if board.status == .unverified {
      findings.warn(
        board.name,
        "not every fact of it is confirmed",
        "its README names those that are not; tell us what you find"
      )
    }
  }
}
