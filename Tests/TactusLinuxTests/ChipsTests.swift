// SPDX-License-Identifier: Apache-2.0
//
// Choosing a chip by label, and naming what is wrong, without a chip.

import Testing

@testable import TactusLinux

@Suite struct ChipsTests {
  private func chip(_ number: Int, _ label: String, lines: UInt32, device: UInt64? = nil) -> Chip {
    Chip(
      path: "/dev/gpiochip\(number)",
      name: "gpiochip\(number)",
      label: label,
      lineCount: lines,
      device: device ?? UInt64(254 << 8 + number)
    )
  }

  private let header = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"]

  @Test("F39 the header's chip of a Pi 5 is found under its old and its new number")
  func raspberryPi5() throws {
    let before = Chips(found: [
      chip(0, "gpio-brcmstb@107d508500", lines: 32), chip(1, "gpio-brcmstb@107d508520", lines: 4),
      chip(2, "gpio-brcmstb@107d517c00", lines: 17), chip(3, "gpio-brcmstb@107d517c20", lines: 6),
      chip(4, "pinctrl-rp1", lines: 54),
    ])
    let after = Chips(found: [
      chip(0, "pinctrl-rp1", lines: 54), chip(10, "gpio-brcmstb@107d508500", lines: 32),
      chip(11, "gpio-brcmstb@107d508520", lines: 4),
      chip(12, "gpio-brcmstb@107d517c00", lines: 17),
      chip(13, "gpio-brcmstb@107d517c20", lines: 6),
    ])
    #expect(try before.chip(labelled: header).path == "/dev/gpiochip4")
    #expect(try after.chip(labelled: header).path == "/dev/gpiochip0")
  }

  @Test("F39 a link to a chip is not a second chip")
  func link() throws {
    let chips = Chips(found: [
      chip(0, "pinctrl-bcm2711", lines: 58, device: 65024),
      chip(1, "raspberrypi-exp-gpio", lines: 8, device: 65025),
      chip(4, "pinctrl-bcm2711", lines: 58, device: 65024),
    ])
    #expect(chips.found.map(\.name) == ["gpiochip0", "gpiochip1"])
    #expect(try chips.chip(labelled: header).name == "gpiochip0")
  }

  @Test("an earlier label wins over a lower number")
  func order() throws {
    let chips = Chips(found: [chip(0, "second", lines: 8), chip(1, "first", lines: 8)])
    #expect(try chips.chip(labelled: ["first", "second"]).name == "gpiochip1")
  }

  @Test("a missing chip is an error that lists those that are there")
  func missing() {
    let chips = Chips(found: [chip(0, "raspberrypi-exp-gpio", lines: 8)])
    let error = #expect(throws: LineError.self) { try chips.chip(labelled: header) }
    #expect(error?.cause == .missingChip(present: ["raspberrypi-exp-gpio"]))
    #expect(
      error?.description == "pinctrl-rp1 or pinctrl-bcm2711 or pinctrl-bcm2835: no such chip, "
        + "there are raspberrypi-exp-gpio"
    )
  }

  @Test("a chip that may not be opened is not called missing")
  func denied() {
    let chips = Chips(found: [], denied: ["/dev/gpiochip0"])
    let error = #expect(throws: LineError.self) { try chips.chip(labelled: header) }
    #expect(error?.cause == .permission)
    #expect(error?.chip == "/dev/gpiochip0")
  }

  @Test("a folder without chips, or no folder, gives no chips")
  func none() {
    #expect(Chips(in: "/nonexistent").found.isEmpty)
    #expect(Chips(in: "/proc").found.isEmpty)
  }

  @Test("a number behind the last line is refused before anything is requested")
  func range() throws {
    let small = chip(0, "virtual", lines: 8)
    let error = #expect(throws: LineError.self) { try small.line(8) }
    #expect(error?.cause == .noSuchLine(count: 8))
    #expect(error?.description == "virtual line 8: no such line, the last one is 7")
    #expect(throws: LineError.self) {
      _ = try OutputLine(
        chip: small,
        offset: 8,
        polarity: .activeHigh,
        initiallyActive: false,
        control: "led"
      )
    }
  }

  @Test("kernel errors become causes that a person would treat differently")
  func causes() {
    func cause(_ code: Int32, bias: Bias? = nil) -> LineError.Cause {
      LineError(refused: [3], of: chip(0, "virtual", lines: 8), bias: bias, code: code).cause
    }
    #expect(cause(13) == .permission)
    #expect(cause(19) == .vanished)
    #expect(cause(22, bias: .pullUp) == .biasUnsupported(.pullUp))
    #expect(cause(22) == .other)
    #expect(cause(16) == .busy(consumer: ""))
  }
}
