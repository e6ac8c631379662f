// SPDX-License-Identifier: Apache-2.0
//
// The daemon: does it answer, is it of this version, does it wake in time?

import TactusCore
import TactusLinux

extension Examination {
  private static let systemSocket = "/run/dbus/system_bus_socket"

  func checkDaemon(_ findings: inout Findings) {
    guard let device else { return checkSilentDaemon(&findings) }
    findings.ok("tactusd", "\(device.version) answers on the \(answer.place)")
    if device.version != tactusVersion {
      findings.warn(
        "versions",
        "tactusd is \(device.version), this program \(tactusVersion)",
        "restart tactusd after an update: systemctl restart tactusd"
      )
    }
    checkWakes(of: device, &findings)
  }

  private func checkSilentDaemon(_ findings: inout Findings) {
    let reason = answer.reason
    let isSystem = (invocation.value(of: "--bus") ?? "system") == "system"
    if isSystem, Rights(of: Examination.systemSocket) == nil {
      findings.fail("D-Bus", "there is no system bus", "apt install dbus, then reboot")
    }
    if let program {
      findings.fail(
        "tactusd",
        "it runs as process \(program.process) and does not answer: \(reason)",
        "is it on another bus (--bus), or has its package no org.tactus1.conf in /usr/share/dbus-1?"
      )
    } else {
      findings.fail(
        "tactusd",
        "it does not run: \(reason)",
        "systemctl start tactusd; journalctl -u tactusd says why it ended"
      )
    }
  }

  /// A late wake-up loses nothing, but what a hand does is answered later.
  private func checkWakes(of device: Device, _ findings: inout Findings) {
    let tick = Double(board?.configuration.timing.tickMicroseconds ?? 5_000) / 1_000_000
    let late = Double(device.lateTicks) * tick
    let since = elapsed(device.seconds)
    if device.lateTicks == 0 {
      findings.ok("wake-ups", "never late in \(since)")
    } else if device.seconds > 60, late > device.seconds / 1_000 {
      findings.warn(
        "wake-ups",
        "\(device.lateTicks) ticks late in \(since): something keeps the processor from tactusd",
        "look with top and in /proc/pressure/cpu; tactusd.service sets its priority"
      )
    } else {
      findings.ok("wake-ups", "\(device.lateTicks) ticks late in \(since)")
    }
  }
}
