// SPDX-License-Identifier: Apache-2.0
//
// What is told of the device outside.

import TactusCore
import Testing

@testable import TactusLinux

@Suite("Description")
struct DescriptionTests {
  @Test("Describe has the keys that programs rely on")
  func keys() throws {
    var description = Description.example
    description.keep(DeviceEvent(tick: 1, kind: "stuck", object: "jack", text: "words"))
    let json = description.json
    #expect(
      keys(json) == [
        "version", "board", "simulated", "tick", "seconds", "level", "levelPercent", "ringer",
        "ringerPercent", "keysSet", "muted", "silentSwitch", "silent", "indication", "reasons",
        "why", "route", "balance", "routes", "sources", "controls", "limit", "feedback", "late",
        "counters", "stateFolder", "stateFault", "faults", "events",
      ]
    )
    #expect(
      keys(json["counters"]) == [
        "ticks", "writes", "failures", "notices", "sessionsOpened", "sessionsRefused",
        "interruptions",
      ]
    )
    #expect(keys(json["silentSwitch"]) == ["on", "hardware"])
    #expect(keys(json["limit"]) == ["armed", "level"])
    #expect(
      keys(json["routes"]?.elements.first) == [
        "name", "kind", "present", "available", "level", "maximumLevel", "gainDecibels", "on",
        "amplifier", "faulty", "foreignMoves",
      ]
    )
    #expect(
      keys(json["sources"]?.elements.first) == [
        "name", "category", "mode", "options", "opened", "state", "active", "playing", "heldBy",
        "reasons", "silence", "gainDecibels", "why",
      ]
    )
    #expect(
      keys(json["controls"]?.elements.first) == [
        "name", "role", "present", "state", "changes", "glitches", "lostEdges", "illegalJumps",
        "stuck", "noisy", "edges", "gaps", "rests",
      ]
    )
    #expect(keys(json["feedback"]) == ["channels", "sounds"])
    #expect(
      keys(json["events"]?.elements.first) == [
        "tick", "seconds", "kind", "object", "text", "count",
      ]
    )
  }

  @Test("what a tick does is counted by its part, its kind and its outcome")
  func counters() {
    var description = Description.example
    var inputs = Inputs(filler: .level(control: 0, state: 0))
    inputs.append(.failed(.amplifier, 1))
    var effects = Effects(filler: .readLevels)
    for effect: Effect in [
      .gain(output: 1, .unity), .switched(output: 0, on: true), .source(7, .unity),
      .notice(.limitRearmed, 0, count: 1), .opened(token: 1, 4), .reply(token: 2, .busy),
      .reply(token: 3, .done), .interruptionBegan(0, .alarm, by: 4, .ses2),
    ] {
      effects.append(effect)
    }
    description.counters.count(inputs, effects)
    let json = description.json["counters"]
    #expect(json?["ticks"]?.integer == 1)
    let writes = json?["writes"]?.elements.map { $0.integer } ?? []
    #expect(writes.count == Part.allCases.count * Configuration.maximumOutputs)
    #expect(writes.indices.filter { writes[$0] == 1 } == [1, 5, 15])
    let failures = json?["failures"]?.elements.map { $0.integer } ?? []
    #expect(failures.count == Part.allCases.count)
    #expect(failures.indices.filter { failures[$0] == 1 } == [2])
    let notices = json?["notices"]?.elements.map { $0.integer } ?? []
    #expect(notices.count == Notice.allCases.count)
    #expect(notices.last == 1)
    #expect(json?["sessionsOpened"]?.integer == 1)
    #expect(json?["sessionsRefused"]?.integer == 1)
    #expect(json?["interruptions"]?.integer == 1)
  }

  private func keys(_ json: Json?) -> [String] {
    guard case .object(let members) = json else { return [] }
    return members.map(\.name)
  }

  @Test("gains are decibels, silence is ALSA's -99999.99, and what is not known is null")
  func values() {
    var description = Description.example
    description.snapshot.sources[0].appliedGain = .silence
    let json = description.json
    #expect(json["routes"]?.elements[0]["gainDecibels"] == .number(-20.2))
    #expect(json["routes"]?.elements[1]["gainDecibels"] == .null)
    #expect(json["sources"]?.elements[0]["gainDecibels"] == .number(-99_999.99))
    #expect(json["routes"]?.elements[0]["on"] == .null)
    #expect(json["route"] == .text("speaker"))
    description.snapshot.route = nil
    #expect(description.json["route"] == .null)
  }

  @Test("a property is announced exactly when its value differs")
  func differences() {
    var random = SeededGenerator(seed: 11)
    var differing: Set<BusProperty> = []
    for _ in 0..<2_000 {
      var before = Description.example
      var after = Description.example
      before.snapshot.disturb(&random)
      after.snapshot.disturb(&random)
      for property in BusProperty.allCases {
        let differs = before.value(of: property) != after.value(of: property)
        #expect(after.differs(property, from: before.snapshot) == differs, "\(property)")
        if differs { differing.insert(property) }
      }
    }
    #expect(differing == Set(BusProperty.allCases).subtracting([.version, .board, .sources]))
  }

  @Test("the last 32 events are kept, the oldest go first")
  func eventRing() {
    var description = Description.example
    for tick in 1...40 {
      description.keep(DeviceEvent(tick: Int64(tick), kind: "", object: "", text: ""))
    }
    #expect(description.events.map(\.tick) == Array(9...40))
  }

  @Test("effects for people become events under the board's names; others do not")
  func effects() {
    let names = Description.example.names
    let route = DeviceEvent(
      .routeChanged(.newDeviceAvailable, previous: 0, current: 1),
      at: 5,
      names: names
    )
    #expect(
      route
        == DeviceEvent(
          tick: 5,
          kind: "route",
          object: "headphones",
          text: "new-device-available, before: speaker"
        )
    )
    #expect(DeviceEvent(.notice(.notSilent, 0, count: 1), at: 5, names: names)?.object == "speaker")
    #expect(DeviceEvent(.notice(.stuck, 0, count: 1), at: 5, names: names)?.object == "volume-up")
    #expect(DeviceEvent(.feedback(.light, .led), at: 5, names: names)?.text == "light")
    #expect(DeviceEvent(.playSound(7), at: 5, names: names)?.text == "gong")
    #expect(DeviceEvent(.gain(output: 0, .unity), at: 5, names: names) == nil)
  }
}

