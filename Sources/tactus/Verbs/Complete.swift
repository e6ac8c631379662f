// SPDX-License-Identifier: Apache-2.0
//
// `tactus complete KIND`: what a shell offers for a word, one a line, and the table of the command
// line for those who write manuals from it. Hidden from the help; says nothing where there is
// nothing to offer, since somebody is typing.

import TactusCore
import TactusLinux

/// What can be completed.
enum CompletionKind: CaseIterable, Named {
  case boards, controls, routes, sources, sounds, feedback, categories, modes, cards, grammar

  var name: String {
    switch self {
    case .boards: "boards"
    case .controls: "controls"
    case .routes: "routes"
    case .sources: "sources"
    case .sounds: "sounds"
    case .feedback: "feedback"
    case .categories: "categories"
    case .modes: "modes"
    case .cards: "cards"
    case .grammar: "grammar"
    }
  }
}

/// Runs `complete`.
func complete(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let wanted = try choice(
    invocation.operands[0],
    of: CompletionKind.allCases.map { $0.name },
    for: "complete"
  )
  let words: [String]
  switch CompletionKind(name: wanted) {
  case .boards: words = boardFolders(invocation).boards.map { $0.name }
  case .controls: words = names("controls", invocation)
  case .routes: words = names("routes", invocation)
  case .sources: words = names("sources", invocation)
  case .sounds: words = description(invocation).map { Device($0).sounds } ?? []
  case .feedback: words = Feedback.allCases.map { $0.name }
  case .categories: words = Category.allCases.map { $0.name }
  case .modes: words = Mode.allCases.map { $0.name }
  case .cards: words = SoundCard.list().map { $0.id }
  case .grammar: words = [Grammar.description.written(onOneLine: false)]
  case nil: words = []
  }
  for word in words { output.write("\(word)\n") }
  return .success
}

/// Who types waits at most so long.
private let timeoutMicroseconds: UInt64 = 400_000

/// Names of the running device.
private func names(_ member: String, _ invocation: Invocation) -> [String] {
  (description(invocation)?[member]?.elements ?? []).compactMap { $0["name"]?.text }
}

/// The running device; nil where there is none.
private func description(_ invocation: Invocation) -> Json? {
  let address = BusAddress(argument: invocation.value(of: "--bus") ?? "system")
  guard let client = try? BusClient(address, timeoutMicroseconds: timeoutMicroseconds) else {
    return nil
  }
  return try? client.describe()
}

// MARK: The table for programs

extension Grammar {
  /// Everything that the help, the manual and the shells say, from one place.
  static var description: Json {
    .object([
      Json.Member("version", .text(tactusVersion)),
      Json.Member("options", .array(global.map { $0.json })),
      Json.Member(
        "chapters",
        .array(
          Chapter.allCases.map { chapter in
            .object([
              Json.Member("title", .text(chapter.title)),
              Json.Member(
                "verbs",
                .array(verbs.filter { $0.chapter == chapter }.map { $0.json })
              ),
            ])
          }
        )
      ),
      Json.Member("metrics", .array(MetricFamily.all.map { $0.json })),
    ])
  }
}

extension VerbEntry {
  fileprivate var json: Json {
    .object([
      Json.Member("words", .text(words)),
      Json.Member("summary", .text(summary)),
      Json.Member(
        "operands",
        .array(
          operands.map { operand in
            .object([
              Json.Member("name", .text(operand.name)), Json.Member("about", .text(operand.about)),
            ])
          }
        )
      ),
      Json.Member("options", .array(options.map { $0.json })),
      Json.Member("details", .array(details.map { .text($0) })),
    ])
  }
}

extension OptionEntry {
  fileprivate var json: Json {
    .object([
      Json.Member("name", .text(name)),
      Json.Member("value", value.map { .text($0) } ?? .null),
      Json.Member("about", .text(about)),
    ])
  }
}

extension MetricFamily {
  fileprivate var json: Json {
    .object([
      Json.Member("name", .text(sampleName)),
      Json.Member("counter", .bool(isCounter)),
      Json.Member("unit", .text(unit)),
      Json.Member("labels", .text(labels)),
      Json.Member("about", .text(about)),
    ])
  }
}
