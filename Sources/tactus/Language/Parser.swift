// SPDX-License-Identifier: Apache-2.0
//
// From the words of the command line to a verb with its operands and options.

import TactusCore

/// What the words ask for.
enum Asked {
  /// The overview, or the verbs whose words begin so.
  case help([String])
  case version
  case run(Invocation)
}

/// One verb with what was said about it.
struct Invocation {
  let verb: Verb
  let operands: [String]
  fileprivate let options: [GivenOption]

  /// Whether an option was given.
  func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// The value of an option; of several the last.
  func value(of name: String) -> String? {
    for option in options.reversed() where option.name == name { return option.value }
    return nil
  }

  /// The values of an option that was given several times.
  func values(of name: String) -> [String] {
    options.compactMap { $0.name == name ? $0.value : nil }
  }

  /// The verb's words, the object of its messages.
  var words: String { Grammar.entry(of: verb).words }
}

private struct GivenOption {
  let name: String
  let value: String?
}

/// Reads the arguments after the program's name.
/// - Throws: `usage`, or `cannotRun` for `run`, naming the first word that is wrong and the nearest
///   right one.
func parse(_ arguments: [String]) throws(Failure) -> Asked {
  var words = Words(arguments)
  do throws(Failure) {
    return try read(&words)
  } catch {
    // Its other exit codes are those of the program that it runs.
    guard words.operands.first == "run" else { throw error }
    throw Failure(.cannotRun, saying: error.sentence)
  }
}

private func read(_ words: inout Words) throws(Failure) -> Asked {
  try words.sort()
  if words.has("--version") { return .version }
  if words.operands.first == "help" { return .help(Array(words.operands.dropFirst())) }
  if words.has("--help") { return .help(words.operands) }
  if words.operands.isEmpty, let unknown = words.unknown {
    throw unknownOption(unknown, of: "command", among: Grammar.global)
  }

  let (entry, used) = try verb(at: words.operands)
  let allowed = entry.options + Grammar.global
  if let unknown = words.unknown { throw unknownOption(unknown, of: entry.words, among: allowed) }
  for option in words.options where !allowed.contains(where: { $0.name == option.name }) {
    throw unknownOption(option.name, of: entry.words, among: allowed)
  }
  let operands = Array(words.operands.dropFirst(used))
  if operands.count < entry.operands.count, !entry.operands[operands.count].isOptional {
    let missing = entry.operands[operands.count].name
    throw Failure(.usage, entry.words, "missing \(missing)", next: "write \(entry.usage)")
  }
  let isOpenEnded = entry.operands.last?.isRepeated ?? false
  if operands.count > entry.operands.count, !isOpenEnded {
    let extra = operands[entry.operands.count]
    throw Failure(.usage, entry.words, "too much", value: extra, next: "write \(entry.usage)")
  }
  return .run(Invocation(verb: entry.verb, operands: operands, options: words.options))
}

/// The entry that the first words name, and how many they are.
private func verb(at operands: [String]) throws(Failure) -> (VerbEntry, Int) {
  guard let first = operands.first else {
    throw Failure(.usage, "command", "missing", next: "tactus --help lists them")
  }
  let firstTwo = operands.prefix(2).joined(separator: " ")
  if operands.count > 1 {
    for entry in Grammar.verbs where entry.words == firstTwo { return (entry, 2) }
  }
  for entry in Grammar.verbs + Grammar.hidden where entry.words == first { return (entry, 1) }
  let members = members(of: first)
  guard !members.isEmpty else {
    throw Failure(
      .usage,
      "command",
      "no such command",
      value: first,
      next: advice(for: first, among: firstWords(), otherwise: "tactus --help lists them")
    )
  }
  let choices = members.map { $0.words.dropFirst(first.utf8.count + 1) }.map { String($0) }
  guard operands.count > 1 else {
    throw Failure(.usage, first, "missing what", next: "one of \(choices.joined(separator: ", "))")
  }
  let second = operands[1]
  for (index, choice) in choices.enumerated() where choice == second { return (members[index], 2) }
  throw Failure(
    .usage,
    first,
    "no such thing",
    value: second,
    next: advice(
      for: second,
      among: choices,
      otherwise: "one of \(choices.joined(separator: ", "))"
    )
  )
}

/// The entries of a group, such as `set`.
private func members(of group: String) -> [VerbEntry] {
  Grammar.verbs.filter { $0.words.hasPrefix("\(group) ") }
}

/// What a command can begin with.
private func firstWords() -> [String] {
  var words = ["help"]
  for entry in Grammar.verbs {
    let word = String(entry.words.prefix { $0 != " " })
    if !words.contains(word) { words.append(word) }
  }
  return words
}

private func unknownOption(
  _ name: String,
  of object: String,
  among entries: [OptionEntry]
) -> Failure {
  Failure(
    .usage,
    object,
    "no such option",
    value: name,
    next: advice(
      for: name,
      among: entries.map { $0.name },
      otherwise: object == "command" ? "see tactus --help" : "see tactus \(object) --help"
    )
  )
}

/// The arguments, sorted into operands and options.
private struct Words {
  private var remaining: ArraySlice<String>
  private(set) var operands: [String] = []
  private(set) var options: [GivenOption] = []
  /// The first option that no verb has.
  private(set) var unknown: String?

  init(_ arguments: [String]) { remaining = arguments[...] }

  func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  mutating func sort() throws(Failure) {
    while let word = remaining.popFirst() {
      if word == "--" {
        operands += remaining
        return
      }
      if isOption(word) { try take(word) } else { operands.append(word) }
    }
  }

  /// `-20dB` and `-1` are operands.
  private func isOption(_ word: String) -> Bool {
    let bytes = Array(word.utf8.prefix(2))
    guard bytes.count == 2, bytes[0] == UInt8(ascii: "-") else { return false }
    let isAmount = bytes[1] == UInt8(ascii: ".") || (0x30...0x39).contains(bytes[1])
    return !isAmount
  }

  private mutating func take(_ word: String) throws(Failure) {
    var name = word
    var value: String?
    if let equals = word.firstIndex(of: "=") {
      name = String(word[..<equals])
      value = String(word[word.index(after: equals)...])
    }
    if name == "-h" { name = "--help" }
    guard let entry = known(name) else {
      if unknown == nil { unknown = name }
      return
    }
    if entry.value == nil, let value {
      throw Failure(.usage, name, "takes no value", value: value)
    }
    if let needed = entry.value, value == nil {
      value = remaining.popFirst()
      guard value != nil else {
        throw Failure(.usage, name, "missing \(needed)", next: entry.about)
      }
    }
    options.append(GivenOption(name: name, value: value))
  }

  private func known(_ name: String) -> OptionEntry? {
    for option in Grammar.global where option.name == name { return option }
    for verb in Grammar.verbs {
      for option in verb.options where option.name == name { return option }
    }
    return nil
  }
}
