// SPDX-License-Identifier: Apache-2.0
//
// Inputs that broke other products, each with its whole kind: contacts and knobs as they were
// recorded, at every phase of the tick's grid. Times in milliseconds.

import Testing

@testable import TactusCore

/// Where the first edge falls between two ticks: every quarter of a millisecond.
private let phases = (0..<20).map { Double($0) / 4 }

@Suite struct FieldCaseTests {
  typealias Edges = [(milliseconds: Double, state: UInt8)]

  /// A board with one button, debounced for `milliseconds`, that toggles the mute.
  private func button(debounce milliseconds: Int64) -> Bench {
    var configuration = Configuration.one(.playback)
    configuration.controls.removeAll()
    configuration.controls.append(
      Control(
        role: .mute,
        debounceTicks: configuration.timing.ticks(milliseconds: milliseconds)
      )
    )
    return Bench(configuration)
  }

  /// Plays edges at every phase; each time there must be so many presses, each acting once.
  private func expectPresses(_ count: Int64, _ edges: Edges, debounce: Int64, rest: Int64 = 1_000) {
    for phase in phases {
      var bench = button(debounce: debounce)
      bench.play(.mute, edges, phase: phase)
      bench.wait(rest)
      #expect(bench.snapshot.controls[0].changes == 2 * count, "phase \(phase)")
      #expect(bench.snapshot.controls[0].state == 0, "phase \(phase)")
      #expect(bench.feedback().count == count, "phase \(phase)")
    }
  }

  // MARK: Buttons

  @Test("F01 a bounce at both ends of a press, debounced for 80 ms, is one press and one release")
  func f01() {
    expectPresses(
      1,
      [(0, 1), (0.3, 0), (0.6, 1), (80.4, 0), (80.9, 1), (240, 0)],
      debounce: 80
    )
  }

  @Test("F02 a toggle whose contact bounces at both ends is one toggle")
  func f02() {
    expectPresses(1, [(0, 1), (1.2, 0), (2, 1), (120, 0), (120.9, 1), (121.5, 0)], debounce: 50)
  }

  @Test("F03 chatter on the release is no second press")
  func f03() {
    expectPresses(1, [(0, 1), (1_000, 0), (1_000.7, 1), (1_001.5, 0)], debounce: 100)
  }

  @Test("F05 after a gap in the sequence the state is the level, and five edges are lost")
  func f05() {
    var bench = button(debounce: 10)
    for state: UInt8 in [1, 0, 1] { bench.give(.edge(control: 0, state: state)) }
    bench.give(.lost(control: 0, count: 5))
    bench.give(.edge(control: 0, state: 1))
    bench.give(.level(control: 0, state: 0))
    bench.tick()
    bench.wait(100)
    #expect(bench.snapshot.controls[0].state == 0)
    #expect(bench.snapshot.controls[0].lostEdges == 5)
  }

  @Test("F06 of 40 edges 16 arrive, the last one pressed: released after the quiet time, not stuck")
  func f06() {
    for delivered in 1...40 {
      var bench = button(debounce: 10)
      bench.levels = [0: 0]
      for edge in 0..<delivered { bench.give(.edge(control: 0, state: edge % 2 == 0 ? 1 : 0)) }
      bench.tick()
      bench.wait(50)
      #expect(bench.snapshot.controls[0].state == 0, "\(delivered) delivered")
    }
  }

  @Test(
    "F08 a hold acts at its time exactly: power after 2 s, the pair after 1 s, repeats at 400 ms"
  )
  func f08() {
    for (held, acts) in [(Int64(-10), false), (-5, false), (0, true), (10, true)] {
      var power = Bench(.full())
      power.set(.power, true)
      power.ticks((2_000 + held) / 5 - 1)
      power.set(.power, false)
      power.wait(500)
      #expect((power.count { $0 == .finished(powerOff: true) } == 1) == acts)

      var pair = Bench(.full())
      pair.give(.edge(control: pair.index(.volumeUp), state: 1))
      pair.set(.volumeDown, true)
      pair.ticks((1_000 + held) / 5 - 1)
      pair.give(.edge(control: pair.index(.volumeUp), state: 0))
      pair.set(.volumeDown, false)
      pair.wait(500)
      #expect(pair.snapshot.isMuted == acts)
      #expect(pair.level == 4_000)

      var volume = Bench(.plain())
      volume.set(.volumeUp, true)
      volume.ticks((400 + held) / 5 - 1)
      volume.set(.volumeUp, false)
      volume.wait(500)
      #expect(volume.level == (acts ? 5_250 : 4_625))
    }
  }

