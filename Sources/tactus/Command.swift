// SPDX-License-Identifier: Apache-2.0

import TactusCore

@main
enum Command {
  static func main() { print("tactus \(tactusVersion)") }
}
