// SPDX-License-Identifier: Apache-2.0
//
// GPIO lines on a kernel, as scenarios/lines.py of the virtual device runs them: once with each
// libgpiod. Elsewhere they are skipped.

import Foundation
import Testing

@testable import TactusLinux

/// The virtual device's header: what is wired to its lines from outside.
enum Header {
  static let driver = "/sys/bus/platform/drivers/gpio-sim"
  static let node = "gpio-simulator"

  static var isThere: Bool { FileManager.default.fileExists(atPath: "\(driver)/\(node)") }

  static func chip() throws -> Chip { try Chips().chip(labelled: ["pinctrl-bcm2711"]) }

  static func pull(_ line: UInt32, _ level: Int) throws {
    try put(level == 1 ? "pull-up" : "pull-down", in: try attribute(line, "pull"))
  }

  static func value(_ line: UInt32) throws -> Int {
    let text = try String(contentsOfFile: try attribute(line, "value"), encoding: .utf8)
    return text.hasPrefix("1") ? 1 : 0
  }

  static func remove() throws { try put(node, in: "\(driver)/unbind") }
  static func giveBack() throws { if !isThere { try put(node, in: "\(driver)/bind") } }

  private static func attribute(_ line: UInt32, _ name: String) throws -> String {
    "\(driver)/\(node)/\(try chip().name)/sim_gpio\(line)/\(name)"
  }

  /// An attribute of sysfs takes one write to a file that exists.
  private static func put(_ text: String, in path: String) throws {
    let file = open(path, O_WRONLY)
    defer { close(file) }
    try #require(write(file, text, text.utf8.count) == text.utf8.count, "\(path)")
  }
}

extension InputLines {
  /// Everything that is queued within 50 ms.
  fileprivate mutating func edges() throws -> (edges: [Edge], lost: UInt32) {
    var buffer = [Edge](repeating: Edge(), count: Self.edgesMaximum)
    var taken: [Edge] = []
    var lost: UInt32 = 0
    let deadline = MonotonicClock.now() + 50_000_000
    while MonotonicClock.now() < deadline {
      var span = buffer.mutableSpan
      let drained = try drain(into: &span)
      taken += buffer.prefix(drained.count)
      lost += drained.lost
      usleep(1000)
    }
    return (taken, lost)
  }
}

/// setfsuid(2), which no module declares: changes whose files this thread may open.
private func becomeForFiles(_ user: UInt32) throws {
  let symbol = try #require(dlsym(nil, "setfsuid"))
  let call = unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
  _ = call(user)
}

/// libgpiod 2 numbers edges and keeps 128 of a control; libgpiod 1 keeps 16 of a line.
private let isVersion1 = lineLibraryVersion().hasPrefix("1.")

@Suite(
  .serialized,
  .enabled(if: Header.isThere, "needs the virtual device: Tests/VirtualDevice/run swift_tests")
)
struct LinesTests {
  private func button(
    _ offsets: [UInt32] = [17],
    polarity: Polarity = .activeLow,
    control: String = "button"
  ) throws -> InputLines {
    try InputLines(
      chip: try Header.chip(),
      offsets: offsets,
      bias: .pullUp,
      polarity: polarity,
      control: control
    )
  }

  private func refusal(_ body: () throws -> Void) -> LineError? {
    #expect(throws: LineError.self, performing: body)
  }

  @Test("the header is found by its label, and its lines have the board's names")
  func names() throws {
    let chip = try Header.chip()
    #expect(chip.lineCount == 58)
    let line = try chip.line(17)
    #expect(line.name == "GPIO17" && line.consumer == "" && !line.isUsed && !line.isOutput)
  }

