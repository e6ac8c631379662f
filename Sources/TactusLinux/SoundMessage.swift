// SPDX-License-Identifier: Apache-2.0
//
// What tactusd and the program that plays its sounds say to each other. Messages stay whole, so a
// command is one byte, and a report its kind and what belongs to it.

import TactusCore

/// What tactusd says: a byte below these is the position of a sound.
enum SoundCommand {
  /// Something is about to be played: stay ready.
  static let prepare: UInt8 = 0xfe
  /// Be silent.
  static let stop: UInt8 = 0xff
}

/// What the player says.
enum SoundReport: Equatable {
  /// Its device is open and running.
  case ready
  /// Whether others play to the same card; told before `ready`, and when it changes.
  case company(Bool)
  /// A sound will be heard from a moment of `MonotonicClock` on.
  case started(atNanoseconds: UInt64)
  /// A sound is over, or another took its place: once for each command to play.
  case ended
  /// It can play nothing, and ends.
  case failed(String)

  static let sizeMaximum = 256

  private enum Kind: UInt8 { case ready, alone, company, started, ended, failed }

  /// Nil for what no player says.
  init?(_ message: ArraySlice<UInt8>) {
    guard let first = message.first, let kind = Kind(rawValue: first) else { return nil }
    switch kind {
    case .ready: self = .ready
    case .alone: self = .company(false)
    case .company: self = .company(true)
    case .started:
      var moment: UInt64 = 0
      for byte in message.dropFirst() { moment = moment << 8 | UInt64(byte) }
      self = .started(atNanoseconds: moment)
    case .ended: self = .ended
    case .failed: self = .failed(String(decoding: message.dropFirst(), as: UTF8.self))
    }
  }

  var message: [UInt8] {
    switch self {
    case .ready: [Kind.ready.rawValue]
    case .company(let isThere): [isThere ? Kind.company.rawValue : Kind.alone.rawValue]
    case .started(let moment):
      [Kind.started.rawValue]
        + (0..<8).reversed().map { UInt8(truncatingIfNeeded: moment >> (8 * $0)) }
    case .ended: [Kind.ended.rawValue]
    case .failed(let what):
      [Kind.failed.rawValue] + what.utf8.prefix(SoundReport.sizeMaximum - 1)
    }
  }
}
