// SPDX-License-Identifier: Apache-2.0
//
// What the keys of `tactus watch` do on a simulated board, and on a real one.

import Testing

@testable import tactus

@Suite("Keys")
struct KeysTests {
  private let simulated: Device
  private let real: Device

  init() throws {
    simulated = try Fixture.device()
    var real = simulated
    real.hasMovableContacts = false
    self.real = real
  }

  @Test("on a simulated board the keys touch its controls")
  func simulatedBoard() {
    #expect(Key.up.action(on: simulated) == .press(control: "volume-up"))
    #expect(Key.down.action(on: simulated) == .press(control: "volume-down"))
    #expect(Key.mute.action(on: simulated) == .press(control: "mute"))
    #expect(Key.silentSwitch.action(on: simulated) == .move(control: "silent-switch", on: true))
    #expect(Key.headphones.action(on: simulated) == .move(control: "headphones", on: true))
  }

  @Test("switches and plugs go back the second time")
  func back() {
    var device = simulated
    for index in device.controls.indices { device.controls[index].state = 1 }
    #expect(Key.silentSwitch.action(on: device) == .move(control: "silent-switch", on: false))
    #expect(Key.headphones.action(on: device) == .move(control: "headphones", on: false))
  }

  @Test("without buttons the knob turns, without a knob the daemon steps")
  func knob() {
    var device = simulated
    device.controls.removeAll { $0.role.hasPrefix("volume") }
    #expect(Key.down.action(on: device) == .turn(control: "knob", detents: -1))
    device.controls.removeAll()
    #expect(Key.up.action(on: device) == .step(volume: "system", steps: 1))
    #expect(Key.mute.action(on: device) == .toggleMute)
    #expect(Key.silentSwitch.action(on: device) == .setSilent(true))
    #expect(
      Key.headphones.action(on: device)
        == .explain("this board does not detect headphones, choose the route with r")
    )
  }

  @Test("on a real board the keys set what its buttons would set, and say what they cannot")
  func realBoard() {
    var device = real
    device.keysSet = "ringer"
    #expect(Key.up.action(on: device) == .step(volume: "ringer", steps: 1))
    #expect(Key.mute.action(on: real) == .toggleMute)
    #expect(
      Key.silentSwitch.action(on: real)
        == .explain("the silent switch is a real one: move it at the device")
    )
    #expect(
      Key.headphones.action(on: real)
        == .explain("the headphone socket is a real one: plug in or out at the device")
    )
  }

  @Test("r goes round the routes that can be chosen, VOL-15: of one there is no choice")
  func routes() {
    var device = simulated
    #expect(Key.route.action(on: device) == .explain("there is one route now"))
    device.routes[1].isAvailable = true
    #expect(Key.route.action(on: device) == .choose(route: "headphones"))
    device.route = "headphones"
    #expect(Key.route.action(on: device) == .choose(route: "speaker"))
    device.route = nil
    #expect(Key.route.action(on: device) == .choose(route: "speaker"))
  }

  @Test("space pauses the first source while it plays, else plays it")
  func space() {
    var device = simulated
    #expect(Key.playPause.action(on: device) == .pause(source: "music"))
    device.sources[0].isPlaying = false
    #expect(Key.playPause.action(on: device) == .play(source: "music"))
    device.sources.removeAll()
    #expect(Key.playPause.action(on: device) == .explain("this board has no source"))
  }

  @Test("characters are keys, and no others")
  func characters() {
    let keys = (0..<256).compactMap { Key(character: $0) }
    #expect(
      keys == [
        .playPause, .up, .down, .up, .headphones, .down, .up, .mute, .leave, .route, .silentSwitch,
      ]
    )
    #expect(Key(character: -1) == nil)
  }

  @Test("every action but leaving and explaining is a call of the daemon")
  func calls() {
    #expect(KeyAction.press(control: "a").call == Call(.press, .text("a"), .count(0)))
    #expect(KeyAction.turn(control: "a", detents: -1).call == Call(.turn, .text("a"), .integer(-1)))
    #expect(KeyAction.move(control: "a", on: true).call == Call(.contact, .text("a"), .bool(true)))
    #expect(
      KeyAction.step(volume: "ringer", steps: 1).call
        == Call(.step, .text("ringer"), .integer(1))
    )
    #expect(KeyAction.toggleMute.call == Call(.toggleMute))
    #expect(KeyAction.setSilent(true).call == Call(.setSilent, .bool(true)))
    #expect(KeyAction.choose(route: "line").call == Call(.setRoute, .text("line")))
    #expect(KeyAction.play(source: "a").call == Call(.play, .text("a")))
    #expect(KeyAction.pause(source: "a").call == Call(.pause, .text("a")))
    #expect(KeyAction.explain("x").call == nil)
    #expect(KeyAction.leave.call == nil)
  }
}
