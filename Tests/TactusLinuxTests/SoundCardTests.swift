// SPDX-License-Identifier: Apache-2.0
//
// Cards and controls on a real kernel: run inside the virtual device, which has snd-dummy and
// snd-aloop. Elsewhere they are skipped.

import Glibc
import TactusLinux
import Testing

extension RealSoundTests {
  @Suite struct SoundCardTests {
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

    @Test("a missing control is named with the nearest there are; spaces count")
    func missingControl() throws {
      let card = try SoundCard(id: "Dummy")
      let address = ControlAddress("Master  Volume")
      do throws(MixerError) {
        _ = try card.control(address)
        Issue.record("found a control that does not exist")
      } catch .controlMissing(let missing, let similar) {
        #expect(missing == address)
        #expect(similar.first == "Master Volume")
        #expect(similar.count == 3)
      } catch {
        Issue.record("\(error.description)")
      }
    }

    @Test("a boolean and an enumerated control are read and written by their meaning")
    func otherKinds() throws {
      let card = try SoundCard(id: "Dummy")
      let capture = try card.control(ControlAddress("Master Capture Switch"))
      #expect(capture.kind == .boolean && capture.channelCount == 2)
      try card.write(capture.values(1), to: capture)
      #expect(try card.read(capture).allEqual(1))
      try card.write(capture.values(0), to: capture)
      #expect(try card.read(capture).allEqual(0))

      let box = try card.control(ControlAddress("External I/O Box"))
      #expect(box.kind == .enumerated && box.items == ["None", "CD Player"])
      let player = try #require(box.item(named: "CD Player"))
      try card.write(box.values(player), to: box)
      #expect(try card.read(box)[0] == 1)
      #expect(box.item(named: "cd player") == nil)
      try card.write(box.values(0), to: box)
    }

    @Test("an own write comes back as an echo, another's as a foreign change")
    func echoes() throws {
      let card = try SoundCard(id: "Dummy")
      let other = try SoundCard(id: "Dummy")
      let control = try card.control(Self.master)
      _ = try card.drainChanges(of: [control])
      var mirrored = MirroredControl(control)

      #expect(mirrored.current == nil)
      #expect(try mirrored.set(control.values(5), on: card).allEqual(5))
      var changes = try card.drainChanges(of: [control])
      #expect(changes.values == 1 && changes.removed == 0 && !changes.somethingAppeared)
      #expect(try mirrored.foreignChange(on: card) == nil)

      // Nothing to do: no write, so no event.
      #expect(try mirrored.set(control.values(5), on: card).allEqual(5))
      #expect(try card.drainChanges(of: [control]).isEmpty)

      try other.write(control.values(7), to: control)
      changes = try card.drainChanges(of: [control])
      #expect(changes.values == 1)
      #expect(try mirrored.foreignChange(on: card) == control.values(7))
      #expect(mirrored.current == control.values(7))
      #expect(try card.drainChanges(of: [control]).isEmpty)

      // What was written before the change is written anew.
      #expect(try mirrored.set(control.values(5), on: card).allEqual(5))
      #expect(try other.read(control).allEqual(5))
      try card.write(control.values(0), to: control)
    }

    @Test("the index of a changed control is its place in the list")
    func places() throws {
      let card = try SoundCard(id: "Dummy")
      let controls = [
        try card.control(ControlAddress("CD Volume")), try card.control(Self.master),
      ]
      _ = try card.drainChanges(of: controls)
      try card.write(controls[1].values(3), to: controls[1])
      #expect(try card.drainChanges(of: controls).values == 0b10)
      try card.write(controls[1].values(0), to: controls[1])
      try card.write(controls[0].values(3), to: controls[0])
      #expect(try card.drainChanges(of: controls).values == 0b11)
      try card.write(controls[0].values(0), to: controls[0])
    }

