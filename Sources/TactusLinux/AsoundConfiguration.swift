// SPDX-License-Identifier: Apache-2.0
//
// What players find under the name `tactus`: an ALSA configuration in /run, published when every
// source's control is silent and removed when the daemon ends (VOL-8a). A player that comes earlier
// or later gets “Unknown PCM”, never sound.
//
//   tactus:NAME      plug (any format and rate) → softvol (the source's gain) → mix
//                    or, for the one that is exclusive, the card itself: nothing touches the
//                    samples, and while one of the two is open the other is busy (EBUSY)
//   mix              dmix on the board's PCM, shared by every program of the group audio
//   default          tactus:default, or what the variable TACTUS_PCM says: so `tactus run` leads
//                    any program to its session
//   period           a tick of 5 ms, 240 frames at 48 kHz, so that a gain that moves every tick is
//                    heard in as many steps; 4 periods of buffer
//
// deploy/alsa/60-tactus.conf, in /etc/alsa/conf.d, makes every program read it if it is there. A
// program that must find it without being started anew sets ALSA_CONFIG_PATH instead, to
// `/usr/share/alsa/alsa.conf:/run/tactus/asound.conf`: libasound reads those anew when they change.

import CTactus
import TactusCore

/// The ALSA configuration of a board and its sources.
public struct AsoundConfiguration: Equatable, Sendable {
  /// Where players look for it.
  public static let path = "/run/tactus/asound.conf"

  public var cardID: String
  public var deviceNumber: Int32
  /// What the codec takes, by ALSA's name.
  public var format: String
  /// The rate that everything is mixed at.
  public var rateHertz: Int32
  /// Whether the default device can record too, from the same card and device.
  public var canRecord: Bool
  public var volume: SourceVolume
  /// The sources' names, each fit for `SourceVolume.isSourceName`.
  public var sources: [String]
  /// One of `sources`: what a program gets that names no device, and `tactus:default`.
  public var defaultSource: String
  /// One of `sources` that has the card for itself while it plays.
  public var exclusiveSource: String?
  /// The group whose members may share the card; nil where it does not exist.
  public var group: String?

  /// - Precondition: `defaultSource` is one of `sources`; a source called `default` is that one.
  public init(
    cardID: String,
    deviceNumber: Int32 = 0,
    format: String = "S16_LE",
    rateHertz: Int32 = 48_000,
    canRecord: Bool = false,
    volume: SourceVolume = SourceVolume(),
    sources: [String],
    defaultSource: String,
    exclusiveSource: String? = nil,
    group: String? = audioGroup()
  ) {
    precondition(sources.contains(defaultSource))
    precondition(defaultSource == "default" || !sources.contains("default"))
    self.cardID = cardID
    self.deviceNumber = deviceNumber
    self.format = format
    self.rateHertz = rateHertz
    self.canRecord = canRecord
    self.volume = volume
    self.sources = sources
    self.defaultSource = defaultSource
    self.exclusiveSource = exclusiveSource
    self.group = group
  }

  /// `audio`, where this system has such a group.
  public static func audioGroup() -> String? { getgrnam("audio") == nil ? nil : "audio" }

  /// The environment variable that names another default device for one program.
  public static let deviceVariable = "TACTUS_PCM"
  /// The card without a source's gain, shared with all others, for when nobody moves the gains.
  public static let plainDevice = "plug:tactus_mix"

  /// A tick of 5 ms, rounded down where it is no whole number of frames.
  private var periodFrames: Int32 { rateHertz / 200 }
  private static let periodCount: Int32 = 4
}

// MARK: - The text

extension AsoundConfiguration {
  /// The file's contents.
  public var text: String {
    var parts = [header, named, direct("dmix", as: "mix", key: sharedMemoryKey)]
    for source in sources {
      parts.append(source == exclusiveSource ? exclusivePlayer : player(of: source))
    }
    if defaultSource != "default" {
      parts.append("pcm.tactus_source_default \"tactus_source_\(defaultSource)\"\n")
    }
    if canRecord { parts.append(direct("dsnoop", as: "microphone", key: sharedMemoryKey + 1)) }
    parts.append(defaults)
    return parts.joined(separator: "\n")
  }

