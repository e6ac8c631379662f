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
        "ringerPercent", "keysSet", "muted", "silentSwitch", "silent", "reasons", "why", "route",
        "balance", "routes", "sources", "controls", "limit", "late", "counters", "stateFolder",
        "stateFault", "faults", "events",
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
    #expect(keys(json["events"]?.elements.first) == ["tick", "seconds", "kind", "object", "text"])
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
    #expect(DeviceEvent(.gain(output: 0, .unity), at: 5, names: names) == nil)
  }
}

extension DescriptionTests {
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
