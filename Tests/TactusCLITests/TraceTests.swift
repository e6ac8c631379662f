// SPDX-License-Identifier: Apache-2.0
//
// What is told and drawn of a trace, and what would have happened on another board.

import Foundation
import FoundationXML
import TactusCore
import TactusLinux
import Testing

@testable import tactus

@Suite("Traces told", .serialized)
struct TraceToldTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tactus-trace-\(UUID())")
  private var trace: String { folder.appending(path: "trace").path }
  private var recording: String { folder.appending(path: "edges").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes the trace of an evening: two presses, one of which is a glitch, and a session.
  ///
  /// With `last`, of something at its end, too.
  private func recordTrace(
    _ category: TactusCore.Category = .playback,
    last: Input? = nil
  ) throws {
    var configuration = Configuration()
    configuration.controls.append(Control(role: .volumeUp))
    configuration.outputs.append(
      Output(
        kind: .speaker,
        hasVolume: true,
        hasSwitch: true,
        curve: Curve(lowest: Gain(millibels: -6_000), top: .unity)
      )
    )
    configuration.sources.append(Source(category: category, playsAtStart: true))
    configuration.feedbackChannels = .led.union(.haptic)
    let names = DeviceNames(
      board: "<example>",
      controls: ["volume-up"],
      outputs: ["speaker"],
      sources: ["music"]
    )
    var policy = Policy(configuration: configuration)
    var ring = try TraceRing(path: trace, policy: policy, names: names)
    var hardware = ObedientHardware(configuration)
    var effects = Effects(filler: .readLevels)
    func run(until tick: Tick, _ input: Input? = nil) {
      while policy.now < tick {
        var inputs = Inputs(filler: .level(control: 0, state: 0))
        for answer in hardware.takeAnswers() { inputs.append(answer) }
        if let input, policy.now == tick - 1 { inputs.append(input) }
        ring.prepare(policy, names)
        policy.tick(at: policy.now + 1, &inputs, &effects)
        for index in effects.indices {
          guard case .opened(_, let place) = effects[index] else { continue }
          ring.name(source: place, "wake & shine", at: policy.now)
        }
        hardware.apply(effects)
        if !inputs.isEmpty || !effects.isEmpty { ring.append(at: policy.now, inputs, effects) }
      }
    }
    run(until: 200)
    run(until: 201, .edge(control: 0, state: 1))
    run(until: 221, .edge(control: 0, state: 0))
    run(until: 300)
    run(until: 301, .request(token: 1, .open(peer: 1, Source(category: .alarm))))
    run(until: 302, .request(token: 2, .session(1, .activate)))
    run(until: 400, .request(token: 3, .session(1, .deactivateNotifying)))
    run(until: 600)
    if let last { run(until: 601, last) }
  }

  private func lines(_ words: String...) throws -> [String] {
    let finished = try run(["trace", trace] + words)
    #expect(finished.code == 0)
    #expect(finished.error.isEmpty)
    return finished.output.split(separator: "\n").map { String($0) }
  }

  @Test("trace tells a press with its rule, a session with its name, and no write of a fade")
  func told() throws {
    try recordTrace()
    let lines = try lines().map { String($0.dropFirst("20:14:03.215  ".count)) }
    let press = "volume-up pressed → volume 46 % VOL-1; feedback selection by led, haptic FBK-2"
    #expect(lines.contains(press))
    #expect(lines.contains("volume-up released"))
    #expect(lines.contains { $0.hasPrefix("asked: open alarm of peer 1 → wake & shine opened: ") })
    #expect(lines.contains { $0.contains("music interrupted by wake & shine, alarm SES-2") })
    #expect(
      lines.contains { $0.contains("music heard at −17.5 dB") || $0.contains("music heard at") }
    )
    #expect(lines.count < 24)
  }

  @Test("CTL-4 a command that reaches nobody is in the trace, with its reason and rule")
  func undelivered() throws {
    try recordTrace(.alert, last: .request(token: 9, .command(.next)))
    let told = try lines().last ?? ""
    #expect(told.contains("asked: command next → command next dropped, nothing has played lately"))
    #expect(told.hasSuffix(" CTL-2"))
  }

  @Test("trace --json has the tick, what came in, and each change with its rule")
  func toldAsJson() throws {
    try recordTrace()
    let lines = try lines("--json").map { try Json(parsing: $0) }
    let press = try #require(lines.first { $0["tick"]?.integer == 201 })
    #expect(press["inputs"]?.elements.first?.text == "volume-up pressed")
    #expect(press["changes"]?.elements.first?["rule"]?.text == "VOL-1")
    #expect(press["time"]?.text?.hasSuffix("Z") == true)
    #expect(press["seconds"]?.number == 1.005)
  }

  @Test("trace --all has every write as well")
  func toldAll() throws {
    try recordTrace()
    #expect(try lines("--all").count > lines().count + 30)
    #expect(try lines("--all").contains { $0.contains("| gain speaker ") })
  }

  @Test("--from and --to that are no times, and --last that is none, are usage errors")
  func ranges() throws {
    try recordTrace()
    for words in [["--from", "25:00"], ["--to", "noon"], ["--last", "5"]] {
      #expect(try run(["trace", trace] + words).code == 64)
    }
    #expect(try lines("--last", "1h").count == lines().count)
  }

  @Test("a trace that was cut short is told as far as it is whole, and fails")
  func cutShort() throws {
    try recordTrace()
    let whole = try Data(contentsOf: URL(filePath: trace))
    // What was not written yet are zeros.
    let end = try #require(whole.prefix(whole.count / 2).lastIndex { $0 != 0 })
    try whole.prefix(end - 500).write(to: URL(filePath: trace))
    let finished = try run(["trace", trace])
    #expect(finished.code == 1)
    #expect(finished.output.contains("volume-up pressed"))
    #expect(finished.error.hasPrefix("tactus: \(trace): cut short: "))
  }

  @Test("trace plot draws well-formed XML with every name, also of an empty and a cut trace")
  func plot() throws {
    try recordTrace()
    let finished = try run(["trace", "plot", trace, "--svg", "-"])
    #expect(finished.code == 0)
    let document = try XMLDocument(xmlString: finished.output)
    let texts = try document.nodes(forXPath: "//*[local-name()='text']").compactMap(\.stringValue)
    for text in ["<example>", "Volume", "speaker", "volume-up", "music", "wake & shine", "heard"] {
      #expect(texts.contains(text), "\(text)")
    }
    #expect(texts.contains("level 46 %"))
    let policy = Policy(configuration: Configuration())
    _ = try TraceRing(path: trace, policy: policy, names: DeviceNames(board: "empty"))
    let empty = try run(["trace", "plot", trace, "--svg", "-"])
    #expect(empty.code == 0)
    _ = try XMLDocument(xmlString: empty.output)
    #expect(empty.output.contains("none was touched"))
  }

  @Test("trace plot without a file to draw to is a usage error, a path that cannot be is a failure")
  func plotNowhere() throws {
    try recordTrace()
    #expect(try run(["trace", "plot", trace]).code == 64)
    let finished = try run(["trace", "plot", trace, "--svg", "/nonexistent/picture.svg"])
    #expect(finished.code == 1)
    #expect(finished.error.contains("/nonexistent/picture.svg"))
  }

  // MARK: On another board

  private func replayEdges(_ text: String, _ words: String...) throws -> Finished {
    try Data("tactus-edges 1 simulated\n\(text)".utf8).write(to: URL(filePath: recording))
    return try run(["replay", recording, "--boards", Path.boards] + words)
  }

  /// A worn button: one press, as raw edges.
  private static let worn = """
    116935984428 volume-up - 1
    122184483056 volume-up - 0
    122311010973 volume-up - 1
    122385752598 volume-up - 0
    122495776931 volume-up - 1
    122530000000 volume-up - 0

    """

  @Test("F12 a worn button is three presses at 10 ms, and one at 500 ms")
  func worn() throws {
    let short = try replayEdges(TraceToldTests.worn)
    #expect(short.code == 0)
    #expect(short.output.contains("\n  volume-up  6 edges, 3 presses\n"))
    let long = try replayEdges(TraceToldTests.worn, "--debounce", "500")
    #expect(long.output.contains("\n  volume-up  6 edges, 1 press\n"))
  }

  @Test("a knob's A first is clockwise, and on a board with other names its role is found")
  func knob() throws {
    let edges = "1000 knob A 0\n2000000 knob B 0\n3000000 knob A 1\n4000000 knob B 1\n"
    let finished = try replayEdges(edges, "--json")
    let last = try Json(parsing: String(finished.output.split(separator: "\n").last ?? ""))
    #expect(last["controls"]?.elements.first?["changes"]?.integer == 1)
    #expect(last["levelPercent"]?.integer == 46)
    let unknown = try replayEdges("1 wobble - 1\n")
    #expect(unknown.error == "tactus: wobble: not on simulated, 1 edge left out\n")
  }

  @Test("raw edges in place of a trace are called what they are")
  func noTrace() throws {
    _ = try replayEdges(TraceToldTests.worn)
    let finished = try run(["trace", recording])
    #expect(finished.code == 1)
    #expect(finished.error.hasPrefix("tactus: \(recording): not a trace but raw edges, play them"))
  }

  @Test("a recording that is wrong names its line", arguments: ["1 a - 2\n", "2 a - 1\n1 a - 0\n"])
  func wrongRecording(text: String) throws {
    let finished = try replayEdges(text)
    #expect(finished.code == 1)
    #expect(finished.error.hasPrefix("tactus: \(recording):"))
  }

  @Test("a trace happens on another board as hands and programs did")
  func otherBoard() throws {
    try recordTrace()
    let same = try run(["replay", trace])
    #expect(same.output.contains("the same effects in all "))
    let other = try run(["replay", trace, "--board", "simulated", "--boards", Path.boards])
    #expect(other.code == 0)
    #expect(other.output.contains("volume-up pressed"))
    #expect(other.output.contains("music interrupted by wake & shine, alarm SES-2"))
    #expect(other.output.contains("volume     40 % to 46 %"))
  }
}

private enum Path {
  static let boards = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "boards").path
}
