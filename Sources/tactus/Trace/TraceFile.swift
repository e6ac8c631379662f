// SPDX-License-Identifier: Apache-2.0
//
// Which trace is read, and which part of it.

import TactusCore
import TactusLinux

/// A trace and where it is.
struct TraceFile {
  /// Where the ring of a daemon that cannot be asked is.
  static let standardPath = "/run/tactus/trace"

  let path: String
  let trace: Trace

  init(path: String) throws(Failure) {
    self.path = path
    do throws(TraceError) {
      trace = try Trace(path: path)
    } catch {
      guard case .foreign = error, isEdgeRecording(path) else {
        throw Failure(.checkFailed, saying: error.description)
      }
      throw Failure(
        .checkFailed,
        path,
        "not a trace but raw edges",
        next: "play them with tactus replay \(path)"
      )
    }
  }

  /// The file that the operand names; without one the daemon's ring, also of one that has ended.
  init(_ invocation: Invocation) throws(Failure) {
    try self.init(path: TraceFile.path(invocation))
  }

  static func path(_ invocation: Invocation) throws(Failure) -> String {
    if let path = invocation.operands.first { return path }
    do throws(Failure) {
      let daemon = try Daemon(invocation)
      return try daemon.ask(.trace)
    } catch {
      guard error.code == .unavailable, invocation.value(of: "--bus") == nil,
        fileExists(TraceFile.standardPath)
      else { throw error }
      return TraceFile.standardPath
    }
  }

  /// Says what was left out of a damaged trace.
  /// - Returns: How the program ends.
  func tellDamage() -> ExitCode {
    guard let damage = trace.damage else { return .success }
    writeError("tactus: \(path): \(damage)")
    return .checkFailed
  }
}

// MARK: Moments

/// Ticks as people read them: by the clock on the wall, else since the daemon began.
struct TraceTimes {
  let clock: TraceClock
  let timing: Timing

  init(_ trace: Trace) {
    clock = trace.clock
    timing = trace.segments[0].start.configuration.timing
  }

  /// As in `20:14:03.215`, or `0:07.3` where the clock on the wall is not known.
  func precise(_ tick: Tick) -> String {
    clock.knowsWall ? wall(tick).preciseTime : elapsed(seconds(tick))
  }

  /// Seconds since the daemon began.
  func seconds(_ tick: Tick) -> Double { Double(timing.milliseconds(tick)) / 1_000 }

  func wall(_ tick: Tick) -> WallTime {
    WallTime(nanoseconds: clock.wallNanoseconds(of: tick))
  }

  /// For programs: `2026-11-30T19:14:03.215Z`; nil where the clock on the wall is not known.
  func utc(_ tick: Tick) -> String? {
    guard clock.knowsWall else { return nil }
    let time = WallTime(nanoseconds: clock.wallNanoseconds(of: tick), inUTC: true)
    return "\(time.date)T\(time.preciseTime)Z"
  }
}

/// The part of a trace that `--from`, `--to` and `--last` ask for.
struct TraceRange {
  /// Nanoseconds of `MonotonicClock`; nil is without a bound.
  private var first: UInt64?
  private var last: UInt64?
  private let clock: TraceClock

  init(_ invocation: Invocation, of trace: Trace) throws(Failure) {
    clock = trace.clock
    let end = trace.segments[trace.segments.count - 1].lastTick
    if let text = invocation.value(of: "--last") {
      guard let seconds = TraceRange.duration(text) else {
        throw Failure(.usage, "--last", "not a time", value: text, next: "write 90s, 10m or 2h")
      }
      let nanoseconds = clock.nanoseconds(of: end)
      first = nanoseconds - min(nanoseconds, UInt64(seconds) * 1_000_000_000)
    }
    if let text = invocation.value(of: "--from") {
      first = try moment(text, "--from", before: end)
    }
    if let text = invocation.value(of: "--to") { last = try moment(text, "--to", before: end) }
  }

  /// In ns of `MonotonicClock`.
  var bounds: ClosedRange<UInt64> {
    let first = first ?? 0
    return first...max(first, last ?? .max)
  }

  func contains(_ tick: Tick) -> Bool { bounds.contains(clock.nanoseconds(of: tick)) }

  /// A time of day, the last one up to the end of the trace.
  private func moment(
    _ text: String,
    _ option: String,
    before end: Tick
  ) throws(Failure) -> UInt64 {
    guard clock.knowsWall else {
      throw Failure(.usage, option, "this trace does not know the time of day", next: "use --last")
    }
    guard let wanted = TraceRange.secondsOfDay(text) else {
      throw Failure(
        .usage,
        option,
        "not a time of day",
        value: text,
        next: "write 20:14 or 20:14:03"
      )
    }
    let wall = WallTime(nanoseconds: clock.wallNanoseconds(of: end))
    var back = wall.secondsOfDay - wanted
    if back < -60 { back += 86_400 }
    let nanoseconds = Int64(clock.nanoseconds(of: end)) - Int64(wall.milliseconds) * 1_000_000
    return UInt64(max(nanoseconds - Int64(back) * 1_000_000_000, 0))
  }

  /// `20:14` or `20:14:03` as seconds since midnight.
  static func secondsOfDay(_ text: String) -> Int? {
    let parts = text.split(at: ":").map { wholeNumber($0) ?? -1 }
    guard (2...3).contains(parts.count), (0...23).contains(parts[0]),
      parts.dropFirst().allSatisfy({ (0...59).contains($0) })
    else { return nil }
    return Int(parts[0] * 3_600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0))
  }

  /// `90s`, `10m` or `2h` as seconds.
  static func duration(_ text: String) -> Int? {
    for (unit, seconds) in [("s", 1), ("m", 60), ("h", 3_600)] where text.hasSuffix(unit) {
      guard let number = Int(text.dropLast(1)), (1...100_000).contains(number) else { return nil }
      return number * seconds
    }
    return nil
  }
}
