// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
//
// Tactus, the runtime for audio devices with real buttons. Map of the repository:
//
//   Sources/TactusCore    the policy: pure, no imports, no clock, no I/O, no allocation in a tick
//   Sources/CTactus       what Swift needs from C: libgpiod 1 and 2, sd-bus, ALSA macros, json-c
//   Sources/CTerminal     ncurses, for the command line alone
//   Sources/TactusLinux   typed Linux: lines, mixer, bus, loop, store, board files
//   Sources/TactusSim     a speaker in memory, seeded faults, the invariants
//   Sources/tactusd       the daemon: gather, tick, apply, publish
//   Sources/tactus        the command line, one file per verb
//   Tests/CAllocations    counts what a test program allocates
//   Tests/VirtualDevice   a kernel with simulated GPIO and real codec drivers, for what ships
//   boards                one folder per board; schema.json describes their files
//   deploy                everything around the programs
//
// Commands a newcomer needs:
//
//   deploy/demo           build, start a simulated speaker, and touch it
//   deploy/test           the whole gate, as CI runs it; `deploy/test quick` is the inner loop
//   deploy/build-device   what ships, as Embedded Swift
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .treatWarning("EmbeddedRestrictions", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let strictC: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]

// A test may interpolate what Embedded Swift cannot.
let strictTests: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
]

let package = Package(
  name: "tactus",
  targets: [
    .target(
      name: "TactusCore",
      exclude: ["Sessions.md"],
      swiftSettings: strict,
      linkerSettings: [.linkedLibrary("m")]
    ),
    .target(
      name: "CTactus",
      cSettings: strictC,
      linkerSettings: ["gpiod", "asound", "systemd", "yaml", "json-c"].map { .linkedLibrary($0) }
    ),
    .target(name: "TactusLinux", dependencies: ["TactusCore", "CTactus"], swiftSettings: strict),
    .target(name: "TactusSim", dependencies: ["TactusCore"], swiftSettings: strict),
    .executableTarget(
      name: "tactusd",
      dependencies: ["TactusCore", "TactusLinux", "TactusSim"],
      swiftSettings: strict
    ),
    .target(
      name: "CTerminal",
      cSettings: strictC,
      linkerSettings: [.linkedLibrary("ncursesw")]
    ),
    .executableTarget(
      name: "tactus",
      dependencies: ["TactusCore", "TactusLinux", "TactusSim", "CTerminal"],
      swiftSettings: strict
    ),
    .target(name: "CAllocations", path: "Tests/CAllocations", cSettings: strictC),
    .testTarget(
      name: "TactusCoreTests",
      dependencies: ["TactusCore", "CAllocations"],
      exclude: ["Transcripts"],
      swiftSettings: strictTests
    ),
    .testTarget(
      name: "TactusLinuxTests",
      dependencies: ["TactusLinux"],
      exclude: ["boards", "players.conf"],
      swiftSettings: strictTests
    ),
    .testTarget(name: "TactusSimTests", dependencies: ["TactusSim"], swiftSettings: strictTests),
    .testTarget(
      name: "TactusCLITests",
      dependencies: ["tactus"],
      exclude: ["Golden", "Scenarios"],
      swiftSettings: strictTests
    ),
    .testTarget(name: "RepositoryTests", swiftSettings: strictTests),
  ]
)
