// SPDX-License-Identifier: Apache-2.0
//
// `tactus play-sounds`: the program that tactusd has its sounds played by.

import TactusLinux

/// Runs `play-sounds`.
func playSounds(_ invocation: Invocation) throws(Failure) -> ExitCode {
  let percent = try number(invocation.operands[0], in: 0...100, of: invocation.words)
  let isGood = SoundService.run(
    pcm: invocation.operands[1],
    paths: Array(invocation.operands.dropFirst(2)),
    percent: Int32(percent)
  )
  return isGood ? .success : .checkFailed
}
