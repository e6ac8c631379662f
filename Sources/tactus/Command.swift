// SPDX-License-Identifier: Apache-2.0

import TactusCore
import TactusLinux

@main
enum Command {
  static func main() {
    TrapReporter.install(program: "tactus")
    print("tactus \(tactusVersion)")
  }
}
