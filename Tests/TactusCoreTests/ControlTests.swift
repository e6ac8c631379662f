// SPDX-License-Identifier: Apache-2.0
//
// The rules of controls, CTL, and what contacts and knobs do before they mean anything.

import Testing

@testable import TactusCore

@Suite struct ControlTests {
  // MARK: CTL-1

  @Test("CTL-1 a control does what its role says, and nothing else", arguments: Role.allCases)
  func roles(role: Role) {
    var configuration = Configuration.full()
    configuration.controls.removeAll()
    configuration.controls.append(Control(role: role))
    configuration.outputs[1].detect = role == .headphoneDetect ? 0 : nil
    configuration.outputs[1].priority = 0
    configuration.sources[0].category = .ambient
    var bench = Bench(configuration)
    let before = bench.snapshot
    if role == .knob { bench.turn(1) } else { bench.press(role, for: 250) }
    bench.wait(100)
    let after = bench.snapshot
    let steps: Int32 =
      switch role {
      case .volumeUp, .knob: 1
      case .volumeDown: -1
      default: 0
      }
    #expect(after.outputs[0].level == before.outputs[0].level.moved(steps: steps))
    #expect(after.ringer == before.ringer)
    #expect(after.isMuted == (role == .mute || role == .knobPush))
    #expect(after.isSilentSwitchOn == false)
    var held = Bench(configuration)
    guard role != .knob else { return }
    held.set(role, true)
    held.wait(250)
    #expect(held.snapshot.isSilentSwitchOn == (role == .silentSwitch))
    #expect(held.snapshot.route == (role == .headphoneDetect ? 1 : 0))
  }

  // MARK: CTL-5

  /// A device with keys of input devices beside its own controls.
  private func keyed() -> Configuration {
    var configuration = Configuration.full()
    for role: Role in [.volumeUp, .volumeDown, .mute, .headset] {
      configuration.controls.append(Control(role: role, debounceTicks: 0, isKey: true))
    }
    return configuration
  }

  private func key(_ role: Role, of bench: Bench) -> UInt8 {
    UInt8(bench.policy.configuration.control(role, isKey: true) ?? 255)
  }

  @Test("CTL-5 each press of a volume key is a step, also several within a tick, and at once")
  func volumeKeyPresses() {
    var bench = Bench(keyed())
    for _ in 0..<3 {
      for state: UInt8 in [1, 0] {
        bench.give(.edge(control: key(.volumeUp, of: bench), state: state))
      }
    }
    bench.tick()
    #expect(bench.level == 4_000 + 3 * 625)
    bench.give(.edge(control: key(.volumeDown, of: bench), state: 1))
    bench.tick()
    #expect(bench.level == 4_000 + 2 * 625, "it waits for no second button")
  }

  @Test("CTL-5 a tick full of one key leaves the board's own controls their say")
  func keyFlood() {
    var bench = Bench(keyed())
    bench.give(.edge(control: bench.index(.silentSwitch), state: 1))
    for _ in 0..<120 {
      for state: UInt8 in [1, 0] {
        bench.give(.edge(control: key(.mute, of: bench), state: state))
      }
    }
    bench.tick()
    bench.wait(50)
    #expect(bench.snapshot.isSilentSwitchOn)
    #expect(bench.snapshot.isMuted, "three presses of the mute key are told apart")
  }

  @Test("CTL-5 a held key whose device goes stops, and nobody is told of a line")
  func keyOfLostDevice() {
    var bench = Bench(keyed())
    let down = key(.volumeDown, of: bench)
    bench.give(.edge(control: down, state: 1))
    bench.wait(420)
    #expect(bench.level == 4_000 - 2 * 625)
    let before = bench.policy.now
    bench.give(.line(control: down, present: false))
    bench.give(.line(control: down, present: true))
    bench.give(.level(control: down, state: 0))
    bench.wait(2_000)
    #expect(bench.level == 4_000 - 2 * 625)
    #expect(bench.notices(since: before) == [])
    bench.give(.edge(control: down, state: 1))
    bench.tick()
    #expect(bench.level == 4_000 - 3 * 625, "the next press is a press again")
  }

  @Test("CTL-5 a line that goes in the tick of its press means nothing", arguments: [false, true])
  func pressOfLostLine(isKey: Bool) {
    var bench = Bench(keyed())
    let mute = isKey ? key(.mute, of: bench) : bench.index(.mute)
    bench.give(.edge(control: mute, state: 1))
    bench.give(.line(control: mute, present: false))
    bench.give(.line(control: mute, present: true))
    bench.give(.level(control: mute, state: 0))
    bench.wait(1_000)
    #expect(!bench.snapshot.isMuted)
    #expect(bench.snapshot.controls[Int(mute)].state == 0)
  }

