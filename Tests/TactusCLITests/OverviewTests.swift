// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tactus

@Suite("Overview")
struct OverviewTests {
  @Test("looks")
  func looks() throws {
    var device = try Fixture.device()
    for (w, h, g) in [
      (80, 24, Glyphs.unicode), (40, 20, .unicode), (80, 24, .ascii), (120, 40, .unicode),
    ] {
      let o = Overview(
        device: device,
        place: "system bus",
        message: "",
        width: w,
        height: h,
        glyphs: g
      )
      print(String(repeating: "=", count: w))
      for r in o.rows { print(r.plain) }
    }
    device.isSilent = true
    device.reasons = ["soft-mute", "starting"]
    device.route = "headphones"
    device.limit = .init(sixteenths: 10)
    for (w, h, g) in [(80, 24, Glyphs.unicode), (40, 20, .unicode)] {
      let o = Overview(
        device: device,
        place: "system bus",
        message: "hello",
        width: w,
        height: h,
        glyphs: g
      )
      print(String(repeating: "=", count: w))
      for r in o.rows { print(r.plain) }
    }
    device.isSilent = false
    device.reasons = ["fault"]
    for (w, h, g) in [(80, 24, Glyphs.unicode)] {
      let o = Overview(
        device: device,
        place: "system bus",
        message: "hello",
        width: w,
        height: h,
        glyphs: g
      )
      print(String(repeating: "=", count: w))
      for r in o.rows { print(r.plain) }
    }
  }
}
