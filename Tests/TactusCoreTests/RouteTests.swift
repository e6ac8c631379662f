// SPDX-License-Identifier: Apache-2.0
//
// The route rules: RTE.

import Testing

@testable import TactusCore

@Suite struct RouteTests {
  @Test("RTE-1 a plug stable for 200 ms turns the speaker off and the headphones on in one tick")
  func plug() {
    var bench = Bench(.full())
    #expect(bench.snapshot.isSilent == false)
    let start = bench.policy.now
    bench.set(.headphoneDetect, true)
    bench.wait(195)
    #expect(bench.snapshot.route == 0)
    bench.wait(5)
    #expect(bench.snapshot.route == 1)
    let off = bench.milliseconds(after: start) { $0 == .switched(output: 0, on: false) }
    let on = bench.milliseconds(after: start) { $0 == .switched(output: 1, on: true) }
    #expect(off == on)
    bench.wait(60)
    #expect(bench.snapshot.outputs[1].appliedGain == Gain(millibels: -2_023))
  }

  @Test(
    "RTE-2 the first edge of an unplug silences in its tick, and a pause answered opens the speaker"
  )
  func unplug() {
    var bench = Bench(.full())
    bench.plug(true)
    let start = bench.policy.now
    bench.set(.headphoneDetect, false)
    #expect(bench.switches(1, since: start) == [false])
    #expect(bench.snapshot.reasons == .routeSettling)
    bench.wait(200)
    #expect(bench.snapshot.route == 0)
    #expect(bench.count(since: start) { $0 == .pause(source: 0) } == 1)
    #expect(bench.switches(0, since: start) == [])
    bench.session(0, .pauseAnswered)
    bench.wait(100)
    #expect(bench.switches(0, since: start) == [true])
    #expect(bench.snapshot.sources[0].isPlaying == false)
  }
}