  private var header: String {
    """
    # SPDX-License-Identifier: Apache-2.0
    # Written by tactusd when it starts and removed when it ends.

    """
  }

  /// A source that does not exist has no such PCM, so its player's open fails.
  private var named: String {
    """
    pcm.tactus {
      @args [ SOURCE ]
      @args.SOURCE { type string default "default" }
      type empty
      slave.pcm { @func concat strings [ "tactus_source_" $SOURCE ] }
      hint { show on description "Tactus" }
    }

    """
  }

  private func player(of source: String) -> String {
    """
    pcm.tactus_source_\(source) {
      type plug
      slave.pcm {
        type softvol
        slave.pcm "tactus_mix"
        control { name "\(SourceVolume.controlName(source: source))" card "\(cardID)" count 2 }
        min_dB \(decibels(volume.minimumMillibels))
        max_dB 0.0
        resolution \(volume.resolution)
      }
    }

    """
  }

  /// The card as it is: what it does not take is refused, never converted.
  private var exclusivePlayer: String {
    """
    pcm.tactus_source_\(exclusiveSource ?? "") \(card)

    """
  }

  private var card: String {
    "{ type hw card \"\(cardID)\" device \(deviceNumber) subdevice 0 }"
  }

  /// The subdevice is named because the kernel refuses to share a PCM that has several otherwise.
  private func direct(_ type: String, as name: String, key: Int32) -> String {
    """
    pcm.tactus_\(name) {
      type \(type)
      ipc_key \(key)
      ipc_key_add_uid no
      ipc_perm 0660
    \(group.map { "  ipc_gid \"\($0)\"\n" } ?? "")\
      slave {
        pcm \(card)
        format \(format)
        rate \(rateHertz)
        channels 2
        period_size \(periodFrames)
        buffer_size \(periodFrames * Self.periodCount)
      }
    }

    """
  }

  private var defaults: String {
    """
    pcm.!default {
      type asym
      playback.pcm { @func getenv vars [ \(Self.deviceVariable) ] default "tactus:default" }
    \(canRecord ? "  capture.pcm { type plug slave.pcm \"tactus_microphone\" }\n" : "")\
      hint { show on description "Default" }
    }

    ctl.!default { type hw card "\(cardID)" }

    """
  }

  /// The same for every player of one card and device, whoever runs it: FNV-1a, positive and even.
  private var sharedMemoryKey: Int32 {
    var hash: UInt32 = 2_166_136_261
    for byte in "tactus \(cardID) \(deviceNumber)".utf8 {
      hash = (hash ^ UInt32(byte)) &* 16_777_619
    }
    return Int32(hash & 0x7fff_fffe)
  }

  /// `-51.0`: softvol of Debian 12 takes no whole number.
  private func decibels(_ millibels: Int32) -> String {
    let hundredths = millibels.magnitude % 100
    let sign = millibels < 0 ? "-" : ""
    return "\(sign)\(millibels.magnitude / 100).\(hundredths < 10 ? "0" : "")\(hundredths)"
  }
}

// MARK: - The file

extension AsoundConfiguration {
  /// Puts the file in place in one step; a player sees it whole or not at all.
  ///
  /// It does not outlive the power, so it is not flushed to a disk.
  public func publish(at path: String = AsoundConfiguration.path) throws(SystemError) {
    try replaceFile(path, with: Array(text.utf8))
  }

  /// Whether players find it now.
  public static var isPublished: Bool { fileExists(path) }

  /// Takes the file away; that there is none is no failure.
  public static func withdraw(at path: String = AsoundConfiguration.path) throws(SystemError) {
    guard unlink(path) == 0 || tactus_errno() == ENOENT else { throw SystemError("remove", path) }
  }
}
