// SPDX-License-Identifier: Apache-2.0
//
// What a run met: a simulation that never reaches a situation proves nothing about it.

public import TactusCore

/// Something that a set of runs must have met.
public enum Situation: UInt8, Plain, CaseIterable {
  case silentSwitch, levelZero, awaitingPause, silencedByPerson
  case softMute, starting, routeSettling, fault
  case newDeviceAvailable, oldDeviceUnavailable, override, noSuitableRoute
  case selection, light, warning, medium, failure, importantEvent, ownSound
  case stuck, noisy, lineLost, lineBack, outputLost, outputBack, notSilent, writeFault
  case writeRecovered, foreignMixer, detectStuck, limitRearmed
  case press, repeated, detent, glitch, lostEdge, limitCrossed, ringer, mute
  case unplug, unplugAndBack, pauseSent, resumeSent, persisted, finished
  case request, limitedReply, foreignMove, restart, lateWake, longLateWake
  case failingWrite, calm, exactGain, sleptThrough

  /// As it is printed.
  public var name: String {
    switch self {
    case .silentSwitch: "silent switch on"
    case .levelZero: "level 0"
    case .awaitingPause: "awaiting a pause"
    case .silencedByPerson: "ring silenced by a key"
    case .softMute: "soft mute"
    case .starting: "starting"
    case .routeSettling: "route settling"
    case .fault: "fault"
    case .newDeviceAvailable: "route: new device"
    case .oldDeviceUnavailable: "route: old device gone"
    case .override: "route: chosen"
    case .noSuitableRoute: "route: none left"
    case .selection: "feedback selection"
    case .light: "feedback light"
    case .warning: "feedback warning"
    case .medium: "feedback medium"
    case .failure: "feedback failure"
    case .importantEvent: "important events"
    case .ownSound: "sounds of its own"
    case .stuck: "stuck button"
    case .noisy: "noisy control"
    case .lineLost: "line lost"
    case .lineBack: "line back"
    case .outputLost: "output lost"
    case .outputBack: "output back"
    case .notSilent: "not silent"
    case .writeFault: "write fault"
    case .writeRecovered: "write recovered"
    case .foreignMixer: "stubborn foreign mixer"
    case .detectStuck: "detect stuck"
    case .limitRearmed: "limit re-armed"
    case .press: "presses"
    case .repeated: "repeats"
    case .detent: "detents"
    case .glitch: "glitches"
    case .lostEdge: "lost edges"
    case .limitCrossed: "limit crossed"
    case .ringer: "ringer changed"
    case .mute: "mute changed"
    case .unplug: "unplugs"
    case .unplugAndBack: "unplugged and back"
    case .pauseSent: "pauses sent"
    case .resumeSent: "resumes sent"
    case .persisted: "persisted"
    case .finished: "finished"
    case .request: "requests"
    case .limitedReply: "limited replies"
    case .foreignMove: "foreign moves"
    case .restart: "restarts"
    case .lateWake: "late wakes"
    case .longLateWake: "late wakes beyond 200 ticks"
    case .failingWrite: "failing writes"
    case .calm: "calm checks"
    case .exactGain: "exact gains compared"
    case .sleptThrough: "sleeps compared with single ticks"
    }
  }
}

/// Counters of one run or of many.
public struct Statistics {
  public private(set) var ticks: Tick = 0
  /// Ticks in which the policy was called.
  public internal(set) var steps = 0
  /// Writes to hardware.
  public internal(set) var writes = 0
  private var counts = [Int](repeating: 0, count: Situation.allCases.count)

  public init() {}

  /// How often a situation was met.
  public subscript(situation: Situation) -> Int { counts[Int(situation.rawValue)] }

  /// The situations never met.
  public var unmet: [Situation] { Situation.allCases.filter { self[$0] == 0 } }

  /// Adds the counters of another run.
  public mutating func add(_ other: Statistics) {
    ticks += other.ticks
    steps += other.steps
    writes += other.writes
    for index in counts.indices { counts[index] += other.counts[index] }
  }

  mutating func met(_ situation: Situation, times: Int = 1) {
    counts[Int(situation.rawValue)] += times
  }

  mutating func passed(_ ticks: Tick) { self.ticks += ticks }
}
