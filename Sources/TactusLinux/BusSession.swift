// SPDX-License-Identifier: Apache-2.0
//
// The sessions that programs have opened on the bus. A session is a pipe: the program holds the one
// end, and when that is closed, or the program is gone, or has left the bus, the session ends.
//
//   place    its position among the policy's sources
//   number   the last part of its path; never used twice
//   peer     who opened it, by its name on the bus; nobody else may steer it

import CTactus
import TactusCore

/// A session that a program holds.
final class BusSession {
  let place: UInt8
  let path: String
  let name: String
  let peer: String
  /// The same for all sessions of a peer.
  let peerNumber: UInt16
  /// Its own gain (VOL-10).
  var gain: Gain
  /// Hangs up when the program has let go.
  let end: Descriptor
  private let departure: BusDeparture

  init(
    place: UInt8,
    path: String,
    opening: BusOpening,
    end: consuming Descriptor,
    departure: BusDeparture
  ) {
    self.place = place
    self.path = path
    name = opening.name
    peer = opening.peer
    peerNumber = opening.peerNumber
    gain = opening.gain
    self.end = end
    self.departure = departure
  }
}

/// What is known of a session while it waits to be opened.
struct BusOpening {
  var name: String
  var peer: String
  var peerNumber: UInt16
  var gain: Gain
}

/// Waits for a peer to leave the bus.
final class BusDeparture {
  private var slot: OpaquePointer?

  init(of peer: String, on bus: OpaquePointer?, _ context: UnsafeMutableRawPointer) {
    let match =
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"
      + ",arg0='\(peer)',arg2=''"
    sd_bus_add_match_async(bus, &slot, match, onDeparture, onWatching, context)
  }

  deinit { sd_bus_slot_unref(slot) }
}

/// Without a function here a match that the bus refuses would end the connection; the pipe tells
/// all the same.
private func onWatching(
  _ message: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 { 1 }

private func onDeparture(
  _ message: OpaquePointer?,
  _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let peer = BusMessage(message: message).text() else { return 0 }
  BusService.of(context)?.endSessions { $0.peer == peer }
  return 0
}

/// The open sessions.
struct BusSessions {
  private(set) var sessions: [BusSession] = []
  private var lastNumber: UInt32 = 0

  /// A path that no session has had.
  mutating func newPath() -> String {
    lastNumber &+= 1
    return "\(TACTUS_BUS_SESSIONS)/\(lastNumber)"
  }

  mutating func add(_ session: BusSession) { sessions.append(session) }

  mutating func remove(where isEnded: (BusSession) -> Bool) -> [BusSession] {
    let ended = sessions.filter(isEnded)
    if !ended.isEmpty { sessions.removeAll(where: isEnded) }
    return ended
  }

  func session(path: String) -> BusSession? { sessions.first { $0.path == path } }
  func session(place: UInt8) -> BusSession? { sessions.first { $0.place == place } }
}
