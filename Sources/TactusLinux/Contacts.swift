// SPDX-License-Identifier: Apache-2.0
//
// The board's lines in use: contacts that a person moves, and what belongs to the way to the ear,
// amplifiers and triggers. One line that somebody else holds costs that line only; what is missing
// is asked for again when chips appear.

public import TactusCore

/// The GPIO lines of a board, but those that answer a person (`FeedbackPlayer`).
public final class Contacts {
  /// The input lines of one control.
  private final class Input {
    let name: String
    let chipLabels: [String]
    let offsets: [UInt32]
    let bias: Bias
    let polarity: Polarity
    let isKnob: Bool
    var lines: InputLines?
    /// Bit i is line i.
    var bits: UInt32 = 0
    var counts = EdgeCounts()
    /// Pressed by software until this tick (`tactus press`).
    var pressedUntil: Tick?
    /// The policy takes a line for present until it hears otherwise.
    var isToldMissing = false
    var told = ""

    init(_ control: BoardControl) {
      name = control.name
      isKnob = control.role == .knob
      if case .lines(let labels, let offsets, let bias, let polarity) = control.contact {
        chipLabels = labels
        self.offsets = offsets
        self.bias = bias
        self.polarity = polarity
      } else {
        chipLabels = []
        offsets = []
        bias = .noneExternal
        polarity = .activeHigh
      }
    }

    /// A<<1 | B for a knob; else whether any line is active.
    var state: UInt8 {
      if isKnob { return UInt8((bits & 1) << 1 | bits >> 1 & 1) }
      return bits != 0 || pressedUntil != nil ? 1 : 0
    }
  }

  private let inputs: [Input]
  private let amplifiers: [DrivenLine?]
  private let triggers: [(line: DrivenLine, output: Int)]
  private var answers: [TactusCore.Input] = []
  private var messages: [String] = []
  private var edges = [Edge](repeating: Edge(), count: InputLines.edgesMaximum)
  /// The last edges, while somebody wants to see them.
  private var log: EdgeLog?

  /// Lines that are not asked for yet.
  public init(board: Board) {
    inputs = board.controls.map { Input($0) }
    amplifiers = board.outputs.map { output in
      output.amplifier.map { DrivenLine(name: "\(output.name)-amplifier", line: $0) }
    }
    triggers = board.signals.compactMap { signal in
      guard case .trigger(let output) = signal.role, let line = signal.line else { return nil }
      return (DrivenLine(name: signal.name, line: line), Int(output))
    }
  }

  /// The descriptors of a control's lines; none while it is not there.
  // Not inlined: in another module of an Embedded program that crashes the compiler (6.3.1).
  @inline(never)
  public func descriptors(of control: Int) -> [Int32] {
    switch inputs[control].lines {
    case .some(let lines): lines.descriptors
    case .none: []
    }
  }

  /// Whether something waits for the next tick.
  public var hasAnswers: Bool { !answers.isEmpty }

  /// Whether a line is missing that the board has.
  public var isIncomplete: Bool {
    inputs.contains { !$0.offsets.isEmpty && $0.lines == nil }
      || amplifiers.contains { $0.map { !$0.isHeld } ?? false }
      || triggers.contains { !$0.line.isHeld }
  }

  /// What a person should know, since the last time; each failure once.
  public func takeMessages() -> [String] {
    defer { messages.removeAll() }
    return messages
  }

  /// Adds what is known to a tick's inputs; what finds no room waits for the next tick.
  public func gather(into inputs: inout Inputs) {
    var taken = 0
    while taken < answers.count, inputs.append(answers[taken]) { taken += 1 }
    answers.removeFirst(taken)
  }

  // MARK: Lines that come and go

  /// Asks for the lines that are not held yet: amplifiers first, at their silent value (T-7).
  public func request() {
    let chips = Chips()
    for amplifier in amplifiers { amplifier?.request(chips, telling: &messages) }
    for trigger in triggers { trigger.line.request(chips, telling: &messages) }
    for index in inputs.indices where !inputs[index].offsets.isEmpty && inputs[index].lines == nil {
      request(input: index, chips)
    }
  }

  private func request(input index: Int, _ chips: Chips) {
    let input = inputs[index]
    do throws(LineError) {
      var lines = try InputLines(
        chip: try chips.chip(labelled: input.chipLabels),
        offsets: input.offsets,
        bias: input.bias,
        polarity: input.polarity,
        control: input.name
      )
      input.bits = try lines.levels().bits
      input.lines = consume lines
      input.told = ""
      input.isToldMissing = false
      answers.append(.line(control: UInt8(index), present: true))
      answers.append(.level(control: UInt8(index), state: input.state))
    } catch {
      miss(index, error)
    }
  }

