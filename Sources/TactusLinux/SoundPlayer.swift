// SPDX-License-Identifier: Apache-2.0
//
// The device's own sounds, as tactusd has them played: by a program of its own (`SoundService`), so
// that nothing of ALSA's configuration, plugins and disks, nor a busy device, can delay a tick.
//
//   prepared   the program is there, and its PCM runs
//   waiting    a sound that is played as soon as the program is prepared, if that is soon enough

import CTactus
import TactusCore

/// Plays one of the device's own sounds at a time.
///
/// Nothing here waits. Each sound that is asked for ends once.
public final class SoundPlayer {
  /// What has come of it.
  public enum Event: Equatable {
    case ready
    /// A sound will be heard from a moment of `MonotonicClock` on.
    case started(atNanoseconds: UInt64)
    /// A sound is over, gave way to another, or was not played.
    case ended
    /// Why none can be played; told once.
    case failed(String)
  }

  /// So long a sound waits for the program.
  private static let patienceNanoseconds: UInt64 = 300_000_000
  /// A program that is not prepared after so long never will be.
  private static let startNanoseconds: UInt64 = 5_000_000_000
  /// The exit code of a program that has said what is wrong.
  private static let saidWhy: Int32 = 1

  private let pcm: String
  private let loop: EventLoop
  private let token: UInt32
  private var paths: [String]
  private var percent: UInt8
  private var process: ChildProcess?
  private var channel: Descriptor?
  public private(set) var isPrepared = false
  /// Whether others play to the card of a prepared program.
  public private(set) var hasCompany = false
  /// The program that runs, or ran last, was prepared.
  private var wasPrepared = false
  private var startedAt: UInt64 = 0
  private var waiting: UInt8?
  private var waitingSince: UInt64 = 0
  /// Sounds that the program was told to play, and that have not ended.
  private var playing = 0
  private var events: [Event] = []
  private var told = ""

  /// Starts nothing yet.
  ///
  /// - Parameters:
  ///   - sounds: what can be played, by position.
  ///   - percent: of their amplitude.
  ///   - pcm: ALSA's name of where to; without one that of their source.
  ///   - loop: waits for what `take` takes.
  ///   - token: the loop's for it.
  public init(
    sounds: [BoardSound],
    percent: UInt8,
    pcm: String? = nil,
    loop: EventLoop,
    token: UInt32
  ) {
    paths = sounds.map { $0.path }
    self.percent = percent
    self.pcm = pcm ?? "tactus:\(BoardSource.sounds.name)"
    self.loop = loop
    self.token = token
  }

  /// Takes other sounds, or another amplitude, from the next start of the program on.
  public func set(sounds: [BoardSound], percent: UInt8) {
    paths = sounds.map { $0.path }
    self.percent = percent
    channel = nil
    lose()
  }

  /// The program has not come to its end.
  public var isRunning: Bool { process != nil }

  // MARK: What is asked for

  /// Readies it for 2 s.
  public func prepare() {
    if isPrepared { send(SoundCommand.prepare) } else { start() }
  }

  /// Plays a sound by its position; answers whether it is on its way, or may soon be.
  @discardableResult public func play(_ sound: UInt8) -> Bool {
    drop()
    if isPrepared, send(sound) {
      playing += 1
      return true
    }
    waiting = sound
    waitingSince = MonotonicClock.now()
    start()
    return waiting != nil
  }

  /// Ends what sounds.
  public func stop() {
    drop()
    if isPrepared { send(SoundCommand.stop) }
  }

  /// The sound that waits is not played.
  private func drop() {
    if waiting != nil { events.append(.ended) }
    waiting = nil
  }

  @discardableResult private func send(_ command: UInt8) -> Bool {
    guard let end = channelNumber else { return false }
    var command = command
    return tactus_channel_send(end, &command, 1) == 1
  }

  private var channelNumber: Int32? {
    switch channel {
    case .some(let channel): channel.number
    case .none: nil
    }
  }

  // MARK: The program

  private func start() {
    guard process == nil else { return endHanging() }
    do throws(SystemError) {
      var ends: [Int32] = [-1, -1]
      let error = tactus_channel_open(&ends)
      let ours = try Descriptor(error == 0 ? ends[0] : -error, "open", "channel")
      let theirs = try Descriptor(ends[1], "open", "channel")
      let process = try ChildProcess(
        [ChildProcess.tactus, "play-sounds", "--", "\(Int(percent))", pcm] + paths,
        input: theirs.number,
        output: theirs.number
      )
      try loop.add(ours.number, token: token)
      try loop.add(process.descriptor, token: token)
      self.process = consume process
      channel = consume ours
      startedAt = MonotonicClock.now()
      wasPrepared = false
    } catch {
      fail(error.description)
    }
  }

  /// One that is about to be gone comes to its end, and then what waits is played by the next; one
  /// that hangs is ended.
  private func endHanging() {
    guard !wasPrepared, MonotonicClock.now() > startedAt + SoundPlayer.startNanoseconds else {
      return
    }
    switch process {
    case .some(let process): process.kill()
    case .none: break
    }
  }

  private func fail(_ what: String) {
    drop()
    guard what != told else { return }
    told = what
    events.append(.failed(what))
  }

  // MARK: What comes of it

  /// `take` has something to give, beside what the loop tells.
  public var hasEvents: Bool { !events.isEmpty }

  /// Takes what the program has said, also that it has ended.
  public func take() -> [Event] {
    takeReports()
    let code = exitCode()
    if code != nil {
      takeReports()
      process = nil
      channel = nil
    }
    if channel == nil { lose() }
    if let code {
      if code != 0, code != SoundPlayer.saidWhy {
        fail("play-sounds: ended by itself (exit code \(Int(code)))")
      } else if waiting != nil {
        // It came to its end just as it was asked again.
        start()
      }
    }
    defer { events.removeAll() }
    return events
  }

  private func exitCode() -> Int32? {
    switch process {
    case .some(let process): process.lookForExitCode()
    case .none: nil
    }
  }

  private func takeReports() {
    while let end = channelNumber {
      var message = [UInt8](repeating: 0, count: SoundReport.sizeMaximum)
      let count = recv(end, &message, message.count, 0)
      if count > 0 {
        if let report = SoundReport(message[..<count]) { take(report) }
      } else {
        if count == 0 || tactus_errno() != EAGAIN { channel = nil }
        return
      }
    }
  }

  private func take(_ report: SoundReport) {
    switch report {
    case .ready:
      isPrepared = true
      wasPrepared = true
      told = ""
      events.append(.ready)
      guard let sound = waiting else { return }
      let isLate = MonotonicClock.now() > waitingSince + SoundPlayer.patienceNanoseconds
      if !isLate, send(sound) {
        waiting = nil
        playing += 1
      } else {
        drop()
      }
    case .company(let isThere): hasCompany = isThere
    case .started(let moment): events.append(.started(atNanoseconds: moment))
    case .ended:
      guard playing > 0 else { return }
      playing -= 1
      events.append(.ended)
    case .failed(let what): fail(what)
    }
  }

  /// The program listens no more: what it was told to play has ended.
  private func lose() {
    isPrepared = false
    for _ in 0..<playing { events.append(.ended) }
    playing = 0
  }
}
