// SPDX-License-Identifier: Apache-2.0
//
// The device of a card that sound is played to, as it is now and as it could be opened.

import CTactus
import TactusCore

/// A playback device of a card.
public struct PlaybackDevice: Equatable, Sendable {
  public let cardID: String
  public let device: UInt32

  public init(cardID: String, device: UInt32) {
    self.cardID = cardID
    self.device = device
  }

  /// How it is open now.
  public struct Use: Equatable, Sendable {
    /// `S16_LE`.
    public let format: String
    public let rateHertz: Int64
    public let channelCount: Int64
    /// Samples are written in place, as dmix does; a program on the card itself rarely does.
    public let isMapped: Bool
  }

  private var folder: String { "/proc/asound/\(cardID)/pcm\(device)p" }

  /// Whether the card has it.
  public var isThere: Bool { fileExists("\(folder)/info") }

  /// How it is open now; nil when nobody plays.
  public var use: Use? {
    var values: [String: String] = [:]
    for line in Machine.lines(of: "\(folder)/sub0/hw_params") {
      let parts = line.split(at: " ")
      guard parts.count > 1, let name = parts.first, name.hasSuffix(":") else { continue }
      values[name] = parts[1]
    }
    guard let format = values["format:"], let rate = values["rate:"] else { return nil }
    return Use(
      format: format,
      rateHertz: wholeNumber(rate) ?? 0,
      channelCount: values["channels:"].flatMap { wholeNumber($0) } ?? 0,
      isMapped: (values["access:"] ?? "").hasPrefix("MMAP")
    )
  }

  /// What came of opening it.
  public enum Trial: Equatable, Sendable {
    case works
    case busy
    case denied
    /// The card has it, and it cannot do this.
    case lacks(String)
    case fails(String)
  }

  /// Opens it for a moment, and asks whether it can be set so; nothing is played.
  public func trial(format: String, rateHertz: Int32, channelCount: Int32) -> Trial {
    tactus_sound_quiet()
    var opened: OpaquePointer?
    let name = "hw:CARD=\(cardID),DEV=\(device)"
    let status = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard status >= 0, let opened else {
      switch -status {
      case EBUSY, EAGAIN: return .busy
      case EACCES, EPERM: return .denied
      default: return .fails(reason(of: -status))
      }
    }
    defer { snd_pcm_close(opened) }
    var parameters: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&parameters) >= 0, let parameters else {
      return .fails(reason(of: ENOMEM))
    }
    defer { snd_pcm_hw_params_free(parameters) }
    guard snd_pcm_hw_params_any(opened, parameters) >= 0 else { return .fails("no configuration") }
    if snd_pcm_hw_params_test_format(opened, parameters, snd_pcm_format_value(format)) != 0 {
      return .lacks("the format \(format)")
    }
    if snd_pcm_hw_params_test_rate(opened, parameters, UInt32(rateHertz), 0) != 0 {
      return .lacks("\(rateHertz) Hz")
    }
    if snd_pcm_hw_params_test_channels(opened, parameters, UInt32(channelCount)) != 0 {
      return .lacks("\(channelCount) channels")
    }
    return .works
  }
}

extension SoundCard {
  /// The ids of all cards that the kernel has, also of those that this user may not open.
  public static var allIDs: [String] {
    var ids: [String] = []
    for name in ((try? names(in: "/proc/asound", beginning: "card")) ?? []).sorted(by: <) {
      if let id = Machine.lines(of: "/proc/asound/\(name)/id").first { ids.append(id) }
    }
    return ids
  }

  /// A card's control device, such as `/dev/snd/controlC0`; nil where there is no such card.
  public static func controlPath(ofCard id: String) -> String? {
    for name in (try? names(in: "/proc/asound", beginning: "card")) ?? [] {
      guard Machine.lines(of: "/proc/asound/\(name)/id").first == id,
        let number = name.after("card")
      else { continue }
      return "\(deviceDirectory)/controlC\(number)"
    }
    return nil
  }
}
