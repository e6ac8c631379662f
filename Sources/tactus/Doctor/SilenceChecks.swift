// SPDX-License-Identifier: Apache-2.0
//
// Why it is quiet although nothing is broken: what a person, another sound or a level does. Each
// reason is worth knowing, none is a fault but the last.

import TactusCore
import TactusLinux

extension Examination {
  func checkSilence(_ findings: inout Findings) {
    guard let device else { return }
    checkSwitch(of: device, &findings)
    checkMute(of: device, &findings)
    checkLevel(of: device, &findings)
    for source in device.sources { check(source, of: device, &findings) }
    checkFault(of: device, &findings)
    if findings.list.isEmpty { findings.ok("nothing", device.explanation.joined(separator: ", ")) }
  }

  private func checkSwitch(of device: Device, _ findings: inout Findings) {
    guard device.isSilentSwitchOn else { return }
    let name = device.control(.silentSwitch)?.name ?? "silent-switch"
    findings.warn(
      name,
      "the silent switch is on: what nobody asked to hear is silent (ringtones, alerts)",
      device.hasHardwareSilentSwitch
        ? "move the switch; if it is off already, write the other active: for it in the board file"
        : "tactus set silent off"
    )
  }

  private func checkMute(of device: Device, _ findings: inout Findings) {
    guard device.isMuted else { return }
    let button = device.control(.mute).map { "press \($0.name), or write " } ?? ""
    findings.warn(
      "soft mute",
      "the device is muted: everything but alarms is silent",
      "\(button)tactus set mute off"
    )
  }

  private func checkLevel(of device: Device, _ findings: inout Findings) {
    let route = device.route ?? "the device"
    if device.route != nil, device.level == .zero {
      findings.warn("level", "the volume of \(route) is at 0", "tactus set volume 40%")
    }
    let rings = device.sources.contains { source in
      source.category == Category.ringtone.name || source.category == Category.alert.name
    }
    if rings, device.ringer == .zero {
      findings.warn("ringer", "the volume of rings and alerts is at 0", "tactus set ringer 60%")
    }
  }

  /// A session that wants to be heard and is not, by something that is no finding of its own.
  private func check(_ source: Device.Source, of device: Device, _ findings: inout Findings) {
    if source.state == "interrupted" || source.state == "held" {
      let holders = source.heldBy.joined(separator: ", ")
      findings.warn(
        source.name,
        "\(source.state): \(source.silence)",
        holders.isEmpty
          ? "tactus play \(source.name) starts it again; tactus why \(source.name) has the rules"
          : "it goes on by the rules when \(holders) ends: tactus stop \(holders)"
      )
    } else if source.isActive, source.isPlaying, isUnexplained(source.reasons) {
      findings.warn(
        source.name,
        "silent: \(source.silence)",
        "tactus why \(source.name) has the rules"
      )
    }
  }

  private func isUnexplained(_ reasons: [String]) -> Bool {
    let explained: [SilenceReason] = [.silentSwitch, .softMute, .levelZero, .fault]
    return reasons.contains { reason in !explained.contains { $0.name == reason } }
  }

  private func checkFault(of device: Device, _ findings: inout Findings) {
    guard device.sound == .notSilent else { return }
    findings.fail(
      "silence",
      "the codec did not confirm that it is silent",
      "switch the amplifier off by hand; the findings under Sound say what does not obey"
    )
  }
}
