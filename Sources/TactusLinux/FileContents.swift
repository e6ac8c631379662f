// SPDX-License-Identifier: Apache-2.0
//
// Small files, read whole.

import CTactus

/// The bytes of a file.
///
/// - Throws: the failed call; EFBIG for a file of more than `limit` bytes.
func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
  let file = try Descriptor(path: path, flags: O_RDONLY)
  var bytes = [UInt8](repeating: 0, count: limit + 1)
  var count = 0
  while count <= limit {
    let taken = bytes.withUnsafeMutableBytes { buffer in
      uninterrupted {
        read(file.number, buffer.baseAddress.map { $0 + count }, limit + 1 - count)
      }
    }
    if taken < 0 { throw SystemError("read", path) }
    if taken == 0 { break }
    count += taken
  }
  if count > limit { throw SystemError("read", path, code: EFBIG) }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// Whether something is there that may be read.
func fileExists(_ path: String) -> Bool { access(path, R_OK) == 0 }

/// Where the running program's file is; empty where /proc does not tell.
func programPath() -> String {
  var bytes = [CChar](repeating: 0, count: 4_096)
  let count = readlink("/proc/self/exe", &bytes, bytes.count)
  guard count > 0 else { return "" }
  return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
