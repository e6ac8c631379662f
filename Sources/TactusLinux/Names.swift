// SPDX-License-Identifier: Apache-2.0
//
// The words of the policy as text: on the bus, on the command line, in traces and in board files.
// Each is written once, here, in kebab-case.

public import TactusCore

/// A closed set of words.
public protocol Named: CaseIterable, Equatable {
  /// The word, in kebab-case.
  var name: String { get }
}

extension Named {
  /// The value with this name; nil where there is none.
  public init?(name: String) {
    for value in Self.allCases where value.name == name {
      self = value
      return
    }
    return nil
  }
}

extension Role: Named {
  public var name: String {
    switch self {
    case .volumeUp: "volume-up"
    case .volumeDown: "volume-down"
    case .mute: "mute"
    case .silentSwitch: "silent-switch"
    case .headphoneDetect: "headphone-detect"
    case .knob: "knob"
    case .knobPush: "knob-push"
    case .microphoneSwitch: "microphone-switch"
    case .lid: "lid"
    case .playPause: "play-pause"
    case .next: "next"
    case .previous: "previous"
    case .stop: "stop"
    case .headset: "headset"
    case .power: "power"
    }
  }
}

extension RouteKind: Named {
  public var name: String {
    switch self {
    case .speaker: "speaker"
    case .headphones: "headphones"
    case .line: "line"
    case .bluetooth: "bluetooth"
    case .network: "network"
    }
  }
}

extension ReleasedAmplifier: Named {
  public var name: String {
    switch self {
    case .silent: "silent"
    case .live: "live"
    case .unknown: "unknown"
    }
  }
}

extension Category: Named {
  public var name: String {
    switch self {
    case .ambient: "ambient"
    case .soloAmbient: "solo-ambient"
    case .playback: "playback"
    case .record: "record"
    case .playAndRecord: "play-and-record"
    case .ringtone: "ringtone"
    case .alert: "alert"
    case .systemSound: "system-sound"
    case .alarm: "alarm"
    }
  }
}

extension Mode: Named {
  public var name: String {
    switch self {
    case .standard: "standard"
    case .spokenAudio: "spoken-audio"
    case .voiceChat: "voice-chat"
    }
  }
}

extension Volume: Named {
  public var name: String {
    switch self {
    case .system: "system"
    case .ringer: "ringer"
    case .alarm: "alarm"
    }
  }
}

extension SessionEvent: Named {
  public var name: String {
    switch self {
    case .activate: "activate"
    case .deactivate: "deactivate"
    case .playing: "playing"
    case .notPlaying: "not-playing"
    case .play: "play"
    case .pause: "pause"
    case .stop: "stop"
    case .pauseAnswered: "pause-answered"
    case .died: "died"
    }
  }
}

extension Part: Named {
  public var name: String {
    switch self {
    case .gain: "gain"
    case .outputSwitch: "output-switch"
    case .amplifier: "amplifier"
    case .source: "source"
    }
  }
}

extension Reply: Named {
  public var name: String {
    switch self {
    case .done: "done"
    case .limited: "limited"
    case .stillSilent: "still-silent"
    case .refusedByHardwareSwitch: "refused-by-hardware-switch"
    case .noSuchRoute: "no-such-route"
    case .noSuchSource: "no-such-source"
    case .notOnThisDevice: "not-on-this-device"
    }
  }
}

extension RouteChange: Named {
  public var name: String {
    switch self {
    case .newDeviceAvailable: "new-device-available"
    case .oldDeviceUnavailable: "old-device-unavailable"
    case .override: "override"
    case .noSuitableRoute: "no-suitable-route"
    case .configurationChange: "configuration-change"
    }
  }
}

extension Feedback: Named {
  public var name: String {
    switch self {
    case .success: "success"
    case .warning: "warning"
    case .failure: "failure"
    case .light: "light"
    case .medium: "medium"
    case .heavy: "heavy"
    case .selection: "selection"
    }
  }
}

extension Notice: Named {
  public var name: String {
    switch self {
    case .stuck: "stuck"
    case .noisy: "noisy"
    case .lineLost: "line-lost"
    case .lineBack: "line-back"
    case .outputLost: "output-lost"
    case .outputBack: "output-back"
    case .notSilent: "not-silent"
    case .writeFault: "write-fault"
    case .writeRecovered: "write-recovered"
    case .foreignMixer: "foreign-mixer"
    case .detectStuck: "detect-stuck"
    case .detectIdle: "detect-idle"
    case .limitRearmed: "limit-rearmed"
    }
  }
}

/// One silence reason, so that a set of them can be written and read.
public enum SilenceReason: CaseIterable, Named, Sendable {
  case silentSwitch, interrupted, levelZero, awaitingPause, background, silencedByPerson
  case softMute, starting, routeSettling, fault

  public var name: String {
    switch self {
    case .silentSwitch: "silent-switch"
    case .interrupted: "interrupted"
    case .levelZero: "level-zero"
    case .awaitingPause: "awaiting-pause"
    case .background: "background"
    case .silencedByPerson: "silenced-by-person"
    case .softMute: "soft-mute"
    case .starting: "starting"
    case .routeSettling: "route-settling"
    case .fault: "fault"
    }
  }

  /// The set of this reason alone.
  public var set: SilenceReasons {
    switch self {
    case .silentSwitch: .silentSwitch
    case .interrupted: .interrupted
    case .levelZero: .levelZero
    case .awaitingPause: .awaitingPause
    case .background: .background
    case .silencedByPerson: .silencedByPerson
    case .softMute: .softMute
    case .starting: .starting
    case .routeSettling: .routeSettling
    case .fault: .fault
    }
  }
}

extension SilenceReasons {
  /// The names of the reasons in the set, in the order of `SilenceReason`.
  public var names: [String] {
    SilenceReason.allCases.filter { self.contains($0.set) }.map { $0.name }
  }

  /// The set of the reasons so named; nil when one is unknown.
  public init?(names: [String]) {
    self = []
    for name in names {
      guard let reason = SilenceReason(name: name) else { return nil }
      formUnion(reason.set)
    }
  }
}