  @Test("a line in use shows its consumer, direction, polarity and bias")
  func description() throws {
    let chip = try Header.chip()
    let input = try button()
    let output = try OutputLine(
      chip: chip,
      offset: 16,
      polarity: .activeHigh,
      initiallyActive: false,
      control: "amplifier"
    )
    #expect(
      try chip.line(17)
        == LineInfo(
          name: "GPIO17",
          consumer: "tactus:button",
          isUsed: true,
          isOutput: false,
          isActiveLow: true,
          bias: .pullUp
        )
    )
    let driven = try chip.line(16)
    #expect(driven.consumer == "tactus:amplifier" && driven.isOutput && !driven.isActiveLow)
    _ = consume input
    _ = consume output
    #expect(try !chip.line(17).isUsed, "the end of the value gives the line back")
  }

  @Test("a closed contact is an edge and a level, active low")
  func activeLow() throws {
    try Header.pull(17, 1)
    var button = try button()
    #expect(try button.levels()[0] == false)
    let before = MonotonicClock.now()
    try Header.pull(17, 0)
    let (edges, lost) = try button.edges()
    #expect(edges.map(\.isActive) == [true])
    #expect(edges[0].sequence == 1 && edges[0].lineIndex == 0 && lost == 0)
    #expect(edges[0].timestampNanoseconds >= before)
    #expect(edges[0].timestampNanoseconds <= MonotonicClock.now())
    #expect(try button.levels()[0] == true)
    try Header.pull(17, 1)
    #expect(try button.edges().edges.map(\.sequence) == [2])
    #expect(try button.levels()[0] == false)
  }

  @Test("active high is the level of the line")
  func activeHigh() throws {
    try Header.pull(17, 0)
    var button = try button(polarity: .activeHigh)
    #expect(try button.levels()[0] == false)
    try Header.pull(17, 1)
    #expect(try button.edges().edges.map(\.isActive) == [true])
    #expect(try button.levels()[0] == true)
  }

  @Test("SIL-2 a switch that is on before the start is a level, not an edge")
  func firstSample() throws {
    try Header.pull(17, 0)
    var button = try button()
    #expect(try button.levels()[0] == true)
    #expect(try button.edges().edges.isEmpty)
  }

  @Test("the bias holds a line to which nothing is wired")
  func bias() throws {
    let chip = try Header.chip()
    for (bias, expected) in [(Bias.pullUp, true), (.pullDown, false)] {
      var line = try InputLines(
        chip: chip,
        offsets: [22],
        bias: bias,
        polarity: .activeHigh,
        control: "floating"
      )
      #expect(try line.levels()[0] == expected)
    }
  }

  @Test("T-5 an edge ends a wait without deadline")
  func wakeUp() throws {
    try Header.pull(17, 1)
    var button = try button()
    let loop = try EventLoop()
    for descriptor in button.descriptors { try loop.add(descriptor, token: 3) }
    #expect(try loop.wait(until: 0) == 0)
    try Header.pull(17, 0)
    #expect(try loop.wait(until: nil) == 1)
    #expect(loop[0].token == 3 && loop[0].isReadable && !loop[0].isBroken)
    #expect(try button.edges().edges.count == 1)
    #expect(try loop.wait(until: 0) == 0)
  }

  @Test("F17 both lines of an encoder come as one sequence in the order of time")
  func encoder() throws {
    for line: UInt32 in [23, 24] { try Header.pull(line, 1) }
    var encoder = try button([23, 24], control: "knob")
    #expect(encoder.descriptors.count == (isVersion1 ? 2 : 1))
    for (line, level): (UInt32, Int) in [(23, 0), (24, 0), (23, 1), (24, 1)] {
      try Header.pull(line, level)
      usleep(3000)
    }
    let (edges, lost) = try encoder.edges()
    #expect(edges.map(\.lineIndex) == [0, 1, 0, 1])
    #expect(edges.map(\.isActive) == [true, true, false, false])
    #expect(lost == 0)
    let times = edges.map(\.timestampNanoseconds)
    #expect(times == times.sorted())
    try Header.pull(24, 0)
    #expect(try encoder.levels().bits == 0b10)
  }

  @Test("F06 more edges than the queue holds: the loss is told, and the level is right")
  func overflow() throws {
    try Header.pull(17, 1)
    var button = try button()
    let toggles = 151
    for index in 0..<toggles {
      try Header.pull(17, index % 2)
      usleep(2500)
    }
    let (edges, lost) = try button.edges()
    #expect(edges.count == (isVersion1 ? 16 : InputLines.edgesMaximum))
    #expect(lost >= 1)
    if !isVersion1 { #expect(edges.count + Int(lost) == Int(edges.last?.sequence ?? 0)) }
    #expect(try button.levels()[0] == true)
  }

  @Test("F37 a line in use names its user and costs its own control only")
  func busy() throws {
    let holder = try button([8], control: "other")
    let error = refusal { _ = try button([7, 8], control: "knob") }
    #expect(error?.cause == .busy(consumer: "tactus:other"))
    #expect(error?.operation == .request && error?.offset == 8 && error?.code == EBUSY)
    var free = try button([7])
    #expect(try free.levels()[0] == false)
    _ = consume holder
    _ = try button([8])
  }

  @Test("an output has its level from the first moment, and is read back")
  func outputs() throws {
    let chip = try Header.chip()
    for polarity in [Polarity.activeHigh, .activeLow] {
      for initially in [false, true] {
        var line = try OutputLine(
          chip: chip,
          offset: 16,
          polarity: polarity,
          initiallyActive: initially,
          control: "amplifier"
        )
        for active in [initially, true, false, true] {
          if active != initially { try line.set(active: active) }
          try line.set(active: active)
          #expect(try Header.value(16) == (active == (polarity == .activeHigh) ? 1 : 0))
          #expect(try line.isActive() == active)
        }
      }
    }
  }

  @Test("a chip that vanishes is told once, without a spin; its lines can be had again")
  func vanishing() throws {
    var button = try button()
    var amplifier = try OutputLine(
      chip: try Header.chip(),
      offset: 16,
      polarity: .activeHigh,
      initiallyActive: false,
      control: "amplifier"
    )
    let loop = try EventLoop()
    for descriptor in button.descriptors { try loop.add(descriptor, token: 1) }
    try Header.remove()
    defer { try? Header.giveBack() }
    #expect(try loop.wait(until: MonotonicClock.now() + 20_000_000_000) == 1)
    #expect(loop[0].isBroken)
    for _ in 0..<2 {
      #expect(refusal { _ = try button.edges() }?.cause == .vanished)
      #expect(refusal { _ = try button.levels() }?.cause == .vanished)
      #expect(refusal { try amplifier.set(active: true) }?.cause == .vanished)
    }
    #expect(button.descriptors.isEmpty)
    #expect(try loop.wait(until: 0) == 0)
    #expect(throws: LineError.self) { try Header.chip() }
    try Header.giveBack()
    try Header.pull(17, 0)
    button = try self.button()
    #expect(try button.levels()[0] == true)
  }

  @Test("a chip of another user is denied, not missing")
  func permission() throws {
    let path = try Header.chip().path
    chmod(path, 0o600)
    try becomeForFiles(65534)
    defer { try? becomeForFiles(0) }
    let error = refusal { _ = try Header.chip() }
    #expect(error?.cause == .permission && error?.chip == path)
  }
}
