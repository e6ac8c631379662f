// SPDX-License-Identifier: Apache-2.0
//
// How the doctor says what it found, and what leaves the device.

import TactusLinux
import Testing

@testable import tactus

@Suite("Doctor")
struct DoctorTests {
  private var report: DoctorReport {
    var machine = Findings(.machine)
    machine.ok("kernel", "Linux")
    var lines = Findings(.lines)
    lines.fail(
      "volume-up",
      "line 23 is busy, held by \"spi0 CS0\", so it does nothing at all for anybody who presses it",
      "stop that program"
    )
    return DoctorReport(areas: [machine, Findings(.daemon), lines])
  }

  @Test("a page of 60 columns has every word, and nothing beyond its edge")
  func narrow() {
    let page = Page(isTerminal: true, hasColour: false, glyphs: .unicode, width: 60)
    let rows = report.rows(on: page).map { $0.plain }
    #expect(
      rows == [
        "Machine", "  ok    kernel     Linux", "", "Buttons, switches, lines",
        "  fail  volume-up  line 23 is busy, held by \"spi0 CS0\", so",
        "                   it does nothing at all for anybody who",
        "                   presses it", "                   → stop that program", "",
        "1 fail, 1 ok",
      ]
    )
  }

  @Test("on a phone of 40 columns every name has a line of its own")
  func phone() {
    let page = Page(isTerminal: true, hasColour: false, glyphs: .ascii, width: 40)
    let rows = report.rows(on: page).map { $0.plain }
    #expect(rows.prefix(3) == ["Machine", "  ok    kernel", "          Linux"])
    #expect(rows.suffix(3) == ["          -> stop that program", "", "1 fail, 1 ok"])
    #expect(rows.allSatisfy { $0.count <= 40 })
  }

  @Test("a pipe gets one line for a finding and one for the advice")
  func pipe() {
    #expect(report.rows(on: .pipe).count == 8)
  }

  @Test("JSON has area, verdict, object, meaning and advice of each")
  func json() {
    let json = report.json
    #expect(json["good"]?.bool == false)
    #expect(json["findings"]?.elements.count == 2)
    let last = json["findings"]?.elements.last
    #expect(last?["area"]?.text == "lines")
    #expect(last?["verdict"]?.text == "fail")
    #expect(last?["object"]?.text == "volume-up")
    #expect(last?["advice"]?.text == "stop that program")
  }

  @Test("names of machine and people, and hardware addresses, do not leave in any spelling")
  func scrubber() {
    let scrubber = Scrubber(host: "kitchen", people: ["anna", "jo"], keeping: [])
    let text = """
      kitchen kernel: usb, "kitchen" kitchen-radio kitchenette
      /home/anna/x anna: joanna jo
      dev_AA_BB_CC_DD_EE_0F aa:bb:cc:dd:ee:0f AA-BB-CC-DD-EE-0F 12:34:56 aa:bb:cc:dd:ee:0g
      """
    #expect(
      scrubber.clean(text) == """
        <host> kernel: usb, "<host>" kitchen-radio kitchenette
        /home/<user>/x <user>: joanna jo
        <address> <address> <address> 12:34:56 aa:bb:cc:dd:ee:0g
        """
    )
    let own = Scrubber(host: "speaker", people: [], keeping: ["speaker"])
    #expect(own.clean("route speaker") == "route speaker")
  }
}
