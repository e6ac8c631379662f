// SPDX-License-Identifier: Apache-2.0
//
// A moment as the clock on the wall shows it. Nothing is decided by it; traces are read by it.

import CTactus
import TactusCore

/// Date and time of day.
public struct WallTime: Equatable, Sendable {
  public let year: Int
  /// 1…12.
  public let month: Int
  public let day: Int
  public let hour: Int
  public let minute: Int
  public let second: Int
  public let milliseconds: Int

  /// Nanoseconds since 1970 in this machine's time zone, or in UTC.
  public init(nanoseconds: Int64, inUTC: Bool = false) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var moment = time_t(rest < 0 ? seconds - 1 : seconds)
    var parts = tm()
    if inUTC { gmtime_r(&moment, &parts) } else { localtime_r(&moment, &parts) }
    year = Int(parts.tm_year) + 1_900
    month = Int(parts.tm_mon) + 1
    day = Int(parts.tm_mday)
    hour = Int(parts.tm_hour)
    minute = Int(parts.tm_min)
    second = Int(parts.tm_sec)
    milliseconds = Int((rest < 0 ? rest + 1_000_000_000 : rest) / 1_000_000)
  }

  /// Seconds since midnight.
  public var secondsOfDay: Int { hour * 3_600 + minute * 60 + second }

  /// As in `2026-11-30`.
  public var date: String { "\(year)-\(digits(month, 2))-\(digits(day, 2))" }

  /// As in `20:14`.
  public var minutes: String { "\(digits(hour, 2)):\(digits(minute, 2))" }

  /// As in `20:14:03`.
  public var time: String { "\(minutes):\(digits(second, 2))" }

  /// As in `20:14:03.215`.
  public var preciseTime: String { "\(time).\(digits(milliseconds, 3))" }
}

/// A number with zeros before it.
private func digits(_ number: Int, _ count: Int) -> String {
  var text = "\(number)"
  while text.utf8.count < count { text = "0" + text }
  return text
}
