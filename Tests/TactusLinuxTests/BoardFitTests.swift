// SPDX-License-Identifier: Apache-2.0
//
// Which boards fit a machine, for every shipped board; and whose the lines of the header are.

import TactusCore
import Testing

@testable import TactusLinux

private let folders = BoardFolders()

private func load(_ name: String) throws -> Board {
  let path = try #require(folders.path(of: name))
  return try #require(Board.load(path: path, folders: folders).value)
}

/// The machine that a board is on, with everything that its file speaks of.
private func machine(of board: Board, hasEEPROM: Bool) -> MachineIdentity {
  var cards: [MachineIdentity.Card] = []
  for output in board.outputs {
    guard let id = output.cardIDs.first else { continue }
    if !cards.contains(where: { $0.id == id }) {
      cards.append(MachineIdentity.Card(id: id, controls: []))
    }
    var names = board.identity.controls
    if let volume = output.volume { names.append(volume.address.name) }
    if case .control(let address, _, _) = output.mute { names.append(address.name) }
    let index = cards.firstIndex { $0.id == id }!
    cards[index].controls += names
  }
  return MachineIdentity(
    model: board.identity.models.first,
    hatVendor: hasEEPROM ? board.identity.hatVendors.first : nil,
    hatProduct: hasEEPROM ? board.identity.hatProducts.first : nil,
    cards: cards,
    chipLabels: ["pinctrl-bcm2711", "pinctrl-rp1"]
  )
}

private let real = folders.boards.map { $0.name }.filter {
  !["simulated", "virtual-device"].contains($0)
}

@Suite struct BoardFitTests {
  @Test(
    "every shipped board fits the machine that it is on, with and without its EEPROM",
    arguments: real
  )
  func own(name: String) throws {
    let board = try load(name)
    for hasEEPROM in [true, false] {
      let fit = BoardFit(board, machine(of: board, hasEEPROM: hasEEPROM))
      #expect(fit.verdict == .fits, "\(fit.objections)")
      #expect(fit.reasons.contains { $0.hasPrefix("card \(board.outputs[0].cardIDs[0])") })
      #expect(fit.isNamed == (hasEEPROM && !board.identity.hatProducts.isEmpty))
    }
  }

  @Test("boards with an EEPROM are told from all others by it", arguments: real)
  func byEEPROM(name: String) throws {
    let board = try load(name)
    guard let product = board.identity.hatProducts.first else { return }
    let machine = machine(of: board, hasEEPROM: true)
    for other in real where other != name {
      let otherBoard = try load(other)
      guard !otherBoard.identity.hatProducts.isEmpty,
        !otherBoard.identity.hatProducts.contains(product)
      else { continue }
      let verdict = BoardFit(otherBoard, machine).verdict
      #expect(verdict != .fits && verdict != .lacksCard, "\(other)")
    }
  }

  @Test(
    "boards that share a card id are told apart by their controls",
    arguments: [
      ("hifiberry-dacplus", "hifiberry-dac2-pro", "has no Headphone Playback Volume"),
      ("hifiberry-dac2-pro", "hifiberry-dacplus", "has Headphone Playback Volume, which this"),
      ("hifiberry-dacplus", "hifiberry-amp100", "has no Mute(ext)"),
      ("hifiberry-amp100", "hifiberry-amp2", "has Mute(ext), which this board has not"),
      ("hifiberry-dac2hd", "hifiberry-dacplus", "has no Digital Playback Volume"),
      ("hifiberry-dacplus", "hifiberry-dac", "has Digital Playback Volume, which this board"),
      ("hifiberry-dacplus", "hifiberry-amp", "has no Channels"),
      ("seeed-respeaker-2mics-v1", "seeed-respeaker-2mics-v2", "has no "),
      ("seeed-respeaker-2mics-v2", "seeed-respeaker-2mics-v1", "has no "),
    ]
  )
  func byControls(present: String, other: String, objection: String) throws {
    let fit = BoardFit(try load(other), machine(of: try load(present), hasEEPROM: false))
    #expect(fit.verdict == .differs)
    #expect(fit.objections.contains { $0.contains(objection) })
  }

  @Test(
    "an EEPROM without its card is told with the overlay that is missing; a foreign one is no fit"
  )
  func lacksCard() throws {
    let board = try load("hifiberry-amp100")
    var machine = machine(of: board, hasEEPROM: true)
    machine.cards = []
    #expect(BoardFit(board, machine).verdict == .lacksCard)
    machine.hatProduct = "Cape"
    #expect(BoardFit(board, machine).verdict == .absent)
    machine.hatProduct = nil
    #expect(BoardFit(board, machine).verdict == .absent)
    #expect(BoardFit(try load("simulated"), machine).verdict == .absent)
  }

  // MARK: The header

  @Test("the header has 28 lines, each once, 12 other positions, and power in its corners")
  func header() {
    let lines = HeaderPosition.all.compactMap { position -> UInt32? in
      if case .line(let line) = position { line } else { nil }
    }
    #expect(lines.sorted() == Array(0...27))
    #expect(HeaderPosition.all.count == 40)
    #expect(HeaderPosition.all[0] == .supply(33) && HeaderPosition.all[1] == .supply(50))
    #expect(HeaderPosition.all[28] == .line(5) && HeaderPosition.all[38] == .ground)
  }

  @Test("each line of the header is told with its users, the driver's and the board file's")
  func uses() throws {
    let path = try #require(folders.path(of: "hifiberry-amp100"))
    let uses = try #require(Board.headerUses(path: path, folders: folders).value)
    #expect(uses[5] == [LineUse(kind: .asked, owner: "volume-up")])
    #expect(uses[23] == [LineUse(kind: .asked, owner: "knob a")])
    #expect(uses[27] == [LineUse(kind: .asked, owner: "knob-push")])
    #expect(uses[4].map { $0.kind } == [.taken] && uses[4][0].owner.hasPrefix("the sound driver"))
    #expect(uses[18] == [LineUse(kind: .taken, owner: "I²S (PCM_CLK)")])
    #expect(uses[9].map { $0.kind } == [.possible])
    #expect(uses[12].isEmpty)
    let simulated = try #require(folders.path(of: "simulated"))
    #expect(Board.headerUses(path: simulated, folders: folders).value == nil)
  }

  @Test("a line that two ask for, or that is another's, is told with both")
  func conflict() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/board.yaml"
    folder.put(
      "board.yaml",
      """
      name: x
      extends: hifiberry-amp100
      inputs:
        - {role: stop, line: 4, bias: pull-up}
        - {role: next, line: 5, bias: pull-up}

      """
    )
    let loaded = Board.headerUses(path: path, folders: folders)
    let uses = try #require(loaded.value)
    #expect(loaded.hasErrors)
    #expect(uses[4].map { $0.kind } == [.asked, .taken])
    #expect(uses[5].map { $0.owner } == ["volume-up", "next"])
  }
}
