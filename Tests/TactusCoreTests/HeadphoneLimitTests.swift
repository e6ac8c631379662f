// SPDX-License-Identifier: Apache-2.0
//
// The headphone limit, VOL-13: which touch crosses it, when, and what arms it again.

import Testing

@testable import TactusCore

@Suite struct HeadphoneLimitTests {
  /// Headphones in use, 6/16, one button for louder and a knob.
  private func headphones() -> Bench {
    var configuration = Configuration.full()
    configuration.controls[1].role = .stop
    var bench = Bench(configuration)
    bench.plug(true)
    bench.ask(.setLevel(.system, Level(sixteenths: 9)))
    return bench
  }

  @Test("VOL-13 a press that would cross stops at 10/16 with a warning")
  func stops() {
    for before in [5_626, 6_000, 6_249, 6_250] as [Int32] {
      var bench = headphones()
      bench.ask(.setLevel(.system, Level(parts: before)))
      bench.press(.volumeUp)
      #expect(bench.level == 6_250)
      #expect(bench.feedback().last == .warning)
      #expect(bench.snapshot.isLimitArmed)
    }
  }

  @Test("VOL-13 a press that ends exactly at 10/16 is no crossing")
  func reaches() {
    var bench = headphones()
    bench.press(.volumeUp)
    #expect(bench.level == 6_250)
    #expect(bench.feedback().last == .selection)
  }

  @Test(
    "VOL-13 a new press crosses within 3 s of the release, whenever that was",
    arguments: [50, 300, 2_000, 10_000] as [Int64],
    [(50, true), (1_000, true), (2_995, true), (3_000, true), (3_005, false), (9_000, false)]
      as [(Int64, Bool)]
  )
  func newPress(held: Int64, pause: (milliseconds: Int64, crosses: Bool)) {
    var bench = headphones()
    bench.press(.volumeUp)
    bench.set(.volumeUp, true)
    bench.wait(held)
    #expect(bench.level == 6_250)
    bench.set(.volumeUp, false)
    // The release counts when the contact has been quiet for 10 ms.
    bench.ticks(2)
    bench.ticks(pause.milliseconds / 5 - 1)
    bench.set(.volumeUp, true)
    #expect(bench.level == (pause.crosses ? 6_875 : 6_250))
    #expect(bench.snapshot.isLimitArmed == !pause.crosses)
  }

  @Test("VOL-13 after going down again, the press that would cross stops anew")
  func stopsAnew() {
    var bench = headphones()
    bench.ask(.setLevel(.system, Level(parts: 6_000)))
    bench.press(.volumeUp)
    bench.ask(.setLevel(.system, Level(parts: 6_000)))
    bench.press(.volumeUp)
    #expect(bench.level == 6_250)
    #expect(bench.snapshot.isLimitArmed)
    bench.press(.volumeUp)
    #expect(!bench.snapshot.isLimitArmed)
  }

  @Test("VOL-13 a finger that is down already when the knob stops at the limit does not cross it")
  func fingerDown() {
    // With a button for each direction a press acts 30 ms after its edge.
    var bench = Bench(.full())
    bench.plug(true)
    bench.ask(.setLevel(.system, Level(parts: 6_250)))
    bench.set(.volumeUp, true)
    bench.ticks(5)
    bench.turn(1)
    bench.wait(100)
    #expect(bench.level == 6_250)
    #expect(bench.snapshot.isLimitArmed)
    bench.set(.volumeUp, false)
    bench.wait(100)
    bench.press(.volumeUp)
    #expect(!bench.snapshot.isLimitArmed)
  }

  @Test("VOL-13 holding on does not cross, whether the hold began below or at the limit")
  func hold() {
    for sixteenths in [4, 9, 10] as [Int32] {
      var bench = headphones()
      bench.ask(.setLevel(.system, Level(sixteenths: sixteenths)))
      bench.set(.volumeUp, true)
      bench.wait(5_000)
      #expect(bench.level == 6_250)
      bench.set(.volumeUp, false)
      bench.wait(500)
      bench.press(.volumeUp)
      #expect(bench.level == 6_875)
    }
  }

