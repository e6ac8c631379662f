// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Board folders")
struct BoardFolderTests {
  @Test(
    "a board has its file and a page for people; one with a kernel has its virtual twin",
    arguments: Repository.folders(in: "boards")
  )
  func boardIsWhole(board: String) {
    let names = Set(Repository.files(under: "boards/\(board)").map(\.name))
    #expect(names.isSuperset(of: ["board.yaml", "README.md"]))
    // The simulated board exists only in memory.
    #expect(names.contains("twin.dts") == (board != "simulated"))
  }

  @Test("the boards of the foundation are there, with the schema for editors")
  func boardsAreThere() throws {
    #expect(
      Set(Repository.folders(in: "boards")).isSuperset(of: [
        "simulated", "virtual-device", "hifiberry-dacplus", "raspberrypi-codec-zero",
        "seeed-respeaker-2mics-v1",
      ])
    )
    _ = try Repository.file("boards/schema.json")
  }
}
