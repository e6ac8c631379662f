// SPDX-License-Identifier: Apache-2.0
//
// What is told of programs and rights.

import Foundation
import Testing

@testable import TactusLinux

@Suite struct MachineTests {
  @Test("a running program is told with its effective user and all its groups")
  func program() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/12", 0o755)
    mkdir("\(folder.path)/12/fd", 0o755)
    mkdir("\(folder.path)/self", 0o755)
    symlink("/dev/snd/controlC0", "\(folder.path)/12/fd/5")
    folder.put("12/comm", "tactusd\n")
    folder.put(
      "12/status",
      "Name:\ttactusd\nUid:\t1000\t999\t999\t999\nGid:\t1\t998\t998\t998\nGroups:\t29 997 \n"
    )
    let found = RunningProgram.all(named: "tactusd", root: folder.path)
    #expect(found.map { $0.process } == [12])
    #expect(found.first?.user == 999)
    #expect(found.first?.groups == [998, 29, 997])
    #expect(RunningProgram.all(holding: "/dev/snd/controlC0", root: folder.path) == found)
    #expect(RunningProgram.all(holding: "/dev/snd/controlC1", root: folder.path).isEmpty)
    #expect(RunningProgram.all(named: "tactus", root: folder.path).isEmpty)
  }

  @Test("rights are those of the first that fits: owner, group, others; root has all")
  func rights() {
    let device = Rights(owner: 7, group: 29, mode: 0o660)
    #expect(device.allow(user: 0, groups: []))
    #expect(device.allow(user: 7, groups: []))
    #expect(device.allow(user: 8, groups: [1, 29]))
    #expect(!device.allow(user: 8, groups: [1]))
    #expect(!Rights(owner: 7, group: 29, mode: 0o640).allow(user: 8, groups: [29]))
    #expect(!Rights(owner: 7, group: 29, mode: 0o066).allow(user: 7, groups: [29]))
    #expect(Rights(owner: 7, group: 29, mode: 0o606).allow(user: 8, groups: []))
    #expect(Rights(of: "/nonexistent") == nil)
  }
}
