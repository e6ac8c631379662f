// SPDX-License-Identifier: Apache-2.0
//
// Raw edges of real contacts as a file that people can read, from which they can be played again
// with another board file or debounce time.
//
//   tactus-edges 1 BOARD               the first line: format, version, board
//   NANOSECONDS CONTROL LINE LEVEL     one edge: CLOCK_MONOTONIC; the control's name on its board,
//                                      else its role; A or B of a knob, else -; the electrical
//                                      level after it, 1 is high
//   # anything                         a comment, as is an empty line
//
// Times never fall. Levels are electrical, so that another board file may read them otherwise.

import CTactus
import TactusCore

/// Edges as they were recorded.
public struct EdgeRecording: Equatable, Sendable {
  /// Which line of its control.
  public enum Line: String, CaseIterable, Equatable, Sendable {
    /// The only one.
    case single = "-"
    case a = "A"
    case b = "B"
  }

  /// A change of one line.
  public struct Edge: Equatable, Sendable {
    /// When, on CLOCK_MONOTONIC.
    public var nanoseconds: UInt64
    /// The control's name on its board, else its role.
    public var control: String
    public var line: Line
    /// The electrical level after it.
    public var isHigh: Bool

    public init(nanoseconds: UInt64, control: String, line: Line = .single, isHigh: Bool) {
      self.nanoseconds = nanoseconds
      self.control = control
      self.line = line
      self.isHigh = isHigh
    }

    /// Its line of the file.
    public var text: String { "\(nanoseconds) \(control) \(line.rawValue) \(isHigh ? "1" : "0")" }
  }

  /// No file of more bytes is read.
  public static let byteLimit = 1 << 24
  private static let format = "tactus-edges"

  /// The board's name, as its folder has it.
  public var board: String
  /// By rising time.
  public var edges: [Edge]

  public init(board: String, edges: [Edge] = []) {
    self.board = board
    self.edges = edges
  }

  /// The first line of a file.
  public static func header(board: String) -> String { "\(format) 1 \(board)" }

  /// The whole file.
  public var text: String {
    var text = "\(EdgeRecording.header(board: board))\n"
    for edge in edges { text += "\(edge.text)\n" }
    return text
  }
}

/// Whether a file begins as a recording of edges does.
public func isEdgeRecording(_ path: String) -> Bool {
  let first = Array("tactus-edges ".utf8)
  guard let file = try? Descriptor(path: path, flags: O_RDONLY | O_NONBLOCK) else { return false }
  var bytes = [UInt8](repeating: 0, count: first.count)
  return read(file.number, &bytes, bytes.count) == bytes.count && bytes == first
}

// MARK: Reading

