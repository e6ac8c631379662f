// SPDX-License-Identifier: Apache-2.0
//
// The kernel, its clock, libgpiod, room on the disk.

import TactusCore
import TactusLinux

extension Examination {
  func checkMachine(_ findings: inout Findings) {
    let model = Machine.model.map { ", \($0)" } ?? ""
    findings.ok("kernel", Machine.kernel + model)
    findings.ok("libgpiod", lineLibraryVersion())
    checkClock(&findings)
    checkDisk(&findings)
  }

  /// Ticks are made of sleeps: whether they are as long as asked for.
  private func checkClock(_ findings: inout Findings) {
    let tick = UInt64(board?.configuration.timing.tickMicroseconds ?? 5_000) * 1_000
    var lateness: [UInt64] = []
    for _ in 0..<9 { lateness.append(Machine.sleepLateness(nanoseconds: tick)) }
    lateness.sort()
    let usual = "a sleep of \(milliseconds(tick)) is usually \(milliseconds(lateness[4])) too long"
    if Machine.timerResolutionNanoseconds > 1_000_000 {
      findings.warn(
        "clock",
        "the kernel wakes only every \(milliseconds(Machine.timerResolutionNanoseconds))",
        "use a kernel with CONFIG_HIGH_RES_TIMERS"
      )
    } else if lateness[4] > tick {
      findings.warn("clock", usual, "something takes the processor: look with top")
    } else {
      findings.ok("clock", "\(Machine.clockSource ?? "unknown source"), \(usual)")
    }
  }

  private func checkDisk(_ findings: inout Findings) {
    guard let free = Machine.freeBytes(at: stateFolder) ?? Machine.freeBytes(at: "/") else {
      return
    }
    let megabytes = free >> 20
    if free < 64 << 10 {
      findings.fail(
        "disk",
        "full, so no volume survives a restart",
        "make room: journalctl --vacuum-size=50M, apt clean"
      )
    } else if megabytes < 32 {
      findings.warn("disk", "\(megabytes) MB are free", "make room before it is full")
    } else {
      findings.ok("disk", "\(megabytes) MB are free")
    }
  }

  /// Where volumes are kept.
  var stateFolder: String {
    let folder = device?.stateFolder ?? ""
    return folder.isEmpty ? "/var/lib/tactus" : folder
  }
}

/// A duration as `0.12 ms` or `5 ms`.
func milliseconds(_ nanoseconds: UInt64) -> String {
  let hundredths = (nanoseconds + 5_000) / 10_000
  if hundredths % 100 == 0 || hundredths >= 10_000 { return "\(hundredths / 100) ms" }
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
}
