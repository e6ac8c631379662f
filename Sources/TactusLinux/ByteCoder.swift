// SPDX-License-Identifier: Apache-2.0
//
// Values as bytes, for a program of the same build. One description of a value serves both ways, so
// that writing and reading cannot disagree; and a program that only reads carries nothing that
// writes.

import TactusCore

/// A value that can be told to another program of the same build.
///
/// Its initializer is given the value where it is written, and nil where it is read: it passes each
/// part through `code` and makes the value of what comes back.
protocol Coded {
  init(_ coder: some ByteCoder, _ value: Self?)
}

/// A `ByteWriter`, which gives back what it is given, or a `ByteReader`, which gives what it reads.
protocol ByteCoder: AnyObject {
  /// A value that is nothing but its bytes.
  func code<Value: BitwiseCopyable>(plain value: Value?) -> Value
  /// A value that need not be there.
  func code<Value: Coded>(optional value: Value?) -> Value?
  func code<Value: Coded>(_ values: [Value]?) -> [Value]
  func code(_ text: String?) -> String
}

extension ByteCoder {
  func code<Value: Coded>(_ value: Value?) -> Value { Value(self, value) }
}

/// Writes values into bytes.
final class ByteWriter: ByteCoder {
  private(set) var bytes: [UInt8] = []

  func code<Value: BitwiseCopyable>(plain value: Value?) -> Value {
    let value = given(value)
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    return value
  }

  func code<Value: Coded>(optional value: Value?) -> Value? {
    _ = code(plain: value != nil)
    return value.map { Value(self, $0) }
  }

  func code<Value: Coded>(_ values: [Value]?) -> [Value] {
    let values = given(values)
    _ = code(plain: UInt32(values.count))
    return values.map { Value(self, $0) }
  }

  func code(_ text: String?) -> String {
    let text = given(text)
    _ = code(plain: UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    return text
  }

  private func given<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("nothing to write") }
    return value
  }
}

/// Reads values in the order in which they were written.
final class ByteReader: ByteCoder {
  private let bytes: [UInt8]
  private var position = 0
  /// More was read than there is; that reads as zeros.
  private var isExhausted = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Exactly what there is has been read.
  var isAtEnd: Bool { !isExhausted && position == bytes.count }

  func code<Value: BitwiseCopyable>(plain value: Value?) -> Value {
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { place.deallocate() }
    read(UnsafeMutableRawBufferPointer(start: place, count: MemoryLayout<Value>.size))
    return place.pointee
  }

  func code<Value: Coded>(optional value: Value?) -> Value? {
    code(plain: UInt8?.none) == 0 ? nil : Value(self, nil)
  }

  func code<Value: Coded>(_ values: [Value]?) -> [Value] {
    let count = count()
    return [Value](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        buffer.initializeElement(at: initialized, to: Value(self, nil))
        initialized += 1
      }
    }
  }

  func code(_ text: String?) -> String {
    let count = count()
    defer { position += count }
    return String(decoding: bytes[position..<position + count], as: UTF8.self)
  }

  /// How many parts follow, each of at least one byte.
  private func count() -> Int {
    let count = Int(code(plain: UInt32?.none))
    if count <= bytes.count - position { return count }
    isExhausted = true
    return 0
  }

  private func read(_ memory: UnsafeMutableRawBufferPointer) {
    isExhausted = isExhausted || memory.count > bytes.count - position
    for index in memory.indices { memory[index] = isExhausted ? 0 : bytes[position + index] }
    if !isExhausted { position += memory.count }
  }
}

extension Coded where Self: BitwiseCopyable {
  init(_ coder: some ByteCoder, _ value: Self?) { self = coder.code(plain: value) }
}

extension Bool: Coded {}
extension UInt32: Coded {}
extension Int32: Coded {}
extension UInt64: Coded {}

extension String: Coded {
  init(_ coder: some ByteCoder, _ value: String?) { self = coder.code(value) }
}

/// FNV-1a, 64 bits: tells apart what changed by accident.
func fingerprint(of bytes: ArraySlice<UInt8>) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  return hash
}
