// SPDX-License-Identifier: Apache-2.0
//
// Lamps that show and answer, on a folder like that of the kernel's LED class. Lines, motors and
// the kernel's own lamps are met in the virtual device.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite("Lamps that answer") struct FeedbackPlayerTests {
  /// A folder in which lamps are.
  private final class Lamps {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func add(
      _ name: String,
      brightest: Int = 255,
      brightness: Int = 0,
      trigger: String = "[none] mmc0 timer",
      colours: String? = nil
    ) throws {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)",
        withIntermediateDirectories: true
      )
      folder.put("\(name)/max_brightness", "\(brightest)\n")
      folder.put("\(name)/brightness", "\(brightness)\n")
      folder.put("\(name)/trigger", "\(trigger)\n")
      guard let colours else { return }
      folder.put("\(name)/multi_index", "\(colours)\n")
      folder.put("\(name)/multi_intensity", "0 0 0\n")
    }

    /// The first line of a lamp's file; the kernel's have only one.
    func get(_ lamp: String, _ file: String = "brightness") -> String {
      let text = try? String(contentsOfFile: "\(folder.path)/\(lamp)/\(file)", encoding: .utf8)
      return String((text ?? "none").prefix { $0 != "\n" })
    }
  }

  private func player(
    _ lamps: Lamps,
    _ signals: (BoardSignal.Role, String)...,
    percent: UInt8 = 100
  ) throws -> FeedbackPlayer {
    var board = Board(timing: Timing())
    board.configuration.settings.feedback.ledPercent = percent
    for (number, (role, pattern)) in signals.enumerated() {
      board.signals.append(
        BoardSignal(name: "led-\(number)", role: role, means: .device(pattern))
      )
    }
    let player = try FeedbackPlayer(board: board, lampFolder: lamps.folder.path)
    player.search()
    return player
  }

  private func snapshot(
    at tick: Tick,
    _ change: (inout Snapshot) -> Void = { _ in }
  ) -> Snapshot {
    var snapshot = Snapshot()
    snapshot.tick = tick
    change(&snapshot)
    return snapshot
  }

  /// What a lamp shows at each of the next ticks, as runs of equal values; asked for no other tick
  /// than those that the player names.
  private func course(
    _ player: FeedbackPlayer,
    _ lamps: Lamps,
    _ lamp: String,
    from tick: Tick,
    ticks: Tick
  ) -> [String] {
    var course: [(text: String, ticks: Int)] = []
    for now in tick..<(tick + ticks) {
      if let next = player.nextTick, next <= now { player.advance(to: now) }
      let text = lamps.get(lamp)
      if course.last?.text == text {
        course[course.count - 1].ticks += 1
      } else {
        course.append((text, 1))
      }
    }
    return course.map { "\($0.text)×\($0.ticks)" }
  }

  @Test("FBK-2 a pulse is the opposite of what the lamp shows, and ends in the state of then")
  func pulse() throws {
    let lamps = try Lamps()
    try lamps.add("radio:status")
    let player = try player(lamps, (.statusLED, "*:status"))
    player.show(snapshot(at: 1))
    #expect(lamps.get("radio:status") == "0")
    player.play(.light, on: .led, at: 10)
    #expect(player.nextTick == 22)
    #expect(course(player, lamps, "radio:status", from: 10, ticks: 15) == ["255×12", "0×3"])
    #expect(player.nextTick == nil)
    player.show(snapshot(at: 30) { $0.isSilent = true })
    #expect(lamps.get("radio:status") == "255")
    player.play(.success, on: .led, at: 40)
    // Meanwhile it is heard again.
    player.show(snapshot(at: 45))
    #expect(
      course(player, lamps, "radio:status", from: 45, ticks: 60) == ["0×25", "255×20", "0×15"]
    )
  }

  @Test("SIL-9 what changes in a pattern is shown when it ends")
  func stateAfterwards() throws {
    let lamps = try Lamps()
    try lamps.add("status")
    let player = try player(lamps, (.statusLED, "status"))
    player.show(snapshot(at: 1))
    player.play(.medium, on: .led, at: 10)
    player.show(snapshot(at: 12) { $0.isSilent = true })
    #expect(course(player, lamps, "status", from: 12, ticks: 40) == ["255×40"])
    player.play(.medium, on: .led, at: 60)
    player.show(snapshot(at: 62))
    #expect(course(player, lamps, "status", from: 62, ticks: 40) == ["0×40"])
  }

  @Test("the status lamp answers, else the first; other lamps go on showing")
  func whichAnswers() throws {
    let lamps = try Lamps()
    for name in ["a", "b", "c"] { try lamps.add(name) }
    let first = try player(lamps, (.activityLED, "a"), (.silentLED, "b"))
    first.show(snapshot(at: 1) { $0.isSilent = true })
    first.play(.light, on: .led, at: 2)
    #expect(lamps.get("a") == "255" && lamps.get("b") == "255")
    first.finish()
    let second = try player(lamps, (.silentLED, "b"), (.statusLED, "c"))
    second.show(snapshot(at: 1))
    second.play(.light, on: .all, at: 2)
    #expect(lamps.get("b") == "0" && lamps.get("c") == "255")
  }

  @Test("FBK-6 the newest answer is shown, none is kept; a selection ends no other type")
  func newest() throws {
    let lamps = try Lamps()
    try lamps.add("status")
    let player = try player(lamps, (.statusLED, "status"))
    player.show(snapshot(at: 1))
    player.play(.success, on: .led, at: 10)
    player.play(.selection, on: .led, at: 12)
    let whole = ["255×28", "0×20", "255×30", "0×12"]
    #expect(course(player, lamps, "status", from: 12, ticks: 90) == whole)
    player.play(.success, on: .led, at: 110)
    player.play(.light, on: .led, at: 112)
    #expect(course(player, lamps, "status", from: 112, ticks: 90) == ["255×12", "0×78"])
    // A knob turned fast: one for each detent, none left over.
    for tick in Tick(210)..<230 { player.play(.selection, on: .led, at: tick) }
    #expect(course(player, lamps, "status", from: 229, ticks: 20) == ["255×6", "0×14"])
  }

  @Test("SIL-9 a fault blinks, half a second each, and only while there is one")
  func fault() throws {
    let lamps = try Lamps()
    try lamps.add("status")
    try lamps.add("silent")
    let player = try player(lamps, (.statusLED, "status"), (.silentLED, "silent"))
    player.show(snapshot(at: 1) { $0.reasons.insert(.fault) })
    #expect(course(player, lamps, "status", from: 1, ticks: 250) == ["255×100", "0×100", "255×50"])
    #expect(lamps.get("silent") == "0")
    player.play(.light, on: .led, at: 251)
    #expect(course(player, lamps, "status", from: 251, ticks: 20) == ["0×12", "255×8"])
    player.show(snapshot(at: 280))
    #expect(lamps.get("status") == "0")
    #expect(player.nextTick == nil)
  }

  @Test("FBK-5 light waits for its sound, to the nearest tick; two ticks at most without word")
  func awaits() throws {
    let lamps = try Lamps()
    try lamps.add("status")
    let player = try player(lamps, (.statusLED, "status"))
    player.show(snapshot(at: 1))
    let begun = MonotonicClock.now()
    player.advance(to: 10)
    player.play(.light, on: .all, at: 10, awaitsSound: true)
    #expect(player.nextTick == 12)
    #expect(lamps.get("status") == "0")
    player.soundStarts(atNanoseconds: begun + 22_600_000)
    #expect(player.nextTick == 15)
    #expect(course(player, lamps, "status", from: 11, ticks: 20) == ["0×4", "255×12", "0×4"])
    player.play(.light, on: .all, at: 50, awaitsSound: true)
    #expect(course(player, lamps, "status", from: 50, ticks: 20) == ["0×2", "255×12", "0×6"])
    player.play(.light, on: .all, at: 80, awaitsSound: true)
    player.play(.selection, on: .all, at: 81)
    player.soundFails()
    #expect(course(player, lamps, "status", from: 81, ticks: 20) == ["255×12", "0×8"])
    // Word that comes too late, or of nothing, changes nothing.
    player.soundStarts(atNanoseconds: MonotonicClock.now())
    player.soundFails()
    #expect(player.nextTick == nil)
  }

  @Test("brightness is a part of what the lamp can do; a lamp of 0 % is dark until it must answer")
  func brightness() throws {
    let lamps = try Lamps()
    try lamps.add("wide", brightest: 1_000)
    try lamps.add("switch", brightest: 1)
    let player = try player(lamps, (.statusLED, "wide"), (.silentLED, "switch"), percent: 20)
    let silent = { (tick: Tick) in self.snapshot(at: tick) { $0.isSilent = true } }
    player.show(silent(1))
    #expect(lamps.get("wide") == "200" && lamps.get("switch") == "1")
    var settings = FeedbackSettings()
    settings.ledPercent = 0
    player.set(settings)
    #expect(lamps.get("wide") == "0" && lamps.get("switch") == "0")
    player.play(.light, on: .led, at: 10)
    #expect(course(player, lamps, "wide", from: 10, ticks: 20) == ["1000×12", "0×8"])
  }

  @Test("a lamp with colours shows them by their names, also where a plain one is dark")
  func colours() throws {
    let lamps = try Lamps()
    try lamps.add("rgb", brightest: 100, colours: "green red amber blue")
    try lamps.add("plain")
    let player = try player(lamps, (.statusLED, "rgb"), (.statusLED, "plain"), percent: 50)
    player.show(snapshot(at: 1) { $0.reasons.insert(.fault) })
    #expect(lamps.get("rgb", "multi_intensity") == "0 100 0 0")
    #expect(lamps.get("rgb") == "50")
    player.show(
      snapshot(at: 2) { snapshot in
        var playing = SourceState()
        playing.isPlaying = true
        snapshot.sources.append(playing)
      }
    )
    #expect(lamps.get("rgb", "multi_intensity") == "37 0 0 0")
    #expect(lamps.get("rgb") == "50")
    #expect(lamps.get("plain") == "0")
    player.play(.light, on: .led, at: 3)
    #expect(lamps.get("rgb") == "0")
    player.show(snapshot(at: 30))
    player.advance(to: 40)
    player.play(.light, on: .led, at: 50)
    #expect(lamps.get("rgb", "multi_intensity") == "100 100 0 100")
    #expect(lamps.get("rgb") == "50")
  }

  @Test("a lamp is taken from its trigger, and given back as it was found")
  func givenBack() throws {
    let lamps = try Lamps()
    try lamps.add("busy", trigger: "none [mmc0] timer")
    try lamps.add("lit", brightness: 7)
    let player = try player(lamps, (.statusLED, "busy"), (.silentLED, "lit"))
    #expect(lamps.get("busy", "trigger") == "none")
    player.show(snapshot(at: 1) { $0.isSilent = true })
    #expect(lamps.get("lit") == "255")
    player.finish()
    #expect(lamps.get("busy", "trigger") == "mmc0")
    #expect(lamps.get("lit") == "7")
  }

  @Test("a lamp that is missing is told once, the others go on; it is lit when it comes")
  func missing() throws {
    let lamps = try Lamps()
    try lamps.add("here")
    let player = try player(lamps, (.statusLED, "gone:*"), (.silentLED, "here"))
    player.search()
    let cause = "led-0: no such lamp in \(lamps.folder.path) (gone:*), waiting for it"
    #expect(player.takeMessages() == [cause])
    #expect(player.isIncomplete)
    player.show(snapshot(at: 1) { $0.isSilent = true })
    #expect(lamps.get("here") == "255")
    try lamps.add("gone:status")
    player.search()
    #expect(!player.isIncomplete)
    #expect(lamps.get("gone:status") == "255")
    #expect(player.takeMessages() == ["led-0: \(lamps.folder.path)/gone:status, found"])
  }
}
