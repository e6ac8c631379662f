// SPDX-License-Identifier: Apache-2.0
//
// What holds for every history of inputs: drawn from seeds, so that a failure names the one to run
// again.

import Testing

@testable import TactusCore

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Wild hands, players, programs and cards: inputs at ticks, drawn from a seed.
struct History {
  /// Inputs by tick, in order of time.
  private(set) var moments: [(tick: Tick, inputs: [Input])] = []
  let configuration: Configuration

  init(seed: UInt64, length: Tick) {
    var generator = SeededGenerator(seed: seed)
    var configuration = Configuration.full(playing: Bool.random(using: &generator))
    if Bool.random(using: &generator) {
      configuration.outputs[0].amplifier = Amplifier(
        enableTicks: Tick.random(in: 0...5, using: &generator),
        disableTicks: Tick.random(in: 0...5, using: &generator),
        idleOffTicks: Bool.random(using: &generator) ? 150 : 0
      )
    }
    configuration.outputs[0].hasVolume = Int.random(in: 0..<4, using: &generator) > 0
    configuration.outputs[1].hasSwitch = Int.random(in: 0..<4, using: &generator) > 0
    configuration.sources.append(Source(category: .ambient, playsAtStart: true))
    configuration.sources.append(Source(category: .playback, hasPlayer: true, isAdopted: true))
    configuration.controls.append(Control(role: .microphoneSwitch))
    configuration.controls.append(Control(role: .headset))
    configuration.hasCaptureSwitch = true
    configuration.settings.resumesOnReplug = Bool.random(using: &generator)
    self.configuration = configuration
    var first: [Input] = configuration.controls.indices.map {
      .level(control: UInt8($0), state: configuration.controls[$0].role == .knob ? 3 : 0)
    }
    for output in configuration.outputs.indices {
      first.append(.output(UInt8(output), present: true))
    }
    moments.append((1, first))
    var tick: Tick = 20
    while tick < length {
      let count = Int.random(in: 1...4, using: &generator)
      moments.append((tick, (0..<count).map { _ in draw(&generator) }))
      let isLong = Int.random(in: 0..<6, using: &generator) == 0
      tick += Tick.random(in: isLong ? 100...900 : 1...30, using: &generator)
    }
  }

  private func draw(_ generator: inout SeededGenerator) -> Input {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<8:
      let control = UInt8.random(in: 0..<10, using: &generator)
      let isKnob = configuration.controls[Int(control)].role == .knob
      // Held power ends every history.
      guard configuration.controls[Int(control)].role != .power else { return draw(&generator) }
      let state = UInt8.random(in: 0...(isKnob ? 3 : 1), using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: return .level(control: control, state: state)
      case 1: return .lost(control: control, count: 2)
      case 2: return .line(control: control, present: state != 0)
      default: return .edge(control: control, state: state)
      }
    case 8..<11:
      let source = UInt8.random(in: 0..<10, using: &generator)
      if Int.random(in: 0..<6, using: &generator) == 0 {
        return .sourceControl(source, present: Bool.random(using: &generator))
      }
      return .session(source, SessionEvent.allCases.randomElement(using: &generator) ?? .play)
    case 11: return .output(UInt8.random(in: 0..<2, using: &generator), present: false)
    case 12..<14: return .output(UInt8.random(in: 0..<2, using: &generator), present: true)
    case 14:
      let gain = Gain(millibels: Int32.random(in: -7_000...300, using: &generator))
      return .gain(output: UInt8.random(in: 0..<2, using: &generator), gain)
    case 15: return .switched(output: 0, on: Bool.random(using: &generator))
    default: return .request(token: 1, request(&generator))
    }
  }

  private func request(_ generator: inout SeededGenerator) -> Request {
    let level = Level(parts: Int32.random(in: 0...10_000, using: &generator))
    switch Int.random(in: 0..<16, using: &generator) {
    case 8..<11:
      return .open(peer: UInt16(Int.random(in: 0..<3, using: &generator)), source(&generator))
    case 11: return .command(Command.allCases.randomElement(using: &generator) ?? .toggle)
    case 12..<16: return change(UInt8.random(in: 0..<10, using: &generator), &generator)
    case 0: return .setLevel(.system, level)
    case 1: return .setLevel(.ringer, level)
    case 2: return .setMute(Bool.random(using: &generator))
    case 3: return .toggleMute
    case 4: return .chooseRoute(UInt8.random(in: 0..<3, using: &generator))
    case 5: return .setBalance(Int8.random(in: -100...100, using: &generator))
    case 6: return .step(.system, Int8.random(in: -3...3, using: &generator))
    default: return .setSilent(Bool.random(using: &generator))
    }
  }
}

