// SPDX-License-Identifier: Apache-2.0
//
// Whether anything plays on a card: told by the kernel when a PCM is opened or closed, without
// being asked.

import CTactus
import TactusCore

/// Watches one playback device of a card.
public struct StreamWatch: ~Copyable {
  private let source: Descriptor
  private let cardID: String
  private let device: UInt32

  /// Watches the device node of `hw:CARD=cardID,DEV=device`.
  public init(cardID: String, device: UInt32) throws(SystemError) {
    let source = try Descriptor(tactus_watch_open(), "open", "inotify")
    guard let number = SoundCard.list().first(where: { $0.id == cardID })?.number else {
      throw SystemError("watch", "card \(cardID)", code: ENODEV)
    }
    let node = "\(SoundCard.deviceDirectory)/pcmC\(number)D\(device)p"
    let mask = UInt32(IN_OPEN) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CLOSE_NOWRITE)
    guard inotify_add_watch(source.number, node, mask) >= 0 else {
      throw SystemError("watch", node)
    }
    self.source = source
    self.cardID = cardID
    self.device = device
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Readable when something was opened or closed: then ask `isOpen`.
  public var descriptor: Int32 { source.number }

  /// Whether anything plays there now.
  public func isOpen() -> Bool {
    _ = tactus_watch_take(source.number)
    return SoundCard.holders(cardID: cardID).contains {
      $0.isPlayback && $0.deviceNumber == Int32(device)
    }
  }
}
