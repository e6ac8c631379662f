// SPDX-License-Identifier: Apache-2.0
//
// Who plays or records on a card: the reason for “device or resource busy”.

import TactusCore

/// A program that holds a PCM of a card open.
public struct PCMHolder: Equatable, Sendable {
  public let deviceNumber: Int32
  public let isPlayback: Bool
  public let process: Int32
  /// The program's name, empty when the process has just ended.
  public let program: String

  public init(deviceNumber: Int32, isPlayback: Bool, process: Int32, program: String) {
    self.deviceNumber = deviceNumber
    self.isPlayback = isPlayback
    self.process = process
    self.program = program
  }
}

extension SoundCard {
  /// The holders of a card's PCMs, by the kernel's own list in /proc/asound; none when there is no
  /// such card.
  ///
  /// A dmix that several programs share is held by the one that came first.
  public static func holders(cardID: String, root: String = "/proc") -> [PCMHolder] {
    var holders: [PCMHolder] = []
    let card = "\(root)/asound/\(cardID)"
    for pcm in folder(card, "pcm") {
      for substream in folder("\(card)/\(pcm)", "sub") {
        let status = lines(of: "\(card)/\(pcm)/\(substream)/status")
        guard let process = ownerProcess(status), let device = deviceNumber(pcm)
        else { continue }
        holders.append(
          PCMHolder(
            deviceNumber: device,
            isPlayback: pcm.hasSuffix("p"),
            process: process,
            program: lines(of: "\(root)/\(process)/comm").first ?? ""
          )
        )
      }
    }
    return holders
  }

  /// `pcm0p`: device 0, playback.
  private static func deviceNumber(_ pcm: String) -> Int32? {
    wholeNumber(String(decoding: pcm.utf8.dropFirst(3).dropLast(), as: UTF8.self))
      .flatMap { Int32(exactly: $0) }
  }

  private static func folder(_ path: String, _ prefix: String) -> [String] {
    ((try? names(in: path, beginning: prefix)) ?? []).sorted(by: <)
  }

  /// `owner_pid   : 1234`; absent from the status of a closed substream.
  private static func ownerProcess(_ status: [String]) -> Int32? {
    for line in status where line.hasPrefix("owner_pid") {
      return line.split(at: " ").last.flatMap { wholeNumber($0) }.flatMap { Int32(exactly: $0) }
    }
    return nil
  }

  private static func lines(of path: String) -> [String] {
    guard let bytes = try? contents(of: path, limit: 4096) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(at: "\n")
  }
}
