// SPDX-License-Identifier: Apache-2.0
//
// A PCM that is written without waiting.

import CTactus
import TactusCore

/// An open playback PCM: 48 kHz, 16 bits, two channels, four periods of a tick.
struct SoundOutput: ~Copyable {
  static let latencyMicroseconds: UInt32 = 20_000

  private let handle: OpaquePointer
  private let name: String
  private let mixing: Int32?

  /// Opens one by ALSA's name, and starts it with silence.
  init(_ name: String) throws(SystemError) {
    tactus_sound_quiet()
    var opened: OpaquePointer?
    let mode = Int32(SND_PCM_NONBLOCK)
    let status = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, mode)
    guard status >= 0, let opened else { throw SystemError("open", name, code: -status) }
    let outcome = snd_pcm_set_params(
      opened,
      SND_PCM_FORMAT_S16_LE,
      SND_PCM_ACCESS_RW_INTERLEAVED,
      UInt32(SoundVoices.channelCount),
      WaveFile.rateHertz,
      1,
      SoundOutput.latencyMicroseconds
    )
    if outcome < 0 {
      snd_pcm_close(opened)
      throw SystemError("set up", name, code: -outcome)
    }
    handle = opened
    self.name = name
    mixing = SoundOutput.mixingMemory()
  }

  deinit { snd_pcm_close(handle) }

  /// Whether other programs play to the same card: those that share the memory in which they are
  /// mixed.
  func hasCompany() -> Bool { mixing.map { tactus_memory_users($0) > 1 } ?? false }

  /// The number of the memory that this program shares by now, which no other part of it does.
  private static func mixingMemory() -> Int32? {
    for line in Machine.lines(of: "/proc/self/maps") {
      let words = line.split(at: " ")
      guard words.count > 5, words[5].hasPrefix("/SYSV") else { continue }
      return wholeNumber(words[4]).flatMap { Int32(exactly: $0) }
    }
    return nil
  }

  /// How many frames can be written now; after a gap as many as the buffer has.
  func room() throws(SystemError) -> Int {
    let frames = snd_pcm_avail_update(handle)
    if frames >= 0 { return Int(frames) }
    try restart(Int32(frames))
    return Int(max(snd_pcm_avail_update(handle), 0))
  }

  /// How many frames are before the one that is written next.
  func delay() -> Int {
    var frames: snd_pcm_sframes_t = 0
    return snd_pcm_delay(handle, &frames) < 0 ? 0 : max(Int(frames), 0)
  }

  /// Writes frames that there is room for.
  func write(_ frames: [Int16], count: Int) throws(SystemError) {
    let written = frames.withUnsafeBufferPointer {
      snd_pcm_writei(handle, $0.baseAddress, snd_pcm_uframes_t(count))
    }
    if written < 0, written != -snd_pcm_sframes_t(EAGAIN) { try restart(Int32(written)) }
  }

  /// Goes on after a gap.
  private func restart(_ status: Int32) throws(SystemError) {
    guard status == -EPIPE, snd_pcm_prepare(handle) >= 0 else {
      throw SystemError("play to", name, code: -status)
    }
  }
}
