// SPDX-License-Identifier: Apache-2.0
//
// Each rule of the policy has an id, and its tests carry that id in their names.

import Foundation
import Testing

/// The rules that the runtime implements, by family.
private let implementedRules =
  rules("T", 1...7) + rules("SIL", 1...11) + rules("VOL", 1...13) + rules("VOL", 15...16)
  + rules("RTE", 1...10) + rules("SES", 1...15) + rules("SES", 17...18)
  + rules("CTL", 1...7) + rules("FBK", 1...8) + ["VOL-2a", "VOL-2b", "VOL-8a"]

/// How many rules each family has, implemented or not.
private let families = ["T": 7, "SIL": 11, "VOL": 16, "RTE": 10, "SES": 18, "CTL": 7, "FBK": 8]

@Suite("Rules")
struct RuleTests {
  @Test("a rule is carried by a test's name", arguments: implementedRules)
  func ruleIsTested(rule: String) {
    #expect(namesOfTests.contains { idsOfRules(in: $0).contains(rule) })
  }

  @Test("a test's name carries only rules that exist")
  func rulesExist() {
    for name in namesOfTests {
      for id in idsOfRules(in: name) {
        let parts = id.split(separator: "-")
        let number = Int(parts[1].prefix { $0.isNumber }) ?? 0
        #expect(number >= 1 && number <= families[String(parts[0])] ?? 0, "\(name)")
      }
    }
  }
}

private func rules(_ family: String, _ numbers: ClosedRange<Int>) -> [String] {
  numbers.map { "\(family)-\($0)" }
}

/// The names of Swift tests, and the lines that say what scenarios of the virtual device prove.
private let namesOfTests: [String] = Repository.files(under: "Tests").flatMap { file in
  let text = file.lines.joined(separator: "\n")
  let names =
    file.nameExtension == "swift" ? /@Test\(\s*"((?:[^"\\]|\\.)*)"/ : /(?m)^    """(.*)$/
  return text.matches(of: names).map { String($0.output.1) }
}

/// The ids of rules in a test's name.
private func idsOfRules(in name: String) -> [String] {
  name.matches(of: /\b(?:T|SIL|VOL|RTE|SES|CTL|FBK)-\d+[a-z]?\b/).map { String($0.output) }
}
