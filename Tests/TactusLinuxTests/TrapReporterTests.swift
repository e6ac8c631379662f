// SPDX-License-Identifier: Apache-2.0
//
// Each test ends a process of its own by a signal and reads what it said.

import Glibc
import TactusLinux
import Testing

#if arch(x86_64)
  private let trapOfSwift = SIGILL, nameOfTrap = "SIGILL"
#else
  private let trapOfSwift = SIGTRAP, nameOfTrap = "SIGTRAP"
#endif

@Suite("Trap reporter")
struct TrapReporterTests {
  @Test("a trap of Swift names program, signal, build and frames, and ends the process as before")
  func trapIsReported() async throws {
    let result = try await #require(
      processExitsWith: .signal(trapOfSwift),
      observing: [\.standardErrorContent]
    ) {
      #expect(TrapReporter.install(program: "probe") == 0)
      descend(3) { preconditionFailure() }
    }
    let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
    let report = lines.filter { $0.hasPrefix("probe: ") }
    #expect(report.first?.hasPrefix("probe: trap: \(nameOfTrap) in build ") == true)
    #expect(report.dropFirst().allSatisfy { $0.hasPrefix("probe: frame: ") })
    // The calls of descend from within itself return to one place.
    let places = report.filter { $0.hasPrefix("probe: frame: 0x") }
    #expect(places.count > Set(places).count + 1)
  }

  @Test("the end of the stack is reported, from a stack of its own")
  func stackOverflow() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent])
    {
      TrapReporter.install(program: "probe")
      // The alternate stack belongs to the thread that installs.
      descend(.max) {}
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("probe: trap: SIGSEGV") && text.contains("probe: frame: 0x"))
  }

  @Test("the last action comes after the report, and before the end")
  func finalAction() async throws {
    let result = try await #require(
      processExitsWith: .signal(SIGABRT),
      observing: [\.standardErrorContent]
    ) {
      TrapReporter.install(program: "probe") { _ = write(STDERR_FILENO, "saved\n", 6) }
      abort()
    }
    let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
    let saved = try #require(lines.firstIndex(of: "saved"))
    #expect(lines[..<saved].contains { $0.hasPrefix("probe: trap: SIGABRT") })
    #expect(lines[..<saved].contains { $0.hasPrefix("probe: frame: ") })
    #expect(!lines[saved...].contains { $0.hasPrefix("probe: ") })
  }
}

/// Calls itself a number of times, then the last act.
@inline(never)
private func descend(_ depth: Int, _ act: () -> Void) {
  if depth == 0 { act() } else { descend(depth - 1, act) }
  // Not a tail call, which would leave no frame.
  withExtendedLifetime(depth) {}
}
