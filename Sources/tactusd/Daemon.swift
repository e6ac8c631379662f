// SPDX-License-Identifier: Apache-2.0

import TactusCore
import TactusLinux

@main
enum Daemon {
  static func main() {
    TrapReporter.install(program: "tactusd")
    print("tactusd \(tactusVersion)")
  }
}
