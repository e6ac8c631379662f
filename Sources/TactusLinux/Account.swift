// SPDX-License-Identifier: Apache-2.0
//
// Users, groups and rights, as far as a person is told about them.

import CTactus

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

  /// Whether the user of this program may write to a folder.
  public static func canWrite(_ folder: String) -> Bool { access(folder, W_OK | X_OK) == 0 }
}
