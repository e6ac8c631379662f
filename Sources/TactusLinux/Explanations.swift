// SPDX-License-Identifier: Apache-2.0
//
// What to say of keys that people write because other programs have them.

import TactusCore

enum Explanations {
  /// A meaning that somebody tries to give to a control (CTL-1).
  private static let meanings = [
    "action", "actions", "function", "command", "exec", "run", "does", "meaning", "press",
    "on-press", "on_press", "hold", "on-hold", "long-press", "double-press", "click", "keycode",
    "key", "event",
  ]

  static func ofTopLevel(_ key: String) -> String? {
    switch key {
    case "buttons", "keys", "controls", "switches", "encoders": "unknown key, write inputs"
    case "evdev", "input-device", "remotes": "unknown key, write input-devices"
    case "outputs": "unknown key, write routes (ways to the ear) or signals (LEDs and the like)"
    case "leds": "unknown key, write signals"
    case "amplifier", "amp":
      "not here, write amplifier below the route that it belongs to"
    default: nil
    }
  }

  static func ofInput(_ key: String, _ role: Role) -> String? {
    if meanings.contains(key) {
      return "a control's meaning is its role and cannot be changed, so that every device answers"
        + " the hand alike (\(role.name) \(consequence(of: role))), delete this line, or choose"
        + " another role"
    }
    switch key {
    case "latching": return "only with role mute, delete this line"
    case "alsa-jack", "card": return "only with role headphone-detect, delete this line"
    case "a", "b", "push", "invert", "acceleration", "transitions-per-detent":
      return "only with role knob, delete this line"
    default: return ofLine(key)
    }
  }

  static func ofInputDevice(_ key: String) -> String? {
    if meanings.contains(key) || ["role", "codes", "map", "keymap", "remap"].contains(key) {
      return "keys act by their codes and cannot be given another meaning, so that every device"
        + " answers the hand alike, delete this line"
    }
    return ["device", "path", "event"].contains(key)
      ? "unknown key, write link: by-id/NAME with a name from /dev/input/by-id" : nil
  }

  static func ofLine(_ key: String) -> String? {
    switch key {
    case "pin", "gpio", "bcm", "offset": "unknown key, write line with the number of the GPIO (BCM)"
    case "pull", "pull-up", "pull_up", "pullup": "unknown key, write bias: pull-up"
    case "pull-down", "pull_down", "pulldown": "unknown key, write bias: pull-down"
    case "polarity", "active-low", "active_low", "inverted": "unknown key, write active: low"
    default: nil
    }
  }

  static func ofSignal(_ key: String) -> String? {
    switch key {
    case "device": "only with role led, delete this line"
    case "input": "only with role haptic, delete this line"
    case "brightness", "colour", "color", "blink", "pattern":
      "what a lamp or motor tells is the same on every device, delete this line; how strong it is"
        + " stands below feedback in tactus.yaml"
    default: ofLine(key)
    }
  }

  static func ofRoute(_ key: String) -> String? {
    switch key {
    case "control", "mixer": "unknown key, write volume"
    case "switch": "unknown key, write mute"
    case "max-gain", "limit": "unknown key, write max-db"
    default: nil
    }
  }

  static func ofFeedback(_ key: String) -> String? {
    let events = [
      "volume-step", "volume", "limit", "mute", "silent-switch", "route", "refused", "fault",
    ]
    guard Feedback.words.contains(key) || events.contains(key) else { return nil }
    return "what it means cannot be set (FBK-2), write led, haptic or sound in percent"
  }

  static func ofSounds(_ key: String) -> String? {
    switch key {
    case "line", "chip", "active":
      "sounds have no line, delete this one; a buzzer cannot play them"
    case "folder", "file", "files": "chosen by the listener, write sounds in the settings"
    default: nil
    }
  }

  static func ofRole(_ word: String) -> String? {
    switch word {
    case "amplifier": "no input (amplifier), write amplifier below its route"
    case "led", "trigger", "haptic", "sounds": "no input (\(word)), write it below signals"
    default: nil
    }
  }

  private static func consequence(of role: Role) -> String {
    switch role {
    case .volumeUp: "makes it louder"
    case .volumeDown: "makes it softer"
    case .mute: "mutes"
    case .knob, .knobPush: "sets the volume"
    case .silentSwitch: "silences what nobody asked to hear"
    case .headphoneDetect: "says what is plugged in"
    case .microphoneSwitch, .lid: "closes the microphone"
    case .microphoneMute: "switches the microphone off and on"
    case .playPause, .play, .pause, .next, .previous, .stop, .headset: "steers the player"
    case .power: "switches the device off"
    }
  }
}
