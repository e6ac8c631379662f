// SPDX-License-Identifier: Apache-2.0

import TactusCore
import TactusSim
import Testing

@Suite("The simulation")
struct SimulationTests {
  /// The seeds that every run of the tests repeats; CI runs ten times as many, ten times as long.
  static let seeds: ClosedRange<UInt64> = 1...20

  @Test("every invariant holds in 20 runs of 20 000 ticks", arguments: seeds)
  func holds(seed: UInt64) {
    if case .violated(let violation) = Simulation.run(seed: seed, ticks: 20_000) {
      Issue.record("\(violation.description); again: \(violation.replayCommand)")
    }
  }

  @Test("the same seed gives the same run")
  func same() {
    guard case .held(let first) = Simulation.run(seed: 3, ticks: 20_000),
      case .held(let second) = Simulation.run(seed: 3, ticks: 20_000),
      case .held(let other) = Simulation.run(seed: 4, ticks: 20_000)
    else {
      Issue.record("a run does not hold")
      return
    }
    for situation in Situation.allCases { #expect(first[situation] == second[situation]) }
    #expect(first.steps == second.steps)
    #expect(first.writes == second.writes)
    #expect(first.steps != other.steps)
  }

  @Test("the canary dies, and says how to see it again")
  func canary() throws {
    var deaths: [Violation] = []
    for seed in SimulationTests.seeds {
      if case .violated(let violation) = Simulation.run(seed: seed, ticks: 20_000, canary: true) {
        deaths.append(violation)
      }
    }
    let death = try #require(deaths.first)
    #expect(death.rule == "canary")
    #expect(
      death.replayCommand == "tactus sim --seed \(death.seed) --ticks 20000 --canary"
    )
    #expect(death.records.last?.tick == death.tick)
    #expect(death.records.count <= 50)
    let isShown = death.records.contains { !$0.inputs.isEmpty || !$0.effects.isEmpty }
    #expect(isShown)
    guard case .violated(let again) = Simulation.run(seed: death.seed, ticks: 20_000, canary: true)
    else {
      Issue.record("the replay of a violation holds")
      return
    }
    #expect(again.tick == death.tick)
    #expect(again.sentence == death.sentence)
  }

  @Test("the runs meet every situation that an invariant is about")
  func coverage() {
    var total = Statistics()
    for seed in SimulationTests.seeds {
      if case .held(let statistics) = Simulation.run(seed: seed, ticks: 20_000) {
        total.add(statistics)
      }
    }
    // These take the hundreds of runs of CI.
    let rare: [Situation] = [
      .limitRearmed, .limitCrossed, .detectStuck, .notSilent, .resumeSent, .stuck, .noisy,
      .writeRecovered, .finished, .foreignMixer, .override, .warning,
    ]
    for situation in total.unmet where !rare.contains(situation) {
      Issue.record("never met: \(situation.name)")
    }
  }
}

@Suite("Chance")
struct RandomTests {
  @Test("SplitMix64 gives the numbers of its reference implementation")
  func reference() {
    // From the reference C code by Vigna, seed 1234567.
    var random = Random(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }

  @Test("bounded numbers reach both ends and nothing beyond")
  func bounds() {
    var random = Random(seed: 1)
    var seen: Set<Int> = []
    for _ in 0..<1_000 { seen.insert(random.within(-2...3)) }
    #expect(seen == [-2, -1, 0, 1, 2, 3])
  }
}