  @Test("F09 a button that is down for 120 s acts once, is told as stuck, and repeats no more")
  func f09() {
    var bench = Bench(.plain())
    bench.ask(.setLevel(.system, .zero))
    bench.set(.volumeUp, true)
    bench.wait(120_000)
    #expect(bench.notices() == [.stuck])
    #expect(bench.level == 10_000)
    let start = bench.policy.now
    bench.ask(.setLevel(.system, .zero))
    bench.wait(5_000)
    #expect(bench.level == 0)
    #expect(bench.notices(since: start) == [])
  }

  @Test("F10 three presses of 80 ms, 300 ms apart, are three steps")
  func f10() {
    let edges: Edges = [(0, 1), (80, 0), (300, 1), (380, 0), (600, 1), (680, 0)]
    for phase in phases {
      var bench = Bench(.full())
      bench.play(.volumeUp, edges, phase: phase)
      bench.wait(1_000)
      #expect(bench.level == 4_000 + 3 * 625)
    }
  }

  @Test("F12 a worn button, debounced for 500 ms: one press, and one release after the last change")
  func f12() {
    let trace: [(seconds: Double, state: UInt8)] = [
      (116_935.984_428, 1), (122_184.483_056, 0), (122_311.010_973, 1), (122_385.752_598, 0),
      (122_495.776_931, 1), (122_530, 0),
    ]
    let edges: Edges = trace.map { ($0.seconds - trace[0].seconds, $0.state) }
    expectPresses(1, edges, debounce: 500)
    var bench = button(debounce: 500)
    bench.play(.mute, edges)
    bench.wait(495)
    #expect(bench.snapshot.controls[0].state == 1)
    bench.wait(5)
    #expect(bench.snapshot.controls[0].state == 0)
  }

  /// A switch's first 0.72 ms as recorded, carried on to its 125 edges in 4.6 ms.
  private var storm: Edges {
    let recorded: [(nanoseconds: Double, state: UInt8)] = [
      (196_062, 1), (421_812, 0), (428_125, 1), (431_812, 0), (437_875, 1), (500_937, 0),
      (507_000, 1), (547_500, 0), (559_500, 1), (635_625, 0), (642_875, 1), (645_375, 0),
      (650_250, 1), (652_750, 0), (671_875, 1), (674_375, 0), (696_125, 1), (702_187, 0),
      (713_000, 1), (716_687, 0),
    ]
    var edges: Edges = recorded.map { (($0.nanoseconds - 196_062) / 1_000_000, $0.state) }
    while edges.count < 125 {
      let time = 0.53 + Double(edges.count - 20) * (4.6 - 0.53) / 105
      edges.append((time, edges.count % 2 == 0 ? 1 : 0))
    }
    return edges
  }

  @Test(
    "F13 125 edges in 4.6 ms are one press, debounced for 5 ms or for 20",
    arguments: [
      5, 20,
    ] as [Int64]
  )
  func f13(debounce: Int64) {
    #expect(storm.count == 125)
    #expect(storm.last?.state == 1)
    expectPresses(1, storm + [(200, 0)], debounce: debounce)
  }

  @Test("F14 two buttons within 3 ms are their gesture alone, at every phase of the grid")
  func f14() {
    for phase in phases {
      for gap in [0.0, 1, 3] {
        var bench = Bench(.full())
        let ticks = ((phase + gap) / 5).rounded(.up) - (phase / 5).rounded(.up)
        bench.give(.edge(control: bench.index(.volumeUp), state: 1))
        if ticks >= 1 { bench.tick() }
        bench.give(.edge(control: bench.index(.volumeDown), state: 1))
        bench.wait(1_100)
        #expect(bench.snapshot.isMuted)
        #expect(bench.level == 4_000)
      }
    }
  }

