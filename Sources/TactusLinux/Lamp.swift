// SPDX-License-Identifier: Apache-2.0
//
// A lamp of the board, behind a GPIO line or in the kernel's LED class.

import TactusCore

/// What shows a light.
final class Lamp {
  private enum Way {
    case line(DrivenLine)
    case device(LampDevice)
  }

  let role: LampRole
  private let way: Way

  /// The lamp of a signal; nil for what is none, and on a simulated board.
  init?(_ signal: BoardSignal, folder: String) {
    guard let role = signal.role.lamp else { return nil }
    switch signal.means {
    case .line(let line): way = .line(DrivenLine(name: signal.name, line: line))
    case .device(let pattern):
      way = .device(LampDevice(name: signal.name, pattern: pattern, folder: folder))
    case .simulated: return nil
    }
    self.role = role
  }

  /// Whether it can be lit.
  var isHeld: Bool {
    switch way {
    case .line(let line): line.isHeld
    case .device(let device): device.isHeld
    }
  }

  /// Asks for it where it is not held; it is dark then.
  func request(_ chips: Chips, telling messages: inout [String]) {
    switch way {
    case .line(let line): line.request(chips, telling: &messages)
    case .device(let device): device.request(telling: &messages)
    }
  }

  /// Whether it shines when it shows this; only some lamps have colours.
  private func isLit(_ light: Light) -> Bool {
    switch way {
    case .line: light.isLit
    case .device(let device): device.isLit(light)
    }
  }

  /// What is told apart from a light at a glance.
  func opposite(of light: Light) -> Light { isLit(light) ? .off : .on }

  /// Shows a light; a line is lit at any brightness but 0.
  func show(_ light: Light, percent: UInt8, telling messages: inout [String]) {
    switch way {
    case .line(let line):
      let isOn = light.isLit && percent > 0
      if line.isActive != isOn { _ = line.drive(isOn, telling: &messages) }
    case .device(let device): device.show(light, percent: percent, telling: &messages)
    }
  }

  /// Leaves it dark, or to the kernel as it was.
  func release(telling messages: inout [String]) {
    switch way {
    case .line(let line): _ = line.drive(false, telling: &messages)
    case .device(let device): device.release()
    }
  }
}

extension BoardSignal.Role {
  /// What a lamp is for; nil for what is none.
  fileprivate var lamp: LampRole? {
    switch self {
    case .statusLED: .status
    case .silentLED: .silent
    case .microphoneLED: .microphone
    case .activityLED: .activity
    case .trigger, .haptic: nil
    }
  }
}
