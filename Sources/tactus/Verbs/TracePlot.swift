// SPDX-License-Identifier: Apache-2.0
//
// `tactus trace plot`: a trace as a picture.

import CTerminal
import TactusCore
import TactusLinux

/// Runs `trace plot`.
func plotTrace(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  let (svg, png) = (invocation.value(of: "--svg"), invocation.value(of: "--png"))
  guard svg != nil || png != nil else {
    throw Failure(.usage, "trace plot", "missing where to", next: "write --svg OUT or --png OUT")
  }
  let file = try TraceFile(invocation)
  let range = try TraceRange(invocation, of: file.trace)
  var picture = TracePicture(
    TraceHistory(file.trace),
    TraceTimes(file.trace),
    within: range.bounds,
    note: file.trace.damage ?? ""
  )
  let text = picture.draw()
  do throws(SystemError) {
    if svg == "-" { output.write(text) } else if let svg { try writeFile(text, to: svg) }
    if let png { return try convert(text, to: png) ? file.tellDamage() : .checkFailed }
  } catch {
    guard error.object == converter, error.isMissing else {
      throw Failure(.checkFailed, saying: error.description)
    }
    throw Failure(
      .checkFailed,
      "--png",
      "rsvg-convert is not installed",
      next: "install librsvg2-bin, or write --svg"
    )
  }
  return file.tellDamage()
}

private let converter = "rsvg-convert"

/// Has a picture converted to pixels, two for each of its own; the converter says itself what it
/// cannot do.
private func convert(_ svg: String, to path: String) throws(SystemError) -> Bool {
  let draft = "\(path).svg"
  try writeFile(svg, to: draft)
  defer { removeFile(draft) }
  let child = try ChildProcess([converter, "--zoom", "2", "--output", path, draft])
  while terminal_wait(false, child.descriptor) & Int32(TERMINAL_DESCRIPTOR.rawValue) == 0 {}
  return child.takeExitCode() == 0
}