extension History {
  private func source(_ generator: inout SeededGenerator) -> Source {
    let named = NamedKind.all.randomElement(using: &generator) ?? NamedKind.named("ambient")
    var source = named.source
    source.resumesAlways = Int.random(in: 0..<5, using: &generator) == 0
    source.overridesMutedMicrophone = Int.random(in: 0..<3, using: &generator) == 0
    return source
  }

  private func change(_ place: UInt8, _ generator: inout SeededGenerator) -> Request {
    let kind = source(&generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: return .setCategory(place, kind.category)
    case 1: return .setMode(place, kind.mode)
    case 2: return .setOptions(place, kind.options)
    case 3:
      return .setSessionGain(place, Gain(millibels: Int32.random(in: -600...0, using: &generator)))
    default:
      return .session(place, SessionEvent.allCases.randomElement(using: &generator) ?? .play)
    }
  }
}

@Suite struct PropertyTests {
  @Test(
    "T-2 a policy that sleeps to its deadline does what one worked through in every tick does",
    arguments: 0..<200 as Range<UInt64>
  )
  func sleeping(seed: UInt64) {
    let history = History(seed: seed, length: 1_200)
    var stepped = Bench(history.configuration, starts: false)
    stepped.neverRests = true
    var slept = Bench(history.configuration, starts: false)
    for (tick, inputs) in history.moments {
      while stepped.policy.now < tick - 1 { stepped.tick() }
      while slept.nextWake <= tick - 1 { slept.wake() }
      for input in inputs {
        stepped.give(input)
        slept.give(input)
      }
      stepped.tick()
      slept.tick(at: tick)
      #expect(stepped.snapshot.facts == slept.snapshot.facts, "seed \(seed) at \(tick)")
      guard stepped.snapshot.facts == slept.snapshot.facts else { return }
    }
    #expect(stepped.history.count == slept.history.count, "seed \(seed)")
    for (one, other) in zip(stepped.history, slept.history) {
      #expect(
        one.tick == other.tick && one.effect == other.effect,
        "seed \(seed): \(one) or \(other)"
      )
      guard one.tick == other.tick && one.effect == other.effect else { return }
    }
    #expect(slept.snapshot.lateTicks == 0, "seed \(seed)")
  }

  @Test(
    "SES-2 SES-5 SES-14 after every tick holders and floors fit together",
    arguments: 2_000..<2_200 as Range<UInt64>
  )
  func floors(seed: UInt64) {
    let history = History(seed: seed, length: 1_500)
    var bench = Bench(history.configuration, starts: false)
    for (tick, inputs) in history.moments {
      while bench.nextWake <= tick - 1 {
        bench.wake()
        guard fits(bench, seed) else { return }
      }
      for input in inputs { bench.give(input) }
      bench.tick(at: tick)
      guard fits(bench, seed) else { return }
    }
  }

  private func fits(_ bench: Bench, _ seed: UInt64) -> Bool {
    let sources = bench.snapshot.sources
    let now = bench.policy.now
    var breach: String?
    var heard = 0
    let hasAlarm = sources.indices.contains {
      sources[$0].isActive && sources[$0].category == .alarm
    }
    for index in sources.indices {
      let state = sources[index]
      let kind = SessionKind(state.category, mode: state.mode, options: state.options)
      if !state.isOpen && (state.isActive || state.interruption != nil) {
        breach = "closed, active"
      }
      if state.isActive && state.interruption != nil { breach = "active and interrupted" }
      if state.isActive && hasAlarm && state.category != .alarm && state.category != .systemSound
        && !kind.isCall
      {
        breach = "beside an alarm"
      }
      if state.interruption == nil && state.holders != 0 { breach = "held without knowing" }
      for other in 0..<32 where state.holders & 1 << UInt32(other) != 0 {
        guard other < sources.count, sources[other].isOpen else {
          breach = "held by nobody"
          continue
        }
        if !sources[other].isActive && sources[other].interruption == nil {
          breach = "held by one at rest"
        }
        if sources[other].holders & 1 << UInt32(index) != 0 { breach = "held by each other" }
      }
      if kind.isNonmixable && kind.category != .record && bench.hears(index) { heard += 1 }
    }
    if heard > 1 { breach = "two nonmixable heard" }
    #expect(breach == nil, "seed \(seed) at \(now)")
    return breach == nil
  }

  @Test(
    "T-6 VOL-9 in every tick the deadline lies ahead, and each control is written once at most",
    arguments: 1_000..<1_100 as Range<UInt64>
  )
  func everyTick(seed: UInt64) {
    let history = History(seed: seed, length: 1_000)
    var bench = Bench(history.configuration, starts: false)
    for (tick, inputs) in history.moments {
      while bench.policy.now < tick - 1 { check(&bench, seed) }
      for input in inputs { bench.give(input) }
      check(&bench, seed)
    }
  }

  private func check(_ bench: inout Bench, _ seed: UInt64) {
    let before = bench.history.count
    bench.tick()
    let now = bench.policy.now
    if let deadline = bench.policy.deadline {
      #expect(deadline > now, "seed \(seed) at \(now)")
    }
    let effects = bench.history[before...].map(\.effect)
    let writes = effects.filter(\.isWrite)
    for (index, write) in writes.enumerated() {
      #expect(
        !writes[(index + 1)...].contains { $0.isSameControl(as: write) },
        "seed \(seed) at \(now): written twice"
      )
    }
    // Amplifiers fall silent first, then codecs; nothing is let out before all that is silenced.
    let amplifierOff = writes.lastIndex {
      if case .amplifier(_, false) = $0 { true } else { false }
    }
    let codecOff = writes.firstIndex { if case .switched(_, false) = $0 { true } else { false } }
    if let amplifierOff, let codecOff {
      #expect(amplifierOff < codecOff, "seed \(seed) at \(now)")
    }
    let silences = writes.lastIndex {
      switch $0 {
      case .amplifier(_, let on), .switched(_, let on): !on
      case .source(_, let gain): gain.isSilence
      default: false
      }
    }
    let lettingOut = writes.firstIndex {
      switch $0 {
      case .amplifier(_, let on), .switched(_, let on): on
      default: false
      }
    }
    if let silences, let lettingOut {
      #expect(silences < lettingOut, "seed \(seed) at \(now)")
    }
  }

  @Test("VOL-5 set then get is the identity, for every level 0…10 000")
  func identity() {
    var bench = Bench(.plain())
    for parts in 0...10_000 as ClosedRange<Int32> {
      bench.ask(.setLevel(.system, Level(parts: parts)))
      #expect(bench.level == parts)
    }
    bench.wait(500)
    #expect(bench.level == 10_000)
  }

  @Test("VOL-5 what the codec rounds to is never taken for what was asked")
  func rounding() {
    var bench = Bench(.plain())
    bench.keepsQuiet = { if case .gain = $0 { true } else { false } }
    for parts in stride(from: Int32(1), through: 10_000, by: 97) {
      bench.ask(.setLevel(.system, Level(parts: parts)))
      // A codec with steps of half a decibel.
      let written = bench.hardware.gains[0].millibels
      bench.give(.gain(output: 0, Gain(millibels: (written - 49) / 50 * 50)))
      bench.wait(50)
      #expect(bench.level == parts)
    }
    #expect(bench.notices() == [])
  }

  @Test(
    "VOL-5 200 pairs of a step up and one down that touch no end leave level and gain unchanged",
    arguments: [1, 624, 625, 626, 3_141, 4_000, 9_374, 9_375] as [Int32]
  )
  func pairs(parts: Int32) {
    var bench = Bench(.plain())
    bench.ask(.setLevel(.system, Level(parts: parts)))
    bench.wait(50)
    let gain = bench.hardware.gains[0]
    for _ in 0..<200 {
      bench.ask(.step(.system, 1))
      bench.ask(.step(.system, -1))
    }
    bench.wait(50)
    #expect(bench.level == parts)
    #expect(bench.hardware.gains[0] == gain)
    var knob = Bench(.full())
    knob.ask(.setLevel(.system, Level(parts: parts)))
    for _ in 0..<200 {
      knob.turn(1)
      knob.turn(-1)
    }
    #expect(knob.level == parts)
  }

  @Test("VOL-4 every window is monotone over all levels, and strictly so from step to step")
  func monotone() {
    var generator = SeededGenerator(seed: 4)
    for number in 0..<60 {
      let top = Int32.random(in: -3_000...2_400, using: &generator)
      let span =
        number < 20 ? Int32(number + 1) * 100 : Int32.random(in: 100...12_000, using: &generator)
      let curve = Curve(lowest: Gain(millibels: top - span), top: Gain(millibels: top))
      #expect(curve.gain(at: .full).millibels == top)
      #expect(curve.gain(at: .zero).millibels == top - min(span, 6_000))
      var last = curve.gain(at: .zero)
      for parts in 1...10_000 as ClosedRange<Int32> {
        let gain = curve.gain(at: Level(parts: parts))
        guard gain >= last else {
          Issue.record("span \(span): falls at \(parts)")
          break
        }
        last = gain
      }
      for offset in [0, 1, 300, 624] as [Int32] {
        for step in 0..<15 as Range<Int32> {
          let lower = curve.gain(at: Level(parts: offset + step * 625))
          #expect(lower < curve.gain(at: Level(parts: offset + (step + 1) * 625)), "span \(span)")
        }
      }
    }
  }

  @Test("VOL-4 the curve is the formula's, to a hundredth of a decibel, at every level")
  func formula() {
    for (floor, top) in [(-60.0, 0.0), (-56, 4), (-36, 0), (-25, 0), (-57, 3)] {
      let curve = Curve(
        lowest: Gain(millibels: Int32(floor * 100)),
        top: Gain(millibels: Int32(top * 100))
      )
      for parts in 0...10_000 as ClosedRange<Int32> {
        let reference = referenceGain(parts, floor: floor, top: top)
        #expect(abs(curve.gain(at: Level(parts: parts)).millibels - reference) <= 1)
      }
    }
  }

  @Test("VOL-4 the gains of the alsamixer curve on real codecs, without the window of 60 dB")
  func alsamixer() {
    // The first two have a lowest value that is mute: their curve goes on downwards without end.
    let table: [(lowest: Int32, top: Int32, decibels: [Double])] = [
      (-30_000, 0, [-60, -36.1, -18.1, -7.5, -2.8, 0]),
      (-30_000, 400, [-56, -32.1, -14.1, -3.5, 1.3, 4]),
      (-5_700, 600, [-38.7, -24, -9.8, -0.7, 3.5, 6]),
      (-5_100, 0, [-38.6, -26.9, -14.6, -6.3, -2.3, 0]),
      (-4_500, 0, [-35.1, -25, -13.8, -6, -2.2, 0]),
      (-2_000, 0, [-18, -15, -10, -5, -2, 0]),
    ]
    for (lowest, top, decibels) in table {
      let curve = Curve(
        lowest: Gain(millibels: lowest),
        top: Gain(millibels: top),
        windowMillibels: 30_000
      )
      for (percent, expected) in zip([10, 25, 50, 75, 90, 100] as [Int32], decibels) {
        let gain = Double(curve.gain(at: Level(percent: percent)).millibels) / 100
        #expect(abs(gain - expected) < 0.06, "\(lowest) at \(percent) %: \(gain)")
      }
    }
  }

  @Test("VOL-6 the level of a gain is the greatest one that is not above it")
  func levelOfGain() {
    let curve = Curve(lowest: Gain(millibels: -10_300), top: .unity)
    for millibels in stride(from: Int32(-6_100), through: 100, by: 7) {
      let gain = Gain(millibels: millibels)
      let level = curve.level(of: gain)
      #expect(curve.gain(at: level) <= gain || level == .zero)
      if level < .full { #expect(curve.gain(at: Level(parts: level.parts + 1)) > gain) }
    }
    #expect(curve.level(of: .silence) == .zero)
  }
}

extension Bench {
  /// The tick at which the loop would run next.
  var nextWake: Tick { hasInputs ? policy.now + 1 : policy.deadline ?? .max }
}

extension Effect {
  /// Whether both write to the same control of the hardware.
  fileprivate func isSameControl(as other: Effect) -> Bool {
    switch (self, other) {
    case (.gain(let one, _), .gain(let another, _)): one == another
    case (.switched(let one, _), .switched(let another, _)): one == another
    case (.amplifier(let one, _), .amplifier(let another, _)): one == another
    case (.source(let one, _), .source(let another, _)): one == another
    default: false
    }
  }
}
