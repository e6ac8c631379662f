// SPDX-License-Identifier: Apache-2.0
//
// GPIO chips and what is known of their lines without requesting them.
//
//   chip    a controller, /dev/gpiochipN; N means nothing and changes between boots
//   label   what names the controller in a board file, such as pinctrl-bcm2711
//   offset  the number of a line within its chip

import CTactus
import TactusCore

/// A GPIO controller, found by its label.
public struct Chip: Equatable, Sendable {
  /// Where it was found, such as `/dev/gpiochip0`.
  public let path: String
  /// The kernel's name, such as `gpiochip0`.
  public let name: String
  /// The driver's name for it, such as `pinctrl-rp1`.
  public let label: String
  /// Offsets run from 0 to this, exclusive.
  public let lineCount: UInt32
  /// The device number: two paths with one number are one chip.
  public let device: UInt64

  /// Names a chip without looking at it, as tests do.
  public init(path: String, name: String, label: String, lineCount: UInt32, device: UInt64) {
    self.path = path
    self.name = name
    self.label = label
    self.lineCount = lineCount
    self.device = device
  }

  /// Reads the chip behind a device file.
  ///
  /// - Throws: `permission`, `vanished` or `other`.
  public init(path: String) throws(LineError) {
    var read = tactus_chip()
    let result = tactus_chip_read(path, &read)
    if result < 0 { throw LineError(.openChip, chip: path, code: -result) }
    self.init(
      path: path,
      name: text(&read.name),
      label: text(&read.label),
      lineCount: read.line_count,
      device: read.device
    )
  }

  /// What the kernel says of a line, whoever uses it.
  ///
  /// - Throws: `noSuchLine`, `permission`, `vanished` or `other`.
  public func line(_ offset: UInt32) throws(LineError) -> LineInfo {
    try check(offset, for: .readInfo)
    var read = tactus_line()
    let result = tactus_line_read(path, offset, &read)
    if result < 0 {
      throw LineError(.readInfo, chip: label, offset: offset, code: -result)
    }
    return LineInfo(
      name: text(&read.name),
      consumer: text(&read.consumer),
      isUsed: read.used,
      isOutput: read.output,
      isActiveLow: read.active_low,
      bias: Bias(read.bias)
    )
  }

  func check(_ offset: UInt32, for operation: LineError.Operation) throws(LineError) {
    guard offset >= lineCount else { return }
    throw LineError(
      operation,
      chip: label,
      offset: offset,
      code: EINVAL,
      cause: .noSuchLine(count: lineCount)
    )
  }
}

/// The chips of this machine.
public struct Chips: Sendable {
  /// Each controller once, by rising number.
  public let found: [Chip]
  /// Device files that exist and may not be opened.
  public let denied: [String]

  /// Takes chips as found, by rising number, and drops the second path of each.
  public init(found: [Chip], denied: [String] = []) {
    var distinct: [Chip] = []
    for chip in found where !distinct.contains(where: { $0.device == chip.device }) {
      distinct.append(chip)
    }
    self.found = distinct
    self.denied = denied
  }

  /// Looks for `gpiochip*` device files; none is no error.
  public init(in folder: String = "/dev") {
    let prefix = "gpiochip"
    let numbers = ((try? names(in: folder, beginning: prefix)) ?? [])
      .compactMap { $0.after(prefix).flatMap { wholeNumber($0) } }
      .sorted(by: <)
    var found: [Chip] = []
    var denied: [String] = []
    for number in numbers {
      let path = "\(folder)/\(prefix)\(Int(number))"
      do throws(LineError) {
        found.append(try Chip(path: path))
      } catch {
        if error.cause == .permission { denied.append(path) }
      }
    }
    self.init(found: found, denied: denied)
  }

  /// The chip with one of the labels; an earlier label wins.
  ///
  /// - Throws: `permission` when chips may not be opened, else `missingChip` with those there are.
  public func chip(labelled labels: [String]) throws(LineError) -> Chip {
    for label in labels {
      if let chip = found.first(where: { $0.label == label }) { return chip }
    }
    let wanted = labels.joined(separator: " or ")
    if let path = denied.first { throw LineError(.openChip, chip: path, code: EACCES) }
    throw LineError(
      .findChip,
      chip: wanted,
      code: ENODEV,
      cause: .missingChip(present: found.map { $0.label })
    )
  }
}

/// What the kernel says of a line.
public struct LineInfo: Equatable, Sendable {
  /// The board's name for it, such as `GPIO17`; empty where it has none.
  public let name: String
  /// Who uses it, such as `spi0 CS0`; empty when nobody does or the user gave no name.
  public let consumer: String
  /// Whether somebody uses it, so that a request would be refused.
  public let isUsed: Bool
  /// Whether it is driven.
  public let isOutput: Bool
  /// Whether its user takes low for active.
  public let isActiveLow: Bool
  /// The resistor inside the chip; nil when the kernel does not know.
  public let bias: Bias?
}

/// The resistor that holds a line when nothing drives it.
public enum Bias: Plain, Equatable {
  /// Inside the chip, to the supply.
  case pullUp
  /// Inside the chip, to ground.
  case pullDown
  /// None inside the chip: the board has one.
  case noneExternal

  init?(_ bias: tactus_bias) {
    switch bias {
    case TACTUS_BIAS_PULL_UP: self = .pullUp
    case TACTUS_BIAS_PULL_DOWN: self = .pullDown
    case TACTUS_BIAS_DISABLED: self = .noneExternal
    default: return nil
    }
  }

  var inC: tactus_bias {
    switch self {
    case .pullUp: TACTUS_BIAS_PULL_UP
    case .pullDown: TACTUS_BIAS_PULL_DOWN
    case .noneExternal: TACTUS_BIAS_DISABLED
    }
  }
}

/// The version of libgpiod that this program runs with, such as `1.6.3`.
public func lineLibraryVersion() -> String { String(cString: tactus_gpio_version()) }

/// The text in one of C's fixed arrays.
private func text<Storage>(_ storage: inout Storage) -> String {
  withUnsafePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout<Storage>.size) {
      String(cString: $0)
    }
  }
}
