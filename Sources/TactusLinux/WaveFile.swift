// SPDX-License-Identifier: Apache-2.0
//
// A file of a short sound: WAV, 48 kHz, 16 bits, one or two channels, 30 s at most (FBK-4).

import CTactus
import TactusCore

/// Why a file is none of the device's sounds.
enum WaveError: Error, Equatable {
  case unreadable(Int32)
  /// It has no such beginning.
  case notWave
  /// Compressed, or not in whole numbers; by the number that WAV has for it.
  case encoding(UInt16)
  case rate(UInt32)
  case bits(UInt16)
  case channels(UInt16)
  /// The file ends before the sound does.
  case cutShort
  case empty
  case long(seconds: Int)
}

extension WaveError: CustomStringConvertible {
  /// What is wrong with it, behind its path.
  var description: String {
    switch self {
    case .unreadable(let code): "cannot be read (\(reason(of: code)))"
    case .notWave: "is no WAV file"
    case .encoding(let number): "is compressed or has no whole numbers (format \(Int(number)))"
    case .rate(let hertz): "has \(Int(hertz)) Hz, not 48000"
    case .bits(let bits): "has \(Int(bits)) bits, not 16"
    case .channels(let count): "has \(Int(count)) channels, not 1 or 2"
    case .cutShort: "is cut short"
    case .empty: "has no sound in it"
    case .long(let seconds): "is \(seconds) s long, and a sound at most 30 s"
    }
  }

  /// What to do about it.
  func advice(for path: String) -> String {
    switch self {
    case .unreadable: "write the path of a WAV file that tactusd may read"
    case .notWave, .encoding, .cutShort, .empty: "make it anew, \(WaveError.command(path))"
    case .rate, .bits, .channels, .long: "convert it: \(WaveError.command(path))"
    }
  }

  /// A command that makes a fitting file.
  private static func command(_ path: String) -> String {
    "sox \(path) -r 48000 -b 16 -c 2 new.wav trim 0 30"
  }
}

/// A sound's samples, where its file has them.
///
/// The kernel brings them in as they are played, so that no length of a file delays anything.
final class WaveFile {
  static let rateHertz: UInt32 = 48_000
  static let secondsMaximum = 30

  private let memory: UnsafeRawBufferPointer
  private let start: Int
  let channelCount: Int
  let frameCount: Int

  init(path: String) throws(WaveError) {
    let memory = try WaveFile.map(path)
    do throws(WaveError) {
      let layout = try WaveLayout(memory)
      self.memory = memory
      start = layout.start
      channelCount = layout.channelCount
      frameCount = layout.frameCount
    } catch {
      munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
      throw error
    }
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count) }

  private static func map(_ path: String) throws(WaveError) -> UnsafeRawBufferPointer {
    let file = tactus_open(path, O_RDONLY | O_NONBLOCK)
    if file < 0 { throw .unreadable(-file) }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    if size < 0 { throw .unreadable(tactus_errno()) }
    if size == 0 { throw .notWave }
    let address = mmap(nil, Int(size), PROT_READ, MAP_PRIVATE, file, 0)
    guard let address, address != tactus_map_failed() else { throw .unreadable(tactus_errno()) }
    return UnsafeRawBufferPointer(start: address, count: Int(size))
  }

  /// One sample; a file of one channel has it on both.
  func sample(_ frame: Int, channel: Int) -> Int32 {
    let index = frame * channelCount + min(channel, channelCount - 1)
    let word = memory.loadUnaligned(fromByteOffset: start + index * 2, as: UInt16.self)
    return Int32(Int16(bitPattern: UInt16(littleEndian: word)))
  }
}

/// Where a WAV file has what.
private struct WaveLayout {
  var start = 0
  var channelCount = 0
  var frameCount = 0

  init(_ file: UnsafeRawBufferPointer) throws(WaveError) {
    guard WaveLayout.word(file, 0, is: "RIFF"), WaveLayout.word(file, 8, is: "WAVE") else {
      throw .notWave
    }
    var position = 12
    while position + 8 <= file.count {
      let size = Int(WaveLayout.number32(file, position + 4))
      let body = position + 8
      if WaveLayout.word(file, position, is: "fmt ") { try readFormat(file, body) }
      if WaveLayout.word(file, position, is: "data") {
        try readData(file, body, size)
        return
      }
      position = body + size + size % 2
    }
    throw channelCount == 0 ? .notWave : .cutShort
  }

  private mutating func readFormat(
    _ file: UnsafeRawBufferPointer,
    _ body: Int
  ) throws(WaveError) {
    guard body + 16 <= file.count else { throw .cutShort }
    var encoding = WaveLayout.number16(file, body)
    // The extensible form says behind the rest what it is.
    if encoding == 0xfffe, body + 26 <= file.count {
      encoding = WaveLayout.number16(file, body + 24)
    }
    if encoding != 1 { throw .encoding(encoding) }
    let channels = WaveLayout.number16(file, body + 2)
    let rate = WaveLayout.number32(file, body + 4)
    let bits = WaveLayout.number16(file, body + 14)
    if rate != WaveFile.rateHertz { throw .rate(rate) }
    if bits != 16 { throw .bits(bits) }
    if channels != 1 && channels != 2 { throw .channels(channels) }
    channelCount = Int(channels)
  }

  private mutating func readData(
    _ file: UnsafeRawBufferPointer,
    _ body: Int,
    _ size: Int
  ) throws(WaveError) {
    guard channelCount > 0 else { throw .notWave }
    start = body
    frameCount = size / (2 * channelCount)
    if frameCount == 0 { throw .empty }
    if body + size > file.count { throw .cutShort }
    let rate = Int(WaveFile.rateHertz)
    if frameCount > WaveFile.secondsMaximum * rate {
      throw .long(seconds: (frameCount + rate - 1) / rate)
    }
  }

  private static func word(_ file: UnsafeRawBufferPointer, _ at: Int, is word: String) -> Bool {
    guard at + 4 <= file.count else { return false }
    var index = at
    for byte in word.utf8 {
      if file[index] != byte { return false }
      index += 1
    }
    return true
  }

  private static func number32(_ file: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
    UInt32(littleEndian: file.loadUnaligned(fromByteOffset: at, as: UInt32.self))
  }

  private static func number16(_ file: UnsafeRawBufferPointer, _ at: Int) -> UInt16 {
    UInt16(littleEndian: file.loadUnaligned(fromByteOffset: at, as: UInt16.self))
  }
}
