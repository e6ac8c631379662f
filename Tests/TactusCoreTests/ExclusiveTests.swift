// SPDX-License-Identifier: Apache-2.0
//
// A source that has the card for itself: nothing but the output can silence it or set its level.

import Testing

@testable import TactusCore

@Suite struct ExclusiveTests {
  /// Exclusive music without a control, an alarm, and a ringer that is louder than the music.
  private func bench(_ category: TactusCore.Category = .playback) -> Bench {
    var configuration = Configuration.one(category)
    configuration.sources.removeAll()
    configuration.sources.append(
      Source(category: category, hasPlayer: true, isAdopted: true, isExclusive: true)
    )
    configuration.sources.append(Source(category: .alarm))
    configuration.sources.append(Source(category: .alert))
    var bench = Bench(configuration)
    bench.give(.sourceControl(0, present: false))
    bench.ask(.setLevel(.ringer, .full))
    bench.session(0, .playing)
    bench.wait(300)
    return bench
  }

  @Test("the codec opens for it though it has no control, and its gain is never written")
  func opens() {
    var bench = bench()
    let curve = bench.policy.configuration.outputs[0].curve
    #expect(bench.isOpen(0) && bench.hardware.gains[0] == curve.gain(at: Level(percent: 40)))
    let start = bench.policy.now
    bench.ask(.setLevel(.system, Level(percent: 50)))
    bench.press(.mute)
    #expect(!bench.isOpen(0))
    #expect(bench.count(since: start) { if case .source(0, _) = $0 { true } else { false } } == 0)
  }

  @Test("SIL-1, SIL-10 what silences it closes the codec, whoever else would sound")
  func silenced() {
    var bench = bench(.ambient)
    bench.session(2, .activate)
    bench.set(.silentSwitch, true)
    bench.wait(300)
    #expect(!bench.isOpen(0))
    bench.set(.silentSwitch, false)
    bench.wait(600)
    #expect(bench.isOpen(0))
  }

  @Test("SES-7 a bell that finds the card busy neither lowers it nor lifts the codec to its level")
  func besideBell() {
    var bench = bench()
    let gain = bench.hardware.gains[0]
    bench.session(2, .activate)
    bench.wait(300)
    #expect(bench.isOpen(0) && bench.hardware.gains[0] == gain)
  }

  @Test("SES-2, SES-13 interrupted, it is not heard at the alarm's level: the codec waits for it")
  func interrupted() {
    var bench = bench()
    bench.session(1, .activate)
    bench.wait(2_000)
    #expect(!bench.isOpen(0))
    bench.session(0, .notPlaying)
    bench.wait(300)
    #expect(bench.isOpen(0) && bench.hears(1))
  }

  @Test("SES-4 an answer in time lets the alarm be heard at once, and the music resumes after it")
  func answered() {
    var bench = bench()
    bench.session(1, .activate)
    bench.session(0, .notPlaying)
    bench.wait(300)
    #expect(bench.isOpen(0) && bench.hears(1))
    bench.session(1, .deactivateNotifying)
    bench.wait(600)
    #expect(bench.snapshot.sources[0].isPlaying && bench.isOpen(0))
  }
}
