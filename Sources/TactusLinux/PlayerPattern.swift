// SPDX-License-Identifier: Apache-2.0
//
// Which players of a bus belong to a source, and what may be set for them.

import TactusCore

/// The MPRIS names of a source's player.
public struct PlayerPattern: Equatable, Sendable {
  /// What the names of all players begin with.
  static let namespace = "org.mpris.MediaPlayer2"

  /// The name, without `*`.
  private let name: String
  /// Any name that begins so, and not the player's own instances alone.
  private let isOpenEnded: Bool

  /// `mpd`, `mpv*` or a whole bus name; nil for what no player can be called.
  public init?(_ text: String) {
    let rest = text.after(PlayerPattern.namespace + ".") ?? text
    isOpenEnded = rest.hasSuffix("*")
    name = String(
      decoding: rest.utf8.prefix(rest.utf8.count - (isOpenEnded ? 1 : 0)),
      as: UTF8.self
    )
    let parts = Array(name.utf8).split(
      separator: UInt8(ascii: "."),
      omittingEmptySubsequences: false
    )
    let isForeign = text == rest && parts.count > 2
    guard !isForeign, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isOfName) }) else {
      return nil
    }
  }

  /// Whether a bus name is that of the player, or of one of its instances: `mpv.instance7`.
  public func matches(_ busName: String) -> Bool {
    guard let rest = busName.after(PlayerPattern.namespace + ".") else { return false }
    return rest == name || rest.hasPrefix(isOpenEnded ? name : name + ".")
  }
}

extension PlayerPattern: Coded {
  init(_ coder: some ByteCoder, _ value: PlayerPattern?) {
    name = coder.code(value?.name)
    isOpenEnded = coder.code(value?.isOpenEnded)
  }
}

/// The bytes of which the parts of bus names consist.
private func isOfName(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
    true
  default: false
  }
}

/// What a player's own volume means.
public enum PlayerVolume: String, Plain, CaseIterable, Named {
  /// It lowers that player only, and is its own affair (VOL-10).
  case own
  /// It is another way to set the system volume; the player leaves its sound as it is.
  case system

  public var name: String { rawValue }
}

extension PlayerPattern: CustomStringConvertible {
  /// As a settings file may have it.
  public var description: String { isOpenEnded ? name + "*" : name }
}