  @Test("CTL-5 presses that were lost are made up for by what is pressed now")
  func lostKeyEvents() {
    var bench = Bench(keyed())
    bench.give(.level(control: key(.mute, of: bench), state: 1))
    bench.wait(50)
    #expect(bench.snapshot.isMuted)
    bench.give(.level(control: key(.mute, of: bench), state: 0))
    bench.wait(50)
    #expect(bench.snapshot.isMuted)
    #expect(bench.snapshot.controls[Int(key(.mute, of: bench))].state == 0)
  }

  @Test("CTL-5 VOL-13 volume keys cross the headphone limit as a knob does: after a rest of 300 ms")
  func keysAtTheLimit() {
    var bench = Bench(keyed())
    bench.plug(true)
    func press(_ bench: inout Bench) {
      for state: UInt8 in [1, 0] {
        bench.give(.edge(control: key(.volumeUp, of: bench), state: state))
      }
      bench.tick()
    }
    for _ in 0..<40 {
      press(&bench)
      bench.wait(20)
    }
    #expect(bench.level == 6_250)
    #expect(bench.snapshot.isLimitArmed)
    bench.wait(270)
    press(&bench)
    #expect(bench.snapshot.isLimitArmed, "295 ms are no rest")
    bench.wait(300)
    press(&bench)
    #expect(!bench.snapshot.isLimitArmed)
    #expect(bench.level == 6_875)
  }

  // MARK: SES-10

  @Test("SES-10 while the capture switch's card is away nothing is written; back, it is closed")
  func captureAway() {
    var configuration = Configuration.full()
    configuration.hasCaptureSwitch = true
    configuration.controls.append(Control(role: .microphoneSwitch))
    var bench = Bench(configuration)
    bench.give(.captureControl(present: false))
    bench.wait(100)
    let away = bench.policy.now
    func isCapture(_ effect: Effect) -> Bool {
      if case .capture = effect { true } else { false }
    }
    bench.set(.microphoneSwitch, true)
    bench.wait(5_000)
    #expect(bench.count(since: away, where: isCapture) == 0)
    #expect(bench.snapshot.isCaptureOn == nil)
    bench.give(.captureControl(present: true))
    bench.wait(100)
    #expect(bench.snapshot.isCaptureOn == false)
    #expect(bench.count(since: away) { $0 == .capture(on: false) } == 1)
    #expect(bench.count(since: away, where: isCapture) == 1)
  }

  // MARK: CTL-6, knob

  @Test("CTL-6 a button whose line goes is let go of: the pair it was held in is over")
  func pairOfLostLine() {
    var bench = Bench(.full())
    bench.set(.volumeUp, true)
    bench.set(.volumeDown, true)
    bench.wait(200)
    bench.give(.line(control: bench.index(.volumeUp), present: false))
    bench.set(.volumeDown, false)
    bench.wait(200)
    bench.give(.line(control: bench.index(.volumeUp), present: true))
    bench.give(.level(control: bench.index(.volumeUp), state: 0))
    bench.wait(200)
    let before = bench.snapshot.level
    bench.press(.volumeUp)
    #expect(bench.snapshot.level == before.moved(steps: 1))
    #expect(!bench.snapshot.isMuted)
  }

  @Test("CTL-6 a knob's push whose line goes is not the mute")
  func pushOfLostLine() {
    var configuration = Configuration.full()
    configuration.controls[2].role = .stop
    var bench = Bench(configuration)
    bench.set(.knobPush, true)
    bench.wait(300)
    bench.give(.line(control: bench.index(.knobPush), present: false))
    bench.wait(100)
    #expect(!bench.snapshot.isMuted)
  }

  @Test("CTL-6 the knob's push is the mute, on its release")
  func push() {
    var configuration = Configuration.full()
    configuration.controls[2].role = .stop
    var bench = Bench(configuration)
    bench.set(.knobPush, true)
    bench.wait(300)
    #expect(!bench.snapshot.isMuted)
    bench.set(.knobPush, false)
    bench.wait(50)
    #expect(bench.snapshot.isMuted)
    bench.press(.knobPush)
    #expect(!bench.snapshot.isMuted)
  }

