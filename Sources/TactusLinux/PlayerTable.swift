// SPDX-License-Identifier: Apache-2.0
//
// The players that are there, and what the policy is to know of them (SES-13).
//
//   player    a name on the bus that a source's pattern matches
//   owner     the connection behind a name; its messages come from it
//   standing  what all players of one source come to: one that plays is enough

import TactusCore

/// What a player says of itself.
enum PlaybackStatus: Equatable {
  case playing, paused, stopped

  init?(_ word: String) {
    switch word {
    case "Playing": self = .playing
    case "Paused": self = .paused
    case "Stopped": self = .stopped
    default: return nil
    }
  }
}

/// Something that a player has told.
enum PlayerProperty: Equatable {
  case status(PlaybackStatus)
  case volume(Double)
  case can(Command, Bool)
}

/// What is asked of a player.
struct PlayerCall: Equatable {
  let owner: String
  let method: String
}

/// The players of one bus, in the order in which they began to play.
struct PlayerTable {
  /// More players are not looked at.
  static let capacity = 32

  private struct Player {
    let name: String
    let owner: String
    let source: Int
    var status: PlaybackStatus?
    var commands = CommandSet.all
    /// A pause was sent, and it has said nothing since.
    var isAsked = false
    /// A pause was sent, and it was not told to go on since.
    var isPausedByUs = false
  }

  private let sources: [BoardSource]
  private var players: [Player] = []
  /// What the policy was told of each source.
  private var told: [PlaybackStatus?]
  /// What has happened since it was last taken.
  var events: [Input] = []
  /// Another player came first since the names were last taken.
  private var hasNewNames = false

  init(sources: [BoardSource]) {
    self.sources = sources
    told = [PlaybackStatus?](repeating: nil, count: sources.count)
  }

  /// Whether any source has a player.
  var isUsed: Bool { sources.contains { $0.player != nil } }

  /// The name of the player that a source has now, the one that played last.
  func name(of source: Int) -> String? { players.last { $0.source == source }?.name }

  /// The name of each source's player behind the namespace, when some have changed.
  mutating func takeNames() -> [String?]? {
    guard hasNewNames else { return nil }
    hasNewNames = false
    return sources.indices.map { name(of: $0)?.after(PlayerPattern.namespace + ".") }
  }

  /// Whether anybody is to know who has this name.
  func concerns(_ name: String) -> Bool { source(of: name) != nil }

  private func source(of name: String) -> Int? {
    sources.firstIndex { $0.player?.matches(name) ?? false }
  }

  // MARK: Who is there

  /// A name has an owner; answers whether that is a player to be asked what it does.
  mutating func appear(_ name: String, owner: String) -> Bool {
    guard let source = source(of: name), players.count < PlayerTable.capacity,
      !players.contains(where: { $0.owner == owner && $0.source == source })
    else { return false }
    players.insert(Player(name: name, owner: owner, source: source), at: 0)
    hasNewNames = true
    return true
  }

  /// A name has no owner any longer.
  mutating func disappear(_ name: String) {
    guard let index = players.firstIndex(where: { $0.name == name }) else { return }
    let source = players.remove(at: index).source
    hasNewNames = true
    tell(source)
  }

  /// The names that there are have all appeared: a source without a player has none.
  mutating func finishListing() {
    for source in sources.indices where sources[source].player != nil && name(of: source) == nil {
      events.append(.session(UInt8(source), .died))
    }
  }

  /// The bus has gone, and with it everybody's word.
  mutating func removeAll() {
    players.removeAll()
    hasNewNames = true
    for source in sources.indices { tell(source) }
  }

  /// Whether a connection is a player's.
  func knows(_ owner: String) -> Bool { players.contains { $0.owner == owner } }

  // MARK: What they say

