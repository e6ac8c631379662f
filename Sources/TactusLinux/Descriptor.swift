// SPDX-License-Identifier: Apache-2.0
//
// A file descriptor that is closed exactly once.

import CTactus

/// Owns a file descriptor.
struct Descriptor: ~Copyable {
  let number: Int32

  /// Takes what a system call or a shim gave: a descriptor, or a negative errno.
  init(_ result: Int32, _ operation: String, _ object: String) throws(SystemError) {
    guard result >= 0 else { throw SystemError(operation, object, code: -result) }
    number = result
  }

  /// Opens a file; new ones are readable for everybody, writable for the owner.
  init(path: String, flags: Int32) throws(SystemError) {
    let result = tactus_open(path, flags)
    guard result >= 0 else { throw SystemError("open", path, code: -result) }
    number = result
  }

  deinit { close(number) }
}