extension DescriptionTests {
  @Test("FBK-6 every notice ends with its next step; what has none is for the journal")
  func nextSteps() {
    var withoutStep: [Notice] = []
    for notice in Notice.allCases {
      let event = DeviceEvent(.notice(notice, 0, count: 1), at: 9, names: Description.example.names)
      #expect(event?.kind == notice.name && event?.text == notice.sentence)
      #expect(notice.sentence.utf8.count < 100)
      guard let step = notice.nextStep else {
        withoutStep.append(notice)
        continue
      }
      #expect(step.utf8.count > 10 && notice.sentence.hasSuffix(", \(step)"))
      #expect(notice.sentence.utf8.count > step.utf8.count + 10, "it also says what is wrong")
    }
    #expect(withoutStep == [.lineBack, .outputBack, .writeRecovered])
  }

  @Test("FBK-6 an equal notice takes the place of the one before, with the newest time and count")
  func repeatedNotices() {
    var description = Description.example
    func take(_ notice: Notice, _ index: UInt8, _ count: UInt16, at tick: Tick) -> Bool {
      let names = description.names
      let event = DeviceEvent(.notice(notice, index, count: count), at: tick, names: names)
      return event.map { description.take($0) } ?? false
    }
    #expect(take(.foreignMixer, 0, 1, at: 1))
    #expect(take(.stuck, 0, 1, at: 2))
    #expect(take(.foreignMixer, 1, 1, at: 3))
    #expect(take(.foreignMixer, 0, 2, at: 4))
    #expect(description.events.map(\.tick) == [2, 3, 4])
    #expect(take(.foreignMixer, 0, 3, at: 5))
    #expect(description.events.map(\.tick) == [2, 3, 5])
    #expect(description.events.map(\.count) == [1, 1, 3])
    // Ten minutes later it is news again, beside the old one.
    #expect(take(.foreignMixer, 0, 1, at: 120_006))
    #expect(description.events.map(\.count) == [1, 1, 3, 1])
  }

  @Test(
    "FBK-6 what is over asks for nothing any more",
    arguments: [
      (.lineLost, .lineBack), (.outputLost, .outputBack), (.writeFault, .writeRecovered),
      (.notSilent, .writeRecovered),
    ] as [(Notice, Notice)]
  )
  func endedNotices(begun: Notice, ended: Notice) {
    var description = Description.example
    let names = description.names
    for index in UInt8(0)...1 {
      let event = DeviceEvent(.notice(begun, index, count: 1), at: 1, names: names)
      #expect(event.map { description.take($0) } == true)
    }
    let event = DeviceEvent(.notice(ended, 0, count: 1), at: 2, names: names)
    #expect(event.map { description.take($0) } == false)
    #expect(description.events.count == 1)
    #expect(description.events.first?.object != event?.object)
  }

