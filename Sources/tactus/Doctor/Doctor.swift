// SPDX-License-Identifier: Apache-2.0
//
// `tactus doctor`: everything that Tactus needs of a machine, looked at from outside, with what the
// daemon knows where it runs. A new check goes into the file of its area.
//
//   Examination    what is there, looked at once
//   …Checks        one file for each area: from what is there to findings
//   DoctorReport   findings for people and programs
//   Bundle         all of it in one file, for somebody else to look at

import TactusCore
import TactusLinux

/// Runs `doctor`.
func examine(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let examination = Examination(invocation)
  let report = DoctorReport(areas: Area.allCases.map { examination.findings(of: $0) })
  if invocation.has("--json") {
    output.write(report.json.written(onOneLine: false) + "\n")
  } else {
    let page = Page.standardOutput()
    output.write(page.text(of: report.rows(on: page)))
  }
  if let path = invocation.value(of: "--bundle") {
    try Bundle(examination, report).write(to: path)
    if !invocation.has("--json") {
      output.write("\n\(path): written, README.txt in it says what\n")
    }
  }
  return report.count(.fail) > 0 ? .checkFailed : .success
}

extension Examination {
  func findings(of area: Area) -> Findings {
    var findings = Findings(area)
    switch area {
    case .machine: checkMachine(&findings)
    case .daemon: checkDaemon(&findings)
    case .silence: checkSilence(&findings)
    case .board: checkBoard(&findings)
    case .lines: checkLines(&findings)
    case .sound: checkSound(&findings)
    case .players: checkPlayers(&findings)
    case .state: checkState(&findings)
    }
    return findings
  }
}
