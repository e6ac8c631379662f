// SPDX-License-Identifier: Apache-2.0
//
// `tactus policy matrix`: who may be heard beside whom, from the same code that decides it.
//
//   newcomer   a session that starts; the rows
//   present    a session that is active and heard; the columns
//   verdict    what becomes of the two, one word; the cells

import TactusCore
import TactusLinux

/// Runs `policy matrix`.
func showMatrix(_ invocation: Invocation, _ output: StandardOutput) -> ExitCode {
  if invocation.has("--json") {
    output.write(Matrix.json.written(onOneLine: false) + "\n")
  } else {
    output.write(Matrix.text)
  }
  return .success
}

/// What becomes of a newcomer and of one that is present.
enum Verdict: CaseIterable {
  case mixes, ducks, lowers, interrupts, ducked, low, held, busy

  /// In a cell: small where it is about the one that is present, capital about the newcomer.
  fileprivate var sign: String {
    switch self {
    case .mixes: "·"
    case .ducks: "du"
    case .lowers: "lo"
    case .interrupts: "in"
    case .ducked: "DU"
    case .low: "LO"
    case .held: "HE"
    case .busy: "BU"
    }
  }

  var name: String {
    switch self {
    case .mixes: "mixes"
    case .ducks: "ducks"
    case .lowers: "lowers"
    case .interrupts: "interrupts"
    case .ducked: "ducked"
    case .low: "low"
    case .held: "held"
    case .busy: "busy"
    }
  }

  fileprivate var about: String {
    switch self {
    case .mixes: "both are heard at their levels"
    case .ducks: "it is ducked while the newcomer is heard"
    case .lowers: "it goes on 20 dB lower"
    case .interrupts: "it loses the floor"
    case .ducked: "the newcomer is ducked while it is heard"
    case .low: "the newcomer is heard 20 dB lower"
    case .held: "the newcomer waits until it ends"
    case .busy: "the newcomer is refused"
    }
  }
}

/// A kind of session with the name of its row.
struct NamedKind {
  let name: String
  let kind: SessionKind
}

/// The tables, as text and as JSON.
enum Matrix {
  /// Every category and use; of the two that take options each option, and speech.
  static let kinds: [NamedKind] =
    [
      NamedKind(name: "ambient", kind: SessionKind(.ambient)),
      NamedKind(name: "solo-ambient", kind: SessionKind(.soloAmbient)),
    ] + variants(of: .playback) + [
      NamedKind(name: "record", kind: SessionKind(.record))
    ] + variants(of: .playAndRecord) + [
      NamedKind(name: "call", kind: SessionKind(.playAndRecord, mode: .voiceChat)),
      NamedKind(name: "ringtone", kind: SessionKind(.ringtone)),
      NamedKind(name: "alert", kind: SessionKind(.alert)),
      NamedKind(name: "system-sound", kind: SessionKind(.systemSound)),
      NamedKind(name: "alarm", kind: SessionKind(.alarm)),
    ]

  private static func variants(of category: TactusCore.Category) -> [NamedKind] {
    let name = category.name
    var kinds = [NamedKind(name: name, kind: SessionKind(category))]
    if category == .playback {
      var spoken = SessionKind(category, mode: .spokenAudio)
      kinds.append(NamedKind(name: "\(name), spoken", kind: spoken))
      spoken.options = .mixWithOthers
      kinds.append(NamedKind(name: "\(name), spoken +mix", kind: spoken))
    }
    for option in SessionOption.allCases {
      let kind = SessionKind(category, options: option.set)
      kinds.append(NamedKind(name: "\(name) \(option.sign)", kind: kind))
    }
    return kinds
  }

  /// What the code decides about two sessions, with the rule that says so.
  static func verdict(
    _ newcomer: SessionKind,
    beside present: SessionKind
  ) -> (verdict: Verdict, rule: Rule) {
    let (admission, rule) = newcomer.admission(beside: present)
    switch admission {
    case .busy: return (.busy, rule)
    case .held: return (.held, rule)
    case .mixedLow: return (.low, rule)
    case .granted: break
    }
    let (influence, influenceRule) = newcomer.influence(on: present)
    switch influence {
    case .none where present.ducks(newcomer): return (.ducked, .ses7)
    case .none: return (.mixes, influenceRule)
    case .ducks: return (.ducks, influenceRule)
    case .lowers: return (.lowers, influenceRule)
    case .interrupts: return (.interrupts, influenceRule)
    }
  }

