// SPDX-License-Identifier: Apache-2.0
//
// `tactus board new`, `pins` and `identify`, as a maker meets them.

import Foundation
import TactusCore
import TactusLinux
import Testing

@testable import tactus

@Suite("Boards", .serialized)
final class BoardTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tactus-\(UUID().uuidString)").path(percentEncoded: false)

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var path: String { "\(folder)/my-radio/board.yaml" }

  private func new(_ options: String...) throws -> Finished {
    try run(["board", "new", "my-radio", "--out", path] + options)
  }

  private func written() throws -> Board {
    try #require(Board.load(path: path, folders: BoardFolders()).value)
  }

  @Test("what options say is in the file, what they take away is not, and the rest is inherited")
  func fromOptions() throws {
    let finished = try new(
      "--extends",
      "hifiberry-dacplus",
      "--knob",
      "12,13,16",
      "--mute",
      "none",
      "--led",
      "22"
    )
    #expect(finished.code == 0)
    #expect(finished.output.hasSuffix("\(path): written\nnext: tactus board pins \(path)\n"))
    let board = try written()
    // The silent switch was on the line that is the LED's now.
    #expect(
      board.controls.map { $0.name } == ["volume-up", "volume-down", "knob", "knob-push"]
    )
    guard case .lines(_, let lines, .pullUp, _) = board.controls[2].contact else {
      Issue.record("the knob has no lines")
      return
    }
    #expect(lines == [12, 13])
    #expect(board.signals.map { $0.line?.offset } == [22])
    #expect(board.bases == ["hifiberry-dacplus"])
  }

  @Test("at a terminal it asks for what is missing, and keeps what is not answered")
  func asks() throws {
    let finished = try runAtTerminal(
      ["board", "new", "my-radio", "--out", path],
      typing: "hifiberry-amp2\n\nnone\n5,6\n\n\n26\n16\n"
    )
    #expect(finished.code == 0)
    #expect(finished.error.contains("Volume-up button [5]: "))
    #expect(finished.error.contains("Knob, as A,B or A,B,PUSH [23,24,27]: "))
    let board = try written()
    #expect(board.controls.map { $0.role } == [.knob, .knobPush, .silentSwitch, .mute, .playPause])
  }

  @Test(
    "what cannot be is refused with what to write, and nothing is written",
    arguments: [
      (["board", "new"], 64, "board new: missing the name, such as my-radio"),
      (["board", "new", "My Radio", "--extends", "simulated"], 64, "not a name for a board"),
      (["board", "new", "x"], 64, "missing the board that it extends"),
      (["board", "new", "x", "--extends", "hifibery-amp2"], 78, "did you mean hifiberry-amp2?"),
      (["board", "new", "x", "--extends", "hifiberry-amp2", "--knob", "5"], 64, "A,B,PUSH"),
      (["board", "new", "x", "--extends", "hifiberry-amp2", "--mute", "five"], 64, "--mute"),
    ] as [([String], Int32, String)]
  )
  func refused(words: [String], code: Int32, message: String) throws {
    let finished = try run(words + (words.count > 3 ? ["--out", path] : []))
    #expect(finished.code == code)
    #expect(finished.error.contains(message))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(
    "a file that is there is not overwritten; one with a mistake is written and the mistake told"
  )
  func twice() throws {
    let first = try new("--extends", "hifiberry-amp100", "--mute", "4")
    #expect(first.code == 78)
    #expect(first.output.contains("line 4 belongs to the sound driver"))
    let second = try new("--extends", "hifiberry-amp100")
    #expect(second.code == 1)
    #expect(second.error.contains("is there already, write --out and another file"))
  }

  @Test("pins draws forty positions with their owners, and as SVG with a legend")
  func pins() throws {
    let finished = try run(["board", "pins", "hifiberry-amp100"])
    #expect(finished.code == 0)
    let rows = finished.output.split(separator: "\n")
    #expect(rows[0].hasSuffix("3.3 V  1 ● ● 2  5 V") || rows[0].contains("3.3 V  1 * * 2  5 V"))
    #expect(rows[14].contains("volume-up   BCM 5 29"))
    #expect(finished.output.contains("BCM 7, 8, 9, 10, 11: also SPI0, keep SPI off"))
    let svg = try run(["board", "pins", "hifiberry-amp100", "--svg", "-"])
    for text in ["volume-up", "BCM 5", "I²S (PCM_CLK)", "used twice"] {
      #expect(svg.output.contains(">\(text)</text>"), "\(text)")
    }
    let json = try Json(parsing: try run(["board", "pins", "hifiberry-amp100", "--json"]).output)
    #expect(json.elements.count == 40)
    let other = try run(["board", "pins", "simulated"])
    #expect(other.code == 78 && other.error.contains("not behind a Raspberry Pi's header"))
  }

  @Test("identify tells what it has found also where nothing fits, with the next step")
  func identify() throws {
    let finished = try run(["board", "identify", "--json"])
    let json = try Json(parsing: finished.output)
    let fits = json["boards"]?.elements.contains { $0["fits"]?.bool == true } ?? false
    #expect(finished.code == (fits ? 0 : 1))
    #expect(json["machine"]?["chips"] != nil)
    let text = try run(["board", "identify"]).output
    #expect(text.hasPrefix("machine  "))
    #expect(fits || text.contains("No shipped board fits."))
  }
}
