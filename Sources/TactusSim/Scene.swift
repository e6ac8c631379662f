// SPDX-License-Identifier: Apache-2.0
//
// Everything that happens to the speaker, drawn from chance: hands, programs, players, faults. It
// alternates between phases:
//
//   rest   nothing happens, so that the device can come to rest
//   use    what people and programs do
//   wild   everything at once, faults included

import TactusCore

/// What happens to a speaker.
struct Scene {
  enum Phase: UInt8, Plain { case rest, use, wild }

  /// Something that ends what was begun.
  struct Sequel {
    var tick: Tick
    var act: Act
  }

  enum Act {
    case output(Int, present: Bool)
    case line(Int, present: Bool)
    case contact(Int, on: Bool)
    case move(Int, Gain)
    case glitch(Int)
    case session(Int, SessionEvent)
  }

  private let configuration: Configuration
  private let contacts: [Int]
  private let knobs: [Int]
  private let volumeButtons: [Int]
  private let detects: [Int]
  private let outputs: Int
  private let sources: Int
  private var random: Random
  private var phase = Phase.rest
  private var phaseEnd: Tick = 0
  private var nextAct: Tick = 0
  private var sequels: [Sequel] = []
  private var token: UInt16 = 0
  /// The daemon is to be killed now, and to come back after so many ticks.
  var restart: Tick?

  init(_ configuration: Configuration, random: Random) {
    self.configuration = configuration
    self.random = random
    outputs = configuration.outputs.count
    // Nobody but the device itself plays its own sounds.
    sources = configuration.sources.count - (configuration.soundSource == nil ? 0 : 1)
    var contacts: [Int] = []
    var knobs: [Int] = []
    var volumeButtons: [Int] = []
    var detects: [Int] = []
    for index in configuration.controls.indices {
      switch configuration.controls[index].role {
      case .knob: knobs.append(index)
      case .volumeUp, .volumeDown:
        volumeButtons.append(index)
        contacts.append(index)
      case .headphoneDetect:
        detects.append(index)
        contacts.append(index)
      default: contacts.append(index)
      }
    }
    self.contacts = contacts
    self.knobs = knobs
    self.volumeButtons = volumeButtons
    self.detects = detects
  }

  /// The tick of the next happening.
  var next: Tick { min(nextAct, sequels.last?.tick ?? .max) }

  /// By how many ticks the loop wakes too late this time.
  mutating func lateness() -> Tick {
    guard phase == .wild, random.oneIn(60) else { return 0 }
    return Tick(random.oneIn(3) ? random.within(1...1_000) : random.within(1...20))
  }

  /// Lets what is due at `next` happen.
  mutating func act(
    at tick: Tick,
    _ speaker: inout SimulatedSpeaker,
    _ statistics: inout Statistics
  ) {
    if let sequel = sequels.last, sequel.tick <= tick {
      sequels.removeLast()
      return perform(sequel.act, at: tick, &speaker, &statistics)
    }
    if tick >= phaseEnd { changePhase(at: tick) }
    switch phase {
    case .rest: nextAct = phaseEnd
    case .use:
      use(at: tick, &speaker, &statistics)
      nextAct = tick + Tick(random.within(4...160))
    case .wild:
      if random.oneIn(3) {
        harm(at: tick, &speaker, &statistics)
      } else {
        use(at: tick, &speaker, &statistics)
      }
      nextAct = tick + Tick(random.within(1...40))
    }
  }

  private mutating func changePhase(at tick: Tick) {
    switch random.below(8) {
    case 0...3:
      phase = .rest
      phaseEnd = tick + Tick(random.within(1_000...8_000))
    case 4...6:
      phase = .use
      phaseEnd = tick + Tick(random.within(200...1_500))
    default:
      phase = .wild
      phaseEnd = tick + Tick(random.within(50...400))
    }
  }

  private mutating func later(_ act: Act, at tick: Tick) {
    var place = sequels.count
    while place > 0, sequels[place - 1].tick <= tick { place -= 1 }
    sequels.insert(Sequel(tick: tick, act: act), at: place)
  }

  private mutating func perform(
    _ act: Act,
    at tick: Tick,
    _ speaker: inout SimulatedSpeaker,
    _ statistics: inout Statistics
  ) {
    switch act {
    case .output(let output, let present):
      speaker.setPresent(output: output, present, at: tick)
      // What comes back may not take its first writes.
      let part: Part = random.oneIn(2) ? .gain : .outputSwitch
      if random.oneIn(3) {
        speaker.fail(part, output, .refuses, until: tick + Tick(random.within(1...20)))
      }
    case .line(let control, let present): speaker.setPresent(control: control, present, at: tick)
    case .contact(let control, let on): speaker.set(control, on, at: tick)
    case .glitch(let control): speaker.glitch(control, pairs: 10, at: tick)
    case .session(let source, let event): speaker.session(source, event, at: tick)
    case .move(let output, let gain):
      speaker.move(output, to: gain, at: tick)
      statistics.met(.foreignMove)
    }
  }

