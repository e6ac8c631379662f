// SPDX-License-Identifier: Apache-2.0
//
// Small files, read whole.

import CTactus
import TactusCore

/// The bytes of a file.
///
/// - Throws: the failed call; EFBIG for a file of more than `limit` bytes.
func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
  // A pipe in its place must not hold the program up.
  let file = try Descriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
  return try everything(from: file.number, called: path, limit: limit)
}

private func everything(
  from descriptor: Int32,
  called object: String,
  limit: Int
) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = InlineArray<4096, UInt8>(repeating: 0)
  while bytes.count <= limit {
    var span = chunk.mutableSpan
    let taken = span.withUnsafeMutableBytes { buffer in
      uninterrupted { read(descriptor, buffer.baseAddress, buffer.count) }
    }
    if taken < 0 { throw SystemError("read", object) }
    if taken == 0 { return bytes }
    chunk.span.withUnsafeBytes { bytes.append(contentsOf: $0.prefix(taken)) }
  }
  throw SystemError("read", object, code: EFBIG)
}

/// The first line of a file of the kernel; nil where there is none.
func firstLine(of path: String) -> String? {
  guard let bytes = try? contents(of: path, limit: 4_096) else { return nil }
  return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
}

/// The text of a file that a person names; `-` is standard input.
///
/// - Throws: the failed call; EFBIG for more than 1 MB, EILSEQ for what is not UTF-8.
public func text(of path: String) throws(SystemError) -> String {
  let bytes = try bytes(ofNamed: path)
  guard let text = String(validating: bytes, as: UTF8.self) else {
    throw SystemError("read", path, code: EILSEQ)
  }
  return text
}

private func bytes(ofNamed path: String) throws(SystemError) -> [UInt8] {
  let limit = 1 << 20
  if path == "-" {
    return try everything(from: STDIN_FILENO, called: "standard input", limit: limit)
  }
  // A pipe is waited for, unlike with what a daemon reads.
  let file = try Descriptor(path: path, flags: O_RDONLY)
  return try everything(from: file.number, called: path, limit: limit)
}

/// Whether something is there that may be read.
public func fileExists(_ path: String) -> Bool { access(path, R_OK) == 0 }

/// Whether something is there that may be run.
func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }

/// Where the running program's file is; empty where /proc does not tell.
func programPath() -> String {
  var bytes = [CChar](repeating: 0, count: 4_096)
  let count = readlink("/proc/self/exe", &bytes, bytes.count)
  guard count > 0 else { return "" }
  return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Makes a folder and those above it; one that is there is no failure.
public func makeFolder(_ path: String) throws(SystemError) {
  var made = ""
  for part in path.split(at: "/") {
    made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
    if mkdir(made, 0o755) < 0 && tactus_errno() != EEXIST { throw SystemError("make", made) }
  }
}

/// Copies a file of at most 16 MB; the copy appears whole or not at all.
public func copyFile(_ source: String, to target: String) throws(SystemError) {
  let bytes = try contents(of: source, limit: 1 << 24)
  try replaceFile(target, with: bytes)
}

/// Writes a text file; it appears whole or not at all.
public func writeFile(_ text: String, to path: String) throws(SystemError) {
  try replaceFile(path, with: Array(text.utf8))
}

/// Takes a file away; one that is not there is no failure.
public func removeFile(_ path: String) { unlink(path) }

/// Writes a file of bytes; it appears whole or not at all.
public func writeFile(_ bytes: [UInt8], to path: String) throws(SystemError) {
  try replaceFile(path, with: bytes)
}

/// A folder of this program alone, gone with the value together with the files in it.
public struct TemporaryFolder: ~Copyable {
  public let path: String

  public init(prefix: String) throws(SystemError) {
    var name = Array("/tmp/\(prefix).XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw SystemError("make", "/tmp/\(prefix)") }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryFolder.remove(path) }

  private static func remove(_ path: String) {
    for name in (try? names(in: path, beginning: "")) ?? [] where name != "." && name != ".." {
      if unlink("\(path)/\(name)") < 0 { remove("\(path)/\(name)") }
    }
    rmdir(path)
  }
}

/// Adds a line to a file or pipe that is there; a pipe that nobody reads is a failure, no wait.
public func appendLine(_ text: String, to path: String) throws(SystemError) {
  let file = try Descriptor(path: path, flags: O_WRONLY | O_APPEND | O_NONBLOCK)
  try writeAll(Array("\(text)\n".utf8), to: file.number, called: path)
}

/// Puts a file in place in one step: whoever reads it sees the old one or the new one, whole.
///
/// With `isDurable` the bytes are on the disk before the name is theirs.
func replaceFile(
  _ path: String,
  with bytes: [UInt8],
  isDurable: Bool = false
) throws(SystemError) {
  let draft = "\(path).new"
  do throws(SystemError) {
    let file = try Descriptor(path: draft, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    try writeAll(bytes, to: file.number, called: draft)
    if isDurable && fsync(file.number) < 0 { throw SystemError("flush", draft) }
    if rename(draft, path) < 0 { throw SystemError("rename", draft) }
  } catch {
    unlink(draft)
    throw error
  }
}
