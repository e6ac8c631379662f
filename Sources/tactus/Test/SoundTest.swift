// SPDX-License-Identifier: Apache-2.0
//
// A tone on every output at the volume as it is, then silence that is read back from the codec
// itself. No volume is set: a person's own is the safe one.

import TactusCore
import TactusLinux

/// The sound of a device.
struct SoundTest {
  private let invocation: Invocation
  private let board: Board
  private let output: StandardOutput
  private let page = Page.standardOutput()

  init(_ invocation: Invocation, _ board: Board, _ output: StandardOutput) {
    self.invocation = invocation
    self.board = board
    self.output = output
  }

  /// Plays and silences; answers whether all was as it should be.
  func run() throws(Failure) -> Bool {
    guard let device = DaemonAnswer(invocation).device else {
      throw Failure(
        .unavailable,
        "sound",
        "tactusd does not run",
        next: "start it: without it nothing keeps a tone from being loud"
      )
    }
    say("")
    say("sound", .bold)
    let daemon = try Daemon(invocation)
    if device.isMuted { try daemon.ask(.setMute, [.bool(false)]) }
    var isGood = try playTones(daemon, device)
    isGood = try checkSilence(daemon) && isGood
    try daemon.ask(.setMute, [.bool(device.isMuted)])
    return isGood
  }

  // MARK: Tones

  private func playTones(_ daemon: borrowing Daemon, _ device: Device) throws(Failure) -> Bool {
    var isGood = true
    let routes = device.routes.filter { $0.isAvailable }
    for route in routes {
      if routes.count > 1 { try daemon.ask(.setRoute, [.text(route.name)]) }
      Machine.pause(nanoseconds: 300_000_000)
      if let code = try? play(), code != 0 {
        say("  \(route.name): aplay could not play (exit code \(code))", .red)
        isGood = false
      } else if canAsk {
        let heard = answer(to: "  \(route.name): did you hear a tone? [y/n]")
        isGood = isGood && (heard?.hasPrefix("y") ?? false)
      } else {
        say("  \(route.name): a tone was played")
      }
    }
    if let before = device.route, routes.count > 1 {
      try daemon.ask(.setRoute, [.text(before)])
    }
    return isGood
  }

  private func play() throws(SystemError) -> Int32 {
    let folder = try TemporaryFolder(prefix: "tactus-test")
    let path = "\(folder.path)/tone.wav"
    try Tone().write(to: path)
    return try runToEnd(["aplay", "-q", "-D", "tactus:default", path])
  }

  // MARK: Silence

  /// Mutes, and looks at the codec itself.
  private func checkSilence(_ daemon: borrowing Daemon) throws(Failure) -> Bool {
    try daemon.ask(.setMute, [.bool(true)])
    Machine.pause(nanoseconds: 500_000_000)
    let device = try Device(describedBy: try daemon.describe())
    var isGood = device.isSilent
    say(
      "  muted: tactusd reads \(device.isSilent ? "silence" : "sound") back",
      device.isSilent ? [] : .red
    )
    for output in board.outputs {
      guard let (isSilent, words) = silence(of: output) else { continue }
      say("  \(output.name): \(words)", isSilent ? [] : .red)
      isGood = isGood && isSilent
    }
    say(isGood ? "  silence is silence" : "  not silent: see tactus doctor", isGood ? .green : .red)
    return isGood
  }

  /// Whether an output's own controls let nothing through; nil where it has none.
  private func silence(of output: BoardOutput) -> (Bool, String)? {
    guard let id = output.cardIDs.first(where: { SoundCard.isPresent(id: $0) }),
      let card = try? SoundCard(id: id)
    else { return nil }
    switch output.mute {
    case .none: return nil
    case .control(let address, let silent, _):
      guard let control = try? card.control(address), let values = try? card.read(control),
        let wanted = try? card.values(of: silent, for: control)
      else { return nil }
      let isSilent = values == wanted
      return (isSilent, "\(address.description) is \(isSilent ? "silent" : "open")")
    case .volume:
      guard let volume = output.volume, let control = try? card.control(volume.address),
        let values = try? card.read(control), let table = try? card.gainTable(of: control)
      else { return nil }
      let scale = DecibelScale(
        table: table,
        rawRange: control.rawMinimum...control.rawMaximum,
        correction: volume.correction
      )
      let isSilent = (0..<values.channelCount).allSatisfy {
        scale.gain(atRaw: values[$0]).isSilence
      }
      return (isSilent, "\(volume.address.description) is \(isSilent ? "silent" : "open")")
    }
  }

  private func say(_ text: String, _ style: Style = []) {
    var row = page.row
    row.add(text, style)
    output.write(page.text(of: [row]))
    try? output.flush()
  }
}

/// One second of a sine of 440 Hz at −20 dB, with soft ends.
struct Tone {
  private static let rate = 48_000
  private static let fade = 2_400
  /// 2·cos(2π·440/48000) and sin of the same: the sine by recurrence, without a library.
  private static let factor = 1.996_683_642
  private static let first = 0.057_564_027
  private static let peak = 3_276.7

  /// The bytes of a WAV file: 16 bits, two channels.
  var bytes: [UInt8] {
    let size = Tone.rate * 4
    var bytes = Array("RIFF".utf8) + little(size + 36, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    bytes += little(1, 2) + little(2, 2) + little(Tone.rate, 4) + little(size, 4) + little(4, 2)
    bytes += little(16, 2) + Array("data".utf8) + little(size, 4)
    var before = 0.0
    var present = Tone.first
    for index in 0..<Tone.rate {
      let end = min(index, Tone.rate - 1 - index, Tone.fade)
      let sample = Int((before * Tone.peak * Double(end) / Double(Tone.fade)).rounded())
      bytes += little(sample, 2) + little(sample, 2)
      (before, present) = (present, Tone.factor * present - before)
    }
    return bytes
  }

  func write(to path: String) throws(SystemError) { try writeFile(bytes, to: path) }

  private func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
