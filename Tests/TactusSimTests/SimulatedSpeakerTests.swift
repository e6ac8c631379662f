// SPDX-License-Identifier: Apache-2.0

import TactusCore
import TactusSim
import Testing

@Suite("The simulated speaker")
struct SimulatedSpeakerTests {
  static func configuration() -> Configuration {
    var configuration = Configuration()
    configuration.controls.append(Control(role: .volumeUp))
    configuration.controls.append(Control(role: .knob))
    configuration.outputs.append(
      Output(
        kind: .speaker,
        hasVolume: true,
        hasSwitch: true,
        curve: Curve(lowest: Gain(millibels: -10_350), top: .unity),
        amplifier: Amplifier()
      )
    )
    configuration.sources.append(Source(category: .playback, hasPlayer: true, playsAtStart: true))
    return configuration
  }

  var speaker = SimulatedSpeaker(configuration: configuration(), seed: 7)
  var inputs = Inputs(filler: .level(control: 0, state: 0))

  mutating func gathered(until tick: Tick) -> [Input] {
    inputs.removeAll()
    speaker.gather(at: tick, into: &inputs)
    return inputs.indices.map { inputs[$0] }
  }

  mutating func apply(_ effects: [Effect], at tick: Tick) {
    var list = Effects(filler: .persist)
    for effect in effects { list.append(effect) }
    speaker.apply(list, at: tick)
  }

  @Test("a press ends pressed, a release ends released, whatever bounces between")
  mutating func press() {
    for round in 0..<200 {
      let start = Tick(round * 100)
      speaker.press(0, forTicks: 20, at: start)
      #expect(speaker.nextEvent == start)
      #expect(gathered(until: start + 10).last == .edge(control: 0, state: 1))
      #expect(gathered(until: start + 40).last == .edge(control: 0, state: 0))
      #expect(speaker.nextEvent == nil)
    }
  }

  @Test("a turn walks the quadrature circle, A first when clockwise")
  mutating func turn() {
    speaker.turn(1, detents: 1, at: 0)
    var states: [UInt8] = [3]
    for input in gathered(until: 100) {
      if case .edge(_, let state) = input { states.append(state) }
    }
    // Without its bounces: what is left when every step back is taken out.
    var path: [UInt8] = []
    for state in states {
      if path.count > 1, path[path.count - 2] == state {
        path.removeLast()
      } else {
        path.append(state)
      }
    }
    #expect(path == [3, 1, 0, 2, 3])
  }

  @Test("a write is quantised downwards and read back at the next tick")
  mutating func write() {
    apply([.gain(output: 0, Gain(millibels: -1_234)), .source(0, Gain(millibels: -1))], at: 5)
    #expect(gathered(until: 5) == [])
    #expect(
      gathered(until: 6) == [
        .gain(output: 0, Gain(millibels: -1_250)), .source(0, Gain(millibels: -10)),
      ]
    )
    apply([.gain(output: 0, .silence)], at: 6)
    #expect(gathered(until: 7) == [.gain(output: 0, .silence)])
  }

  @Test("nothing is at the ear while switch, amplifier or card is off")
  mutating func ear() {
    #expect(!speaker.isAudible(source: 0, output: 0), "the amplifier is released")
    apply([.amplifier(output: 0, on: true)], at: 1)
    #expect(speaker.gainAtEar(source: 0, output: 0) == .unity)
    apply([.switched(output: 0, on: false)], at: 2)
    #expect(!speaker.isAudible(source: 0, output: 0))
    apply([.switched(output: 0, on: true), .gain(output: 0, Gain(millibels: -2_000))], at: 3)
    #expect(speaker.gainAtEar(source: 0, output: 0) == Gain(millibels: -2_000))
    speaker.setPresent(output: 0, false, at: 4)
    #expect(!speaker.isAudible(source: 0, output: 0))
  }

  @Test("a failing part refuses or lies until its tick, then obeys")
  mutating func failing() {
    speaker.fail(.outputSwitch, 0, .refuses, until: 10)
    apply([.switched(output: 0, on: false)], at: 10)
    #expect(gathered(until: 11) == [.failed(.outputSwitch, 0)])
    speaker.fail(.outputSwitch, 0, .ignores, until: 20)
    apply([.switched(output: 0, on: false)], at: 20)
    #expect(gathered(until: 21) == [.switched(output: 0, on: true)])
    apply([.switched(output: 0, on: false)], at: 21)
    #expect(gathered(until: 22) == [.switched(output: 0, on: false)])
  }

  @Test("a locked control does not move for other programs")
  mutating func locked() {
    speaker.move(0, to: Gain(millibels: -300), at: 1)
    #expect(gathered(until: 1) == [.gain(output: 0, Gain(millibels: -300))])
    apply([.lock(output: 0, true)], at: 2)
    speaker.move(0, to: .unity, at: 3)
    #expect(gathered(until: 3) == [])
  }

  @Test("a lost edge is told as lost and as level, or not at all")
  mutating func lost() {
    speaker.lose(0, changes: 100, reported: true)
    speaker.set(0, true, at: 1)
    #expect(
      gathered(until: 10).suffix(2) == [
        .lost(control: 0, count: 1), .level(control: 0, state: 1),
      ]
    )
    speaker.lose(0, changes: 100, reported: false)
    speaker.set(0, false, at: 20)
    #expect(gathered(until: 30) == [])
    #expect(!speaker.isTold(0))
    apply([.readLevels], at: 30)
    #expect(
      gathered(until: 31) == [
        .level(control: 0, state: 0), .level(control: 1, state: 3),
      ]
    )
    #expect(speaker.isTold(0))
  }

  @Test("a player answers a pause and falls silent, one that never answers plays on")
  mutating func pause() {
    speaker.setAnswer(ofSource: 0, after: 3)
    apply([.pause(source: 0)], at: 1)
    #expect(gathered(until: 3) == [])
    #expect(speaker.emits(0))
    #expect(gathered(until: 4) == [.session(0, .pauseAnswered)])
    #expect(!speaker.emits(0))
    speaker.session(0, .play, at: 5)
    speaker.setAnswer(ofSource: 0, after: nil)
    apply([.pause(source: 0)], at: 6)
    #expect(gathered(until: 10_000) == [.session(0, .play)])
    #expect(speaker.emits(0))
  }
}