  // MARK: Text

  /// All tables, at most 80 columns wide.
  static var text: String {
    grid + "\n" + legend + "\n" + properties + "\n" + relations
  }

  private static let nameWidth = 23

  private static var grid: String {
    var text = "What a newcomer (row) means beside one that is heard (column)\n\n"
    text += padded("", to: nameWidth + 3)
    for number in 1...kinds.count { text += " \(aligned(number))" }
    text += "\n"
    for (index, newcomer) in kinds.enumerated() {
      var line = "\(aligned(index + 1)) \(padded(newcomer.name, to: nameWidth))"
      for present in kinds {
        line += " " + padded(verdict(newcomer.kind, beside: present.kind).verdict.sign, to: 2)
      }
      text += trimmed(line) + "\n"
    }
    return text
  }

  private static var legend: String {
    var text = ""
    for verdict in Verdict.allCases {
      var line = "  \(padded(verdict.sign, to: 2))  \(padded(verdict.name, to: 10))"
      line += "  \(padded(verdict.about, to: 40))  \(rules(of: verdict).joined(separator: " "))"
      text += trimmed(line) + "\n"
    }
    text += "\n"
    for option in SessionOption.allCases {
      text += "  \(padded(option.sign, to: 8))  \(option.name)\n"
    }
    text += "  ducked    20 dB lower, at its own gain\n"
    text += "  spoken    mode spoken-audio; in play-and-record as in playback\n"
    return text + "  call      play-and-record in mode voice-chat; options have no effect in it\n"
  }

  /// The rules behind a verdict, in the order in which the table first needs them.
  static func rules(of wanted: Verdict) -> [String] {
    var rules: [String] = []
    for newcomer in kinds {
      for present in kinds {
        let (verdict, rule) = verdict(newcomer.kind, beside: present.kind)
        if verdict == wanted, !rules.contains(rule.name) { rules.append(rule.name) }
      }
    }
    return rules
  }

  private static var properties: String {
    var lines = [["", "silent switch", "volume", "mixable", "background", "input"]]
    for use in uses { lines.append([use.name] + facts(of: use.kind).map { $0.value }) }
    var widths = [Int](repeating: 0, count: 6)
    for line in lines {
      for (index, cell) in line.enumerated() { widths[index] = max(widths[index], cell.count) }
    }
    var text = ""
    for line in lines {
      var row = ""
      for (index, cell) in line.enumerated() { row += padded(cell, to: widths[index] + 2) }
      text += trimmed(row) + "\n"
    }
    return text
  }

  /// One row of the properties: the categories and uses, and the call.
  private static let uses: [NamedKind] =
    Category.allCases.map { NamedKind(name: $0.name, kind: SessionKind($0)) } + [
      NamedKind(name: "call", kind: SessionKind(.playAndRecord, mode: .voiceChat))
    ]

  /// What a kind is by itself, under the names of JSON.
  private static func facts(of kind: SessionKind) -> [(name: String, value: String)] {
    [
      ("silentSwitch", kind.category.obeysSilentSwitch ? "silences" : "goes on"),
      ("volume", kind.category.volume?.name ?? "-"),
      ("mixable", mixable(kind)),
      ("background", kind.endsInBackground ? "stops" : "goes on"),
      ("input", kind.hasInput ? "yes" : "-"),
    ]
  }

  private static func mixable(_ kind: SessionKind) -> String {
    guard kind.isOfProgram else { return "-" }
    if kind.isMixable { return "always" }
    var mixing = kind
    mixing.options = .mixWithOthers
    return mixing.isAllowed && mixing.isMixable ? "with an option" : "no"
  }

  /// What each use does to the others, and what interrupts it.
  private static var relations: String {
    var text = ""
    for use in uses {
      var name = use.name
      for relation in relations(of: use.kind) {
        let line = "\(padded(name, to: 17))\(padded(relation.verb, to: 16))"
        text += line + relation.others.joined(separator: ", ") + "\n"
        name = ""
      }
    }
    return text
  }