  @Test(
    "a bounce of any length below the debounce time, at any phase, is one press and one release"
  )
  func everyBounce() {
    for tenths in stride(from: 0, through: 95, by: 5) {
      for phase in phases {
        var edges: Edges = [(0, 1)]
        var time = 0.5
        while time < Double(tenths) / 10 {
          edges.append((time, 0))
          edges.append((time + 0.25, 1))
          time += 0.5
        }
        let release: Edges = edges.map { ($0.milliseconds + 60, 1 - $0.state) }
        var bench = button(debounce: 10)
        bench.play(.mute, edges + release, phase: phase)
        bench.wait(50)
        let control = bench.snapshot.controls[0]
        #expect(control.changes == 2 && control.state == 0, "\(tenths) tenths at \(phase)")
        #expect(bench.snapshot.isMuted)
      }
    }
  }

  @Test("releases that chatter 81 ms after the press, as recorded, are no presses")
  func chatterOnRelease() {
    let gaps = [1.444, 1.255, 1.259, 1.378, 1.171, 1.250, 1.065, 1.091, 1.072]
    var edges: Edges = []
    var time = 0.0
    for gap in gaps {
      time += gap * 1_000
      edges += [(time, 1), (time + 79.8, 0), (time + 80.4, 1), (time + 81, 0)]
    }
    for phase in [0, 1.25, 2.5, 4.75] {
      var bench = button(debounce: 10)
      bench.play(.mute, edges, phase: phase)
      bench.wait(100)
      #expect(bench.snapshot.controls[0].changes == 18)
    }
  }

  @Test("two presses as logged by gpiomon are two presses")
  func gpiomon() {
    let seconds = [2_116.578_586_756, 2_116.805_614_604, 2_117.862_763_407, 2_118.080_499_476]
    let edges: Edges = seconds.enumerated().map { index, second in
      ((second - seconds[0]) * 1_000, index % 2 == 0 ? 1 : 0)
    }
    expectPresses(2, edges, debounce: 10)
  }

  // MARK: Encoders

  /// Plays states of a knob; answers the steps it made and the jumps it counted.
  private func turned(
    _ states: [(milliseconds: Double, state: UInt8)],
    transitions: Int32 = 4,
    inverted: Bool = false,
    from first: UInt8 = 0b11,
    phase: Double = 0
  ) -> (steps: Int32, jumps: Int64) {
    var configuration = Configuration.one(.playback)
    configuration.controls.removeAll()
    configuration.controls.append(
      Control(role: .knob, transitionsPerDetent: transitions, inverted: inverted)
    )
    var bench = Bench(configuration, starts: false)
    bench.give(.level(control: 0, state: first))
    bench.give(.output(0, present: true))
    bench.wait(500)
    bench.ask(.setLevel(.system, Level(sixteenths: 8)))
    bench.play(.knob, states, phase: phase)
    return ((bench.level - 5_000) / 625, bench.snapshot.controls[0].illegalJumps)
  }

  /// States with a millisecond between them.
  private func spaced(_ states: [UInt8]) -> [(milliseconds: Double, state: UInt8)] {
    states.enumerated().map { (Double($0.offset), $0.element) }
  }

  @Test("F16 a bounce in the first quarter of a detent is still one step")
  func f16() {
    for phase in phases {
      let trace: Edges = [
        (1, 0b01), (1.2, 0b11), (1.4, 0b01), (6, 0b00), (11, 0b10), (16, 0b11),
      ]
      #expect(turned(trace, phase: phase).steps == 1)
    }
  }

  @Test("F17 two edges delivered when the level is already 11 are no step backwards")
  func f17() {
    let clockwise = turned(spaced([0b01, 0b00, 0b11, 0b11]))
    #expect(clockwise.steps >= 0)
    #expect(turned(spaced([0b11, 0b11]), transitions: 1, from: 0b00).steps == 0)
    #expect(turned(spaced([0b10, 0b00, 0b11, 0b11])).steps <= 0)
  }

