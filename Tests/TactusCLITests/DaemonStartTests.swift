// SPDX-License-Identifier: Apache-2.0
//
// How tactusd comes to its board: by the tactus beside it, whose fault is named.

import Foundation
import Testing

@Suite("Daemon's start", .serialized)
struct DaemonStartTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "tactus-\(UUID())")

  /// Runs a tactusd with a tactus beside it that does what a script says.
  private func start(beside script: String?) throws -> Finished {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let daemon = folder.appending(path: "tactusd")
    // By another process: a file that this one writes cannot be run while a third is being started.
    let copy = #"cp "$0" "$2/tactusd"; [ -z "$1" ] || printf '#!/bin/sh\n%s\n' "$1" >"$2/tactus""#
    let real = program.deletingLastPathComponent().appending(path: "tactusd").path
    _ = try run(
      ["-c", copy + #"; chmod +x "$2"/tactus*"#, real, script ?? "", folder.path],
      program: URL(filePath: "/bin/sh")
    )
    let runtime = folder.appending(path: "run").path
    return try run(
      ["--simulate", "--bus", "unix:path=/nonexistent", "--runtime", runtime, "--state", runtime],
      program: daemon,
      environment: ["PATH": "/nonexistent"]
    )
  }

  @Test(
    "a tactus that is missing, foreign, of another version or dies is named, and nothing starts",
    arguments: [
      (nil, "cannot run (No such file or directory), install tactus beside tactusd"),
      ("echo usage: tactus", "writes no compiled board (exit code 0)"),
      ("exit 3", "writes a compiled board that is cut short or damaged (exit code 3)"),
      ("kill -9 $$", "writes a compiled board that is cut short or damaged (exit code 137)"),
      (
        "printf 'TTacBrd1xxxxxxxxyyyyyyyy'",
        "of another version, install tactus and tactusd together (exit code 0)"
      ),
      ("while :; do echo too much of it; done", "writes no compiled board (exit code 137)"),
    ] as [(String?, String)]
  )
  func fault(_ script: String?, _ words: String) throws {
    let finished = try start(beside: script)
    #expect(finished.code == 1)
    #expect(finished.error == "tactusd: tactus: \(words)\n")
  }

  @Test("what is wrong with the files is told by tactusd, and its exit code is 78")
  func mistakes() throws {
    let real = program.path
    let finished = try start(beside: "exec \(real) board compile moon")
    #expect(finished.code == 78)
    #expect(finished.error.hasPrefix("tactusd: moon: board: no such board, write "))
  }

  @Test("board compile writes a board, or exits with 78 and still tells why, in bytes")
  func compile() throws {
    let words = ["--boards", Repository.path("boards"), "board", "compile", "--settings", "/none"]
    let good = try run(words + ["simulated"])
    #expect((good.code, good.error) == (0, ""))
    #expect(good.output.hasPrefix("TTacBrd1"))
    let wrong = try run(words + ["simulatd"])
    #expect((wrong.code, wrong.error) == (78, ""))
    #expect(wrong.output.contains("no such board, write simulated"))
    #expect(try run(words + ["--tick", "50"]).code == 64)
  }
}