  @Test("CTL-6 where the board has a mute button the push is not the mute")
  func pushBesideMute() {
    var bench = Bench(.full())
    bench.press(.knobPush)
    #expect(!bench.snapshot.isMuted)
  }

  @Test("CTL-6 F30 push and turn sets the ringer, and the push then does nothing")
  func pushAndTurn() {
    var configuration = Configuration.full()
    configuration.controls[2].role = .stop
    var bench = Bench(configuration)
    bench.set(.knobPush, true)
    for _ in 0..<4 {
      bench.wait(95)
      bench.turn(1)
    }
    bench.wait(100)
    bench.set(.knobPush, false)
    bench.wait(100)
    #expect(bench.snapshot.ringer == Level(parts: 6_000 + 4 * 625))
    #expect(bench.level == 4_000)
    #expect(!bench.snapshot.isMuted)
    bench.turn(1)
    #expect(bench.level == 4_625)
    bench.press(.knobPush)
    #expect(bench.snapshot.isMuted, "the next push is a push again")
  }

  // MARK: CTL-6, both buttons

  @Test(
    "CTL-6 F14 both buttons within 30 ms are one gesture: no step",
    arguments: [
      0, 5, 10, 20, 25,
    ] as [Int64]
  )
  func pairInTime(gap: Int64) {
    for isUpFirst in [true, false] {
      var bench = Bench(.full())
      let (first, second): (Role, Role) =
        isUpFirst ? (.volumeUp, .volumeDown) : (.volumeDown, .volumeUp)
      bench.give(.edge(control: bench.index(first), state: 1))
      if gap > 0 { bench.ticks(gap / 5) }
      bench.set(second, true)
      bench.wait(500)
      bench.set(first, false)
      bench.set(second, false)
      bench.wait(1_000)
      #expect(bench.level == 4_000)
      #expect(!bench.snapshot.isMuted)
      #expect(bench.feedback() == [])
    }
  }

  @Test("CTL-6 30 ms after its edge the first button acts, and the second is one of its own")
  func pairTooLate() {
    for gap in [Int64(30), 35, 100] {
      var bench = Bench(.full())
      bench.set(.volumeUp, true)
      bench.ticks(gap / 5 - 1)
      bench.set(.volumeDown, true)
      let start = bench.policy.now
      bench.ticks(10)
      #expect(bench.feedback() == [.selection, .selection], "\(gap) ms")
      #expect(bench.level == 4_000)
      bench.wait(2_000)
      #expect(!bench.snapshot.isMuted)
      #expect(bench.policy.now > start)
    }
  }

  @Test("CTL-6 of a pair each acts 30 ms after its edge; alone on its board at once")
  func acting() {
    var bench = Bench(.full())
    bench.set(.volumeUp, true)
    bench.ticks(5)
    #expect(bench.level == 4_000)
    bench.tick()
    #expect(bench.level == 4_625)
    var alone = Bench(.plain())
    alone.set(.volumeUp, true)
    #expect(alone.level == 4_625)
  }

  @Test("CTL-6 a press shorter than 30 ms acts all the same, once")
  func shortPress() {
    var bench = Bench(.full())
    bench.press(.volumeUp, for: 10)
    #expect(bench.level == 4_625)
  }

  @Test("CTL-6 both buttons for 1 s are the mute, once, and not 5 ms before")
  func pairHeld() {
    var bench = Bench(.full())
    bench.give(.edge(control: bench.index(.volumeUp), state: 1))
    bench.set(.volumeDown, true)
    bench.ticks(199)
    #expect(!bench.snapshot.isMuted)
    bench.tick()
    #expect(bench.snapshot.isMuted)
    bench.wait(5_000)
    #expect(bench.snapshot.isMuted)
    #expect(bench.level == 4_000)
    bench.set(.volumeUp, false)
    bench.set(.volumeDown, false)
    bench.wait(100)
    #expect(bench.snapshot.isMuted)
    bench.press(.volumeUp)
    #expect(bench.level == 4_625, "the next press is a press again")
  }

  @Test("CTL-6 a pair that one finger leaves before 1 s does nothing", arguments: [true, false])
  func pairLeft(upLeaves: Bool) {
    var bench = Bench(.full())
    bench.give(.edge(control: bench.index(.volumeUp), state: 1))
    bench.set(.volumeDown, true)
    bench.wait(900)
    bench.set(upLeaves ? .volumeUp : .volumeDown, false)
    bench.wait(3_000)
    #expect(!bench.snapshot.isMuted)
    #expect(bench.level == 4_000)
  }