  private mutating func pick(_ list: [Int]) -> Int? {
    list.isEmpty ? nil : list[random.below(list.count)]
  }

  // MARK: Use

  private mutating func use(
    at tick: Tick,
    _ speaker: inout SimulatedSpeaker,
    _ statistics: inout Statistics
  ) {
    switch random.below(20) {
    case 0...4: pressVolume(at: tick, &speaker)
    case 5: pressBoth(at: tick, &speaker)
    case 6...7: touch(at: tick, &speaker)
    case 8...9: plug(at: tick, &speaker)
    case 10...12: turn(at: tick, &speaker)
    case 13...14: ask(at: tick, &speaker)
    case 15...18: play(at: tick, &speaker)
    default: move(at: tick, &speaker, &statistics)
    }
  }

  private mutating func pressVolume(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard let button = pick(volumeButtons), isFree(button, at: tick, speaker) else { return }
    let hold = random.oneIn(3) ? random.within(60...500) : random.within(8...40)
    speaker.press(button, forTicks: Tick(hold), at: tick)
  }

  private mutating func pressBoth(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard volumeButtons.count == 2, isFree(volumeButtons[0], at: tick, speaker),
      isFree(volumeButtons[1], at: tick, speaker)
    else { return }
    let first = random.below(2)
    let hold = Tick(random.oneIn(2) ? random.within(210...400) : random.within(10...150))
    speaker.press(volumeButtons[first], forTicks: hold, at: tick)
    let second = volumeButtons[1 - first]
    later(.contact(second, on: true), at: tick + Tick(random.below(5)))
    later(.contact(second, on: false), at: tick + hold + Tick(random.within(8...12)))
  }

  /// A button is free when it is let go of and has stopped bouncing for long enough.
  private func isFree(_ control: Int, at tick: Tick, _ speaker: SimulatedSpeaker) -> Bool {
    !speaker.isBusy(control, at: tick - 20) && speaker.position(of: control) == 0
  }

  private mutating func touch(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard let control = pick(contacts), !speaker.isBusy(control, at: tick - 20) else { return }
    let setting = configuration.controls[control]
    switch setting.role {
    case .silentSwitch, .microphoneSwitch, .lid:
      speaker.set(control, speaker.position(of: control) == 0, at: tick)
    case .mute where setting.latching:
      speaker.set(control, speaker.position(of: control) == 0, at: tick)
    case .power:
      let hold = random.oneIn(6) ? 1_000 : random.within(10...300)
      speaker.press(control, forTicks: Tick(hold), at: tick)
    case .headphoneDetect: break
    case .volumeUp, .volumeDown:
      guard random.oneIn(20), speaker.position(of: control) == 0 else { return }
      let hold = min(configuration.timing.stuckTicks + 300, 14_000)
      speaker.press(control, forTicks: hold, at: tick)
    case .mute, .knob, .knobPush, .playPause, .play, .pause, .next, .previous, .stop, .headset,
      .microphoneMute:
      guard speaker.position(of: control) == 0 else { return }
      speaker.press(control, forTicks: Tick(random.within(8...120)), at: tick)
    }
  }

  private mutating func plug(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard let control = pick(detects), !speaker.isBusy(control, at: tick - 20) else { return }
    let target = speaker.position(of: control) == 0
    speaker.set(control, target, at: tick)
    var moment = tick
    // A plug slides: in and out again, ending where it was going, or back where it came from.
    let slides = random.below(4)
    for slide in 0..<slides {
      moment += Tick(random.within(4...30))
      later(.contact(control, on: slide % 2 == 0 ? !target : target), at: moment)
    }
  }

  private mutating func turn(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard let knob = pick(knobs), !speaker.isBusy(knob, at: tick) else { return }
    let detents = random.within(1...6) * (random.oneIn(2) ? 1 : -1)
    speaker.turn(knob, detents: detents, ticksPerDetent: Tick(random.within(1...8)), at: tick)
  }

  private mutating func ask(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    token &+= 1
    speaker.request(drawRequest(), token: token, at: tick)
  }

