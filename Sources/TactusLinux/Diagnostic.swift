// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a file, said to the person who wrote it.
//
//   error     the file cannot be used as it is
//   warning   it can, and something about it is likely not meant

import TactusCore

/// A mistake at a place in a file.
public struct Diagnostic: Error, Equatable, Sendable {
  /// Whether the file can be used.
  public enum Severity: Plain, Equatable {
    case error, warning
  }

  public let severity: Severity
  /// The file's path as it was given.
  public let file: String
  public let place: Place
  /// The key concerned; empty where none is.
  public let key: String
  /// What is wrong and, after a comma, what to write.
  public let message: String

  init(severity: Severity, file: String, place: Place, key: String, message: String) {
    self.severity = severity
    self.file = file
    self.place = place
    self.key = key
    self.message = message
  }

  /// An error that no key is concerned in.
  public init(file: String, place: Place, message: String) {
    self.init(severity: .error, file: file, place: place, key: "", message: message)
  }
}

/// A place in a file, counted from 1.
///
/// `Place.file` stands for the file as a whole.
public struct Place: Equatable, Sendable {
  public let line: Int
  /// In characters.
  public let column: Int
  /// Which of the files that were read together: 0 is the one that was asked for, 1 what it
  /// extends, and so on.
  let fileNumber: Int

  public init(line: Int, column: Int) { self.init(line: line, column: column, fileNumber: 0) }

  init(line: Int, column: Int, fileNumber: Int) {
    self.line = line
    self.column = column
    self.fileNumber = fileNumber
  }

  static let file = Place(line: 0, column: 0)
  static let start = Place(line: 1, column: 1)

  /// Where a file begins.
  static func start(ofFile number: Int) -> Place {
    Place(line: 1, column: 1, fileNumber: number)
  }

  static func < (left: Place, right: Place) -> Bool {
    if left.fileNumber != right.fileNumber { return left.fileNumber < right.fileNumber }
    return left.line != right.line ? left.line < right.line : left.column < right.column
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `FILE:LINE:COLUMN: KEY: WHAT, WHAT TO WRITE`; warnings say so before the key.
  public var description: String {
    var text = file
    if place.line > 0 { text += ":\(place.line):\(place.column)" }
    if severity == .warning { text += ": warning" }
    if !key.isEmpty { text += ": \(key)" }
    return "\(text): \(message)"
  }
}

/// Something read from files, and what was wrong with them.
public struct Loaded<Value> {
  /// Nothing where it cannot be used.
  public let value: Value?
  /// By rising place.
  public let diagnostics: [Diagnostic]

  public init(value: Value?, diagnostics: [Diagnostic]) {
    self.value = value
    self.diagnostics = diagnostics
  }

  /// Whether a diagnostic is an error.
  ///
  /// A lenient loader gives a value nevertheless, without what is wrong.
  public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// The mistakes found so far in one file and in those that it extends.
final class Mistakes {
  /// By their numbers.
  private(set) var files: [String]
  private(set) var list: [Diagnostic] = []
  private(set) var errorCount = 0

  init(file: String) { files = [file] }

  /// One more file is read; returns its number.
  func begin(file: String) -> Int {
    files.append(file)
    return files.count - 1
  }

  func error(_ place: Place, _ key: String, _ message: String) {
    errorCount += 1
    add(.error, place, key, message)
  }

  func warning(_ place: Place, _ key: String, _ message: String) {
    add(.warning, place, key, message)
  }

  /// How a message at one place names another: `line 3`, or `line 3 of BOARD/board.yaml`.
  func name(_ other: Place, seenFrom place: Place) -> String {
    guard other.fileNumber != place.fileNumber else { return "line \(other.line)" }
    let file = Array(files[other.fileNumber].split(at: "/").suffix(2)).joined(separator: "/")
    return "line \(other.line) of \(file)"
  }

  private func add(
    _ severity: Diagnostic.Severity,
    _ place: Place,
    _ key: String,
    _ message: String
  ) {
    let file = files[place.fileNumber]
    add(Diagnostic(severity: severity, file: file, place: place, key: key, message: message))
  }

  /// What is read for several items is reported once.
  private func add(_ diagnostic: Diagnostic) {
    if !list.contains(diagnostic) { list.append(diagnostic) }
  }

  /// By rising place; those of one place in the order of their discovery.
  var sorted: [Diagnostic] { list.sorted { $0.place < $1.place } }
}
