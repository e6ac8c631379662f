// SPDX-License-Identifier: Apache-2.0
//
// Who owns which line. Checked before anything is requested: merely requesting a line of the I²S
// bus would take the pin from it and silence the sound card.
//
//   header   the 40-pin header of a Raspberry Pi, which carries the lines 0 to 27 ("BCM numbers")

import TactusCore

/// A position of the 40-pin header of a Raspberry Pi.
public enum HeaderPosition: Equatable, Sendable {
  /// Volts, in tenths.
  case supply(Int)
  case ground
  /// A line of the GPIO chip, by its BCM number.
  case line(UInt32)

  /// Positions 1 to 40, odd ones in the row that is nearer to the middle of the board.
  public static let all: [HeaderPosition] = [
    .supply(33), .supply(50), .line(2), .supply(50), .line(3), .ground, .line(4), .line(14),
    .ground, .line(15), .line(17), .line(18), .line(27), .ground, .line(22), .line(23),
    .supply(33), .line(24), .line(10), .ground, .line(9), .line(25), .line(11), .line(8),
    .ground, .line(7), .line(0), .line(1), .line(5), .ground, .line(6), .line(12), .line(13),
    .ground, .line(19), .line(16), .line(26), .line(20), .ground, .line(21),
  ]
}

/// What a line of the header is used for.
public struct LineUse: Equatable, Sendable {
  public enum Kind: Sendable {
    /// The board file asks for it.
    case asked
    /// It belongs to somebody else.
    case taken
    /// Somebody else may use it.
    case possible
  }

  public let kind: Kind
  /// By whom: a control's name, a bus; or the condition.
  public let owner: String
}

/// The lines of a board and their owners, while its file is read.
struct Pins {
  private struct Claim {
    let chip: String
    let offset: UInt32
    let owner: String
    let place: Place
  }

  /// The lines of the header are these.
  static let headerLines: ClosedRange<UInt32> = 0...27

  /// Whether the board's own chip is behind a Raspberry Pi's header.
  var hasHeader = false
  /// What the header's lines 18 to 21 are used for.
  var i2s = I2SUse.duplex
  /// Whether a codec is told its volume over the lines 2 and 3.
  var hasI2CCodec = false
  /// Lines of the board's own chip.
  var reserved: [ReservedLine] = []
  var chipLabels: [String] = []
  private var claims: [Claim] = []

  /// Whether these are labels of chips behind a Raspberry Pi's header.
  static func isRaspberryPi(_ chipLabels: [String]) -> Bool {
    chipLabels.contains { $0.hasPrefix("pinctrl-bcm") || $0.hasPrefix("pinctrl-rp1") }
  }

  /// Takes a line for `owner`; reports why it may not be had.
  mutating func claim(_ field: Field, _ offset: UInt32, of chipLabels: [String], for owner: String)
  {
    let chip = chipLabels.first ?? ""
    let isHeader = hasHeader && chipLabels == self.chipLabels
    if isHeader && !Pins.headerLines.contains(offset) {
      field.error(Pins.beyondHeader(offset))
    } else if let claim = claims.first(where: { $0.chip == chip && $0.offset == offset }) {
      let other = field.mistakes.name(claim.place, seenFrom: field.place)
      field.error(
        "line \(offset) is taken by \(claim.owner) (see \(other)), \(advice(isHeader))"
      )
    } else if let line = reserved.first(where: { $0.offset == offset }),
      chipLabels == self.chipLabels
    {
      field.error("line \(offset) belongs to \(line.owner), \(advice(isHeader))")
    } else if isHeader {
      checkHeader(field, offset)
    }
    claims.append(Claim(chip: chip, offset: offset, owner: owner, place: field.place))
  }

  private func checkHeader(_ field: Field, _ offset: UInt32) {
    if let owner = owner(of: offset) {
      field.error("line \(offset) belongs to \(owner), \(advice(true))")
    } else if let use = possibleUse(of: offset) {
      field.warning("line \(offset) is \(use)")
    }
  }

  /// Who owns a line of the header for certain.
  private func owner(of offset: UInt32) -> String? {
    switch offset {
    case 0, 1: "the HAT's EEPROM"
    case 2, 3: hasI2CCodec ? "the codec's I²C bus" : nil
    case 18: i2s == .none ? nil : "I²S (PCM_CLK)"
    case 19: i2s == .none ? nil : "I²S (PCM_FS)"
    case 20: i2s == .duplex ? "I²S (PCM_DIN)" : nil
    case 21: i2s == .none ? nil : "I²S (PCM_DOUT)"
    default: nil
    }
  }

  /// What a line of the header may be used for, with the condition.
  private func possibleUse(of offset: UInt32) -> String? {
    switch offset {
    case 2, 3: "also the I²C bus, keep I²C off (no dtparam=i2c_arm=on)"
    case 7...11: "also SPI0, keep SPI off (no dtparam=spi=on)"
    case 14, 15: "also the serial console, keep it off (no enable_uart=1)"
    case 20: i2s == .playback ? "PCM_DIN, fine as long as nothing records" : nil
    default: nil
    }
  }

  private func advice(_ isHeader: Bool) -> String {
    guard isHeader else { return "choose another" }
    let free = (4...27).map { UInt32($0) }.filter { offset in
      owner(of: offset) == nil && possibleUse(of: offset) == nil
        && !reserved.contains { $0.offset == offset }
        && !claims.contains { $0.offset == offset }
    }
    return free.isEmpty
      ? "no other is free"
      : "choose another, free are " + free.prefix(6).map { "\($0)" }.joined(separator: ", ")
  }

  /// What each line of the header is used for, by its number; more than one use is a mistake,
  /// unless the others are only possible.
  var uses: [[LineUse]] {
    Pins.headerLines.map { offset in
      var uses: [LineUse] = []
      for claim in claims where claim.offset == offset && claim.chip == chipLabels.first {
        uses.append(LineUse(kind: .asked, owner: claim.owner))
      }
      if let owner = reserved.first(where: { $0.offset == offset })?.owner ?? owner(of: offset) {
        uses.append(LineUse(kind: .taken, owner: owner))
      } else if let use = possibleUse(of: offset) {
        uses.append(LineUse(kind: .possible, owner: use))
      }
      return uses
    }
  }

  /// A number that is no line of the header: very likely a position on the header.
  private static func beyondHeader(_ number: UInt32) -> String {
    let position = Int(number) - 1
    guard HeaderPosition.all.indices.contains(position) else {
      return "BCM\(number) not on header, write 0 to 27"
    }
    switch HeaderPosition.all[position] {
    case .line(let line):
      return
        "BCM\(number) not on header; header pin \(number) is BCM\(line), write \(line) for that"
    case .ground: return "BCM\(number) not on header; header pin \(number) is ground, write 0 to 27"
    case .supply: return "BCM\(number) not on header, write 0 to 27"
    }
  }
}
