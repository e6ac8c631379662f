// SPDX-License-Identifier: Apache-2.0
//
// What a person means by a touch, before anything is done about it: gestures as intents, just
// before and just after each boundary.

import Testing

@testable import TactusCore

/// One control under a finger, stepped tick by tick in the order of the policy.
private struct Finger {
  private(set) var now: Tick = 0
  private var configuration: Configuration
  private var controls: Controls
  private(set) var past: [(tick: Tick, intent: Intent)] = []

  init(_ roles: [Role], areKeys: Bool = false) {
    configuration = Configuration()
    configuration.feedbackChannels = .led
    for role in roles { configuration.controls.append(Control(role: role, isKey: areKeys)) }
    controls = Controls(configuration)
    for index in roles.indices { controls.contacts[index].sample(false, at: 0) }
    now = 100
  }

  /// Everything meant so far, without the times.
  var intents: [Intent] { past.map(\.intent) }

  /// Lets ticks pass, the last of them with the states that a control takes in it.
  mutating func ticks(_ count: Tick = 1, _ role: Role? = nil, _ states: [Bool] = []) {
    for tick in 1...count {
      now += 1
      var intents = List<32, Intent>(filler: .toggleMute)
      elapse(&intents)
      if tick == count, let role { take(role, states, &intents) }
      controls.act(at: now, &configuration, &intents)
      for index in intents.indices { past.append((now, intents[index])) }
    }
  }

  private mutating func elapse(_ intents: inout List<32, Intent>) {
    for index in configuration.controls.indices {
      let change = controls.contacts[index].elapse(at: now, debounceTicks: 2)
      guard change != .none else { continue }
      controls.changed(index, to: change == .pressed, at: now, &configuration, &intents)
    }
    controls.elapse(at: now, &configuration, &intents)
  }

  private mutating func take(
    _ role: Role,
    _ states: [Bool],
    _ intents: inout List<32, Intent>
  ) {
    guard let last = states.last else { return }
    if let key = configuration.control(role, isKey: true) {
      var presses: Int32 = 0
      var isOn = controls.contacts[key].isRaw
      for state in states {
        if state && !isOn { presses += 1 }
        isOn = state
      }
      controls.key(
        key,
        presses: presses,
        isPressed: last,
        at: now,
        &configuration,
        &intents
      )
    } else if let index = configuration.control(role) {
      let change = controls.contacts[index].take(
        edges: Int32(states.count),
        state: last,
        at: now,
        debounceTicks: 2
      )
      guard change != .none else { return }
      controls.changed(index, to: change == .pressed, at: now, &configuration, &intents)
    }
  }

  /// Presses for 50 ms after a rest of so many ticks.
  mutating func press(_ role: Role, after rest: Tick = 20) {
    ticks(rest, role, [true])
    ticks(10, role, [false])
  }

  /// The line of a control goes.
  mutating func lose(_ role: Role) {
    guard let index = configuration.control(role) else { return }
    var intents = List<32, Intent>(filler: .toggleMute)
    controls.letGo(index, at: now, &configuration, &intents)
    for index in intents.indices { past.append((now, intents[index])) }
  }

  /// The tick at which something would happen by itself.
  var deadline: Tick? { mutating get { controls.deadline(&configuration) } }
}

@Suite struct GestureTests {
  // MARK: CTL-6, headset

  @Test(
    "CTL-6 a headset's button: once toggles, twice is next, three times previous",
    arguments: [1, 2, 3],
    [false, true]
  )
  func headset(presses: Int, isKey: Bool) {
    var finger = Finger([.headset], areKeys: isKey)
    for _ in 0..<presses { finger.press(.headset) }
    finger.ticks(200)
    #expect(finger.intents == [.command([.toggle, .next, .previous][presses - 1])])
  }

