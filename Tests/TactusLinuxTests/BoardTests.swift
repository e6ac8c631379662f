// SPDX-License-Identifier: Apache-2.0
//
// Board files: what they become, and that every shipped one loads.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

/// The folder of the shipped boards.
let shippedBoards =
  String(#filePath.prefix(upTo: #filePath.range(of: "/Tests/")!.lowerBound))
  + "/boards"

@Suite struct BoardTests {
  @Test("the simulated board has every role")
  func simulated() throws {
    let loaded = Board.load(path: "\(shippedBoards)/simulated/board.yaml")
    #expect(loaded.diagnostics.map(\.description) == [])
    let board = try #require(loaded.value)
    #expect(Set(board.controls.map(\.role)) == Set(Role.allCases))
    #expect(board.configuration.outputs[1].detect == 6)
  }
}
