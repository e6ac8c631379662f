// SPDX-License-Identifier: Apache-2.0
//
// A card's controls, by their raw names.
//
//   address   how a board file names a control: interface, exact name, index
//   control   an address that was found on a card: number, kind, channels, range, access
//   values    what a control holds, one number per channel: raw volume, 0 or 1, or item
//   echo      the event that our own write raises; everything else that changes a value is foreign

import TactusCore

/// How a control is named.
///
/// These are the raw names of the kernel, not those of alsamixer, which renames and merges. Spaces
/// count: USB devices have names like `D10s  Playback Volume`.
public struct ControlAddress: Hashable, Sendable {
  /// Where the kernel files a control.
  public enum Interface: Plain, Hashable {
    /// Volumes, switches, routes.
    case mixer
    /// What belongs to the card: jacks.
    case card
  }

  public var interface: Interface
  public var name: String
  /// Tells controls of one name apart; nearly always 0.
  public var index: UInt32

  public init(_ name: String, index: UInt32 = 0, interface: Interface = .mixer) {
    self.interface = interface
    self.name = name
    self.index = index
  }
}

extension ControlAddress: CustomStringConvertible {
  public var description: String {
    (interface == .card ? "card: " : "") + "‘\(name)’" + (index == 0 ? "" : " index \(index)")
  }
}

/// A control as a card describes it.
public struct MixerControl: Sendable {
  /// What the numbers in `ControlValues` mean.
  public enum Kind: Equatable, Sendable {
    /// A raw volume in `rawMinimum ... rawMaximum`.
    case integer
    /// 0 or 1.
    case boolean
    /// An index into `items`.
    case enumerated
  }

  public let address: ControlAddress
  /// The kernel's number for it, new whenever the control is made anew.
  public let number: UInt32
  public let kind: Kind
  public let channelCount: Int
  public let rawMinimum: Int32
  public let rawMaximum: Int32
  /// The driver's step, 0 where it does not say.
  public let rawStep: Int32
  /// The names of an enumerated control's items, in order.
  public let items: [String]
  public let isReadable: Bool
  public let isWritable: Bool
  /// The driver says that the control has no effect at present.
  public let isInactive: Bool
  /// The control was made by a program, not by the driver.
  public let isUserMade: Bool
  /// The process that locked the control when it was looked up, if any.
  public let lockingProcess: Int32?

  /// The index of an item by its exact name.
  public func item(named name: String) -> Int32? {
    items.firstIndex(of: name).map { Int32($0) }
  }

  /// The same value on every channel.
  public func values(_ raw: Int32) -> ControlValues {
    ControlValues(repeating: raw, channelCount: channelCount)
  }
}

/// What a control holds, one number per channel.
public struct ControlValues: Equatable, Sendable {
  /// A control with more channels is refused when it is looked up.
  public static let channelLimit = 8

  public let channelCount: Int
  private var channels: InlineArray<8, Int32>

  /// - Precondition: `channelCount` is in `0 ... channelLimit`.
  public init(repeating value: Int32, channelCount: Int) {
    precondition((0...ControlValues.channelLimit).contains(channelCount))
    self.channelCount = channelCount
    channels = InlineArray(repeating: value)
  }

  public subscript(channel: Int) -> Int32 {
    get {
      precondition(channel < channelCount)
      return channels[channel]
    }
    set {
      precondition(channel < channelCount)
      channels[channel] = newValue
    }
  }

  /// True when every channel holds this value.
  public func allEqual(_ value: Int32) -> Bool {
    (0..<channelCount).allSatisfy { channels[$0] == value }
  }

  public static func == (left: ControlValues, right: ControlValues) -> Bool {
    left.channelCount == right.channelCount
      && (0..<left.channelCount).allSatisfy { left.channels[$0] == right.channels[$0] }
  }
}

/// Which controls of a list something happened to: bit n stands for the control at index n.
///
/// The kernel merges events of one control, so a set loses nothing but their number.
public struct ControlChanges: Equatable, Sendable {
  /// A list may hold this many controls.
  public static let controlLimit = 64

  /// The value may have changed: read it to know.
  public internal(set) var values: UInt64 = 0
  /// Range, access or gain table changed: look the control up again.
  public internal(set) var information: UInt64 = 0
  /// The control is gone.
  public internal(set) var removed: UInt64 = 0
  /// A control that is not in the list appeared: perhaps one that was missing.
  public internal(set) var somethingAppeared = false

  public init() {}

  /// True when nothing happened.
  public var isEmpty: Bool { values | information | removed == 0 && !somethingAppeared }
}