  @Test(
    "F19 one circle is four, two or one step, by the knob's make",
    arguments: [
      (1, 4), (2, 2), (4, 1),
    ] as [(Int32, Int32)]
  )
  func f19(transitions: Int32, steps: Int32) {
    #expect(turned(spaced([0b01, 0b00, 0b10, 0b11]), transitions: transitions).steps == steps)
    #expect(turned(spaced([0b10, 0b00, 0b01, 0b11]), transitions: transitions).steps == -steps)
  }

  @Test("F20 three clicks forth and three back lose none at the reversal, inverted or not")
  func f20() {
    let one: [UInt8] = [0b01, 0b11, 0b10, 0b00]
    let other: [UInt8] = [0b10, 0b11, 0b01, 0b00]
    for inverted in [false, true] {
      let forth = turned(spaced(one + one + one), inverted: inverted, from: 0b00).steps
      #expect(forth == (inverted ? 3 : -3))
      let back = turned(
        spaced(one + one + one + other + other + other),
        inverted: inverted,
        from: 0b00
      )
      #expect(back.steps == 0)
      #expect(back.jumps == 0)
    }
  }

  @Test("F22 while a write takes 1000 ms detents add up: two writes, and nothing is lost")
  func f22() {
    var bench = Bench(.full())
    bench.wait(600)
    let start = bench.policy.now
    bench.turn(1)
    for _ in 0..<4 {
      for state: UInt8 in [0b01, 0b00, 0b10, 0b11] {
        bench.give(.edge(control: bench.index(.knob), state: state))
      }
    }
    bench.tick(at: start + 201)
    bench.wait(500)
    #expect(bench.level == 4_000 + 5 * 625)
    #expect(bench.gains(0, since: start).count == 2)
    let last = bench.ticks(since: start) { if case .gain = $0 { true } else { false } }.last
    #expect(last == start + 201)
  }

  @Test("F23 both contacts at once are no step, and one jump")
  func f23() {
    let after = turned(spaced([0b01, 0b00, 0b10, 0b11, 0b00]))
    #expect(after.steps == 1)
    #expect(after.jumps == 1)
  }

  @Test("F26 a detent goes from the level that software has set")
  func f26() {
    var bench = Bench(.full())
    bench.ask(.setLevel(.system, Level(percent: 20)))
    bench.turn(-1)
    #expect(bench.level == 2_000 - 625)
    bench.turn(1)
    #expect(bench.level == 2_000)
  }

