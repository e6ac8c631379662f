// SPDX-License-Identifier: Apache-2.0
//
// Help, from the table of the command line.

import TactusCore

/// The help for some words: the overview for none, else the verbs that begin so.
/// - Throws: `usage` when no verb begins so.
func help(for words: [String]) throws(Failure) -> String {
  guard let first = words.first else { return overview() }
  let wanted = words.prefix(2).joined(separator: " ")
  for words in [wanted, first] {
    for entry in Grammar.verbs where entry.words == words { return help(of: entry) }
  }
  let group = Grammar.verbs.filter { $0.words.hasPrefix("\(first) ") }
  if words.count == 1, !group.isEmpty { return list(group) + "\n" + optionList(Grammar.global) }
  // The parser knows what is wrong with these words, and what was meant.
  _ = try parse(words)
  return overview()
}

private func overview() -> String {
  var text = "Tactus gives a board with buttons and a sound chip the manners of a good phone.\n"
  text += "usage: tactus VERB [OPTIONS]; tactus VERB --help says more\n"
  for chapter in Chapter.allCases {
    text += "\n\(chapter.title)\n"
    text += list(Grammar.verbs.filter { $0.chapter == chapter })
  }
  return text + "\n" + optionList(Grammar.global)
}

private func help(of entry: VerbEntry) -> String {
  var text = "usage: \(entry.usage)\n\n  \(entry.summary)\n"
  if !entry.details.isEmpty { text += "\n" }
  for line in entry.details { text += line.isEmpty ? "\n" : "  \(line)\n" }
  var terms = entry.operands.map { ($0.name, $0.about) }
  terms += entry.options.map { ($0.written, $0.about) }
  if !terms.isEmpty { text += "\n" }
  let width = terms.map { $0.0.utf8.count }.max() ?? 0
  for (term, about) in terms { text += "  \(padded(term, to: width))  \(about)\n" }
  let everywhere = Grammar.global.map { $0.written }.joined(separator: ", ")
  return text + "\nEverywhere: \(everywhere); see tactus --help\n"
}

private func list(_ entries: [VerbEntry]) -> String {
  var text = ""
  for entry in entries {
    let operands = entry.operands.map { " \($0.name)" }.joined()
    text += "  \(padded(entry.words + operands, to: 22))  \(entry.summary)\n"
  }
  return text
}

private func optionList(_ options: [OptionEntry]) -> String {
  var text = "Options\n"
  for option in options { text += "  \(padded(option.written, to: 14))  \(option.about)\n" }
  return text
}

/// A text with spaces behind it, up to a number of characters.
func padded(_ text: String, to width: Int) -> String {
  let missing = width - text.unicodeScalars.count
  return missing > 0 ? text + String(repeating: " ", count: missing) : text
}
