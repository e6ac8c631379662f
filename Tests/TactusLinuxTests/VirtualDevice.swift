// SPDX-License-Identifier: Apache-2.0
//
// What tests of real sound need of the virtual device, whose cards Dummy and Loopback are theirs to
// change; an ordinary machine's cards are left alone.

import Glibc
import TactusLinux
import Testing

/// Whether the tests run inside the virtual device.
let virtualCardsArePresent =
  SoundCard.isPresent(id: "Dummy") && SoundCard.isPresent(id: "Loopback")

/// Tests of real cards, one after the other, since they share them.
@Suite(
  .serialized,
  .enabled(if: virtualCardsArePresent, "needs the cards Dummy and Loopback of the virtual device"),
  .timeLimit(.minutes(1))
)
struct RealSoundTests {}

/// Takes a driver's card away, or gives it back.
///
/// The kernel finishes only when the last handle is closed, so nobody waits for it here.
func driver(_ name: String, _ action: String) {
  let path = "/sys/bus/platform/drivers/\(name)/\(action)"
  _ = shell("(echo \(name).0 > \(path)) > /dev/null 2>&1 &")
  usleep(50_000)
}

/// The error and hang-up events of a descriptor, now.
func hangUps(_ descriptor: Int32) -> Int16 {
  var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  poll(&request, 1, 0)
  return request.revents & Int16(POLLERR | POLLHUP | POLLNVAL)
}

/// Runs a shell command and returns what it printed and its exit code.
func shell(_ command: String) -> (output: String, code: Int32) {
  guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { return ("", -1) }
  var output = ""
  var line = [CChar](repeating: 0, count: 4096)
  while fgets(&line, Int32(line.count), pipe) != nil {
    output += line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
  let status = pclose(pipe)
  return (output, status >> 8 & 0xff)
}
