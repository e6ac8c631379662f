// SPDX-License-Identifier: Apache-2.0
//
// Whether players find Tactus, and which were found.

import TactusCore
import TactusLinux

extension Examination {
  private static let hook = "/etc/alsa/conf.d/60-tactus.conf"

  func checkPlayers(_ findings: inout Findings) {
    guard let device, let board else { return }
    if board.status != .simulated { checkConfiguration(&findings) }
    for source in device.sources {
      switch source.player {
      case nil:
        guard source.isActive else { continue }
        findings.ok(source.name, source.isPlaying ? "plays" : "is open")
      case "":
        findings.ok(source.name, "its player does not run now")
      case .some(let player):
        findings.ok(source.name, "adopted \(player)")
      }
    }
  }

  private func checkConfiguration(_ findings: inout Findings) {
    let published = "\(answer.runtimeFolder)/asound.conf"
    if Rights(of: Examination.hook) == nil {
      findings.warn(
        "tactus:default",
        "\(Examination.hook) is not installed, so that players do not find it",
        "install the package, or copy deploy/alsa/60-tactus.conf there"
      )
    } else if Rights(of: published) == nil {
      findings.fail(
        "tactus:default",
        "\(published) is not there, so that players find no such device",
        "it appears with its card: see Sound; journalctl -u tactusd says what failed"
      )
    } else {
      findings.ok("tactus:default", "is the default device of players, by \(published)")
    }
  }
}
