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
    case .play: "play"
    case .pause: "pause"
    case .microphoneMute: "microphone-mute"
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
    case .activateNotPlaying: "activate-not-playing"
    case .deactivate: "deactivate"
    case .deactivateNotifying: "deactivate-notifying"
    case .background: "background"
    case .foreground: "foreground"
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

extension Command: Named {
  public var name: String {
    switch self {
    case .play: "play"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    }
  }
}

extension Undelivered: Named {
  public var name: String {
    switch self {
    case .nobody: "nobody"
    case .unsupported: "unsupported"
    case .busy: "busy"
    case .held: "held"
    }
  }
}

extension Interruption: Named {
  public var name: String {
    switch self {
    case .otherSession: "other-session"
    case .call: "call"
    case .alarm: "alarm"
    case .ringtone: "ringtone"
    case .microphoneMuted: "microphone-muted"
    case .routeDisconnected: "route-disconnected"
    case .byPerson: "by-person"
    case .fault: "fault"
    }
  }
}

extension Rule: Named {
  /// The rule's id: `SES-2`.
  public var name: String {
    switch self {
    case .t7: "T-7"
    case .sil1: "SIL-1"
    case .sil4: "SIL-4"
    case .sil7: "SIL-7"
    case .sil11: "SIL-11"
    case .vol2a: "VOL-2a"
    case .vol10: "VOL-10"
    case .vol16: "VOL-16"
    case .rte1: "RTE-1"
    case .rte2: "RTE-2"
    case .rte3: "RTE-3"
    case .rte6: "RTE-6"
    case .rte7: "RTE-7"
    case .ses1: "SES-1"
    case .ses2: "SES-2"
    case .ses3: "SES-3"
    case .ses4: "SES-4"
    case .ses5: "SES-5"
    case .ses6: "SES-6"
    case .ses7: "SES-7"
    case .ses8: "SES-8"
    case .ses9: "SES-9"
    case .ses10: "SES-10"
    case .ses11: "SES-11"
    case .ses12: "SES-12"
    case .ses13: "SES-13"
    case .ses14: "SES-14"
    case .ses15: "SES-15"
    case .ses17: "SES-17"
    case .ses18: "SES-18"
    case .ctl2: "CTL-2"
    case .ctl3: "CTL-3"
    case .fbk2: "FBK-2"
    case .fbk6: "FBK-6"
    case .fbk8: "FBK-8"
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
    case .capture: "capture"
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
    case .held: "held"
    case .busy: "busy"
    case .inBackground: "in-background"
    case .microphoneMuted: "microphone-muted"
    case .notAllowed: "not-allowed"
    case .gainAboveZero: "gain-above-zero"
    case .tooManySessions: "too-many-sessions"
    case .tooManyOfPeer: "too-many-of-peer"
    case .notActive: "not-active"
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

extension FeedbackChannels {
  /// Their names, the light first.
  public var names: [String] {
    var names: [String] = []
    if contains(.led) { names.append("led") }
    if contains(.haptic) { names.append("haptic") }
    if contains(.sound) { names.append("sound") }
    return names
  }
}

extension Indication: Named {
  public var name: String {
    switch self {
    case .fault: "fault"
    case .microphoneOff: "microphone-off"
    case .silent: "silent"
    case .softMute: "soft-mute"
    case .route: "route"
    case .activity: "activity"
    case .rest: "rest"
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
