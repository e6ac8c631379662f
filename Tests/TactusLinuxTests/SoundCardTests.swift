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
      let mirrored = MirroredControl(control)

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

    @Test("RTE-8 a card that goes away is gone for every call, and found again when it is back")
    func vanishing() throws {
      do {
        let card = try SoundCard(id: "Dummy")
        let control = try card.control(Self.master)
        let mirrored = MirroredControl(control)
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