  @Test(
    "CTL-6 presses at most 400 ms apart, release to press, are one gesture",
    arguments: [(79, true), (80, true), (81, false), (200, false)] as [(Tick, Bool)],
    [false, true]
  )
  func apart(gap: (ticks: Tick, isOne: Bool), isKey: Bool) {
    var finger = Finger([.headset], areKeys: isKey)
    finger.press(.headset)
    finger.press(.headset, after: gap.ticks)
    finger.ticks(200)
    #expect(
      finger.intents == (gap.isOne ? [.command(.next)] : [.command(.toggle), .command(.toggle)])
    )
  }

  @Test("CTL-6 it acts 400 ms after the release, and not a tick before", arguments: [1, 2])
  func acts(presses: Int) {
    var finger = Finger([.headset], areKeys: true)
    for _ in 0..<presses { finger.press(.headset) }
    let releasedAt = finger.now
    finger.ticks(3)
    #expect(finger.deadline == releasedAt + 80)
    finger.ticks(76)
    #expect(finger.intents == [])
    finger.ticks()
    #expect(finger.past.map(\.tick) == [releasedAt + 80])
    #expect(finger.deadline == nil)
  }

  @Test("CTL-6 the third press acts at once, and a fourth begins anew", arguments: [false, true])
  func third(isKey: Bool) {
    var finger = Finger([.headset], areKeys: isKey)
    finger.press(.headset)
    finger.press(.headset)
    finger.ticks(80, .headset, [true])
    #expect(finger.intents == [.command(.previous)])
    #expect(finger.past[0].tick == finger.now)
    finger.ticks(10, .headset, [false])
    finger.press(.headset)
    finger.ticks(200)
    #expect(finger.intents == [.command(.previous), .command(.toggle)])
  }

  @Test("CTL-6 as long as it is held the gesture is not over")
  func heldHeadset() {
    var finger = Finger([.headset])
    finger.ticks(1, .headset, [true])
    finger.ticks(2_000)
    #expect(finger.intents == [])
    finger.ticks(1, .headset, [false])
    finger.press(.headset, after: 60)
    finger.ticks(100)
    #expect(finger.intents == [.command(.next)])
  }

  @Test("CTL-6 a headset's button whose line goes means nothing any more")
  func lostHeadset() {
    var finger = Finger([.headset])
    finger.press(.headset)
    finger.ticks(10, .headset, [true])
    finger.lose(.headset)
    finger.ticks(200)
    #expect(finger.intents == [])
    finger.press(.headset)
    finger.ticks(200)
    #expect(finger.intents == [.command(.toggle)], "the next press is a press again")
  }

  @Test("CTL-6 presses within one tick are told apart", arguments: [1, 2, 3])
  func headsetWithinTick(presses: Int) {
    var finger = Finger([.headset], areKeys: true)
    finger.ticks(1, .headset, [[Bool]](repeating: [true, false], count: presses).flatMap { $0 })
    finger.ticks(200)
    #expect(finger.intents == [.command([.toggle, .next, .previous][presses - 1])])
  }

  // MARK: CTL-2, CTL-5, buttons and keys with one meaning

  static let commands: [(Role, Intent)] = [
    (.playPause, .command(.toggle)), (.play, .command(.play)), (.pause, .command(.pause)),
    (.stop, .command(.stop)), (.next, .command(.next)), (.previous, .command(.previous)),
    (.mute, .toggleMute), (.microphoneMute, .toggleMicrophone),
  ]

  @Test(
    "CTL-5 a button and a key act once, as they are pressed, by their role",
    arguments: commands,
    [false, true]
  )
  func command(meaning: (role: Role, intent: Intent), isKey: Bool) {
    var finger = Finger([meaning.role], areKeys: isKey)
    finger.ticks(1, meaning.role, [true])
    #expect(finger.intents == [meaning.intent])
    finger.ticks(500)
    finger.ticks(1, meaning.role, [false])
    finger.ticks(500)
    #expect(finger.intents == [meaning.intent])
  }

  @Test("CTL-5 a key does not bounce: a press and a release within one tick are a press")
  func keyWithinTick() {
    var button = Finger([.next])
    button.ticks(1, .next, [true, false])
    #expect(button.intents == [])
    var key = Finger([.next], areKeys: true)
    key.ticks(1, .next, [true, false])
    key.ticks(1, .next, [true, false])
    #expect(key.intents == [.command(.next), .command(.next)])
  }

  @Test("CTL-5 a flood of one key within a tick is three presses")
  func flood() {
    var finger = Finger([.next], areKeys: true)
    finger.ticks(1, .next, [[Bool]](repeating: [true, false], count: 100).flatMap { $0 })
    #expect(finger.intents == [Intent](repeating: .command(.next), count: 3))
  }

  @Test("CTL-5 a volume key is a step for each press, summed within a tick")
  func volumeKeys() {
    var finger = Finger([.volumeUp, .volumeDown], areKeys: true)
    finger.ticks(1, .volumeUp, [true, false])
    finger.ticks(1, .volumeDown, [true, false, true, false, true, false])
    #expect(
      finger.intents == [
        .volume(steps: 1, by: .turn), .volumeKeyReleased,
        .volume(steps: -3, by: .turn), .volumeKeyReleased,
      ]
    )
    #expect(finger.deadline == nil)
  }

  @Test("CTL-5 VOL-1 a held volume key repeats after 400 ms, then every 100 ms")
  func heldVolumeKey() {
    var finger = Finger([.volumeUp, .volumeDown], areKeys: true)
    finger.ticks(1, .volumeDown, [true])
    let start = finger.now
    finger.ticks(79)
    #expect(finger.past.map { $0.tick - start } == [0])
    finger.ticks(41)
    #expect(finger.past.map { $0.tick - start } == [0, 80, 100, 120])
    #expect(finger.intents.last == .volume(steps: -1, by: .hold))
    finger.ticks(1, .volumeDown, [false])
    finger.ticks(200)
    #expect(finger.past.count == 5)
  }

  @Test("CTL-5 CTL-6 volume keys are no pair: both together are two steps")
  func volumeKeysTogether() {
    var finger = Finger([.volumeUp, .volumeDown], areKeys: true)
    finger.ticks(1, .volumeUp, [true])
    finger.ticks(1, .volumeDown, [true])
    finger.ticks(300)
    #expect(
      finger.intents == [.volume(steps: 1, by: .turn), .volume(steps: -1, by: .turn)]
    )
  }

  // MARK: CTL-6, knob push

  @Test("CTL-6 a knob's push is play-pause where the board has a mute button, on its release")
  func push() {
    var finger = Finger([.knobPush, .mute])
    finger.ticks(1, .knobPush, [true])
    finger.ticks(50)
    #expect(finger.intents == [])
    finger.ticks(1, .knobPush, [false])
    finger.ticks(2)
    #expect(finger.intents == [.command(.toggle)])
    var alone = Finger([.knobPush])
    alone.press(.knobPush)
    alone.ticks(10)
    #expect(alone.intents == [.toggleMute])
  }

  // MARK: SES-10

  @Test("SES-10 the microphone is off while its switch or the lid is closed")
  func microphone() {
    var finger = Finger([.microphoneSwitch, .lid])
    finger.ticks(1, .microphoneSwitch, [true])
    finger.ticks(10, .lid, [true])
    finger.ticks(10, .microphoneSwitch, [false])
    finger.ticks(10, .lid, [false])
    finger.ticks(10)
    #expect(
      finger.intents == [
        .microphone(isMuted: true), .microphone(isMuted: true), .microphone(isMuted: true),
        .microphone(isMuted: false),
      ]
    )
  }
}
