// SPDX-License-Identifier: Apache-2.0
//
// The program that plays the device's own sounds: `tactus play-sounds`, started by tactusd when a
// finger is down and gone 2 s after the last use. What ALSA's configuration, plugins, disks or a
// busy device cost in time or memory is cost here.
//
//   pass       what is done every 5 ms: the PCM is filled up, with silence where nothing sounds
//   tail       frames until the last of a sound has left the device; then it has ended
//   quiet      frames of silence since the last use

import CTactus
import TactusCore

/// Plays sounds by their positions, as it is told on standard input; reports on standard output.
public struct SoundService: ~Copyable {
  private static let passNanoseconds: UInt64 = 5_000_000
  private static let quietSecondsMaximum = 2
  /// More than a pass needs, also a late one.
  private static let chunkFrames = 480

  private let output: SoundOutput
  private let files: [WaveFile?]
  private var voices: SoundVoices
  private var frames = [Int16](
    repeating: 0,
    count: SoundService.chunkFrames * SoundVoices.channelCount
  )
  /// Frames until the sound is heard to its end; nil while none sounds, or one goes on.
  private var tail: Int?
  /// A sound has begun and not ended.
  private var isSounding = false
  private var quiet = 0
  private var hasCompany: Bool

  /// - Parameters:
  ///   - pcm: ALSA's name.
  ///   - paths: the sounds; one that cannot be played is silence.
  ///   - percent: of their amplitude, 0…100.
  /// - Returns: whether it came to its end as it should; if not, it has said why.
  public static func run(pcm: String, paths: [String], percent: Int32) -> Bool {
    do throws(SystemError) {
      var service = try SoundService(pcm, paths, percent)
      try service.serve()
      return true
    } catch {
      SoundService.report(.failed(error.description))
      return false
    }
  }

  private init(_ pcm: String, _ paths: [String], _ percent: Int32) throws(SystemError) {
    output = try SoundOutput(pcm)
    hasCompany = output.hasCompany()
    files = paths.map { try? WaveFile(path: $0) }
    voices = SoundVoices(percent: percent)
  }

  // MARK: The loop

  private mutating func serve() throws(SystemError) {
    let loop = try EventLoop()
    try loop.add(STDIN_FILENO, token: 0)
    try fill()
    SoundService.report(.company(hasCompany))
    SoundService.report(.ready)
    var due = MonotonicClock.now() + SoundService.passNanoseconds
    while quiet < SoundService.quietSecondsMaximum * Int(WaveFile.rateHertz) {
      if try loop.wait(until: due) > 0 {
        guard let command = SoundService.nextCommand() else { return }
        obey(command)
      }
      let now = MonotonicClock.now()
      guard now >= due else { continue }
      due = max(due + SoundService.passNanoseconds, now)
      try fill()
      look()
    }
    // What is asked for from now on is asked of the next program.
    shutdown(STDIN_FILENO, Int32(SHUT_RD))
  }

  /// Nil when nobody is there any more.
  private static func nextCommand() -> UInt8? {
    var command: UInt8 = 0
    return uninterrupted { read(STDIN_FILENO, &command, 1) } == 1 ? command : nil
  }

  private mutating func obey(_ command: UInt8) {
    quiet = 0
    switch command {
    case SoundCommand.prepare: break
    case SoundCommand.stop:
      voices.play(nil)
      end()
    default: play(Int(command))
    }
  }

  private mutating func play(_ position: Int) {
    end()
    guard position < files.count, let file = files[position] else {
      SoundService.report(.ended)
      return
    }
    // What is queued now comes before the first frame of the sound.
    let delay = UInt64(output.delay()) * 1_000_000_000 / UInt64(WaveFile.rateHertz)
    voices.play(file)
    isSounding = true
    SoundService.report(.started(atNanoseconds: MonotonicClock.now() + delay))
  }

  private mutating func end() {
    tail = nil
    guard isSounding else { return }
    isSounding = false
    SoundService.report(.ended)
  }

  // MARK: A pass

  private mutating func fill() throws(SystemError) {
    var room = try output.room()
    while room > 0 {
      let count = min(room, SoundService.chunkFrames)
      let end = voices.fill(&frames, count: count)
      try output.write(frames, count: count)
      note(count, end)
      room -= count
    }
  }

  private mutating func note(_ count: Int, _ end: Int?) {
    if let end {
      tail = output.delay() - (count - end)
    } else if let tail {
      self.tail = tail - count
    }
    if let tail, tail <= 0 { self.end() }
    quiet = isSounding ? 0 : quiet + count
  }

  private mutating func look() {
    let hasCompany = output.hasCompany()
    guard hasCompany != self.hasCompany else { return }
    self.hasCompany = hasCompany
    SoundService.report(.company(hasCompany))
  }

  private static func report(_ report: SoundReport) {
    let message = report.message
    _ = tactus_channel_send(STDOUT_FILENO, message, message.count)
  }
}
