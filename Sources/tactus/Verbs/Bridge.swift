// SPDX-License-Identifier: Apache-2.0
//
// `tactus bridge`: makes the players of a user's session bus known to tactusd, which cannot enter
// that bus. Each source whose player plays becomes a session of this program, which is told what
// the player says, and passes on what it hears.

import TactusCore
import TactusLinux

/// Runs `bridge`; ends by a failure alone, so that its service starts it anew.
func bridge(_ invocation: Invocation) throws(Failure) -> ExitCode {
  var bridge = try Bridge(invocation)
  while true { try bridge.pass() }
}

/// A source whose player plays, as a session.
private final class BridgedSource {
  /// Of its own, so that what is heard there is for this session.
  var client: BusClient
  let session: HeldSession

  init(_ source: BoardSource, on address: BusAddress) throws(BusClientError) {
    let client = try BusClient(address)
    session = try client.openSession(source.name, source.category, source.options)
    self.client = client
  }
}

private struct Bridge: ~Copyable {
  private static let playersToken: UInt32 = 0

  private let address: BusAddress
  private let sources: [BoardSource]
  private var players: Players
  private let loop: EventLoop
  private var sessions: [BridgedSource?]
  private var inputs = Inputs(filler: .level(control: 0, state: 0))

  init(_ invocation: Invocation) throws(Failure) {
    let settings = invocation.value(of: "--settings") ?? DeviceSettings.standardPath
    let playersBus = BusAddress(argument: invocation.value(of: "--players") ?? "session")
    let board = Board.load(
      board: nil,
      settingsPath: settings,
      folders: BoardFolders(named: []),
      lenient: true
    ).value
    guard let sources = board?.sources, sources.contains(where: { $0.player != nil }) else {
      throw Failure(
        .configuration,
        settings,
        "no source has a player",
        next: "write one below sources, such as player: mpv"
      )
    }
    // What may fail comes first, in variables of its own, so that a failure leaves nothing half
    // made.
    let players = try Bridge.players(of: sources, on: playersBus)
    let loop = try Bridge.loop(for: players)
    address = BusAddress(argument: invocation.value(of: "--bus") ?? "system")
    self.sources = sources
    self.players = players
    self.loop = loop
    sessions = [BridgedSource?](repeating: nil, count: sources.count)
  }

  private static func players(
    of sources: [BoardSource],
    on bus: BusAddress
  ) throws(Failure) -> Players {
    do throws(SystemError) { return try Players(sources: sources, on: bus) } catch {
      throw failure(error)
    }
  }

  private static func loop(for players: borrowing Players) throws(Failure) -> EventLoop {
    do throws(SystemError) {
      let loop = try EventLoop()
      try loop.add(players.descriptor, token: playersToken)
      return loop
    } catch {
      throw failure(error)
    }
  }

  private static func failure(_ error: SystemError) -> Failure {
    Failure(.checkFailed, saying: "bridge: \(error.description)")
  }

  /// Waits for something, and passes it on.
  mutating func pass() throws(Failure) {
    try wait()
    if let error = players.process(at: MonotonicClock.now()) {
      writeError("tactus: bridge: \(error.description)")
    }
    inputs.removeAll()
    players.gather(into: &inputs)
    do throws(BusClientError) {
      for index in inputs.indices { try tell(inputs[index]) }
      for place in sources.indices { try hear(place) }
    } catch {
      throw Failure(.unavailable, saying: error.description)
    }
  }

  private mutating func wait() throws(Failure) {
    do throws(SystemError) {
      let count = try loop.wait(until: players.deadlineNanoseconds)
      guard (0..<count).contains(where: { loop[$0].isBroken }) else { return }
    } catch {
      throw Bridge.failure(error)
    }
    throw Failure(.unavailable, saying: "bridge: tactusd has gone, start it again")
  }

  // MARK: What players say

  private mutating func tell(_ input: Input) throws(BusClientError) {
    switch input {
    case .session(let place, let event): try tell(event, Int(place))
    case .request(_, .setCommands(let place, let commands)):
      let names = TactusCore.Command.allCases.filter { commands.contains($0) }.map { $0.name }
      try call(Int(place), .setCommands, .texts(names))
    case .request(_, .setLevel(let volume, let level)):
      let client = try BusClient(address)
      try client.call(.setLevel, .text(volume.name), .number(level.fraction))
    default: break
    }
  }

  private mutating func tell(_ event: SessionEvent, _ place: Int) throws(BusClientError) {
    switch event {
    case .playing:
      if sessions[place] == nil { try open(place) }
      try call(place, .setPlaying, .bool(true))
    case .notPlaying: try call(place, .setPlaying, .bool(false))
    case .stop: try call(place, .deactivate, .bool(true))
    case .died: sessions[place] = nil
    default: break
    }
  }

  private mutating func open(_ place: Int) throws(BusClientError) {
    do throws(BusClientError) {
      let opened = try BridgedSource(sources[place], on: address)
      let token = UInt32(place) + 1
      try? loop.add(opened.client.descriptor, token: token)
      try? loop.add(opened.session.descriptor, token: token)
      sessions[place] = opened
    } catch .refused(let refusal) {
      writeError("tactus: bridge: \(sources[place].name): \(refusal.description), ignoring")
    }
  }

  /// Tells a session something, if it is there; a refusal is the policy's, and silences it.
  private func call(
    _ place: Int,
    _ method: BusSessionMethod,
    _ value: BusValue
  ) throws(BusClientError) {
    guard let bridged = sessions[place] else { return }
    do throws(BusClientError) {
      try bridged.client.call(bridged.session, method, value)
    } catch .refused {}
  }

  // MARK: What they are told

  private mutating func hear(_ place: Int) throws(BusClientError) {
    while let bridged = sessions[place], let news = try bridged.client.next(waiting: 0) {
      guard case .session(.command, let word) = news,
        let command = TactusCore.Command(name: word)
      else { continue }
      switch command {
      case .pause: players.carryOut(.pause(source: UInt8(place)))
      case .play: players.carryOut(.resume(source: UInt8(place)))
      case .toggle, .stop, .next, .previous:
        players.carryOut(.command(UInt8(place), command, .ctl2))
      }
    }
  }
}

extension BoardSource {
  /// What `OpenSession` is to know of it.
  fileprivate var options: [BusOption] {
    [
      BusOption("adopted", .bool(true)),
      BusOption("mode", .text(mode.name)),
      BusOption("resumesAlways", .bool(resumesAlways)),
      BusOption("pauseOnUnplug", .bool(pausesOnUnplug)),
    ]
  }
}
