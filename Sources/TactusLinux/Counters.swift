// SPDX-License-Identifier: Apache-2.0
//
// How often things have happened since the daemon began, for `tactus metrics`. Counted from what
// went into each tick and what came out of it.

import TactusCore

/// What is counted; all only ever rise.
struct Counters: Sendable {
  /// Ticks that did something.
  private var ticks: Int64 = 0
  /// By position in `Part.allCases`, then by output; sources and the capture switch have one count.
  private var writes = InlineArray<25, Int64>(repeating: 0)
  /// By position in `Part.allCases`.
  private var failures = InlineArray<5, Int64>(repeating: 0)
  /// By position in `Notice.allCases`.
  private var notices = InlineArray<13, Int64>(repeating: 0)
  private var sessionsOpened: Int64 = 0
  private var sessionsRefused: Int64 = 0
  private var interruptions: Int64 = 0

  /// Counts a tick.
  mutating func count(_ inputs: Inputs, _ effects: Effects) {
    ticks += 1
    for index in inputs.indices {
      if case .failed(let part, _) = inputs[index] {
        failures[place(of: part, in: Part.allCases)] += 1
      }
    }
    for index in effects.indices { count(effects[index]) }
  }

  private mutating func count(_ effect: Effect) {
    switch effect {
    case .gain(let output, _): write(0, output)
    case .switched(let output, _): write(1, output)
    case .amplifier(let output, _): write(2, output)
    case .source: write(3, 0)
    case .capture: write(4, 0)
    case .notice(let notice, _, _): notices[place(of: notice, in: Notice.allCases)] += 1
    case .opened: sessionsOpened += 1
    case .interruptionBegan: interruptions += 1
    case .reply(_, .tooManySessions), .reply(_, .tooManyOfPeer), .reply(_, .busy),
      .reply(_, .inBackground), .reply(_, .microphoneMuted):
      sessionsRefused += 1
    default: break
    }
  }

  private mutating func write(_ part: Int, _ output: UInt8) {
    writes[part * Configuration.maximumOutputs + Int(output)] += 1
  }

  private func place<Value: Equatable>(of value: Value, in all: [Value]) -> Int {
    all.firstIndex { $0 == value } ?? 0
  }

  /// As `Describe` tells them: `writes` by part and output, `failures` by part, `notices` by kind.
  var json: Json {
    .object([
      Json.Member("ticks", .integer(ticks)),
      Json.Member("writes", list(25) { writes[$0] }),
      Json.Member("failures", list(5) { failures[$0] }),
      Json.Member("notices", list(13) { notices[$0] }),
      Json.Member("sessionsOpened", .integer(sessionsOpened)),
      Json.Member("sessionsRefused", .integer(sessionsRefused)),
      Json.Member("interruptions", .integer(interruptions)),
    ])
  }

  private func list(_ count: Int, _ value: (Int) -> Int64) -> Json {
    .array((0..<count).map { .integer(value($0)) })
  }
}
