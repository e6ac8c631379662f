// SPDX-License-Identifier: Apache-2.0
//
// A recording is read back as it was written, or the line that is wrong is named.

import Testing

@testable import TactusLinux

@Suite struct EdgeRecordingTests {
  private let recording = EdgeRecording(
    board: "hifiberry-amp2",
    edges: [
      EdgeRecording.Edge(nanoseconds: 0, control: "volume-up", isHigh: false),
      EdgeRecording.Edge(nanoseconds: 196_062, control: "knob", line: .a, isHigh: false),
      EdgeRecording.Edge(nanoseconds: 196_062, control: "knob", line: .b, isHigh: true),
    ]
  )

  @Test("a recording is read back as it was written, comments and empty lines left out")
  func roundTrip() throws {
    #expect(
      recording.text == """
        tactus-edges 1 hifiberry-amp2
        0 volume-up - 0
        196062 knob A 0
        196062 knob B 1

        """
    )
    #expect(try EdgeRecording(parsing: recording.text, file: "x") == recording)
    let commented = recording.text.split(separator: "\n").joined(separator: "\n# a finger\n\n")
    #expect(try EdgeRecording(parsing: "# first\n\(commented)", file: "x") == recording)
  }

  @Test("a file that a recorder wrote is a recording after every edge")
  func recorder() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/edges"
    let recorder = try EdgeRecorder(path: path, board: recording.board)
    #expect(try EdgeRecording(path: path) == EdgeRecording(board: recording.board))
    for edge in recording.edges { try recorder.add(edge) }
    #expect(try EdgeRecording(path: path) == recording)
  }

  @Test("the first line that is wrong is named, with what to write")
  func mistakes() {
    func message(_ text: String) -> String {
      do {
        _ = try EdgeRecording(parsing: text, file: "edges")
        return "none"
      } catch { return error.description }
    }
    let head = "tactus-edges 1 b\n"
    #expect(message("") == "edges:1:1: empty, record it with tactus test")
    #expect(message("{}\n").hasPrefix("edges:1:1: no recording of edges"))
    #expect(message("tactus-edges 2 b\n").hasPrefix("edges:1:1: version 2"))
    #expect(message(head + "5 up - 1\n4 up - 0\n").hasPrefix("edges:3:1: before the line above"))
    #expect(message(head + "x up - 1\n").hasPrefix("edges:2:1: no time in nanoseconds (x)"))
    #expect(message(head + "-1 up - 1\n").hasPrefix("edges:2:1: no time in nanoseconds (-1)"))
    #expect(message(head + "1 up C 1\n").hasPrefix("edges:2:1: no line of a control (C)"))
    #expect(message(head + "1 up - 2\n").hasPrefix("edges:2:1: no level (2)"))
    #expect(message(head + "1 up 1\n").hasPrefix("edges:2:1: 3 words"))
    #expect(message(head + "1 up - 1").hasPrefix("none"))
  }
}
