// SPDX-License-Identifier: Apache-2.0
//
// Ducks: an offset with holders, on the way down and up, whoever comes and goes meanwhile.

import Testing

@testable import TactusCore

@Suite("Ducks")
struct DuckTests {
  private func bench() -> Bench {
    var configuration = Configuration.full(playing: false)
    configuration.sources.removeAll()
    return Bench(configuration)
  }

  @Test("SES-7 a duck takes 20 dB in 200 ms, and gives them back in 500 ms, in even steps")
  func slopes() {
    var bench = bench()
    let music = bench.start("playback")
    bench.wait(500)
    let base = bench.loudness(Int(music), at: 0)!
    let prompt = bench.start("ducking")
    let ducked = bench.now
    var last = bench.loudness(Int(music), at: 0)!
    #expect(base - last == 50)
    while bench.now < ducked + 190 {
      bench.tick()
      let loudness = bench.loudness(Int(music), at: 0)!
      #expect(last - loudness <= 50 && loudness <= last)
      last = loudness
    }
    bench.wait(15)
    #expect(bench.loudness(Int(music), at: 0) == base - 2_000)
    bench.ask(.session(prompt, .deactivate))
    let released = bench.now
    last = bench.loudness(Int(music), at: 0)!
    #expect(last == base - 1_980)
    while bench.now < released + 490 {
      bench.tick()
      let loudness = bench.loudness(Int(music), at: 0)!
      #expect(loudness - last <= 20 && loudness >= last && loudness < base)
      last = loudness
    }
    bench.wait(15)
    #expect(bench.loudness(Int(music), at: 0) == base)
  }

  @Test("SES-7 0 to 3 holders: they do not add, and the last to end or die releases")
  func holders() {
    for count in 0...3 {
      for dies in [false, true] {
        var bench = bench()
        let music = bench.start("playback")
        var holders = (0..<count).map { _ in bench.start("ducking") }
        bench.wait(300)
        let depth: Int32 = count == 0 ? 0 : -2_000
        #expect(bench.snapshot.sources[Int(music)].duck.millibels == depth)
        while let holder = holders.popLast() {
          if dies {
            bench.session(holder, .died)
          } else {
            bench.ask(.session(holder, .deactivate))
          }
          bench.wait(600)
          let remains: Int32 = holders.isEmpty ? 0 : -2_000
          #expect(bench.snapshot.sources[Int(music)].duck.millibels == remains)
        }
      }
    }
  }

  @Test("SES-7 a change by the listener during a duck changes the base")
  func changeOfBase() {
    var bench = bench()
    let music = bench.start("playback")
    bench.ask(.setLevel(.system, Level(percent: 15)))
    let prompt = bench.start("ducking")
    bench.wait(7_000)
    bench.ask(.setLevel(.system, Level(percent: 50)))
    #expect(bench.level == 5_000)
    bench.wait(6_000)
    bench.ask(.session(prompt, .deactivateNotifying))
    bench.wait(600)
    #expect(bench.level == 5_000)
    let curve = bench.policy.configuration.outputs[0].curve
    #expect(bench.loudness(Int(music), at: 0) == curve.gain(at: Level(percent: 50)).millibels)
  }

  @Test("SES-7 a stream born while ducked starts ducked")
  func bornDucked() {
    var bench = bench()
    _ = bench.start("ducking")
    bench.wait(300)
    let music = bench.start("mixing")
    bench.wait(50)
    for gain in bench.sourceGains(music).compactMap({ $0 }) { #expect(gain <= -2_000) }
    #expect(bench.snapshot.sources[Int(music)].duck.millibels == -2_000)
  }

  @Test("SES-7 a ducker that is silent ducks nobody")
  func silentDucker() {
    var bench = bench()
    let music = bench.start("playback")
    bench.set(.silentSwitch, true)
    _ = bench.start("alert")
    bench.wait(300)
    #expect(bench.snapshot.sources[Int(music)].duck == .unity)
    bench.set(.silentSwitch, false)
    bench.wait(400)
    #expect(bench.snapshot.sources[Int(music)].duck.millibels == -2_000)
    bench.set(.silentSwitch, true)
    bench.wait(600)
    #expect(bench.snapshot.sources[Int(music)].duck == .unity)
  }

  @Test("SES-7 a ducked device that is muted and comes back is still ducked, and rests afterwards")
  func muteMeanwhile() {
    var bench = bench()
    let music = bench.start("playback")
    let prompt = bench.start("ducking")
    bench.wait(300)
    bench.ask(.setMute(true))
    bench.wait(700)
    #expect(bench.snapshot.sources[Int(music)].duck == .unity)
    bench.ask(.setMute(false))
    bench.wait(700)
    #expect(bench.snapshot.sources[Int(music)].duck.millibels == -2_000)
    bench.ask(.session(prompt, .deactivate))
    bench.wait(600)
    #expect(bench.snapshot.sources[Int(music)].duck == .unity)
  }

  @Test("VOL-13 the limit looks at the base, not at what a duck makes of it")
  func limitLooksAtBase() {
    var bench = bench()
    bench.plug(true)
    _ = bench.start("playback")
    bench.ask(.setLevel(.system, Level(sixteenths: 10)))
    _ = bench.start("ducking")
    bench.wait(300)
    bench.press(.volumeUp)
    #expect(bench.level == 6_250)
    #expect(bench.feedback().last == .warning)
  }
}
