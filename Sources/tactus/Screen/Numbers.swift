// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them.

import TactusCore
import TactusLinux

/// A level as `62 %`, the nearest whole percent.
func percent(_ level: Level) -> String { "\(level.percent) %" }

/// A gain as `−12.5 dB`; silence and what is not known have words.
func decibels(_ value: Double?, _ glyphs: Glyphs) -> String {
  guard let value, value.isFinite else { return "? dB" }
  if value <= Gain.silence.decibels { return "silent" }
  let tenths = Int((abs(value) * 10).rounded())
  let sign = value < 0 && tenths > 0 ? glyphs.minus : ""
  return "\(sign)\(tenths / 10).\(tenths % 10) dB"
}

/// A whole number with its sign.
func signed(_ number: Int, _ glyphs: Glyphs) -> String {
  "\(number < 0 ? glyphs.minus : "+")\(abs(number))"
}

/// Time since the daemon began: `0:07.3`, `12:00.0`, `1:02:03`.
func elapsed(_ seconds: Double) -> String {
  let tenths = seconds.isFinite ? Int((min(max(seconds, 0), 1e12) * 10).rounded()) : 0
  let minutes = tenths / 600
  let rest = tenths % 600
  if minutes >= 60 {
    return "\(minutes / 60):\(twoDigits(minutes % 60)):\(twoDigits(rest / 10))"
  }
  return "\(minutes):\(twoDigits(rest / 10)).\(rest % 10)"
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
