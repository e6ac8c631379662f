// SPDX-License-Identifier: Apache-2.0
//
// Adopted players without a bus: what they say becomes what the policy is to know, and what the
// policy wants becomes calls.

import TactusCore
import Testing

@testable import TactusLinux

@Suite struct PlayerPatternTests {
  @Test(
    "a pattern matches the player's names and its instances alone",
    arguments: [
      ("mpv", "org.mpris.MediaPlayer2.mpv", true),
      ("mpv", "org.mpris.MediaPlayer2.mpv.instance7", true),
      ("mpv", "org.mpris.MediaPlayer2.mpvx", false),
      ("mpv*", "org.mpris.MediaPlayer2.mpvx", true),
      ("mpv*", "org.mpris.MediaPlayer2.mp", false),
      ("org.mpris.MediaPlayer2.mpv", "org.mpris.MediaPlayer2.mpv", true),
      ("mpv", "org.example.mpv", false),
    ]
  )
  func matching(pattern: String, name: String, expected: Bool) throws {
    #expect(try #require(PlayerPattern(pattern)).matches(name) == expected)
  }

  @Test(
    "what no player can be called is refused",
    arguments: ["", "*", "mp v", "mpv**", "a..b", ".mpv", "org.example.Player", "m*v", "ü"]
  )
  func refused(text: String) { #expect(PlayerPattern(text) == nil) }
}

@Suite struct PlayerTableTests {
  private static let mpv = "org.mpris.MediaPlayer2.mpv"

  private func table() throws -> PlayerTable {
    var music = BoardSource.standard
    music.name = "music"
    music.player = PlayerPattern("mpv*")
    var radio = BoardSource.standard
    radio.name = "radio"
    radio.player = PlayerPattern("mpd")
    radio.playerVolume = .system
    return PlayerTable(sources: [.standard, music, radio])
  }

  /// A table in which mpv plays, and the policy knows.
  private func playing() throws -> PlayerTable {
    var table = try table()
    #expect(appear(PlayerTableTests.mpv, ":1.5", &table))
    table.take(.status(.playing), of: ":1.5", isNews: false)
    #expect(take(&table) == [.session(1, .playing)])
    return table
  }

  private func take(_ table: inout PlayerTable) -> [Input] {
    defer { table.events.removeAll() }
    return table.events
  }

  private func appear(_ name: String, _ owner: String, _ table: inout PlayerTable) -> Bool {
    table.appear(name, owner: owner)
  }

  private func calls(for effect: Effect, _ table: inout PlayerTable) -> [PlayerCall] {
    table.calls(for: effect)
  }

  @Test("SES-13 what a player does is told once, in the words of sessions")
  func statuses() throws {
    var table = try playing()
    table.take(.status(.playing), of: ":1.5", isNews: true)
    #expect(take(&table).isEmpty)
    table.take(.status(.paused), of: ":1.5", isNews: true)
    table.take(.status(.playing), of: ":1.5", isNews: true)
    table.take(.status(.stopped), of: ":1.5", isNews: true)
    #expect(
      take(&table) == [.session(1, .notPlaying), .session(1, .playing), .session(1, .stop)]
    )
    table.disappear(PlayerTableTests.mpv)
    #expect(take(&table) == [.session(1, .died)])
  }

  @Test("SES-18 a player that is found paused is no news: perhaps we paused it")
  func foundPaused() throws {
    var table = try table()
    #expect(appear(PlayerTableTests.mpv, ":1.5", &table))
    table.take(.status(.paused), of: ":1.5", isNews: false)
    #expect(take(&table).isEmpty)
    #expect(calls(for: .resume(source: 1), &table) == [PlayerCall(owner: ":1.5", method: "Play")])
  }

  @Test("SES-18 a source whose player is not there has lost it")
  func absent() throws {
    var table = try table()
    #expect(appear(PlayerTableTests.mpv, ":1.5", &table))
    table.finishListing()
    #expect(take(&table) == [.session(2, .died)])
  }

  @Test("SES-13 who is nobody's player is not looked at")
  func foreign() throws {
    var table = try table()
    #expect(!appear("org.mpris.MediaPlayer2.vlc", ":1.6", &table))
    table.take(.status(.playing), of: ":1.6", isNews: true)
    #expect(take(&table).isEmpty)
  }

  @Test("SES-13 two instances are one source, and both are paused and go on")
  func instances() throws {
    var table = try playing()
    #expect(appear(PlayerTableTests.mpv + ".instance7", ":1.7", &table))
    // Another name of the first one is not another player.
    #expect(!appear(PlayerTableTests.mpv + "x", ":1.5", &table))
    table.take(.status(.playing), of: ":1.7", isNews: false)
    #expect(take(&table).isEmpty)
    #expect(table.name(of: 1) == PlayerTableTests.mpv + ".instance7")
    let pauses = table.calls(for: .pause(source: 1))
    #expect(pauses.map { $0.owner } == [":1.5", ":1.7"])
    table.take(.status(.paused), of: ":1.7", isNews: true)
    #expect(take(&table).isEmpty, "one still plays")
    table.take(.status(.paused), of: ":1.5", isNews: true)
    #expect(take(&table) == [.session(1, .notPlaying)])
    #expect(calls(for: .resume(source: 1), &table).map { $0.method } == ["Play", "Play"])
    #expect(calls(for: .resume(source: 1), &table).map { $0.owner } == [":1.7"], "the last one")
  }