    @Test("T-7 a locked control is its holder's alone, until it unlocks it or ends")
    func locks() throws {
      let card = try SoundCard(id: "Dummy")
      let control = try card.control(Self.master)
      do {
        let other = try SoundCard(id: "Dummy")
        try other.lock(control)
        try other.lock(control)
        let process = try #require(try card.control(Self.master).lockingProcess)
        #expect(process > 0)
        try other.write(control.values(2), to: control)
        let locked = MixerError.controlLocked(Self.master, byProcess: process)
        #expect(throws: locked) { try card.write(control.values(1), to: control) }
        #expect(throws: locked) { try card.lock(control) }
        #expect(throws: locked) { try card.unlock(control) }
        #expect(try card.read(control).allEqual(2))
        try other.unlock(control)
        try card.write(control.values(1), to: control)
        try other.lock(control)
      }
      try card.write(control.values(0), to: control)
      #expect(try card.control(Self.master).lockingProcess == nil)
    }

    @Test("F42 a bank waits for a late control, and tells others' doings from its own")
    func bank() throws {
      let other = try SoundCard(id: "Dummy")
      let late = ControlAddress(SourceVolume.controlName(source: "late"))
      var bank = ControlBank(card: try SoundCard(id: "Dummy"), [Self.master, late])
      let master = try #require(bank.control(at: 0) as MixerControl?)
      var failures = (bank.failure(at: 0), bank.failure(at: 1))
      #expect(failures.0 == nil && failures.1 != nil)

      // Own writes are nobody's news.
      let applied = try bank.set(master.values(9), at: 0)
      #expect(applied.allEqual(9))
      var told = try news(&bank)
      #expect(told.isEmpty)
      try other.write(master.values(11), to: master)
      told = try news(&bank)
      #expect(told == [News(place: 0, event: .changed(master.values(11)))])
      let current = bank.current(at: 0)
      #expect(current == master.values(11))

      // The late control appears, goes, and appears anew under another number.
      var number = bank.control(at: 1)?.number
      #expect(number == nil)
      let made = try other.makeSourceControl(named: "late", SourceVolume())
      told = try news(&bank)
      number = bank.control(at: 1)?.number
      #expect(told == [News(place: 1, event: .appeared)] && number == made.number)
      #expect(throws: MixerError.self) { _ = try bank.set(made.values(3), at: 1) }
      try other.removeSourceControl(made)
      told = try news(&bank)
      failures.1 = bank.failure(at: 1)
      let lost = try #require(failures.1)
      #expect(told == [News(place: 1, event: .lost(lost))])
      #expect(throws: lost) { _ = try bank.set(made.values(3), at: 1) }
      let again = try other.makeSourceControl(named: "late", SourceVolume())
      told = try news(&bank)
      number = bank.control(at: 1)?.number
      #expect(told == [News(place: 1, event: .appeared)] && number == again.number)
      #expect(again.number != made.number)
      try other.removeSourceControl(again)
      _ = try bank.set(master.values(0), at: 0)
    }

    private struct News: Equatable {
      let place: Int
      let event: ControlBank.Event
    }

    private func news(_ bank: inout ControlBank) throws -> [News] {
      var told: [News] = []
      try bank.drain { told.append(News(place: $0, event: $1)) }
      return told
    }

    @Test("RTE-8 a card that goes away is gone for every call, and found again when it is back")
    func vanishing() throws {
      do {
        let card = try SoundCard(id: "Dummy")
        let control = try card.control(Self.master)
        var mirrored = MirroredControl(control)
        _ = try mirrored.set(control.values(4), on: card)
        _ = try card.drainChanges(of: [control])
        #expect(hangUps(card.fileDescriptor) == 0)

        driver("snd_dummy", "unbind")
        #expect(hangUps(card.fileDescriptor) != 0)
        #expect(!SoundCard.isPresent(id: "Dummy"))
        let vanished = MixerError.cardVanished(id: "Dummy")
        #expect(throws: vanished) { _ = try card.drainChanges(of: [control]) }
        #expect(throws: vanished) { _ = try card.read(control) }
        #expect(throws: vanished) { _ = try card.control(Self.master) }
        #expect(throws: vanished) { _ = try card.controls() }
        #expect(throws: vanished) { try card.lock(control) }
        #expect(throws: vanished) { _ = try mirrored.set(control.values(5), on: card) }
        #expect(mirrored.current == nil)
      }

      driver("snd_dummy", "bind")
      #expect(SoundCard.isPresent(id: "Dummy"))
      let again = try SoundCard(id: "Dummy")
      #expect(try again.read(try again.control(Self.master)).allEqual(0))
    }
  }
}
