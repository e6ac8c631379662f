// SPDX-License-Identifier: Apache-2.0
//
// Raw edges as they come: through the daemon, whose lines they are while it runs, else from the
// lines themselves.

import TactusCore
import TactusLinux

/// Where raw edges come from.
final class EdgeSource {
  /// How often the daemon is asked.
  private static let pauseNanoseconds: UInt64 = 20_000_000

  private let controls: [BoardControl]
  private var daemon: Daemon?
  /// The number of the last edge that the daemon has told.
  private var number: UInt32 = 0
  private var lines: [HeldLines] = []
  private var edges = [Edge](repeating: Edge(), count: InputLines.edgesMaximum)
  private var last: UInt64 = 0

  /// The lines of one control.
  private final class HeldLines {
    let control: BoardControl
    let polarity: Polarity
    var lines: InputLines

    init(_ control: BoardControl, _ polarity: Polarity, _ lines: consuming InputLines) {
      self.control = control
      self.polarity = polarity
      self.lines = lines
    }

    /// How many edges came.
    func drain(into edges: inout [Edge]) throws(LineError) -> Int {
      var span = edges.mutableSpan
      return try lines.drain(into: &span).count
    }
  }

  /// Edges of these controls, from the daemon.
  /// - Throws: Where it has no lines, or this user may not see them.
  init(_ controls: [BoardControl], from daemon: consuming Daemon) throws(Failure) {
    self.controls = controls
    let text = try daemon.ask(.edges, [.count(0)])
    number = EdgeSource.number(in: text)
    self.daemon = consume daemon
  }

  /// Edges of these controls, from their lines.
  /// - Throws: Where none can be had: the first that is refused.
  init(_ controls: [BoardControl], of chips: Chips) throws(Failure) {
    self.controls = controls
    for control in controls {
      guard case .lines(let labels, let offsets, let bias, let polarity) = control.contact else {
        continue
      }
      do throws(LineError) {
        let lines = try InputLines(
          chip: try chips.chip(labelled: labels),
          offsets: offsets,
          bias: bias,
          polarity: polarity,
          control: control.name
        )
        self.lines.append(HeldLines(control, polarity, lines))
      } catch {
        throw Failure(.checkFailed, saying: "\(control.name): \(error.description)")
      }
    }
  }

  /// Whether the daemon tells them: then it also acts upon them.
  var isFromDaemon: Bool {
    switch daemon {
    case .some: true
    case .none: false
    }
  }

  /// Waits a little, and gives the edges that have come, by rising time.
  func next() throws(Failure) -> [EdgeRecording.Edge] {
    Machine.pause(nanoseconds: EdgeSource.pauseNanoseconds)
    var found = isFromDaemon ? try ask() : try drain()
    // Those of one control come in their order, those of several need not.
    found.sort { $0.nanoseconds < $1.nanoseconds }
    for index in found.indices {
      last = max(last, found[index].nanoseconds)
      found[index].nanoseconds = last
    }
    return found
  }

  private func ask() throws(Failure) -> [EdgeRecording.Edge] {
    guard let text = try daemon?.ask(.edges, [.count(number)]) else { return [] }
    number = EdgeSource.number(in: text)
    return text.split(at: "\n").dropFirst().compactMap { EdgeRecording.Edge(text: $0) }
      .filter { edge in controls.contains { $0.name == edge.control } }
  }

  private static func number(in text: String) -> UInt32 {
    text.split(at: "\n").first.flatMap { wholeNumber($0) }.flatMap { UInt32(exactly: $0) } ?? 0
  }

  private func drain() throws(Failure) -> [EdgeRecording.Edge] {
    var found: [EdgeRecording.Edge] = []
    for held in lines {
      do throws(LineError) {
        let count = try held.drain(into: &edges)
        for position in 0..<count {
          found.append(EdgeRecording.Edge(edges[position], of: held.control, held.polarity))
        }
      } catch {
        throw Failure(.checkFailed, saying: "\(held.control.name): \(error.description)")
      }
    }
    return found
  }
}