  // MARK: CTL-7

  @Test("CTL-7 power held 2 s: silence, persist, power off; a shorter press does nothing")
  func power() {
    for (held, isOff) in [(Int64(50), false), (1_000, false), (1_995, false), (2_000, true)] {
      var bench = Bench(.full())
      let start = bench.policy.now
      bench.set(.power, true)
      bench.ticks(held / 5 - 1)
      bench.set(.power, false)
      bench.wait(3_000)
      let finished = bench.ticks(since: start) { $0 == .finished(powerOff: true) }
      #expect(finished.count == (isOff ? 1 : 0), "held \(held) ms")
      #expect(bench.hears(0) == !isOff)
      guard isOff else { continue }
      let silenced = bench.ticks(since: start) { $0 == .switched(output: 0, on: false) }
      #expect(silenced.count == 1)
      #expect(silenced[0] < finished[0])
      #expect(bench.ticks(since: start) { $0 == .persist } == finished)
    }
  }

  @Test("CTL-7 power must be stable: a contact that bounces on begins its 2 s anew or never")
  func powerUnstable() {
    var bench = Bench(.full())
    bench.set(.power, true)
    for _ in 0..<100 {
      bench.wait(20)
      bench.set(.power, false)
      bench.wait(20)
      bench.set(.power, true)
    }
    #expect(bench.count { if case .finished = $0 { true } else { false } } == 0)
  }

  @Test("CTL-7 power that was held at the start is no press, however long")
  func powerAtStart() {
    var bench = Bench(.full(), starts: false)
    for index in 0..<8 {
      bench.give(.level(control: UInt8(index), state: index == 7 ? 1 : index == 5 ? 3 : 0))
    }
    bench.give(.output(0, present: true))
    bench.wait(10_000)
    #expect(bench.count { if case .finished = $0 { true } else { false } } == 0)
  }

  // MARK: Contacts

  @Test("a press is accepted on its first edge, and the next change after 10 ms of rest")
  func contact() {
    var contact = Contact()
    contact.sample(false, at: 0)
    #expect(contact.take(edges: 1, state: true, at: 10, debounceTicks: 2) == .pressed)
    #expect(contact.take(edges: 1, state: false, at: 11, debounceTicks: 2) == .none)
    #expect(contact.elapse(at: 12, debounceTicks: 2) == .none)
    #expect(contact.elapse(at: 13, debounceTicks: 2) == .released)
    #expect(contact.take(edges: 1, state: true, at: 14, debounceTicks: 2) == .pressed)
    #expect(contact.take(edges: 2, state: true, at: 15, debounceTicks: 2) == .none)
    #expect(contact.take(edges: 1, state: false, at: 16, debounceTicks: 2) == .none)
    #expect(contact.take(edges: 1, state: true, at: 17, debounceTicks: 2) == .none)
    #expect(contact.elapse(at: 19, debounceTicks: 2) == .none)
    #expect(contact.changes == 3)
  }

  @Test("an edge that is gone when its tick runs is a glitch, counted, and the next judged anew")
  func glitch() {
    var bench = Bench(.plain())
    bench.give(.edge(control: 0, state: 1))
    bench.give(.edge(control: 0, state: 0))
    bench.tick()
    #expect(bench.snapshot.controls[0].glitches == 1)
    #expect(bench.level == 4_000)
    bench.set(.volumeUp, true)
    #expect(bench.level == 4_625)
  }

  @Test("a button held for more than 60 s is stuck, told once, and repeats no more")
  func stuck() {
    var bench = Bench(.full())
    bench.set(.mute, true)
    bench.ticks(11_999)
    #expect(bench.notices() == [])
    bench.tick()
    #expect(bench.notices() == [.stuck])
    #expect(bench.snapshot.controls[Int(bench.index(.mute))].isStuck)
    bench.ticks(2_000)
    #expect(bench.notices() == [.stuck])
    bench.set(.mute, false)
    bench.wait(100)
    #expect(!bench.snapshot.controls[Int(bench.index(.mute))].isStuck)
    bench.press(.mute)
    #expect(!bench.snapshot.isMuted)
  }

