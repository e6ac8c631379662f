// SPDX-License-Identifier: Apache-2.0
//
// `tactus watch` at terminals that are slow, small, plain, or go away.

import Foundation
import TactusCore
import TactusLinux
import Testing

@Suite("Watch", .serialized)
struct WatchTests {
  private let service: FakeDaemon

  init() throws { service = try FakeDaemon() }

  private func watch(
    columns: UInt16 = 80,
    rows: UInt16 = 24,
    terminal: String = "xterm"
  ) throws -> OnScreen {
    try OnScreen(
      ["--bus", service.address, "watch"],
      columns: columns,
      rows: rows,
      terminal: terminal
    )
  }

  /// Gives the terminal back on leaving.
  private static let restored = "\u{1b}[?1049l"

  @Test("it shows what changes, obeys its keys, and gives the screen back on q")
  func leaves() throws {
    let screen = try watch()
    #expect(screen.waits(for: "40 %"))
    service.publish { $0.level = Level(percent: 73) }
    #expect(screen.waits(for: "73"))
    screen.type("q")
    #expect(screen.exitCode() == 0)
    #expect(screen.drawn.contains(WatchTests.restored))
  }

  @Test("+ and - are volume keys, too")
  func keys() throws {
    let screen = try watch()
    #expect(screen.waits(for: "40 %"))
    screen.type("+-")
    screen.type("q")
    #expect(screen.exitCode() == 0)
    #expect(service.calls.count == 2)
  }

  @Test(
    "a link that stalls, or a reader that is stopped, disturbs nobody, and catches up",
    arguments: [false, true]
  )
  func stalls(isStopped: Bool) throws {
    let screen = try watch()
    #expect(screen.waits(for: "40 %"))
    // From now on nobody reads what it draws.
    if isStopped { screen.send(SIGSTOP) }
    for step in 0..<150 {
      service.publish { $0.level = Level(percent: Int32(10 + step % 5 * 10 + step % 6)) }
      usleep(12_000)
      guard step % 50 == 0 else { continue }
      // A service that is held up holds up this call until it fails.
      #expect(try run(["--bus", service.address, "status"]).code == 0)
    }
    service.publish { $0.level = Level(percent: 97) }
    if isStopped { screen.send(SIGCONT) }
    #expect(screen.waits(for: "97"))
    screen.type("q")
    #expect(screen.exitCode() == 0)
  }

  @Test("however much happens, it draws ten times a second at most")
  func boundedRate() throws {
    let screen = try watch()
    #expect(screen.waits(for: "40 %"))
    let before = screen.drawn.utf8.count
    let began = Date()
    for step in 0..<100 {
      service.publish { $0.level = Level(percent: Int32(10 + step % 5 * 10 + step % 6)) }
      usleep(10_000)
    }
    service.publish { $0.level = Level(percent: 97) }
    #expect(screen.waits(for: "97"))
    let redraws = Date().timeIntervalSince(began) * 10 + 2
    // What differs of one redraw: the bar, the percent, an event.
    #expect(Double(screen.drawn.utf8.count - before) < redraws * 400)
    screen.type("q")
    #expect(screen.exitCode() == 0)
  }

  @Test("a terminal that goes away ends it, and so does each ending signal")
  func goesAway() throws {
    let screen = try watch()
    #expect(screen.waits(for: "40 %"))
    screen.hangUp()
    #expect(screen.exitCode() != nil)
    for signal in [SIGTERM, SIGHUP, SIGINT] {
      let screen = try watch()
      #expect(screen.waits(for: "40 %"))
      screen.send(signal)
      #expect(screen.exitCode() == signal)
      #expect(screen.drawn.contains(WatchTests.restored))
    }
  }

  @Test("a daemon that goes away is told, and the view stays")
  func daemonGoes() throws {
    let screen = try watch()
    #expect(screen.waits(for: "40 %"))
    service.stop()
    #expect(screen.waits(for: "tactusd is not running; waiting for it"))
    screen.type("q")
    #expect(screen.exitCode() == 0)
  }

  @Test("it works at any size", arguments: [(1, 1), (2, 1), (1, 40), (9, 3), (40, 20), (300, 90)])
  func sizes(columns: Int, rows: Int) throws {
    let screen = try watch(columns: UInt16(columns), rows: UInt16(rows))
    usleep(300_000)
    service.publish { $0.level = Level(percent: 73) }
    usleep(300_000)
    screen.type("q")
    #expect(screen.exitCode() == 0)
  }

  @Test("a terminal without colours gets none, and one without full screen is refused")
  func plain() throws {
    let screen = try watch(terminal: "vt100")
    #expect(screen.waits(for: "40 %"))
    screen.type("q")
    #expect(screen.exitCode() == 0)
    #expect(!screen.drawn.contains("\u{1b}[3"))
    let dumb = try watch(terminal: "nonesuch")
    #expect(dumb.exitCode() == 64)
  }
}
