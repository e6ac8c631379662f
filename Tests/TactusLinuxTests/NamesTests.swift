// SPDX-License-Identifier: Apache-2.0

import TactusCore
import Testing

@testable import TactusLinux

@Suite("Names")
struct NamesTests {
  @Test("every word of the policy is its Swift name in kebab-case, and is read back")
  func words() {
    check(Role.self)
    check(RouteKind.self)
    check(ReleasedAmplifier.self)
    check(TactusCore.Category.self)
    check(TactusCore.Mode.self)
    check(Volume.self)
    check(SessionEvent.self)
    check(Part.self)
    check(Reply.self)
    check(RouteChange.self)
    check(Feedback.self)
    check(Notice.self)
    check(Indication.self)
    check(SilenceReason.self)
  }

  private func check<Word: Named>(_ type: Word.Type) {
    #expect(!Word.allCases.isEmpty)
    for word in Word.allCases {
      let kebab = String(describing: word).flatMap { letter in
        letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
      }
      #expect(word.name == String(kebab))
      #expect(Word(name: word.name) == word)
    }
    #expect(Word(name: "") == nil && Word(name: "Speaker") == nil)
  }

  @Test("every reason is one bit of its own")
  func complete() {
    let bits = (0..<16).map { SilenceReasons(rawValue: 1 << $0) }
    let sets = SilenceReason.allCases.map(\.set)
    #expect(sets.allSatisfy { bits.contains($0) } && Set(sets.map(\.rawValue)).count == sets.count)
  }

  @Test("a set of reasons is written in one order and read back")
  func reasons() {
    let reasons: SilenceReasons = [.fault, .silentSwitch, .levelZero]
    #expect(reasons.names == ["silent-switch", "level-zero", "fault"])
    #expect(SilenceReasons(names: reasons.names) == reasons)
    #expect(SilenceReasons(names: []) == [])
    #expect(SilenceReasons(names: ["fault", "noise"]) == nil)
  }
}
