// SPDX-License-Identifier: Apache-2.0
//
// A program that this one runs, and waits for together with everything else.

import CTactus
import TactusCore

/// A running program.
public struct ChildProcess: ~Copyable {
  private let number: Int32
  private let end: Descriptor

  /// Runs a program, found in PATH, in this one's environment and with its streams.
  /// - Throws: The error's number is that of execve(2): ENOENT where there is no such program.
  public init(_ arguments: [String]) throws(SystemError) {
    try self.init(arguments, input: -1, output: -1)
  }

  /// The same with descriptors as its standard streams; a negative one is our own.
  init(_ arguments: [String], input: Int32 = -1, output: Int32) throws(SystemError) {
    var words = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var number: Int32 = 0
    let error = tactus_spawn(words, input, output, &number)
    if error != 0 { throw SystemError("run", arguments[0], code: error) }
    let end = try Descriptor(tactus_process_open(number), "wait for", arguments[0])
    self.number = number
    self.end = end
  }

  // Ends what it holds here: another module of an Embedded program cannot.
  deinit {}

  /// Readable when the program has ended.
  public var descriptor: Int32 { end.number }

  /// Asks it to end, in a signal's words.
  public func send(_ signal: Signal) { _ = CTactus.kill(number, signal.number) }

  /// Ends it.
  public func kill() { _ = CTactus.kill(number, SIGKILL) }

  /// The exit code when it has ended, as shells tell it: 128 and the signal's number where one did.
  public func takeExitCode() -> Int32 { tactus_process_take(number) }

  /// The same without waiting; nil while it runs.
  func lookForExitCode() -> Int32? {
    let code = tactus_process_look(number)
    return code == -1 ? nil : code
  }

  /// The command line, beside this program or else in PATH.
  static var tactus: String {
    var parts = programPath().split(at: "/")
    parts[max(parts.count - 1, 0)...] = ["tactus"]
    let sibling = "/" + parts.joined(separator: "/")
    return isProgram(sibling) ? sibling : "tactus"
  }
}

/// Runs a program to its end; gives its exit code.
public func runToEnd(_ arguments: [String]) throws(SystemError) -> Int32 {
  let child = try ChildProcess(arguments)
  let loop = try EventLoop()
  try loop.add(child.descriptor, token: 0)
  _ = try loop.wait(until: nil)
  return child.takeExitCode()
}

/// Sets a variable of the environment for the programs that this one runs.
public func setEnvironment(_ name: String, _ value: String) { setenv(name, value, 1) }