extension EdgeRecording {
  /// Reads a file.
  /// - Throws: The place and what is wrong there; what comes before it is not used either.
  public init(path: String) throws(Diagnostic) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try contents(of: path, limit: EdgeRecording.byteLimit)
    } catch {
      throw Diagnostic(
        file: path,
        place: .file,
        message: "cannot \(error.operation), "
          + reason(of: error.code)
      )
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Diagnostic(file: path, place: .file, message: "is not text, record it with tactus test")
    }
    try self.init(parsing: text, file: path)
  }

  /// Reads the text of a file, whose path is for messages.
  /// - Throws: The place and what is wrong there.
  public init(parsing text: String, file: String) throws(Diagnostic) {
    var board: String?
    var edges: [Edge] = []
    var number = 0
    for line in Array(text.utf8).split(
      separator: UInt8(ascii: "\n"),
      omittingEmptySubsequences: false
    ) {
      number += 1
      let words = String(decoding: line, as: UTF8.self).split(at: " ")
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      do throws(RecordingMistake) {
        if board == nil {
          board = try EdgeRecording.board(words)
        } else {
          let edge = try EdgeRecording.edge(words)
          if let last = edges.last, edge.nanoseconds < last.nanoseconds {
            throw RecordingMistake("before the line above it (\(first)), times never fall")
          }
          edges.append(edge)
        }
      } catch {
        let place = Place(line: number, column: 1)
        throw Diagnostic(file: file, place: place, message: error.message)
      }
    }
    guard let board else {
      throw Diagnostic(file: file, place: .start, message: "empty, record it with tactus test")
    }
    self.init(board: board, edges: edges)
  }

  private static func board(_ words: [String]) throws(RecordingMistake) -> String {
    guard words.count == 3, words[0] == format else {
      throw RecordingMistake("no recording of edges, the first line is \(format) 1 BOARD")
    }
    guard words[1] == "1" else {
      throw RecordingMistake("version \(words[1]), this program knows 1, take a newer one")
    }
    return words[2]
  }

  fileprivate static func edge(_ words: [String]) throws(RecordingMistake) -> Edge {
    guard words.count == 4 else {
      throw RecordingMistake("\(words.count) words, write NANOSECONDS CONTROL LINE LEVEL")
    }
    guard let time = wholeNumber(words[0]), time >= 0 else {
      throw RecordingMistake("no time in nanoseconds (\(words[0])), write a whole number from 0 on")
    }
    guard let line = Line.allCases.first(where: { $0.rawValue == words[2] }) else {
      throw RecordingMistake("no line of a control (\(words[2])), write A, B or -")
    }
    guard words[3] == "0" || words[3] == "1" else {
      throw RecordingMistake("no level (\(words[3])), write 0 or 1")
    }
    return Edge(
      nanoseconds: UInt64(time),
      control: words[1],
      line: line,
      isHigh: words[3] == "1"
    )
  }
}

private struct RecordingMistake: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

// MARK: Live

extension EdgeRecording.Edge {
  /// An edge of a control as it was on the wire.
  public init(_ edge: Edge, of control: BoardControl, _ polarity: Polarity) {
    self.init(edge, control.name, control.role == .knob, polarity)
  }

  init(_ edge: Edge, _ control: String, _ isKnob: Bool, _ polarity: Polarity) {
    self.init(
      nanoseconds: edge.timestampNanoseconds,
      control: control,
      line: !isKnob ? .single : edge.lineIndex == 0 ? .a : .b,
      isHigh: edge.isActive == (polarity == .activeHigh)
    )
  }

  /// Reads its line of a file; nil where it is none.
  public init?(text: String) {
    guard let edge = try? EdgeRecording.edge(text.split(at: " ")) else { return nil }
    self = edge
  }
}

/// The last edges of a running daemon, numbered from 1.
struct EdgeLog {
  /// So many are kept; the oldest go first.
  static let capacity = 512

  private var edges: [String] = []
  /// The number of the last edge.
  private var last: UInt32 = 0

  mutating func add(_ edge: String) {
    if edges.count == EdgeLog.capacity { edges.removeFirst() }
    edges.append(edge)
    last &+= 1
  }

  /// The last number on a line of its own, then the edges behind `number` that are still there.
  func text(after number: UInt32) -> String {
    let news = min(Int(last &- number), edges.count)
    var text = "\(last)\n"
    for place in (edges.count - news)..<edges.count { text += "\(edges[place])\n" }
    return text
  }
}

// MARK: Writing

/// A file that is whole after every edge, whatever ends the program.
public struct EdgeRecorder: ~Copyable {
  private let file: Descriptor
  private let path: String

  /// Makes the file anew.
  public init(path: String, board: String) throws(SystemError) {
    let file = try Descriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
    let header = "\(EdgeRecording.header(board: board))\n"
    try writeAll(Array(header.utf8), to: file.number, called: path)
    self.file = file
    self.path = path
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Adds an edge, not before the last one.
  public func add(_ edge: EdgeRecording.Edge) throws(SystemError) {
    try writeAll(Array("\(edge.text)\n".utf8), to: file.number, called: path)
  }
}