  /// A player has told something; `isNews` where nobody asked it.
  mutating func take(_ property: PlayerProperty, of owner: String, isNews: Bool) {
    for index in players.indices where players[index].owner == owner {
      let source = players[index].source
      switch property {
      case .status(let status): return take(status, ofPlayer: index)
      case .can(let command, let can): take(command, can, ofPlayer: index)
      case .volume(let volume):
        guard isNews, sources[source].playerVolume == .system, volume >= 0 else { break }
        let level = Level(parts: Int32(min(volume, 1) * 10_000))
        events.append(.request(token: UInt16.max, .setLevel(.system, level)))
      }
    }
  }

  private mutating func take(_ status: PlaybackStatus, ofPlayer index: Int) {
    var player = players.remove(at: index)
    // A player that can only stop, such as that of a live stream, has paused as well as it can.
    let isAnswer = player.isAsked && status == .stopped
    player.isAsked = player.isAsked && status == .playing
    let begins = status == .playing && player.status != .playing
    player.status = isAnswer ? .paused : status
    players.insert(player, at: begins ? players.count : index)
    hasNewNames = hasNewNames || begins
    tell(player.source)
  }

  private mutating func take(_ command: Command, _ can: Bool, ofPlayer index: Int) {
    let commands = players[index].commands
    guard commands.contains(command) != can else { return }
    players[index].commands = can ? commands.with(command) : commands.without(command)
    let source = players[index].source
    events.append(
      .request(token: UInt16.max, .setCommands(UInt8(source), players[index].commands))
    )
  }

  private func standing(of source: Int) -> PlaybackStatus? {
    var standing: PlaybackStatus?
    for player in players where player.source == source {
      switch (player.status, standing) {
      case (.playing, _): return .playing
      case (.paused, _), (.stopped, nil): standing = player.status
      case (.stopped, _), (nil, _): break
      }
    }
    return standing
  }

  private mutating func tell(_ source: Int) {
    let standing = standing(of: source)
    let before = told[source]
    guard standing != before else { return }
    told[source] = standing
    switch standing {
    case .playing: append(.playing, source)
    // One that was found paused has been so for long: perhaps by a former run of ours (SES-18).
    case .paused: if before != nil { append(.notPlaying, source) }
    case .stopped: append(.stop, source)
    case nil: append(.died, source)
    }
  }

  private mutating func append(_ event: SessionEvent, _ source: Int) {
    events.append(.session(UInt8(source), event))
  }

  // MARK: What they are told

  /// The calls that an effect comes to.
  mutating func calls(for effect: Effect) -> [PlayerCall] {
    switch effect {
    case .pause(let source): pause(Int(source))
    case .resume(let source): resume(Int(source))
    case .command(let source, let command, _): tell(Int(source), command)
    default: []
    }
  }

  /// Every player of the source that may be playing.
  private mutating func pause(_ source: Int) -> [PlayerCall] {
    var calls: [PlayerCall] = []
    for index in players.indices where players[index].source == source {
      let status = players[index].status
      guard status == .playing || status == nil else { continue }
      players[index].isAsked = true
      players[index].isPausedByUs = true
      calls.append(PlayerCall(owner: players[index].owner, method: "Pause"))
    }
    return calls
  }

  /// Every player that was paused; after a restart nobody knows, and it is the last one.
  private mutating func resume(_ source: Int) -> [PlayerCall] {
    var calls: [PlayerCall] = []
    for index in players.indices
    where players[index].source == source && players[index].isPausedByUs {
      players[index].isAsked = false
      players[index].isPausedByUs = false
      calls.append(PlayerCall(owner: players[index].owner, method: "Play"))
    }
    return calls.isEmpty ? tell(source, .play) : calls
  }

  private mutating func tell(_ source: Int, _ command: Command) -> [PlayerCall] {
    guard let index = players.lastIndex(where: { $0.source == source }) else { return [] }
    players[index].isPausedByUs = false
    return [PlayerCall(owner: players[index].owner, method: command.playerMethod)]
  }
}

extension Command {
  /// The method of `org.mpris.MediaPlayer2.Player`.
  fileprivate var playerMethod: String {
    switch self {
    case .play: "Play"
    case .pause: "Pause"
    case .toggle: "PlayPause"
    case .stop: "Stop"
    case .next: "Next"
    case .previous: "Previous"
    }
  }
}