  private mutating func drawRequest() -> Request {
    let volumes: [Volume] = [.system, .system, .ringer]
    let volume = volumes[random.below(3)]
    switch random.below(17) {
    case 14: return .feedback(peer: 0, Feedback.allCases[random.below(7)])
    case 15: return .playSound(peer: 0, UInt8(random.below(9)))
    case 16: return .prepareFeedback(peer: 0)
    case 12...13: return .command(Command.allCases[random.below(Command.allCases.count)])
    case 0...2: return .setLevel(volume, Level(percent: Int32(random.within(0...100))))
    case 3: return .setGain(volume, Gain(millibels: Int32(-random.within(0...6_000))))
    case 4: return .step(volume, Int8(random.within(-3...3)))
    case 5...6: return .setMute(random.oneIn(2))
    case 7: return .toggleMute
    case 8: return .setSilent(random.oneIn(2))
    case 9...10: return .chooseRoute(UInt8(random.below(outputs + 1)))
    default:
      return random.oneIn(3)
        ? .setBalance(Int8(random.within(-100...100)))
        : .session(UInt8(random.below(sources)), random.oneIn(2) ? .play : .pause)
    }
  }

  private mutating func play(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    let source = random.below(sources)
    let category = configuration.sources[source].category
    if speaker.emits(source), !random.oneIn(3) || isBrief(category) {
      let ends: [SessionEvent] = [
        .pause, .stop, .notPlaying, .deactivate, .deactivateNotifying, .died,
      ]
      return speaker.session(source, ends[random.below(ends.count)], at: tick)
    }
    if random.oneIn(2) {
      speaker.session(source, .activate, at: tick)
      speaker.session(source, .playing, at: tick)
    } else {
      speaker.session(source, .play, at: tick)
    }
    if isBrief(category) {
      let end: SessionEvent = random.oneIn(3) ? .deactivate : .deactivateNotifying
      later(.session(source, end), at: tick + Tick(random.within(10...900)))
    }
    if random.oneIn(4) {
      speaker.setAnswer(
        ofSource: source,
        after: random.oneIn(3) ? nil : Tick(random.within(1...250))
      )
    }
  }

  /// What starts and ends by itself.
  private func isBrief(_ category: Category) -> Bool {
    switch category {
    case .ringtone, .alert, .systemSound, .alarm: true
    case .ambient, .soloAmbient, .playback, .record, .playAndRecord: false
    }
  }

  private mutating func move(
    at tick: Tick,
    _ speaker: inout SimulatedSpeaker,
    _ statistics: inout Statistics
  ) {
    let output = random.below(outputs)
    let gain = Gain(millibels: Int32(500 - random.within(0...6_000)))
    perform(.move(output, gain), at: tick, &speaker, &statistics)
    guard random.oneIn(4) else { return }
    for repetition in 1...5 {
      later(.move(output, Gain(millibels: 600)), at: tick + Tick(repetition * 30))
    }
  }

  // MARK: Harm

  private mutating func harm(
    at tick: Tick,
    _ speaker: inout SimulatedSpeaker,
    _ statistics: inout Statistics
  ) {
    switch random.below(16) {
    case 0...4: fail(at: tick, &speaker)
    case 5...6: loseOutput(at: tick, &speaker)
    case 7: loseLine(at: tick, &speaker)
    case 8...9: loseEdges(at: tick, &speaker)
    case 10...11:
      guard let control = pick(contacts) else { return }
      speaker.glitch(control, pairs: random.within(1...4), at: tick)
    case 12: storm(at: tick)
    case 13:
      restart = Tick(random.oneIn(2) ? random.within(1...10) : random.within(10...800))
      statistics.met(.restart)
    default: break
    }
  }

  private mutating func fail(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    let parts: [Part] = [.gain, .outputSwitch, .amplifier, .source]
    let part = parts[random.below(4)]
    let index = part == .source ? random.below(sources) : random.below(outputs)
    let length = random.oneIn(3) ? random.within(100...2_000) : random.within(1...12)
    speaker.fail(part, index, random.oneIn(2) ? .refuses : .ignores, until: tick + Tick(length))
  }

  private mutating func loseOutput(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    let isCard = random.oneIn(2)
    let only = random.below(outputs)
    let length = random.oneIn(2) ? random.within(1...40) : random.within(100...3_000)
    for output in 0..<outputs where isCard || output == only {
      speaker.setPresent(output: output, false, at: tick)
      later(.output(output, present: true), at: tick + Tick(length))
    }
  }

  private mutating func loseLine(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard let control = pick(contacts) else { return }
    speaker.setPresent(control: control, false, at: tick)
    later(.line(control, present: true), at: tick + Tick(random.within(1...800)))
  }

  private mutating func loseEdges(at tick: Tick, _ speaker: inout SimulatedSpeaker) {
    guard let control = pick(contacts) else { return }
    speaker.lose(control, changes: random.within(1...5), reported: random.oneIn(2))
  }

  /// A floating pin.
  private mutating func storm(at tick: Tick) {
    guard let control = pick(contacts) else { return }
    for moment in 0..<60 { later(.glitch(control), at: tick + Tick(moment)) }
  }
}
