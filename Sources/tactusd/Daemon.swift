// SPDX-License-Identifier: Apache-2.0

import TactusCore

@main
enum Daemon {
  static func main() { print("tactusd \(tactusVersion)") }
}
