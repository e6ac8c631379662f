// SPDX-License-Identifier: Apache-2.0
//
// A tick allocates nothing. The compiler proves it for optimised code; here every entry point of
// the allocator is counted, in whatever way the tests were built.

import CAllocations
import Testing

@testable import TactusCore

@Suite struct AllocationTests {
  @Test("the counter sees what Swift allocates")
  func canary() {
    allocations_begin()
    let values = [Int](repeating: 1, count: Int.random(in: 10...20))
    let counted = allocations_end()
    #expect(counted != 0)
    #expect(values.count >= 10)
  }

  // Without optimisation the language makes descriptions of generic types when it first meets them;
  // the same ticks again need no more.
  @Test("T-2 100 000 busy ticks allocate nothing")
  func busyTicks() {
    _ = allocationsOfBusyTicks()
    #expect(allocationsOfBusyTicks() <= 0)
  }

  private func allocationsOfBusyTicks() -> Int {
    var policy = Policy(configuration: .answering(playing: true))
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    var effects = Effects(filler: .readLevels)
    var generator = SeededGenerator(seed: 1)
    let controls = policy.configuration.controls.indices
    var allocations = 0
    for round in 0..<100_000 {
      for index in effects.indices {
        switch effects[index] {
        case .gain(let output, let gain): inputs.append(.gain(output: output, gain))
        case .switched(let output, let on): inputs.append(.switched(output: output, on: on))
        case .source(let source, let gain): inputs.append(.source(source, gain))
        case .playSound: inputs.append(.soundEnded)
        default: break
        }
      }
      if round == 0 {
        for output: UInt8 in 0...1 { inputs.append(.output(output, present: true)) }
        for index in controls { inputs.append(.level(control: UInt8(index), state: 0)) }
      } else {
        let random = generator.next()
        let control = UInt8(random % UInt64(controls.count))
        inputs.append(.edge(control: control, state: UInt8(random >> 8 & 3)))
        inputs.append(.edge(control: 5, state: UInt8(random >> 16 & 3)))
        let event = SessionEvent.activate
        if round % 50 == 0 { inputs.append(.session(UInt8(random >> 24 % 3), event)) }
        if round % 60 == 0 { inputs.append(.request(token: 2, .feedback(peer: 0, .success))) }
        if round % 65 == 0 { inputs.append(.request(token: 3, .playSound(peer: 0, 8))) }
        if round % 70 == 0 { inputs.append(.request(token: 1, .step(.system, -1))) }
      }
      allocations_begin()
      policy.tick(at: policy.now + 1, &inputs, &effects)
      allocations += allocations_end()
      inputs.removeAll()
    }
    #expect(policy.now == 100_000)
    return allocations
  }
}
