// SPDX-License-Identifier: Apache-2.0
//
// What must survive a restart, and the user that the service runs as.

import TactusCore
import TactusLinux

extension Examination {
  func checkState(_ findings: inout Findings) {
    // A simulated speaker's folder, or an older daemon's, is not told.
    if device == nil || device?.stateFolder.isEmpty == false { checkFolder(&findings) }
    if program == nil, board?.status != .simulated { checkService(&findings) }
  }

  private func checkFolder(_ findings: inout Findings) {
    let folder = stateFolder
    guard let rights = Rights(of: folder) else {
      if device == nil {
        return findings.ok("state", "\(folder) is not there yet, tactusd makes it")
      }
      return findings.fail(
        "state",
        "\(folder) is not there, so that no volume survives a restart",
        "restart tactusd, which makes it; StateDirectory=tactus in tactusd.service does"
      )
    }
    if Machine.isReadOnly(folder) {
      findings.fail(
        "state",
        "\(folder) is on a read-only file system: no volume survives a restart",
        "mount -o remount,rw, or give tactusd another folder with --state; dmesg says whether the"
          + " card failed"
      )
    } else if let program, !rights.allow(user: program.user, groups: program.groups) {
      let user = Account.name(ofUser: program.user)
      findings.fail(
        "state",
        "tactusd runs as \(user), who may not write to \(folder) (\(rights.words)): no volume"
          + " survives a restart",
        "chown \(user): \(folder)"
      )
    } else if let fault = device?.stateFault {
      findings.fail(
        "state",
        "it could not be kept: \(fault)",
        "look at \(folder): its rights, its disk; a change of the volume tries again"
      )
    } else {
      findings.ok("state", "\(folder), \(rights.words)")
    }
  }

  /// Whether the service could have what it needs.
  private func checkService(_ findings: inout Findings) {
    guard Account.exists("tactus") else {
      return findings.warn(
        "user tactus",
        "does not exist; the service runs as this user",
        "install the package"
      )
    }
    for (path, what) in devices() {
      guard let rights = Rights(of: path), rights.mode & 0o060 == 0o060 else { continue }
      let group = Account.name(ofGroup: rights.group)
      if Account.isMember("tactus", of: group) == true {
        findings.ok("user tactus", "is in the group \(group), which has \(what)")
      } else if rights.mode & 0o006 != 0o006 {
        findings.warn(
          "user tactus",
          "is not in the group \(group), which has \(what)",
          "sudo adduser tactus \(group)"
        )
      }
    }
  }

  /// One device of each kind that the service needs.
  private func devices() -> [(path: String, what: String)] {
    var devices: [(path: String, what: String)] = []
    if let path = chips.found.first?.path ?? chips.denied.first {
      devices.append((path, "the GPIO lines"))
    }
    if let id = SoundCard.allIDs.first, let path = SoundCard.controlPath(ofCard: id) {
      devices.append((path, "the sound cards"))
    }
    return devices
  }
}
