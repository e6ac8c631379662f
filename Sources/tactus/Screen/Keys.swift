// SPDX-License-Identifier: Apache-2.0
//
// What the keys of `tactus watch` do. On a simulated board they touch its controls, so that what
// follows is what a hand would cause; on a real board they set what the control would set.

import TactusCore
import TactusLinux

/// What a key asks for.
enum KeyAction: Equatable {
  case press(control: String)
  case turn(control: String, detents: Int)
  case move(control: String, on: Bool)
  case step(volume: String, steps: Int)
  case toggleMute
  case setSilent(Bool)
  case choose(route: String)
  case play(source: String)
  case pause(source: String)
  /// Nothing can be done, for this reason.
  case explain(String)
  case leave
}

/// The keys that have a meaning.
enum Key: CaseIterable {
  case up, down, mute, silentSwitch, headphones, route, playPause, leave

  /// The key behind a character or the code of a special key.
  init?(character: Int32) {
    guard let scalar = Unicode.Scalar(UInt32(max(character, 0))) else { return nil }
    for key in Key.allCases where key.characters.unicodeScalars.contains(scalar) {
      self = key
      return
    }
    return nil
  }

  /// What types it; not every phone has arrows.
  private var characters: String {
    switch self {
    case .up: "+=k"
    case .down: "-j"
    case .mute: "m"
    case .silentSwitch: "s"
    case .headphones: "h"
    case .route: "r"
    case .playPause: " "
    case .leave: "q"
    }
  }

  /// What it does to this device now.
  func action(on device: Device) -> KeyAction {
    switch self {
    case .up: volume(device, by: 1, button: .volumeUp)
    case .down: volume(device, by: -1, button: .volumeDown)
    case .mute: mute(device)
    case .silentSwitch: silentSwitch(device)
    case .headphones: headphones(device)
    case .route: nextRoute(device)
    case .playPause: playPause(device)
    case .leave: .leave
    }
  }

  private func volume(_ device: Device, by steps: Int, button: Role) -> KeyAction {
    if device.hasMovableContacts {
      if let button = device.control(button) { return .press(control: button.name) }
      if let knob = device.control(.knob) { return .turn(control: knob.name, detents: steps) }
    }
    return .step(volume: device.keysSet, steps: steps)
  }

  private func mute(_ device: Device) -> KeyAction {
    guard device.hasMovableContacts, let button = device.control(.mute) else { return .toggleMute }
    return .press(control: button.name)
  }

  private func silentSwitch(_ device: Device) -> KeyAction {
    guard let control = device.control(.silentSwitch) else {
      return .setSilent(!device.isSilentSwitchOn)
    }
    if device.hasMovableContacts { return .move(control: control.name, on: !control.isOn) }
    return .explain("the silent switch is a real one: move it at the device")
  }

  private func headphones(_ device: Device) -> KeyAction {
    guard let control = device.control(.headphoneDetect) else {
      return .explain("this board does not detect headphones, choose the route with r")
    }
    if device.hasMovableContacts { return .move(control: control.name, on: !control.isOn) }
    return .explain("the headphone socket is a real one: plug in or out at the device")
  }

  private func nextRoute(_ device: Device) -> KeyAction {
    let choices = device.routes.filter { $0.isAvailable }
    guard choices.count > 1 else { return .explain("there is one route now") }
    let current = choices.firstIndex { $0.name == device.route } ?? choices.count - 1
    return .choose(route: choices[(current + 1) % choices.count].name)
  }

  private func playPause(_ device: Device) -> KeyAction {
    guard let source = device.sources.first else { return .explain("this board has no source") }
    return source.isPlaying ? .pause(source: source.name) : .play(source: source.name)
  }
}
