// SPDX-License-Identifier: Apache-2.0
//
// Traces: what the ring keeps is what the policy did, and what is damaged is left out and named.

import Foundation
import TactusCore
import Testing

@testable import TactusLinux

@Suite("Trace")
struct TraceTests {
  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/trace" }
  private let names = DeviceNames(
    board: "example",
    controls: ["volume-up"],
    outputs: ["speaker"],
    sources: ["music"]
  )

  init() throws { folder = try TemporaryFolder() }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.controls.append(Control(role: .volumeUp))
    configuration.outputs.append(
      Output(kind: .speaker, hasVolume: true, hasSwitch: true, curve: Curve())
    )
    configuration.sources.append(Source(category: .playback, playsAtStart: true))
    return configuration
  }

  /// Writes a trace of so many presses, and answers the policy as it was at the end.
  @discardableResult
  private func record(presses: Int, capacity: Int = 1_024) throws -> Policy {
    var policy = Policy(configuration: TraceTests.configuration)
    var ring = try TraceRing(path: path, policy: policy, names: names, capacity: capacity)
    var effects = Effects(filler: .readLevels)
    func tick(_ inputs: [Input]) {
      var all = Inputs(filler: .level(control: 0, state: 0))
      for effect in effects.indices {
        if let answer = effects[effect].answer { all.append(answer) }
      }
      for input in inputs { all.append(input) }
      ring.prepare(policy, names)
      policy.tick(at: policy.now + 1, &all, &effects)
      ring.append(at: policy.now, all, effects)
    }
    tick([.output(0, present: true), .level(control: 0, state: 0)])
    for _ in 0..<presses {
      tick([.edge(control: 0, state: 1)])
      for _ in 0..<8 { tick([]) }
      tick([.edge(control: 0, state: 0)])
      for _ in 0..<8 { tick([]) }
    }
    ring.name(source: 3, "doorbell", at: policy.now + 1)
    tick([])
    return policy
  }

  private func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  @Test("T-2 a trace replays to the same effects at every tick, and to the same policy")
  func replays() throws {
    let policy = try record(presses: 3)
    let trace = try Trace(path: path)
    #expect(trace.damage == nil)
    guard case .same(let ticks, let replayed) = trace.replay() else {
      Issue.record("differs")
      return
    }
    #expect(ticks == 3 * 18 + 2)
    #expect(replayed.snapshot.level == policy.snapshot.level)
    #expect(replayed.snapshot.level > Level(percent: 40))
    #expect(replayed.now == policy.now)
  }

  @Test("a trace knows what the board calls its parts, and a session from its first tick on")
  func naming() throws {
    try record(presses: 1)
    var player = TracePlayer(try Trace(path: path))
    #expect(player.names.board == "example")
    #expect(player.names.controls == ["volume-up"])
    #expect(player.names.outputs == ["speaker"])
    var steps: [TracePlayer.Step] = []
    while let step = player.next() { steps.append(step) }
    #expect(player.names.sources == ["music", "", "", "doorbell"])
    #expect(steps.last?.named == [3])
    #expect(steps.dropLast().allSatisfy { $0.named.isEmpty })
  }

  @Test("a ring that has gone round keeps its newer half whole, and replays from there")
  func wraps() throws {
    let policy = try record(presses: 120)
    let trace = try Trace(path: path)
    #expect(trace.segments.count == 2)
    #expect(trace.segments[0].start.now > 0)
    #expect(trace.segments[1].lastTick == policy.now)
    guard case .same(_, let replayed) = trace.replay() else {
      Issue.record("differs")
      return
    }
    #expect(replayed.snapshot.level == policy.snapshot.level)
  }

  @Test("a trace that was cut short tells what is whole, and how much", arguments: [1, 7, 40])
  func cutShort(missing: Int) throws {
    try record(presses: 3)
    let whole = try bytes()
    let count = try Trace(path: path).segments[0].records.count
    let start = TraceLayout.offset(of: 0, 1_024) + TraceLayout.checkpoint
    // In the middle of a record.
    let size = start + (count - missing) * TraceLayout.record + 5
    let trace = try Trace(bytes: Array(whole.prefix(size)), path: "cut")
    #expect(trace.damage == "cut short: \(count - missing) of \(count) records of a half are whole")
    #expect(trace.segments[0].records.count == count - missing)
    if case .differs(let tick, _, _) = trace.replay() {
      // At most the tick that was cut in the middle.
      #expect(tick == trace.segments[0].lastTick)
    }
  }

  @Test("a trace that is nothing but its beginning is damaged; nothing at all is no trace")
  func nothingLeft() throws {
    try record(presses: 1)
    let whole = try bytes()
    for count in [8, 100, TraceHeader.stride, TraceHeader.stride + 100] {
      #expect(throws: TraceError.damaged("cut")) {
        try Trace(bytes: Array(whole.prefix(count)), path: "cut")
      }
    }
    for count in [0, 1, 7] {
      #expect(throws: TraceError.foreign("cut")) {
        try Trace(bytes: Array(whole.prefix(count)), path: "cut")
      }
    }
  }

  @Test("a changed byte anywhere in what is used is found")
  func changed() throws {
    try record(presses: 2)
    let whole = try bytes()
    let trace = try Trace(bytes: whole, path: "whole")
    let end =
      TraceLayout.offset(of: 0, 1_024) + TraceLayout.checkpoint
      + trace.segments[0].records.count * TraceLayout.record
    for offset in stride(from: TraceHeader.stride, to: end, by: 97) {
      var bytes = whole
      bytes[offset] ^= 0x10
      #expect(throws: TraceError.damaged("x"), "\(offset)") { try Trace(bytes: bytes, path: "x") }
    }
  }

  @Test("records out of order end a half, and halves that changed places lose the wrong one")
  func reordered() throws {
    try record(presses: 120)
    let whole = try bytes()
    var bytes = whole
    // The header says that the newer half is the older one.
    let offset = try #require(MemoryLayout<TraceHeader>.offset(of: \.current))
    bytes[offset] = 1 - bytes[offset]
    let trace = try Trace(bytes: bytes, path: "x")
    #expect(trace.damage?.hasPrefix("out of order: ") == true)
    #expect(trace.segments.count == 1)
  }

  @Test("what is no trace, another version's, or too large is named as such")
  func foreign() throws {
    #expect(throws: TraceError.foreign("x")) {
      try Trace(bytes: Array("tactus-edges 1 board\n".utf8), path: "x")
    }
    try record(presses: 1)
    var bytes = try bytes()
    let offset = try #require(MemoryLayout<TraceHeader>.offset(of: \.version))
    bytes[offset + 1] = UInt8(ascii: "9")
    let version = "9" + tactusVersion.dropFirst()
    #expect(throws: TraceError.foreignVersion("x", version: version)) {
      try Trace(bytes: bytes, path: "x")
    }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: UInt64(Trace.maximumBytes) + 1)
    #expect(throws: TraceError.tooLarge(path)) { try Trace(path: path) }
    #expect(TraceError.tooLarge("x").description.contains("at most 12 MB"))
  }

  @Test("the trace of a former run is kept beside the new one")
  func previous() throws {
    try record(presses: 1)
    try record(presses: 2)
    let former = try Trace(path: "\(path).previous")
    #expect(former.damage == nil)
    #expect(former.segments[0].lastTick < (try Trace(path: path)).segments[0].lastTick)
  }

  @Test("ticks lie between the moments that are known, in their order")
  func clock() throws {
    let before = MonotonicClock.now()
    let policy = try record(presses: 5)
    let clock = try Trace(path: path).clock
    #expect(clock.knowsWall)
    var last = clock.nanoseconds(of: 0)
    #expect(last >= before)
    for tick in 1...policy.now {
      let next = clock.nanoseconds(of: tick)
      #expect(next >= last)
      last = next
    }
    #expect(last <= MonotonicClock.now())
    let wall = Double(clock.wallNanoseconds(of: policy.now)) / 1e9
    #expect(abs(wall - Date().timeIntervalSince1970) < 60)
  }
}

extension Effect {
  /// What obedient hardware says to it.
  fileprivate var answer: Input? {
    switch self {
    case .gain(let output, let gain): .gain(output: output, gain)
    case .switched(let output, let isOn): .switched(output: output, on: isOn)
    case .source(let source, let gain): .source(source, gain)
    default: nil
    }
  }
}