  @Test("F27 a contact that bounces for 75 ms at the end of a detent makes one step")
  func f27() {
    for length in [1.0, 20, 75] {
      var trace: Edges = [(0, 0b01), (5, 0b00), (10, 0b10), (15, 0b11)]
      var time = 16.0
      while time < 15 + length {
        trace += [(time, 0b01), (time + 0.5, 0b11)]
        time += 1
      }
      for phase in [0, 1.25, 2.5, 3.75] { #expect(turned(trace, phase: phase).steps == 1) }
    }
  }

  @Test("F29 detents 10 ms apart are all taken", arguments: phases)
  func f29(phase: Double) {
    var trace: Edges = []
    for detent in 0..<4 {
      for (quarter, state) in [0b01, 0b00, 0b10, 0b11].enumerated() as EnumeratedSequence<[UInt8]> {
        trace.append((Double(detent) * 10 + Double(quarter) * 2, state))
      }
    }
    #expect(turned(trace, phase: phase).steps == 4)
  }

  @Test("a bounce at any place of a detent, any number of times, never reverses nor doubles it")
  func everyEncoderBounce() {
    let circle: [UInt8] = [0b11, 0b01, 0b00, 0b10, 0b11]
    for direction in [1, -1] as [Int32] {
      let detent = direction > 0 ? circle : circle.reversed()
      for place in 0..<4 {
        for times in 1...5 {
          var states: [UInt8] = []
          for position in 1...4 {
            states.append(detent[position])
            if position == place + 1 {
              for _ in 0..<times { states += [detent[position - 1], detent[position]] }
            }
          }
          #expect(turned(spaced(states)).steps == direction, "\(states)")
        }
      }
    }
  }

  @Test("a state that is missed may drop a step, never reverse one")
  func everyEncoderLoss() {
    let circle: [UInt8] = [0b01, 0b00, 0b10, 0b11]
    for direction in [1, -1] as [Int32] {
      for lost in 0..<8 {
        let one = direction > 0 ? circle : [0b10, 0b00, 0b01, 0b11]
        var states = one + one
        states.remove(at: lost)
        let steps = turned(spaced(states)).steps * direction
        #expect((0...2).contains(steps), "without \(lost)")
      }
    }
  }

  // MARK: Mixer, boot and jack

  @Test("F42 a control that comes 40 s late is written once, with what was turned meanwhile")
  func f42() {
    var configuration = Configuration.one(.playback)
    configuration.controls[0].role = .knob
    configuration.sources[0].playsAtStart = false
    var bench = Bench(configuration, starts: false)
    bench.give(.level(control: bench.index(.knob), state: 3))
    bench.wait(20_000)
    bench.turn(3)
    bench.wait(20_000)
    #expect(bench.history.allSatisfy { if case .gain = $0.effect { false } else { true } })
    bench.give(.output(0, present: true))
    let start = bench.policy.now
    bench.wait(1_000)
    #expect(bench.gains(0, since: start) == [referenceGain(4_000 + 3 * 625)])
    #expect(bench.isOpen(0))
  }

  @Test("F43 nonsense in a codec's range gives a window of 60 dB below 0 dB all the same")
  func f43() {
    for lowest in [-9_999_999, -12_800, -10_239] as [Int32] {
      let curve = Curve(lowest: Gain(millibels: lowest), top: .unity)
      #expect(curve.gain(at: .full) == .unity)
      #expect(curve.gain(at: Level(percent: 1)) >= Gain(millibels: -6_000))
      var last = curve.gain(at: .zero)
      for percent in 1...100 as ClosedRange<Int32> {
        let gain = curve.gain(at: Level(percent: percent))
        #expect(gain > last)
        last = gain
      }
    }
  }

  @Test("F47 a jack that is in at boot is a route, not an act: headphones, muted, at 20 %")
  func f47() {
    var saved = Saved()
    saved.levels[1] = Level(percent: 20)
    saved.isMuted = true
    var bench = Bench(.full(), saved: saved, starts: false)
    bench.give(.level(control: bench.index(.headphoneDetect), state: 1))
    for output: UInt8 in 0...1 { bench.give(.output(output, present: true)) }
    for _ in 0..<200 {
      bench.tick()
      for output in 0...1 { #expect(!bench.isOpen(output) || bench.policy.now < 2) }
    }
    #expect(bench.snapshot.route == 1)
    #expect(bench.snapshot.isMuted)
    #expect(bench.level == 2_000)
    #expect(bench.feedback() == [])
  }

  @Test("F50 the switch is on at boot: software is refused, and off returns to software's state")
  func f50() {
    for isMuted in [false, true] {
      var saved = Saved()
      saved.isMuted = isMuted
      var bench = Bench(.one(.ambient), saved: saved, starts: false)
      bench.give(.level(control: bench.index(.silentSwitch), state: 1))
      bench.give(.output(0, present: true))
      bench.wait(500)
      #expect(bench.ask(.setSilent(false)) == .refusedByHardwareSwitch)
      #expect(!bench.hears(0))
      bench.set(.silentSwitch, false)
      bench.wait(500)
      #expect(bench.hears(0) == !isMuted)
      bench.ask(.setMute(true))
      bench.ask(.setMute(true))
      bench.ask(.setMute(false))
      bench.wait(500)
      #expect(bench.level == 4_000)
      #expect(bench.hears(0))
    }
  }

  @Test("two plugs as recorded, 2 s each, are two routes to the headphones and two back")
  func jack() {
    var bench = Bench(.full())
    let seconds = [213.004_477, 215.104_467, 224.124_227, 226.494_192]
    let edges: Edges = seconds.enumerated().map { index, second in
      ((second - seconds[0]) * 1_000, index % 2 == 0 ? 1 : 0)
    }
    bench.play(.headphoneDetect, edges)
    bench.wait(1_000)
    let routes = bench.history.compactMap { entry -> UInt8? in
      guard case .routeChanged(_, _, let current) = entry.effect else { return nil }
      return current
    }
    #expect(routes == [0, 1, 0, 1, 0])
  }
}
