// SPDX-License-Identifier: Apache-2.0
//
// Users, groups and rights, as far as a person is told about them.

import CTactus
import TactusCore

/// What users may do.
public enum Account {
  /// Whether a user is in a group; nil where one of the two does not exist.
  public static func isMember(_ user: String, of group: String) -> Bool? {
    guard let account = getpwnam(user), let found = getgrnam(group) else { return nil }
    if account.pointee.pw_gid == found.pointee.gr_gid { return true }
    guard var member = found.pointee.gr_mem else { return false }
    while let name = member.pointee {
      if String(cString: name) == user { return true }
      member += 1
    }
    return false
  }

  /// Whether a user exists.
  public static func exists(_ user: String) -> Bool { getpwnam(user) != nil }

  /// The user of this program; 0 is root.
  public static var current: UInt32 { geteuid() }

  /// A user's name, or its number where it has none.
  public static func name(ofUser number: UInt32) -> String {
    guard let account = getpwuid(number) else { return "\(number)" }
    return String(cString: account.pointee.pw_name)
  }

  /// A group's name, or its number where it has none.
  public static func name(ofGroup number: UInt32) -> String {
    guard let group = getgrgid(number) else { return "\(number)" }
    return String(cString: group.pointee.gr_name)
  }

  /// The names of the users that are people, not services.
  public static var people: [String] {
    var names: [String] = []
    for line in Machine.lines(of: "/etc/passwd") {
      let parts = line.split(at: ":")
      guard parts.count > 2, let number = wholeNumber(parts[2]) else { continue }
      if (1_000..<60_000).contains(number) { names.append(parts[0]) }
    }
    return names
  }
}

/// Who may use a file, a folder or a device.
public struct Rights: Equatable, Sendable {
  public let owner: UInt32
  public let group: UInt32
  /// The permission bits, 0o777 at most.
  public let mode: UInt32

  /// Reads them; nil where nothing is there.
  public init?(of path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(owner: facts.st_uid, group: facts.st_gid, mode: UInt32(facts.st_mode) & 0o777)
  }

  init(owner: UInt32, group: UInt32, mode: UInt32) {
    self.owner = owner
    self.group = group
    self.mode = mode
  }

  /// Whether a user with these groups may read and write.
  public func allow(user: UInt32, groups: [UInt32]) -> Bool {
    if user == 0 { return true }
    let needed: UInt32 = 0o6
    if user == owner { return mode >> 6 & needed == needed }
    if groups.contains(group) { return mode >> 3 & needed == needed }
    return mode & needed == needed
  }

  /// Of whom it is, in words: `root:gpio 660`.
  public var words: String {
    let digits = [mode >> 6 & 7, mode >> 3 & 7, mode & 7].map { "\($0)" }.joined()
    return "\(Account.name(ofUser: owner)):\(Account.name(ofGroup: group)) \(digits)"
  }
}