  private static func relations(of kind: SessionKind) -> [(verb: String, others: [String])] {
    var relations: [(verb: String, others: [String])] = []
    for influence: Influence in [.interrupts, .ducks, .lowers] {
      let others = groups(whom: kind, influence)
      if !others.isEmpty { relations.append((influence.verb, others)) }
    }
    if relations.isEmpty { relations.append(("does nothing", ["to others"])) }
    let interrupters = groups(interrupting: kind)
    relations.append(("interrupted by", interrupters.isEmpty ? ["-"] : interrupters))
    return relations
  }

  /// Whom a kind does this to.
  private static func groups(whom kind: SessionKind, _ influence: Influence) -> [String] {
    groups(kinds.map { kind.influence(on: $0.kind).influence == influence })
  }

  private static func groups(interrupting kind: SessionKind) -> [String] {
    groups(kinds.map { $0.kind.influence(on: kind).influence == .interrupts })
  }

  /// The kinds for which something holds, named by groups.
  private static func groups(_ holds: [Bool]) -> [String] {
    var names: [String] = []
    var missing: [String] = []
    var others: [String] = []
    var isMixable = false
    for (index, use) in kinds.enumerated() {
      let isPlain = use.kind.mode == .standard && use.kind.options.isEmpty
      if use.kind.category == .ambient {
        isMixable = holds[index]
      } else if use.kind.isNonmixable && isPlain {
        if holds[index] { names.append(use.name) } else { missing.append(use.name) }
      } else if !use.kind.isOfProgram || use.kind.isCall, holds[index] {
        others.append(use.name)
      }
    }
    if missing.isEmpty { names = ["nonmixable"] }
    if missing.count == 1 { names = ["nonmixable (not \(missing[0]))"] }
    return names + (isMixable ? ["mixable"] : []) + others
  }

  // MARK: JSON

  /// The tables for programs.
  ///
  /// `kinds`: the names of rows and columns. `cells`: `newcomer`, `present`, `decision`, `rule`.
  /// `uses`: the properties of each, and whom it `interrupts`, `ducks`, `lowers`.
  static var json: Json {
    var cells: [Json] = []
    for newcomer in kinds {
      for present in kinds {
        let (verdict, rule) = verdict(newcomer.kind, beside: present.kind)
        cells.append(
          .object([
            Json.Member("newcomer", .text(newcomer.name)),
            Json.Member("present", .text(present.name)),
            Json.Member("decision", .text(verdict.name)),
            Json.Member("rule", .text(rule.name)),
          ])
        )
      }
    }
    return .object([
      Json.Member("kinds", .array(kinds.map { .text($0.name) })),
      Json.Member("cells", .array(cells)),
      Json.Member("uses", .array(uses.map { json(of: $0) })),
    ])
  }

  private static func json(of use: NamedKind) -> Json {
    var members = [Json.Member("name", .text(use.name))]
    for fact in facts(of: use.kind) { members.append(Json.Member(fact.name, .text(fact.value))) }
    for influence: Influence in [.interrupts, .ducks, .lowers] {
      let others = groups(whom: use.kind, influence).map { Json.text($0) }
      members.append(Json.Member(influence.verb, .array(others)))
    }
    let interrupters = groups(interrupting: use.kind).map { Json.text($0) }
    members.append(Json.Member("interruptedBy", .array(interrupters)))
    return .object(members)
  }
}

extension Influence {
  fileprivate var verb: String {
    switch self {
    case .none: "mixes with"
    case .ducks: "ducks"
    case .lowers: "lowers"
    case .interrupts: "interrupts"
    }
  }
}

/// A number in two columns.
private func aligned(_ number: Int) -> String { number < 10 ? " \(number)" : "\(number)" }

private func trimmed(_ line: String) -> String {
  var line = line
  while line.hasSuffix(" ") { line.removeLast() }
  return line
}

extension SessionOption {
  /// In the name of a row.
  fileprivate var sign: String {
    switch self {
    case .mixWithOthers: "+mix"
    case .duckOthers: "+duck"
    case .interruptSpokenAudioAndMixWithOthers: "+speech"
    }
  }
}
