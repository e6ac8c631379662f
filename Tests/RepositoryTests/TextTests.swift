// SPDX-License-Identifier: Apache-2.0
//
// What every text of the repository keeps to. Patterns that must not occur are written in pieces,
// so that this file may be searched like any other.

import Foundation
import Testing

@Suite("Texts")
struct TextTests {
  @Test("every source file opens with its licence")
  func licence() {
    for file in Repository.sources {
      // The kernel's parts carry the kernel's licence.
      let kernel = file.path.hasPrefix("Tests/VirtualDevice/")
      let licences = kernel ? ["Apache-2.0", "GPL-2.0"] : ["Apache-2.0"]
      let named = file.lines.prefix(3).contains { line in
        licences.contains { line.contains("SPDX-License-Identifier: \($0)") }
      }
      #expect(named, "\(file.path):1: no SPDX-License-Identifier: Apache-2.0")
    }
  }

  @Test("no line of a source is longer than 100 columns")
  func columns() {
    for file in Repository.sources {
      file.expectNoLine { $0.count > 100 }
    }
  }

  @Test("no line ends in white space, and every source ends in one newline")
  func whiteSpace() {
    for file in Repository.sources {
      file.expectNoLine { $0.last?.isWhitespace ?? false }
      #expect(
        file.lines.count > 1 && file.lines.last == "" && file.lines.dropLast().last != "",
        "\(file.path)"
      )
    }
  }

  @Test(
    "nothing is left for later; nothing names where it was written or a package mirror",
    arguments: [
      #"\bTO"# + #"DO\b"#, #"\bFIX"# + #"ME\b"#, #"\bXX"# + #"X\b"#,
      #"(^|[^\w.])/wo"# + #"rk\b"#, #"\.\./sha"# + "red", #"\bdes"# + #"ign/\d"#, #"/ro"# + #"ot/"#,
      #"debian\.o"# + #"rg/debian"#, #"\bdeb\.deb"# + "ian", #"snapshot\.deb"# + "ian",
      #"pythonhos"# + "ted", #"\bpypi\.o"# + "rg",
    ]
  )
  func nothingForbidden(pattern: String) throws {
    let forbidden = try Regex(pattern)
    for file in Repository.files {
      file.expectNoLine { $0.firstMatch(of: forbidden) != nil }
    }
  }

  @Test("what has an interpreter's line can be executed")
  func scriptsAreExecutable() {
    for file in Repository.files where file.isScript {
      let path = Repository.root.appending(path: file.path).path()
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(file.path): chmod +x")
    }
  }

  @Test("every Debian package is listed once in its profile, with a reason")
  func packages() throws {
    let entries = try Repository.file("deploy/packages").lines.filter {
      !$0.isEmpty && $0.first != "#"
    }
    .map { $0.split(separator: " ", maxSplits: 2) }
    #expect(entries.allSatisfy { $0.count == 3 })
    #expect(Set(entries.map { $0.prefix(2).joined(separator: " ") }).count == entries.count)
  }
}
