// SPDX-License-Identifier: Apache-2.0
//
// Devices as `Describe` tells them.

import TactusCore

@testable import tactus

enum Fixture {
  /// The simulated board, music heard on the speaker.
  static let json = """
    {"version": "0.1.0", "board": "simulated", "simulated": true, "tick": 2000, "seconds": 10.0,
     "level": 0.5625, "levelPercent": 56, "ringer": 0.6, "ringerPercent": 60, "keysSet": "system",
     "muted": false, "silentSwitch": {"on": false, "hardware": true}, "silent": false,
     "reasons": [], "route": "speaker", "balance": 0,
     "routes": [
       {"name": "speaker", "kind": "speaker", "present": true, "available": true,
        "level": 0.5625, "maximumLevel": 0.9, "gainDecibels": -12.5, "on": true,
        "amplifier": true, "faulty": false},
       {"name": "headphones", "kind": "headphones", "present": true, "available": false,
        "level": 0.4, "maximumLevel": 1.0, "gainDecibels": -60.0, "on": false,
        "amplifier": null, "faulty": false}],
     "sources": [
       {"name": "music", "category": "playback", "active": true, "playing": true, "reasons": [],
        "gainDecibels": 0.0},
       {"name": "doorbell", "category": "ringtone", "active": false, "playing": false,
        "reasons": [], "gainDecibels": -99999.99},
       {"name": "alarm", "category": "alarm", "active": false, "playing": false, "reasons": [],
        "gainDecibels": null}],
     "controls": [
       {"name": "volume-up", "role": "volume-up", "present": true, "state": 1, "changes": 3,
        "glitches": 0, "lostEdges": 0, "illegalJumps": 0, "stuck": false, "noisy": false},
       {"name": "volume-down", "role": "volume-down", "present": true, "state": 0, "changes": 0,
        "glitches": 2, "lostEdges": 0, "illegalJumps": 0, "stuck": false, "noisy": false},
       {"name": "knob", "role": "knob", "present": true, "state": 3, "changes": 0,
        "glitches": 0, "lostEdges": 0, "illegalJumps": 1, "stuck": false, "noisy": false},
       {"name": "mute", "role": "mute", "present": true, "state": 0, "changes": 0,
        "glitches": 0, "lostEdges": 0, "illegalJumps": 0, "stuck": false, "noisy": false},
       {"name": "silent-switch", "role": "silent-switch", "present": true, "state": 0,
        "changes": 0, "glitches": 0, "lostEdges": 0, "illegalJumps": 0, "stuck": false,
        "noisy": false},
       {"name": "headphones", "role": "headphone-detect", "present": true, "state": 0,
        "changes": 0, "glitches": 0, "lostEdges": 0, "illegalJumps": 0, "stuck": false,
        "noisy": true}],
     "limit": {"armed": true, "level": 0.625}, "late": 0, "faults": ["headphones: noisy"],
     "events": [
       {"tick": 4, "seconds": 0.02, "kind": "route", "object": "speaker",
        "text": "new-device-available, before: none"},
       {"tick": 1459, "seconds": 7.295, "kind": "feedback", "object": "", "text": "selection"},
       {"tick": 1460, "seconds": 7.3, "kind": "control", "object": "volume-up",
        "text": "pressed"},
       {"tick": 1999, "seconds": 9.995, "kind": "control", "object": "volume-up",
        "text": "released"}]}
    """

  static func device() throws -> Device { try Device(describedBy: json) }

  /// The same, muted, with headphones.
  static func silentDevice() throws -> Device {
    var device = try device()
    device.isSilent = true
    device.isMuted = true
    device.isSilentSwitchOn = true
    device.reasons = ["soft-mute"]
    device.sources[0].reasons = ["soft-mute"]
    device.route = "headphones"
    device.routes[1].isAvailable = true
    device.balance = -20
    device.limit = Level(sixteenths: 10)
    return device
  }
}
