// SPDX-License-Identifier: Apache-2.0
//
// Sources, which a board file or the listener's settings may list.

import TactusCore

/// The sources of a list, and where one of them is called exclusive.
struct SourceList {
  var sources: [BoardSource] = []
  var exclusive: Field?
}

/// What is said of an exclusive source that a board cannot have.
func refusal(_ obstacle: String) -> String {
  "not on this board: \(obstacle), delete it, for nothing else could set the level or silence it"
}

/// The sources of a list; those with a mistake are left out.
///
/// Without a source called `default` there is one all the same: it is what programs play to that
/// were told nothing (VOL-3).
func readSources(_ field: Field?, _ mistakes: Mistakes) -> SourceList {
  var sources: [BoardSource] = []
  var exclusive: Field?
  for item in field?.items(such: "- name: music") ?? [] {
    let before = mistakes.errorCount
    guard let (source, flag) = readSource(item) else { continue }
    if source.name == BoardSource.sounds.name {
      item.error("the name sounds is that of the device's own, write another")
    }
    if sources.contains(where: { $0.name == source.name }) {
      item.error("the name \(source.name) is taken, write another")
    }
    if let player = source.player, let other = sources.first(where: { $0.player == player }) {
      item.error("its player is that of \(other.name), delete one or write a longer name")
    }
    if source.isExclusive {
      if let other = sources.first(where: { $0.isExclusive }) {
        flag?.error("the card can be for one source only, and is for \(other.name), delete one")
      }
      exclusive = exclusive ?? flag
    }
    if mistakes.errorCount == before { sources.append(source) }
  }
  if !sources.contains(where: { $0.name == BoardSource.standard.name }) {
    sources.append(.standard)
  }
  if sources.count > Configuration.maximumSources, let field {
    field.error(
      "more than \(Configuration.maximumSources) sources, \"default\" included, delete some"
    )
    sources.removeLast(sources.count - Configuration.maximumSources)
  }
  return SourceList(sources: sources, exclusive: exclusive)
}

private func readSource(_ item: Field) -> (BoardSource, exclusive: Field?)? {
  guard var fields = item.fields() else { return nil }
  let name = fields.require("name", "write a name, such as music")?.name(such: "music")
  let category = fields.require("category", "write \(oneOf(TactusCore.Category.words))")?.word(
    TactusCore.Category.self
  )
  let mode = fields.take("mode")?.word(Mode.self) ?? .standard
  let trimField = fields.take("trim")
  let trim = trimField?.gain(-6_000...0) ?? .unity
  let player = fields.take("player").flatMap { readPlayer($0) }
  let pauses = fields.take("pause-on-unplug")?.flag()
  let resumes = fields.take("resumes")?.word(Resumption.self) ?? .notified
  let volume = fields.take("volume")?.word(PlayerVolume.self) ?? .own
  let plays = fields.take("assume-playing")?.flag()
  let exclusive = fields.take("exclusive")
  let isExclusive = exclusive?.flag() ?? false
  fields.finish()
  guard let name, let category else { return nil }
  if let exclusive, isExclusive {
    check(exclusive, category, hasPlayer: player != nil, trim: trimField, plays: plays)
  }
  let source = BoardSource(
    name: name,
    player: player,
    category: category,
    mode: mode,
    trim: trim,
    pausesOnUnplug: pauses ?? true,
    resumesAlways: resumes == .always,
    playerVolume: volume,
    playsAtStart: plays ?? (player == nil && category.isOftenUntold),
    isExclusive: isExclusive
  )
  return (source, exclusive)
}

/// An exclusive source is music of a player that says when it has the card; its samples arrive as
/// they are.
private func check(
  _ exclusive: Field,
  _ category: TactusCore.Category,
  hasPlayer: Bool,
  trim: Field?,
  plays: Bool?
) {
  if category.volume != .system {
    exclusive.error(
      "\(category.name) has another volume than the codec, write category: playback or delete it"
    )
  }
  if !hasPlayer || plays == true {
    exclusive.error("nobody says when it has the card, write player: without assume-playing")
  }
  if trim != nil {
    exclusive.error("trim would change its samples, delete one of the two")
  }
}

private func readPlayer(_ field: Field) -> PlayerPattern? {
  guard let text = field.text(such: "mpd") else { return nil }
  if let pattern = PlayerPattern(text) { return pattern }
  field.error(
    "no name of a player (\(text)), write the end of its MPRIS name, such as mpd or mpv*"
  )
  return nil
}

/// After which interruptions a source resumes (SES-4).
private enum Resumption: String, Named {
  /// After those that end with leave.
  case notified
  case always

  var name: String { rawValue }
}

extension TactusCore.Category {
  /// Whether a program without a player's interface is taken to play all the time; a ring or an
  /// alarm that is always there would be none.
  fileprivate var isOftenUntold: Bool {
    switch self {
    case .ambient, .soloAmbient, .playback: true
    case .record, .playAndRecord, .ringtone, .alert, .systemSound, .alarm: false
    }
  }
}
