// SPDX-License-Identifier: Apache-2.0
//
// Cards and controls on a real kernel: run inside the virtual device, which has snd-dummy and
// snd-aloop. Elsewhere they are skipped.

import TactusLinux
import Testing

/// What the virtual device offers; an ordinary machine's cards are left alone.
private let virtualCardsArePresent =
  SoundCard.isPresent(id: "Dummy") && SoundCard.isPresent(id: "Loopback")

@Suite(
  .serialized,
  .enabled(if: virtualCardsArePresent, "needs the cards Dummy and Loopback of the virtual device")
)
struct SoundCardTests {
  private static let master = ControlAddress("Master Volume")

  @Test("a card is opened by its id and lists what it is")
  func list() throws {
    let card = try SoundCard(id: "Dummy")
    #expect(card.fileDescriptor > 2)
    let cards = SoundCard.list()
    #expect(cards.contains { $0.id == "Dummy" && $0.driver == "Dummy" })
    #expect(cards.contains { $0.id == "Loopback" && $0.driver == "Loopback" })
  }

  @Test("F40 a card that is missing is named with those that are there; a number is no id")
  func missing() throws {
    for id in ["Dumy", "0", "hw:0", ""] {
      #expect(throws: MixerError.cardMissing(id: id, present: SoundCard.list().map { $0.id })) {
        _ = try SoundCard(id: id)
      }
      #expect(!SoundCard.isPresent(id: id))
    }
  }

  @Test("every channel is written and read back; the value that was there is put back")
  func readAndWrite() throws {
    let card = try SoundCard(id: "Dummy")
    let control = try card.control(Self.master)
    #expect(control.kind == .integer)
    #expect(control.channelCount == 2)
    #expect(control.rawMinimum < control.rawMaximum)
    #expect(control.isReadable && control.isWritable && !control.isUserMade)
    #expect(control.lockingProcess == nil)
    let before = try card.read(control)
    var values = control.values(control.rawMaximum)
    values[1] = control.rawMaximum - 1
    try card.write(values, to: control)
    #expect(try card.read(control) == values)
    #expect(values != control.values(control.rawMaximum))
    try card.write(before, to: control)
    #expect(try card.read(control) == before)
  }
}