  @Test("SES-13 a player that answers our Pause by stopping has paused")
  func stopsInstead() throws {
    var table = try playing()
    #expect(calls(for: .pause(source: 1), &table) == [PlayerCall(owner: ":1.5", method: "Pause")])
    table.take(.status(.stopped), of: ":1.5", isNews: true)
    #expect(take(&table) == [.session(1, .notPlaying)])
  }

  @Test("SES-13 nobody is asked to pause who does not play")
  func silentPlayer() throws {
    var table = try playing()
    table.take(.status(.paused), of: ":1.5", isNews: true)
    #expect(calls(for: .pause(source: 1), &table).isEmpty)
    #expect(calls(for: .pause(source: 0), &table).isEmpty)
  }

  @Test(
    "CTL-2 each command is one call",
    arguments: zip(
      Command.allCases,
      ["Play", "Pause", "PlayPause", "Stop", "Next", "Previous"]
    )
  )
  func commands(command: Command, method: String) throws {
    var table = try playing()
    let calls = table.calls(for: .command(1, command, .ctl2))
    #expect(calls == [PlayerCall(owner: ":1.5", method: method)])
  }

  @Test("CTL-3 what a player cannot do is told to the policy")
  func abilities() throws {
    var table = try playing()
    table.take(.can(.next, true), of: ":1.5", isNews: true)
    #expect(take(&table).isEmpty)
    table.take(.can(.next, false), of: ":1.5", isNews: true)
    let commands = CommandSet.all.without(.next)
    #expect(!commands.contains(.next) && commands.contains(.previous))
    #expect(take(&table) == [.request(token: UInt16.max, .setCommands(1, commands))])
  }

  @Test("VOL-10 a player's volume is its own, unless the settings say that it is the system's")
  func volumes() throws {
    var table = try playing()
    table.take(.volume(0.2), of: ":1.5", isNews: true)
    #expect(appear("org.mpris.MediaPlayer2.mpd", ":1.9", &table))
    table.take(.volume(1), of: ":1.9", isNews: false)
    #expect(take(&table).isEmpty, "what was set before is nobody's wish")
    for volume in [0.25, 7, -1, .nan, .infinity] {
      table.take(.volume(volume), of: ":1.9", isNews: true)
    }
    let levels = [Level(percent: 25), .full, .full]
    #expect(
      take(&table) == levels.map { .request(token: UInt16.max, .setLevel(.system, $0)) }
    )
  }

  @Test("SES-13 the bus takes everybody with it")
  func lostBus() throws {
    var table = try playing()
    table.removeAll()
    #expect(take(&table) == [.session(1, .died)])
    #expect(calls(for: .pause(source: 1), &table).isEmpty)
  }

  @Test("SES-13 more players than there is room for are not looked at")
  func capacity() throws {
    var table = try table()
    for number in 0..<PlayerTable.capacity {
      #expect(appear(PlayerTableTests.mpv + ".instance\(number)", ":1.\(number)", &table))
    }
    #expect(!appear(PlayerTableTests.mpv, ":2.1", &table))
  }
}

@Suite struct PausedSourcesTests {
  private func sources(_ names: String...) -> [BoardSource] {
    names.map { name in
      var source = BoardSource.standard
      source.name = name
      return source
    }
  }

  @Test("SES-18 whom Tactus paused is found again by name, whatever else has changed")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    var paused = PausedSources(folder: folder.path, sources: sources("music", "radio", "talk"))
    let first = paused.read()
    #expect(first == 0)
    try paused.keep(0b101)
    #expect(String(decoding: folder.bytes(of: "paused"), as: UTF8.self) == "music\ntalk\n")
    var later = PausedSources(folder: folder.path, sources: sources("talk", "radio"))
    let second = later.read()
    #expect(second == 0b01)
    try later.keep(0)
    let third = later.read()
    #expect(third == 0)
    #expect(folder.names == ["paused"])
  }

  @Test(
    "SES-18 a file that makes no sense pauses nobody",
    arguments: ["\0\u{1}", "other\n", "musi"]
  )
  func nonsense(text: String) throws {
    let folder = try TemporaryFolder()
    try replaceFile(folder.path + "/paused", with: Array(text.utf8))
    var paused = PausedSources(folder: folder.path, sources: sources("music"))
    let read = paused.read()
    #expect(read == 0)
  }
}
