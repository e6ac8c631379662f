// SPDX-License-Identifier: Apache-2.0
//
// Remote controls: to whom a person's play, pause, stop, next and previous go (CTL-2, CTL-3,
// SES-17). A command is delivered once or not at all, and what it means for the session is decided
// here, not by its program.

extension Policy {
  /// Takes a person's word to whatever plays.
  mutating func deliver(_ command: Command, _ effects: inout Effects) -> Reply {
    if command.endsAlarms, let alarm = newestAlarm() {
      endAlarm(alarm, &effects)
      return .done
    }
    guard let index = recipient() else { return drop(command, .nobody, .ctl2, &effects) }
    guard let meant = meaning(of: command, for: index) else {
      return drop(command, .unsupported, .ctl3, &effects)
    }
    switch meant.event {
    case .play:
      let reply = take(.play, ofSession: index, &effects)
      if reply == .busy { return drop(command, .busy, .ses6, &effects) }
      if reply == .held { return drop(command, .held, .ses6, &effects) }
      guard reply == .done else { return reply }
    case .some(let event): _ = take(event, ofSession: index, &effects)
    case .none: break
    }
    effects.append(.command(UInt8(index), meant.command, .ctl2))
    return .done
  }

  /// The mute button goes to an alarm first; answers whether one has taken it (SES-17).
  mutating func endAlarmByMuteButton(_ effects: inout Effects) -> Bool {
    guard let alarm = newestAlarm() else { return false }
    endAlarm(alarm, &effects)
    return true
  }

  private mutating func drop(
    _ command: Command,
    _ reason: Undelivered,
    _ rule: Rule,
    _ effects: inout Effects
  ) -> Reply {
    effects.append(.undelivered(command, reason, rule))
    return reason == .busy ? .busy : reason == .held ? .held : .notOnThisDevice
  }

  private mutating func newestAlarm() -> Int? {
    var heard: UInt32 = 0
    for index in configuration.sources.indices
    where configuration.sources.elements[index].category == .alarm && isHeard(index) {
      heard |= bit(index)
    }
    return newest(of: heard)
  }

  /// The one that plays, of several the newest nonmixable, else the newest; else the one that
  /// played last, if that is not too long ago or its route remembers it (CTL-2).
  private mutating func recipient() -> Int? {
    var nonmixable: UInt32 = 0
    var ofPrograms: UInt32 = 0
    for index in configuration.sources.indices where sessions[index].isSounding {
      let kind = configuration.sources.elements[index].kind
      if kind.isNonmixable { nonmixable |= bit(index) }
      if kind.isOfProgram { ofPrograms |= bit(index) }
    }
    if let index = newest(of: nonmixable) ?? newest(of: ofPrograms) { return index }
    var last: Int?
    for index in configuration.sources.indices
    where sessions[index].isOpen && configuration.sources.elements[index].kind.isOfProgram {
      guard let playedAt = sessions[index].lastPlayedAt else { continue }
      if let best = last, let bestAt = sessions[best].lastPlayedAt, bestAt >= playedAt { continue }
      last = index
    }
    guard let last, let playedAt = sessions[last].lastPlayedAt else { return nil }
    let isRecent = now - playedAt <= configuration.timing.contextTicks
    return isRecent || isRouteRemote ? last : nil
  }

  private var isRouteRemote: Bool {
    mutating get {
      guard let route = routes.current else { return false }
      switch configuration.outputs.elements[Int(route)].kind {
      case .bluetooth, .network: return true
      case .speaker, .headphones, .line: return false
      }
    }
  }

  /// Of the sessions in a set, one bit for each, the one that started last.
  private mutating func newest(of set: UInt32) -> Int? {
    var found: Int?
    for index in configuration.sources.indices where set & bit(index) != 0 {
      guard let best = found else {
        found = index
        continue
      }
      if sessions[index].startNumber > sessions[best].startNumber { found = index }
    }
    return found
  }

  /// What a command is for a session, in the words that it supports; nil when it has none.
  private mutating func meaning(of command: Command, for index: Int) -> (
    command: Command, event: SessionEvent?
  )? {
    let commands = configuration.sources.elements[index].commands
    switch command {
    case .toggle:
      let wanted: Command = sessions[index].isSounding ? .pause : .play
      let event: SessionEvent = wanted == .pause ? .pause : .play
      if commands.contains(wanted) { return (wanted, event) }
      return commands.contains(.toggle) ? (.toggle, event) : nil
    case .play: return commands.contains(.play) ? (.play, .play) : nil
    case .pause: return commands.contains(.pause) ? (.pause, .pause) : nil
    case .stop: return commands.contains(.stop) ? (.stop, .stop) : nil
    case .next: return commands.contains(.next) ? (.next, nil) : nil
    case .previous: return commands.contains(.previous) ? (.previous, nil) : nil
    }
  }
}

extension Command {
  /// Ends an alarm that sounds, before anything else (SES-17).
  fileprivate var endsAlarms: Bool {
    switch self {
    case .stop, .pause, .toggle: true
    case .play, .next, .previous: false
    }
  }
}
