// SPDX-License-Identifier: Apache-2.0
//
// What a program is started with.

import CTactus

/// This program's arguments and environment.
public enum Program {
  /// The arguments, without the program's name.
  public static var arguments: [String] {
    var found: [String] = []
    while let argument = tactus_argument(Int32(found.count) + 1) {
      found.append(String(cString: argument))
    }
    return found
  }

  /// The value of an environment variable; nil when it is not set.
  public static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
  }

  /// Ends the program with an exit code.
  public static func end(_ code: Int32) -> Never { exit(code) }
}
