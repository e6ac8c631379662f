// SPDX-License-Identifier: Apache-2.0
//
// The boundaries between modules that the compiler does not check.

import Testing

/// What each module of Sources may import; a module that is not here does not belong there.
private let allowedImports: [String: Set<String>] = [
  "TactusCore": [],
  "TactusLinux": ["TactusCore", "CTactus"],
  "TactusSim": ["TactusCore"],
  "tactusd": ["TactusCore", "TactusLinux", "TactusSim"],
  "tactus": ["TactusCore", "TactusLinux", "TactusSim", "CTerminal"],
  "CTactus": [],
  "CTerminal": [],
]

@Suite("Modules")
struct ModuleTests {
  @Test("every module of Sources is known here and on the map in Package.swift")
  func modulesAreKnown() throws {
    let modules = Repository.folders(in: "Sources")
    #expect(modules == allowedImports.keys.sorted())
    let map = try Repository.file("Package.swift").lines
    for module in modules {
      #expect(
        map.contains { $0.hasPrefix("//   Sources/\(module) ") },
        "\(module) is not on the map"
      )
    }
  }

  @Test("a module imports only its own few: the core nothing, C by one module each")
  func importsAreAllowed() {
    for file in Repository.files(under: "Sources") where file.nameExtension == "swift" {
      let allowed = allowedImports[file.path.split(separator: "/")[1].description] ?? []
      file.expectNoLine { line in
        importedModule(line).map { !allowed.contains($0) } ?? false
      }
    }
  }

  @Test("what interpolates sees the core's interpolation: checked, and small on a device")
  func interpolationIsTheCores() {
    for file in Repository.files(under: "Sources") where file.nameExtension == "swift" {
      guard !file.path.hasPrefix("Sources/TactusCore/") else { continue }
      guard !file.lines.contains(where: { importedModule($0) == "TactusCore" }) else { continue }
      file.expectNoLine { $0.contains(#"\("#) }
    }
  }

  @Test("of the tests, those of TactusLinux alone meet C")
  func testsMeetCInOnePlace() {
    for file in Repository.files(under: "Tests") where !file.path.contains("TactusLinuxTests/") {
      file.expectNoLine { importedModule($0) == "CTactus" }
    }
  }

  @Test(
    "an import is seen behind attributes and access levels, and only there",
    arguments: [
      ("import CTactus", "CTactus"), ("@testable import TactusCore", "TactusCore"),
      ("public import struct Glibc.timespec", "Glibc"),
      ("  internal import Foundation", "Foundation"),
      ("// import Foundation", nil), ("let important = 1", nil), ("func `import`() {}", nil),
    ] as [(String, String?)]
  )
  func importIsSeen(line: String, module: String?) {
    #expect(importedModule(Substring(line)) == module)
  }
}

/// The module that a line of Swift imports, if it does.
private func importedModule(_ line: Substring) -> String? {
  var words = line.split(separator: " ")[...]
  let qualifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
  while let word = words.first, word.hasPrefix("@") || qualifiers.contains(word) {
    words.removeFirst()
  }
  guard words.first == "import" else { return nil }
  let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
  ]
  return words.dropFirst().first { !kinds.contains($0) }?.split(separator: ".").first.map(
    String.init
  )
}
