// SPDX-License-Identifier: Apache-2.0
//
// What lamps show: the applied state as it was read back, never the request (SIL-9).
//
//   indication   what a glance at the status lamp tells
//   light        how a lamp shows it

/// What the status lamp tells; of several the first.
public enum Indication: Plain, CaseIterable {
  /// The hardware does not do what it must.
  case fault
  /// Nothing can be recorded.
  case microphoneOff
  /// Nothing can be heard, by the silent switch, the level, or whatever else.
  case silent
  /// Nothing can be heard, by the mute alone.
  case softMute
  /// Sound goes elsewhere than to the speaker.
  case route
  /// Something plays.
  case activity
  /// Nothing of all that.
  case rest
}

/// How a lamp shines.
public struct Light: Plain, Equatable {
  public let red: UInt8
  public let green: UInt8
  public let blue: UInt8
  /// A lamp without colours is lit.
  public let isLit: Bool
  /// On and off, half a second each.
  public let blinks: Bool

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, isLit: Bool = true, blinks: Bool = false) {
    self.red = red
    self.green = green
    self.blue = blue
    self.isLit = isLit
    self.blinks = blinks
  }

  public static let off = Light(0, 0, 0, isLit: false)
  /// For lamps that only show whether something is so.
  public static let on = Light(255, 255, 255)
}

extension Indication {
  /// The one table of lights; a lamp without colours is lit for what silences.
  public var light: Light {
    switch self {
    case .fault: Light(255, 0, 0, blinks: true)
    case .microphoneOff: Light(255, 0, 0)
    case .silent: Light(255, 96, 0)
    case .softMute: Light(96, 32, 0)
    case .route: Light(0, 0, 255, isLit: false)
    case .activity: Light(0, 96, 0, isLit: false)
    case .rest: .off
    }
  }
}

/// What a lamp is for.
public enum LampRole: Plain, CaseIterable {
  case status, silent, microphone, activity
}

extension Snapshot {
  /// What the status lamp tells: fault before microphone, before silence, before the rest.
  public var indication: Indication {
    if reasons.contains(.fault) || hasFault { return .fault }
    if isMicrophoneOff { return .microphoneOff }
    if isSilent { return isSilentSwitchOn || !isMuted ? .silent : .softMute }
    if let routeKind, routeKind != .speaker { return .route }
    return isPlaying ? .activity : .rest
  }

  /// How a lamp with this role shines.
  public func light(of role: LampRole) -> Light {
    switch role {
    case .status: indication.light
    case .silent: isSilent ? .on : .off
    case .microphone: isMicrophoneOff ? .on : .off
    case .activity: isPlaying ? .on : .off
    }
  }

  /// Whether an output may be heard, as it was read back; what a trigger switches on for.
  public func isOpen(output: Int) -> Bool {
    guard outputs.indices.contains(output) else { return false }
    let state = outputs[output]
    return state.isPresent && (state.appliedOn ?? state.amplifierOn ?? !isSilent)
  }

  /// The capture path is closed, as it was read back (SES-10).
  private var isMicrophoneOff: Bool { isCaptureOn == false }

  private var isPlaying: Bool { sources.indices.contains { sources[$0].isPlaying } }

  private var hasFault: Bool { outputs.indices.contains { outputs[$0].isFaulty } }
}