  private func miss(_ index: Int, _ error: LineError) {
    let input = inputs[index]
    tell(error, input.name, &input.told)
    guard !input.isToldMissing else { return }
    input.isToldMissing = true
    answers.append(.line(control: UInt8(index), present: false))
  }

  private func tell(_ error: LineError, _ name: String, _ told: inout String) {
    let message = "\(name): \(error.description)"
    guard told != message else { return }
    told = message
    messages.append(message)
  }

  private func lose(_ index: Int, _ error: LineError) {
    inputs[index].lines = nil
    miss(index, error)
  }

  // MARK: Edges and levels

  /// Takes the edges of a control that are waiting.
  public func takeEdges(of index: Int) {
    let input = inputs[index]
    do throws(LineError) {
      var span = edges.mutableSpan
      guard let drained = try input.lines?.drain(into: &span) else { return }
      for position in 0..<drained.count {
        log?.add(EdgeRecording.Edge(edges[position], input.name, input.isKnob, input.polarity).text)
        take(edges[position], of: index)
      }
      if drained.needsLevels {
        answers.append(.lost(control: UInt8(index), count: UInt16(clamping: drained.lost)))
        try readLevel(of: index)
      }
    } catch {
      lose(index, error)
    }
  }

  private func take(_ edge: Edge, of index: Int) {
    let input = inputs[index]
    let bit: UInt32 = 1 << UInt32(edge.lineIndex)
    let before = input.state
    let rest = input.polarity == .activeHigh ? before : ~before
    input.counts.note(edge.timestampNanoseconds, rest: input.isKnob ? rest : nil)
    input.bits = edge.isActive ? input.bits | bit : input.bits & ~bit
    // With several lines for one control, one that follows another says nothing new.
    if input.offsets.count > 1 && input.state == before { return }
    answers.append(.edge(control: UInt8(index), state: input.state))
  }

  /// What is as it was known to be is no news: an audit that finds nothing wakes nobody (T-6).
  private func readLevel(of index: Int) throws(LineError) {
    guard let levels = try inputs[index].lines?.levels() else { return }
    let before = inputs[index].state
    inputs[index].bits = levels.bits
    guard inputs[index].state != before else { return }
    answers.append(.level(control: UInt8(index), state: inputs[index].state))
  }

  /// Reads every line again: levels are truth.
  public func readLevels() {
    for index in inputs.indices where inputs[index].lines != nil {
      takeEdges(of: index)
      do throws(LineError) { try readLevel(of: index) } catch { lose(index, error) }
    }
  }

  /// What the edges of each control tell.
  public var counts: [Int32] {
    var counts: [Int32] = []
    for input in inputs {
      for place in 0..<EdgeCounts.size { counts.append(input.counts.numbers[place]) }
    }
    return counts
  }

  /// Raw edges as `Edges` on the bus tells them; keeps them from the first call on.
  public func edges(after number: UInt32) -> String {
    if log == nil { log = EdgeLog() }
    return log?.text(after: number) ?? ""
  }

  // MARK: Software's finger

  /// Presses a button, as a finger would.
  public func press(_ index: Int, until tick: Tick) {
    inputs[index].pressedUntil = tick
    answers.append(.edge(control: UInt8(index), state: inputs[index].state))
  }

  /// When the next such press ends.
  public var nextRelease: Tick? {
    var next: Tick?
    for input in inputs {
      guard let until = input.pressedUntil else { continue }
      next = min(next ?? until, until)
    }
    return next
  }

  /// Lets go of what was pressed for long enough.
  public func release(at tick: Tick) {
    for index in inputs.indices {
      guard let until = inputs[index].pressedUntil, tick >= until else { continue }
      inputs[index].pressedUntil = nil
      answers.append(.edge(control: UInt8(index), state: inputs[index].state))
    }
  }

  // MARK: Lines that are driven

  /// Drives an amplifier line and reads it back.
  public func setAmplifier(_ output: Int, _ on: Bool) {
    guard let line = amplifiers[output], line.drive(on, telling: &messages) else {
      return answers.append(.failed(.amplifier, UInt8(output)))
    }
    answers.append(.amplifier(output: UInt8(output), on: line.isActive))
  }

  /// Switches other equipment on while an output may be heard, as it was read back (SIL-9).
  public func show(_ snapshot: Snapshot) {
    for trigger in triggers {
      let isOn = snapshot.isOpen(output: trigger.output)
      if trigger.line.isActive != isOn { _ = trigger.line.drive(isOn, telling: &messages) }
    }
  }
}
