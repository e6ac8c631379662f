// SPDX-License-Identifier: Apache-2.0
//
// Lamps of the kernel's LED class, and input devices that vibrate. Those on lines are looked at
// with the lines.

import TactusCore
import TactusLinux

extension Examination {
  /// Looks for what the kernel drives for a signal.
  func check(device signal: BoardSignal, _ findings: inout Findings) {
    guard case .device(let pattern) = signal.means else { return }
    guard let found = signal.presentDevices.first else {
      return findings.fail(
        signal.name,
        signal.role == .haptic
          ? "no such input device (\(pattern))" : "no such lamp in /sys/class/leds (\(pattern))",
        signal.role == .haptic
          ? "connect it; names are in /proc/bus/input/devices"
          : "take its name from ls /sys/class/leds; an overlay may be missing"
      )
    }
    let user = Account.name(ofUser: program?.user ?? 0)
    if !found.isAble {
      findings.fail(
        signal.name,
        "\(found.name), \(found.path), cannot vibrate",
        "name another device: one with B: FF= in /proc/bus/input/devices"
      )
    } else if let refusal = refusal(of: found.path) {
      findings.fail(signal.name, refusal, remedy(for: user, found.path, group: group(of: signal)))
    } else {
      findings.ok(signal.name, "\(found.name), \(found.path)")
    }
  }

  /// Whose members use such devices.
  private func group(of signal: BoardSignal) -> String {
    signal.role == .haptic ? "input" : "gpio"
  }
}
