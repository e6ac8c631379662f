// SPDX-License-Identifier: Apache-2.0
//
// The program itself, against a daemon's bus service on a message bus of the test's own.

import Foundation
import TactusCore
import TactusLinux
import Testing

// One after the other: a program that starts inherits the pipes of those that run.
@Suite("Program", .serialized)
struct ProgramTests {
  private let service: FakeDaemon

  init() throws { service = try FakeDaemon() }

  private func tactus(_ words: String...) throws -> Finished {
    try run(["--bus", service.address] + words)
  }

  @Test("status on a pipe is plain text, exit code 0, and nothing on standard error")
  func status() throws {
    let finished = try tactus("status")
    #expect(finished.code == 0)
    #expect(finished.error.isEmpty)
    #expect(finished.output.hasPrefix("SOUND       nothing plays\nboard       example, tactusd "))
    #expect(!finished.output.contains("\u{1b}"))
  }

  @Test("status --json is what Describe answers, on one line")
  func statusAsJson() throws {
    let finished = try tactus("status", "--json")
    let json = try Json(parsing: finished.output)
    #expect(json["board"]?.text == "example")
    #expect(finished.output.split(separator: "\n").count == 1)
  }

  @Test("why names the device and each source with the rules, and one source alone when asked")
  func why() throws {
    let all = try tactus("why")
    #expect(all.code == 0)
    #expect(
      all.output.hasPrefix("SOUND  nothing plays\nmusic  playback, inactive\n  SES-2   it is")
    )
    let one = try tactus("why", "music", "--json")
    #expect(try Json(parsing: one.output)["why"]?.elements.first?["rule"]?.text == "SES-2")
    let none = try tactus("why", "moon")
    #expect(none.code == 64)
    #expect(none.error == "tactus: why: no such source (moon), one of music\n")
  }

  @Test("run without a category prints them all and does not run; its own failures are 125")
  func runWithoutCategory() throws {
    let finished = try tactus("run", "--", "true")
    #expect(finished.code == 125)
    for category in Category.allCases { #expect(finished.error.contains("\n  \(category.name) ")) }
    #expect(try tactus("run", "--category", "loud", "--", "true").code == 125)
  }

  @Test("run asks at a terminal until it gets a category, and leaves the rest to its program")
  func runAsks() throws {
    // An alarm is played without a daemon, too.
    let finished = try runAtTerminal(
      ["--bus", "unix:path=/nonexistent", "run", "--", "sh", "-c", "read code; exit $code"],
      typing: "loud\n alarm \n7\n"
    )
    #expect(finished.code == 7)
    #expect(finished.error.contains("\n  ambient "))
    #expect(finished.error.contains("\ncategory: tactus: --category: no such category (loud), one"))
    #expect(finished.error.contains("\ncategory: tactus: run: tactusd: cannot be reached"))
  }

  @Test("run that is not answered at a terminal fails with 125")
  func runIsNotAnswered() throws {
    let finished = try runAtTerminal(["run", "--", "true"], typing: "\u{4}")
    #expect(finished.code == 125)
    #expect(
      finished.error.contains("\ncategory: tactus: run: which category?, there is no default")
    )
  }

  @Test("a call is quiet when all is done, and a remark goes to standard error")
  func calls() throws {
    let done = try tactus("set", "volume", "50%")
    #expect(done == Finished(code: 0, output: "", error: ""))
    service.answer(.limited)
    let limited = try tactus("set", "volume", "+1")
    #expect(limited.code == 0)
    #expect(limited.output.isEmpty)
    #expect(limited.error.hasPrefix("tactus: set volume: stopped at a limit, "))
    #expect(
      service.calls == [
        .request(.setLevel(.system, Level(percent: 50))), .request(.step(.system, 1)),
      ]
    )
  }

  @Test("FBK-8 sound and feedback are quiet when the device answers, each one call")
  func answers() throws {
    #expect(try tactus("sound", "warning") == Finished(code: 0, output: "", error: ""))
    #expect(try tactus("feedback", "heavy") == Finished(code: 0, output: "", error: ""))
    #expect(
      service.calls == [
        .request(.playSound(peer: 0, 1)), .request(.feedback(peer: 0, .heavy)),
      ]
    )
  }

  @Test("sound without a name lists the device's, feedback without a type explains the seven")
  func answersListed() throws {
    let names = Feedback.allCases.map { $0.name }
    let sounds = try tactus("sound")
    #expect(sounds.code == 0 && sounds.error.isEmpty)
    #expect(sounds.output.split(separator: "\n").map(String.init) == names)
    let types = try run(["--bus", "unix:path=/nonexistent", "feedback"])
    #expect(types.code == 0)
    let lines = types.output.split(separator: "\n")
    #expect(lines.map { String($0.prefix { $0 != " " }) } == names)
    #expect(lines.allSatisfy { $0.count > 20 && $0.count <= 80 })
    #expect(service.calls.isEmpty)
  }

  @Test("FBK-2 a test that finds all well is told at the device, where there is one")
  func testAnswers() throws {
    let words = ["--boards", Repository.path("boards"), "test", "--board", "simulated"]
    #expect(try run(["--bus", service.address] + words).code == 0)
    #expect(service.calls == [.request(.feedback(peer: 0, .success))])
    service.answer(.notOnThisDevice)
    let refused = try run(["--bus", service.address] + words)
    #expect(refused.code == 0 && refused.error.isEmpty)
    #expect(try run(["--bus", "unix:path=/nonexistent"] + words).code == 0)
  }

  @Test("what cannot be answered says why: 64 an unknown name, 1 what the device does not do")
  func answersRefused() throws {
    let sound = try tactus("sound", "gong")
    #expect(sound.code == 64)
    #expect(sound.error.hasPrefix("tactus: sound: no such sound (gong), one of success, warning, "))
    let type = try run(["--bus", "unix:path=/nonexistent", "feedback", "sucess"])
    #expect(type.code == 64)
    #expect(type.error == "tactus: feedback: no such value (sucess), did you mean success?\n")
    service.answer(.notOnThisDevice)
    let none = try tactus("sound", "success")
    #expect(none.code == 1)
    #expect(none.error == "tactus: sound: this device has none, see its board file\n")
    service.answer(.stillSilent)
    let unknown = try tactus("sound", "success")
    #expect(unknown.code == 1)
    #expect(
      unknown.error
        == "tactus: sound: not played (success), ringer volume is at zero\n"
    )
    service.publish {
      $0.ringer = .full
      $0.isSilentSwitchOn = true
      $0.isMuted = true
      $0.reasons = .softMute
    }
    let silent = try tactus("feedback", "success")
    #expect(silent.code == 1)
    #expect(
      silent.error == "tactus: feedback: not played (success), muted, silent switch is on\n"
    )
  }

  @Test("a name that the device does not know is a mistake on the command line: exit code 64")
  func unknownName() throws {
    let finished = try tactus("press", "volum-up")
    #expect(finished.code == 64)
    #expect(finished.error.hasPrefix("tactus: control: no such control (volum-up), "))
    #expect(service.calls.isEmpty)
  }

  @Test("SIL-3 a request that the hardware switch refuses fails: exit code 1")
  func refused() throws {
    service.answer(.refusedByHardwareSwitch)
    let finished = try tactus("set", "silent", "off")
    #expect(finished.code == 1)
    #expect(finished.error.hasPrefix("tactus: silent: "))
  }

  @Test("without a daemon: exit code 69, one line, and the next step")
  func noDaemon() throws {
    let noBus = try run(["--bus", "unix:path=/nonexistent", "status"])
    #expect(noBus.code == 69)
    #expect(
      noBus.error == "tactus: tactusd: cannot be reached (bus unix:path=/nonexistent: No such file"
        + " or directory), start it with systemctl start tactusd, or name its bus with --bus\n"
    )
    service.stop()
    let noName = try tactus("watch", "--json")
    #expect(noName.code == 69)
    #expect(noName.error.hasPrefix("tactus: tactusd: cannot be reached"))
  }

  @Test("watch without a terminal says how to do without: exit code 64")
  func noTerminal() throws {
    let finished = try tactus("watch")
    #expect(finished.code == 64)
    #expect(
      finished.error == "tactus: watch: needs a terminal, or write tactus watch --json\n"
    )
  }

  @Test("watch --json writes a line at once and one at each change, and ends by its signal")
  func watchAsJson() throws {
    let watching = try Running(["--bus", service.address, "watch", "--json"])
    #expect(try Json(parsing: watching.line())["levelPercent"]?.integer == 40)
    service.publish { $0.level = Level(percent: 55) }
    #expect(try Json(parsing: watching.line())["levelPercent"]?.integer == 55)
    service.publish { $0.isMuted = true }
    #expect(try Json(parsing: watching.line())["muted"]?.bool == true)
    watching.interrupt()
    #expect(watching.reason == .uncaughtSignal)
  }

  @Test("usage, help and version need no daemon")
  func noNeed() throws {
    #expect(try run(["--version"]).output == "tactus \(tactusVersion)\n")
    #expect(try run(["--help"]).code == 0)
    let wrong = try run(["stauts"])
    #expect(wrong.code == 64)
    #expect(wrong.error == "tactus: command: no such command (stauts), did you mean status?\n")
  }

  @Test("output that cannot be written is a failure, not silence")
  func fullDisk() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let finished = try run(["--help"], output: full)
    #expect(finished.code == 1)
    #expect(finished.error.contains("No space left on device"))
  }

  @Test("board check names every mistake with its place, exit code 78; a good board is 0")
  func checkBoard() throws {
    let good = try run(["board", "check", Repository.path("boards/simulated/board.yaml")])
    #expect(good.code == 0)
    #expect(good.output.contains("/board.yaml: good, "))
    let file = FileManager.default.temporaryDirectory.appending(path: "tactus-\(UUID()).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("name: x\ntitel: y\ninputs: 3\n".utf8).write(to: file)
    let wrong = try run(["board", "check", file.path])
    #expect(wrong.code == 78)
    #expect(wrong.output.contains("\(file.path):2:1: "))
    #expect(wrong.output.contains("\(file.path):3:"))
    let json = try Json(parsing: try run(["board", "check", file.path, "--json"]).output)
    #expect(json["good"]?.bool == false)
    #expect(json["diagnostics"]?.elements.contains { $0["line"]?.integer == 2 } == true)
    let missing = try run(["--boards", Repository.path("boards"), "board", "check", "simulatd"])
    #expect(missing.code == 78)
    #expect(missing.error == "tactus: simulatd: no such board, did you mean simulated?\n")
  }

  @Test("board list names the shipped boards, and of each what is not confirmed")
  func listBoards() throws {
    let finished = try run(["--boards", Repository.path("boards"), "board", "list", "--json"])
    let boards = try Json(parsing: finished.output).elements
    let names = boards.compactMap { $0["name"]?.text }
    #expect(names.contains("simulated"))
    #expect(names == names.sorted())
    let amp2 = try #require(boards.first { $0["name"]?.text == "hifiberry-amp2" })
    #expect(amp2["status"]?.text == "unverified")
    #expect(amp2["extends"]?.elements.map(\.text) == ["hifiberry-dacplus"])
    #expect(amp2["routes"]?.elements.map(\.text) == ["speaker"])
    let fact = try #require(amp2["unverified"]?.elements.first?.text)

    let text = try run(["--boards", Repository.path("boards"), "board", "list"]).output
    let lines = text.split(separator: "\n").map(String.init)
    let head = try #require(lines.firstIndex { $0.hasPrefix("hifiberry-amp2 ") })
    #expect(lines[head].hasSuffix(" unverified  HiFiBerry Amp2"))
    #expect(lines[head + 1] == "  \(amp2["description"]?.text ?? "")")
    #expect(lines[head + 2] == "  ? \(fact)")
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test("doctor finds the daemon well and the board simulated, and without a daemon fails with 1")
  func doctor() throws {
    let words = ["--boards", Repository.path("boards"), "doctor", "--board", "simulated", "--json"]
    let well = try run(["--bus", service.address] + words)
    #expect(well.code == 0)
    #expect(try Json(parsing: well.output)["good"]?.bool == true)
    let alone = try run(["--bus", "unix:path=/nonexistent"] + words)
    #expect(alone.code == 1)
    let failed = try #require(Json(parsing: alone.output)["findings"]).elements.filter {
      $0["verdict"]?.text == "fail"
    }
    #expect(failed.map { $0["object"]?.text } == ["tactusd"])
    #expect(failed.first?["advice"]?.text?.isEmpty == false)
  }

  @Test("sim holds without and dies with the canary, naming the command that repeats it")
  func sim() throws {
    let held = try run(["sim", "--seed", "3", "--ticks", "2000", "--seeds", "2"])
    #expect(held.code == 0)
    #expect(held.output.hasPrefix("seeds 3 to 4: every rule held in 4000 ticks\n"))
    let died = try run(["sim", "--ticks", "200000", "--canary"])
    #expect(died.code == 1)
    #expect(died.output.hasSuffix("\nagain: tactus sim --seed 1 --ticks 200000 --canary\n"))
  }

  @Test("replay refuses what is no trace, naming the file")
  func replay() throws {
    let path = Repository.path("Package.swift")
    let finished = try run(["replay", path])
    #expect(finished.code == 1)
    #expect(finished.error.hasPrefix("tactus: \(path): not a trace, tactus record writes one\n"))
  }
}

enum Repository {
  /// A file of this repository.
  static func path(_ path: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: path).path
  }
}