  @Test(
    "VOL-13 a detent crosses after 300 ms of rest and within 3 s",
    arguments: [
      (5, false), (100, false), (295, false), (300, true), (1_000, true), (2_995, true),
      (3_000, true), (3_005, false),
    ] as [(Int64, Bool)]
  )
  func detent(rest: Int64, crosses: Bool) {
    var bench = headphones()
    bench.turn(2)
    #expect(bench.level == 6_250)
    #expect(bench.feedback().last == .warning)
    bench.ticks(rest / 5 - 1)
    bench.turn(1)
    #expect(bench.level == (crosses ? 6_875 : 6_250))
  }

  @Test("VOL-13 turning on without rest never crosses")
  func turningOn() {
    var bench = headphones()
    for _ in 0..<40 {
      bench.turn(1)
      bench.wait(250)
    }
    #expect(bench.level == 6_250)
  }

  @Test("VOL-13 software never crosses, however often it asks")
  func software() {
    var bench = headphones()
    for request: Request in [
      .setLevel(.system, .full), .step(.system, 5), .setGain(.system, .unity),
      .setLevel(.system, .full), .step(.system, 1),
    ] {
      #expect(bench.ask(request) == .limited)
      bench.wait(400)
      #expect(bench.level == 6_250)
    }
    bench.press(.volumeUp)
    #expect(bench.level == 6_250, "what software tried is no press")
  }

  @Test("VOL-13 once crossed, the limit is no limit, also after going below it")
  func crossed() {
    var bench = headphones()
    for _ in 0..<3 { bench.press(.volumeUp) }
    #expect(bench.level == 6_875)
    for _ in 0..<5 { bench.press(.volumeUp) }
    #expect(bench.level == 10_000)
    bench.ask(.setLevel(.system, Level(percent: 10)))
    #expect(bench.ask(.setLevel(.system, .full)) == .done)
  }

  @Test("VOL-13 20 h of sound above re-arm it and lower to 10/16 with a warning, silence does not")
  func rearmed() {
    #expect(Timing().limitRearmTicks == 20 * 3_600 * 200)
    var bench = headphones()
    for _ in 0..<3 { bench.press(.volumeUp) }
    var configuration = bench.policy.configuration
    configuration.timing.limitRearmTicks = 1_000
    bench.policy.reconfigure(configuration)
    bench.session(0, .notPlaying)
    bench.wait(10_000)
    #expect(bench.level == 6_875)
    bench.session(0, .playing)
    bench.wait(4_000)
    #expect(bench.level == 6_875)
    bench.wait(1_200)
    #expect(bench.level == 6_250)
    #expect(bench.snapshot.isLimitArmed)
    #expect(bench.feedback().last == .warning)
    #expect(bench.notices().last == .limitRearmed)
  }

  @Test("VOL-13 a power cycle re-arms it, and a level above falls to 10/16 with a warning")
  func powerCycle() {
    var bench = headphones()
    for _ in 0..<4 { bench.press(.volumeUp) }
    let again = Bench(.full(), saved: bench.policy.saved)
    #expect(again.snapshot.isLimitArmed)
    #expect(again.snapshot.outputs[1].level == Level(sixteenths: 10))
    #expect(again.notices().contains(.limitRearmed))
    #expect(again.feedback().contains(.warning))
  }

  @Test("VOL-13 the speaker has no limit, and headphones have none when the listener says so")
  func elsewhere() {
    var bench = Bench(.full())
    #expect(bench.ask(.setLevel(.system, .full)) == .done)
    var configuration = Configuration.full()
    configuration.settings.limitsHeadphones = false
    var free = Bench(configuration)
    free.plug(true)
    #expect(free.ask(.setLevel(.system, .full)) == .done)
    #expect(!free.snapshot.isLimitArmed)
  }
}