  @Test("FBK-7 the description says what the lamp shows and how the device answers")
  func answers() {
    var description = Description.example
    #expect(description.json["indication"]?.text == "rest")
    #expect(description.json["feedback"]?["channels"]?.elements.isEmpty == true)
    #expect(description.json["feedback"]?["sounds"]?.elements.isEmpty == true)
    description.snapshot.isCaptureOn = false
    description.configuration.feedbackChannels = .haptic.union(.sound)
    description.configuration.settings.feedback.soundPercent = 60
    let json = description.json
    #expect(json["indication"]?.text == "microphone-off")
    let channels = json["feedback"]?["channels"]?.elements ?? []
    #expect(channels.map { $0["name"]?.text } == ["haptic", "sound"])
    #expect(channels.map { $0["percent"]?.integer } == [100, 60])
    let sounds = json["feedback"]?["sounds"]?.elements.map { $0.text } ?? []
    #expect(sounds == Feedback.allCases.map { $0.name } + ["gong"])
  }

  /// The device with one source in some state.
  private func device(_ state: SourceState, _ reasons: SilenceReasons = .none) -> Description {
    var description = Description.example
    description.snapshot.reasons = reasons
    description.snapshot.sources[0] = state
    return description
  }

  @Test(
    "SIL-10 every silence reason has a sentence, and the rule behind it",
    arguments: SilenceReason.allCases
  )
  func silences(reason: SilenceReason) {
    var state = SourceState()
    state.isActive = true
    state.isPlaying = true
    state.rule = .ses14
    state.reasons = reason.set
    let grounds = device(state).grounds(of: 0)
    #expect(grounds.count == 1)
    #expect(grounds[0].rule == (reason == .interrupted ? .ses14 : reason.set.rule))
    #expect(grounds[0].text.count > 10 && grounds[0].text.count < 90)
    #expect(device(state).silence(of: 0) == grounds[0].text)
    #expect(!device(state).isAudible(0))
  }

  @Test("what silences the device silences each source, and the mute spares alarms (SIL-4)")
  func deviceReasons() {
    var state = SourceState()
    state.isActive = true
    state.isPlaying = true
    #expect(device(state).isAudible(0))
    #expect(device(state).silence(of: 0).isEmpty)
    #expect(!device(state, .softMute).isAudible(0))
    state.category = .alarm
    #expect(device(state, .softMute).isAudible(0))
    #expect(!device(state, .fault).isAudible(0))
  }

  @Test("who holds a session is named")
  func holders() {
    var state = SourceState()
    state.interruption = .ringtone
    state.reasons = .interrupted
    state.holders = 2
    #expect(state.word == "interrupted")
    #expect(device(state).silence(of: 0) == "a ringtone has the floor (`doorbell`)")
    #expect(device(state).json["sources"]?.elements[0]["heldBy"] == .array([.text("doorbell")]))
    state.isHeld = true
    #expect(state.word == "held")
  }
}

extension Snapshot {
  /// Changes a few things by chance.
  fileprivate mutating func disturb(_ random: inout SeededGenerator) {
    func chance() -> Bool { random.next() % 4 == 0 }
    if chance() { level = Level(percent: Int32(random.next() % 3)) }
    if chance() { ringer = Level(percent: Int32(random.next() % 3)) }
    if chance() { keysSet = .ringer }
    if chance() { isMuted = true }
    if chance() { isSilentSwitchOn = true }
    if chance() { isSilent = true }
    if chance() { reasons = SilenceReasons(rawValue: UInt16(random.next() % 1_024)) }
    if chance() { route = random.next() % 2 == 0 ? 1 : nil }
    if chance() { balance = Int8(random.next() % 3) }
    if chance() { isLimitArmed = false }
    if chance() { outputs[1].isAvailable = true }
    if chance() { outputs[0].isFaulty = true }
    if chance() { controls[1].isPresent = false }
    if chance() { controls[2].isStuck = true }
    if chance() { controls[3].isNoisy = true }
    if chance() { controls[0].changes += 1 }
    if chance() { tick += 1 }
  }
}