  @Test("a floating pin costs bounded work, is reported as noisy once, and changes nothing")
  func noise() {
    var bench = Bench(.plain())
    for round in 0..<400 {
      for edge in 0..<10 {
        bench.give(.edge(control: 0, state: UInt8((round + edge) % 2)))
      }
      bench.tick()
    }
    #expect(bench.notices() == [.noisy])
    #expect(bench.snapshot.controls[0].isNoisy)
    let level = bench.level
    bench.wait(500)
    #expect(bench.level == level)
    bench.give(.edge(control: 0, state: 0))
    bench.wait(3_000)
    #expect(!bench.snapshot.controls[0].isNoisy)
    bench.press(.volumeUp)
    #expect(bench.level == min(level + 625, 10_000))
  }

  @Test("a line that goes away is a button let go, and its return is a first sample")
  func lineLost() {
    var bench = Bench(.plain())
    bench.set(.volumeUp, true)
    bench.give(.line(control: 0, present: false))
    bench.wait(3_000)
    #expect(bench.level == 4_625)
    #expect(bench.notices() == [.lineLost])
    #expect(!bench.snapshot.controls[0].isPresent)
    bench.give(.line(control: 0, present: true))
    bench.give(.level(control: 0, state: 1))
    bench.wait(3_000)
    #expect(bench.level == 4_625)
    #expect(bench.notices() == [.lineLost, .lineBack])
    bench.set(.volumeUp, false)
    bench.wait(50)
    bench.press(.volumeUp)
    #expect(bench.level == 5_250)
  }

  @Test("a silent switch whose line goes away stays where it was")
  func switchLost() {
    var bench = Bench(.full())
    bench.set(.silentSwitch, true)
    bench.wait(100)
    bench.give(.line(control: bench.index(.silentSwitch), present: false))
    bench.wait(1_000)
    #expect(bench.snapshot.isSilentSwitchOn)
    bench.give(.line(control: bench.index(.silentSwitch), present: true))
    bench.give(.level(control: bench.index(.silentSwitch), state: 0))
    bench.wait(100)
    #expect(!bench.snapshot.isSilentSwitchOn)
  }

  @Test("an edge that was lost is made good by the next reading of the level, and counted")
  func lostEdge() {
    var bench = Bench(.plain())
    bench.set(.volumeUp, true)
    bench.wait(600)
    bench.give(.level(control: 0, state: 0))
    bench.wait(100)
    let level = bench.level
    #expect(bench.snapshot.controls[0].lostEdges == 1)
    bench.wait(2_000)
    #expect(bench.level == level)
  }

  // MARK: Encoder

  @Test("every transition of the state table: one place on the circle, or a jump that is no step")
  func transitions() {
    let circle: [UInt8] = [0b11, 0b01, 0b00, 0b10]
    for from in 0..<4 {
      for to in 0..<4 {
        var encoder = Encoder()
        encoder.sample(circle[from])
        let control = Control(role: .knob, transitionsPerDetent: 1)
        let step = encoder.turn(to: circle[to], at: 1_000, control: control, restTicks: 100)
        let expected: Int32 = [0, 1, 0, -1][(to - from + 4) % 4]
        #expect(step == expected, "\(circle[from]) to \(circle[to])")
        #expect(encoder.illegalJumps == ((to - from + 4) % 4 == 2 ? 1 : 0))
      }
    }
  }

  @Test("the first partial detent makes no step, wherever the knob stood at the start")
  func partialDetent() {
    for start in [0b11, 0b01, 0b00, 0b10] as [UInt8] {
      var encoder = Encoder()
      encoder.sample(start)
      let control = Control(role: .knob, transitionsPerDetent: 4)
      let circle: [UInt8] = [0b11, 0b01, 0b00, 0b10]
      var place = circle.firstIndex(of: start) ?? 0
      var steps: Int32 = 0
      while place < 4 {
        place += 1
        steps += encoder.turn(to: circle[place % 4], at: 10, control: control, restTicks: 100)
      }
      #expect(steps == (start == 0b11 ? 1 : 0))
    }
  }

  @Test("acceleration is bounded by four, and off unless asked for")
  func acceleration() {
    for limit in 1...4 as ClosedRange<Int32> {
      var encoder = Encoder()
      let control = Control(role: .knob, acceleration: limit)
      var factors: [Int32] = []
      for tick in [1_000, 1_001, 1_005, 1_012, 1_100] as [Tick] {
        factors.append(encoder.factor(at: tick, control: control))
      }
      #expect(factors.allSatisfy { (1...limit).contains($0) })
      #expect(factors[1] == limit)
      #expect(factors.last == 1)
    }
    #expect(Control(role: .knob).acceleration == 1)
  }
}
