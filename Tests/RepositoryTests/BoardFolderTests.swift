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

  @Test(
    "a board names the facts that are not confirmed, in its file and on its page, and no others",
    arguments: Repository.folders(in: "boards")
  )
  func boardIsHonest(board: String) throws {
    let file = try Repository.file("boards/\(board)/board.yaml").lines.joined(separator: "\n")
    let page = try Repository.file("boards/\(board)/README.md").lines.joined(separator: "\n")
    #expect(file.contains("\ndescription: "))
    #expect(file.contains("\nstatus: "))
    let isUnverified = file.contains("\nstatus: unverified\n")
    #expect(page.contains("\n## Unverified\n\n- ") == isUnverified)
    // A board may have its doubts from the one that it extends.
    #expect(
      !isUnverified || file.contains("\nunverified: ") || file.contains("\nextends: ")
    )
    if !["simulated", "virtual-device"].contains(board) {
      #expect(page.contains("\n## Wiring\n"))
      #expect(page.contains("\n## Where the facts come from\n\n- "))
    }
  }

  @Test("a control of a twin that no driver makes, and a USB card, are explained on the page")
  func twinsAreExplained() throws {
    for board in Repository.folders(in: "boards") {
      let names = Set(Repository.files(under: "boards/\(board)").map(\.name))
      let page = try Repository.file("boards/\(board)/README.md").lines.joined(separator: "\n")
      for part in ["mixer.state", "twin.usb"] where names.contains(part) {
        #expect(page.contains("`\(part)`"), "\(board)")
      }
    }
  }

  @Test("there is a schema for editors")
  func schemaIsThere() throws { _ = try Repository.file("boards/schema.json") }
}
