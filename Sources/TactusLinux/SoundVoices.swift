// SPDX-License-Identifier: Apache-2.0
//
// One sound at a time: the newest takes the place of the one that plays, which fades out below it
// in 2.5 ms.
//
//   frame   one sample of each of the two channels
//   voice   a file that is being played
//   tail    what is still on its way to the ear when everything is written

import TactusCore

/// Makes the frames that are written.
struct SoundVoices {
  static let channelCount = 2
  static let fadeFrames = 120

  private struct Voice {
    let file: WaveFile
    var position = 0
    /// Frames until it is silent; nil while it does not fade.
    var fade: Int?

    /// The next frame's sample, faded.
    func sample(channel: Int) -> Int32 {
      let sample = file.sample(position, channel: channel)
      guard let fade else { return sample }
      return sample * Int32(fade) / Int32(SoundVoices.fadeFrames)
    }

    var isOver: Bool { position >= file.frameCount || fade == 0 }

    mutating func advance() {
      position += 1
      if let fade { self.fade = fade - 1 }
    }
  }

  private let percent: Int32
  private var present: Voice?
  private var leaving: Voice?

  /// - Parameter percent: of the files' amplitude, 0…100.
  init(percent: Int32) { self.percent = percent }

  /// Nothing sounds.
  var isSilent: Bool { present == nil && leaving == nil }

  /// Begins a sound; nil is silence.
  mutating func play(_ file: WaveFile?) {
    if var before = present {
      before.fade = SoundVoices.fadeFrames
      leaving = before
    }
    present = file.map { Voice(file: $0) }
  }

  /// Fills frames, and answers after how many of them the present sound was over; nil where it goes
  /// on, or there is none.
  mutating func fill(_ frames: inout [Int16], count: Int) -> Int? {
    var end: Int?
    for frame in 0..<count {
      for channel in 0..<SoundVoices.channelCount {
        let sum =
          (present?.sample(channel: channel) ?? 0) + (leaving?.sample(channel: channel) ?? 0)
        let sample = sum * percent / 100
        frames[frame * SoundVoices.channelCount + channel] = Int16(clamping: sample)
      }
      leaving?.advance()
      if leaving?.isOver ?? false { leaving = nil }
      present?.advance()
      if present?.isOver ?? false {
        present = nil
        end = frame + 1
      }
    }
    return end
  }
}
