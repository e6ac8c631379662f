// SPDX-License-Identifier: Apache-2.0
//
// The machine as its kernel tells: what `tactus doctor` says of it.

import CTactus
import TactusCore

/// Facts about the machine, each read when it is asked for.
public enum Machine {
  /// The kernel's name, release and processor: `Linux 6.12.47 aarch64`.
  public static var kernel: String {
    let names = [line(of: "/proc/sys/kernel/ostype"), line(of: "/proc/sys/kernel/osrelease")]
    let processor = line(of: "/proc/sys/kernel/arch")
    return (names + [processor]).compactMap { $0 }.joined(separator: " ")
  }

  /// What the device tree calls the machine: `Raspberry Pi 4 Model B Rev 1.5`; nil without one.
  public static var model: String? { line(of: "/proc/device-tree/model") }

  /// What the kernel counts time by, such as `arch_sys_counter`.
  public static var clockSource: String? {
    line(of: "/sys/devices/system/clocksource/clocksource0/current_clocksource")
  }

  /// The finest step of CLOCK_MONOTONIC's timers.
  public static var timerResolutionNanoseconds: UInt64 {
    var resolution = timespec()
    clock_getres(CLOCK_MONOTONIC, &resolution)
    return UInt64(resolution.tv_sec) * 1_000_000_000 + UInt64(resolution.tv_nsec)
  }

  /// The name by which others on the network know it.
  public static var hostName: String { line(of: "/proc/sys/kernel/hostname") ?? "" }

  /// Sleeps, and gives how much later than asked for it woke.
  public static func sleepLateness(nanoseconds: UInt64) -> UInt64 {
    let due = MonotonicClock.now() + nanoseconds
    pause(nanoseconds: nanoseconds)
    let now = MonotonicClock.now()
    return now > due ? now - due : 0
  }

  /// Sleeps.
  public static func pause(nanoseconds: UInt64) {
    var time = timespec()
    time.tv_sec = Int(nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(nanoseconds % 1_000_000_000)
    nanosleep(&time, nil)
  }

  /// Space in bytes that anybody may still fill below a path; nil where it cannot be told.
  public static func freeBytes(at path: String) -> UInt64? {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return nil }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
  }

  /// Whether nobody may write below a path, whatever the rights: `ro` in /proc/mounts.
  public static func isReadOnly(_ path: String) -> Bool {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return false }
    return facts.f_flag & UInt(ST_RDONLY) != 0
  }

  /// The lines of a small file of the kernel; none where it is not there or may not be read.
  public static func lines(of path: String) -> [String] {
    guard let bytes = try? contents(of: path, limit: 1 << 16) else { return [] }
    return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self).split(at: "\n")
  }

  private static func line(of path: String) -> String? { lines(of: path).first }
}
