// SPDX-License-Identifier: Apache-2.0
//
// A board as bytes: what `tactus board compile` makes of the files, and `tactusd` starts with, so
// that the daemon carries nothing that reads files of people.
//
//   seal   stands before the bytes: which build wrote them, and a checksum
//
// Every part of every value stands here once, for both ways. A part that is added and missing here
// does not compile, or fails `BoardCodeTests`.

import TactusCore

/// Why bytes are no compiled board.
public enum BoardCodeError: Error, Equatable, CustomStringConvertible {
  /// Nothing that `tactus board compile` writes.
  case foreign
  /// Written by another version.
  case otherVersion
  /// Cut short or damaged.
  case torn

  public var description: String {
    switch self {
    case .foreign: "writes no compiled board"
    case .otherVersion: "of another version, install tactus and tactusd together"
    case .torn: "writes a compiled board that is cut short or damaged"
    }
  }
}

/// What a device's files say.
public final class CompiledBoard {
  /// Something to be told of the files.
  public struct Message: Equatable, Sendable {
    public let isError: Bool
    public let text: String
  }

  /// Nil where the files are wrong.
  public let board: Board?
  /// A fingerprint of what a running daemon cannot change.
  public let hardware: UInt64
  /// Everything that is wrong with the files.
  public let messages: [Message]

  private init(_ board: Board?, _ hardware: UInt64, _ messages: [Message]) {
    self.board = board
    self.hardware = hardware
    self.messages = messages
  }

  /// Of what was read.
  // Like the others convenient: a class names the rest, so that every program would carry them.
  public convenience init(_ loaded: Loaded<Board>) {
    self.init(
      loaded.value,
      loaded.value?.hardwareFingerprint ?? 0,
      loaded.diagnostics.map { Message(isError: $0.severity == .error, text: $0.description) }
    )
  }

  /// From what `encoded` gave.
  public convenience init(encoded bytes: [UInt8]) throws(BoardCodeError) {
    let size = MemoryLayout<Seal>.size
    let seal = ByteReader(Array(bytes.prefix(size))).code(Seal?.none)
    let body = Array(bytes.dropFirst(size))
    let expected = Seal(of: body)
    if bytes.isEmpty { throw .torn }
    guard bytes.count >= size, seal.magic == expected.magic else { throw .foreign }
    guard seal.build == expected.build else { throw .otherVersion }
    guard seal.checksum == expected.checksum else { throw .torn }
    let reader = ByteReader(body)
    self.init(reader, nil)
    guard reader.isAtEnd else { throw .otherVersion }
  }

  /// The bytes, for a program of the same build.
  public var encoded: [UInt8] {
    let body = ByteWriter()
    _ = CompiledBoard(body, self)
    let seal = ByteWriter()
    _ = seal.code(Seal(of: body.bytes))
    return seal.bytes + body.bytes
  }

  private convenience init(_ coder: some ByteCoder, _ value: CompiledBoard?) {
    self.init(
      coder.code(optional: value?.board),
      coder.code(value?.hardware),
      coder.code(value?.messages)
    )
  }
}

extension CompiledBoard.Message: Coded {
  init(_ coder: some ByteCoder, _ value: Self?) {
    self.init(isError: coder.code(value?.isError), text: coder.code(value?.text))
  }
}

private struct Seal: BitwiseCopyable, Coded {
  var magic: UInt64 = 0x3164_7242_6361_5454  // "TTacBrd1"
  /// What only programs of the same build agree on.
  var build = Seal.build
  var checksum: UInt64

  init(of body: [UInt8]) { checksum = fingerprint(of: body[...]) }

  private static var build: UInt64 {
    let layout = "\(tactusVersion) \(MemoryLayout<Configuration>.size) \(MemoryLayout<Board>.size)"
    return fingerprint(of: Array(layout.utf8)[...])
  }
}

extension Board {
  /// Of everything that a running daemon cannot take without letting go of something.
  fileprivate var hardwareFingerprint: UInt64 {
    let writer = ByteWriter()
    _ = writer.code(controls)
    _ = writer.code(inputDevices)
    _ = writer.code(outputs)
    _ = writer.code(sources)
    _ = writer.code(signals)
    _ = writer.code(capture)
    _ = writer.code(fixed)
    _ = writer.code(configuration.timing.tickMicroseconds)
    return fingerprint(of: writer.bytes[...])
  }
}

// MARK: - The board

extension Board: Coded {
  init(_ coder: some ByteCoder, _ value: Board?) {
    self.init(
      name: coder.code(value?.name),
      title: coder.code(value?.title),
      description: coder.code(value?.description),
      bases: coder.code(value?.bases),
      status: coder.code(value?.status),
      unverified: coder.code(value?.unverified),
      identity: coder.code(value?.identity),
      overlay: coder.code(value?.overlay),
      controls: coder.code(value?.controls),
      inputDevices: coder.code(value?.inputDevices),
      outputs: coder.code(value?.outputs),
      sources: coder.code(value?.sources),
      playersBus: coder.code(optional: value?.playersBus),
      signals: coder.code(value?.signals),
      sounds: coder.code(value?.sounds),
      capture: coder.code(value?.capture),
      fixed: coder.code(value?.fixed),
      reserved: coder.code(value?.reserved),
      configuration: coder.code(value?.configuration)
    )
  }
}

extension Board.Status: Coded {}
extension Configuration: Coded {}
extension Role: Coded {}
extension Bias: Coded {}
extension Polarity: Coded {}
extension Gain: Coded {}
extension Category: Coded {}
extension Mode: Coded {}
extension PlayerVolume: Coded {}
extension BoardInputDevice.Selector: Coded {}
extension BoardSignal.Role: Coded {}
extension ControlAddress.Interface: Coded {}

extension BoardIdentity: Coded {
  init(_ coder: some ByteCoder, _ value: BoardIdentity?) {
    self.init(
      models: coder.code(value?.models),
      hatVendors: coder.code(value?.hatVendors),
      hatProducts: coder.code(value?.hatProducts),
      controls: coder.code(value?.controls),
      foreignControls: coder.code(value?.foreignControls)
    )
  }
}

extension BoardLine: Coded {
  init(_ coder: some ByteCoder, _ value: BoardLine?) {
    self.init(
      chipLabels: coder.code(value?.chipLabels),
      offset: coder.code(value?.offset),
      polarity: coder.code(value?.polarity)
    )
  }
}

extension BoardControl: Coded {
  init(_ coder: some ByteCoder, _ value: BoardControl?) {
    self.init(
      name: coder.code(value?.name),
      role: coder.code(value?.role),
      contact: coder.code(value?.contact)
    )
  }
}

extension BoardControl.Contact: Coded {
  private enum Kind: Coded { case lines, jack, keys, simulated }

  private var kind: Kind {
    switch self {
    case .lines: .lines
    case .jack: .jack
    case .keys: .keys
    case .simulated: .simulated
    }
  }

  init(_ coder: some ByteCoder, _ value: Self?) {
    switch coder.code(value?.kind) {
    case .lines:
      var line: (chips: [String], offsets: [UInt32], bias: Bias, polarity: Polarity)?
      if case .lines(let chips, let offsets, let bias, let polarity) = value {
        line = (chips, offsets, bias, polarity)
      }
      self = .lines(
        chipLabels: coder.code(line?.chips),
        offsets: coder.code(line?.offsets),
        bias: coder.code(line?.bias),
        coder.code(line?.polarity)
      )
    case .jack:
      var jack: (cards: [String], address: ControlAddress)?
      if case .jack(let cards, let address) = value { jack = (cards, address) }
      self = .jack(cardIDs: coder.code(jack?.cards), coder.code(jack?.address))
    case .keys: self = .keys
    case .simulated: self = .simulated
    }
  }
}

extension BoardInputDevice: Coded {
  init(_ coder: some ByteCoder, _ value: BoardInputDevice?) {
    self.init(
      selector: coder.code(value?.selector),
      pattern: coder.code(value?.pattern),
      isGrabbed: coder.code(value?.isGrabbed)
    )
  }
}

extension BoardOutput: Coded {
  init(_ coder: some ByteCoder, _ value: BoardOutput?) {
    self.init(
      name: coder.code(value?.name),
      cardIDs: coder.code(value?.cardIDs),
      volume: coder.code(optional: value?.volume),
      mute: coder.code(value?.mute),
      pcm: coder.code(value?.pcm),
      amplifier: coder.code(optional: value?.amplifier),
      maximumGain: coder.code(value?.maximumGain)
    )
  }
}

extension BoardVolume: Coded {
  init(_ coder: some ByteCoder, _ value: BoardVolume?) {
    self.init(
      address: coder.code(value?.address),
      correction: coder.code(value?.correction),
      lowest: coder.code(value?.lowest),
      highest: coder.code(value?.highest)
    )
  }
}

extension DecibelScale.Correction: Coded {
  init(_ coder: some ByteCoder, _ value: Self?) {
    let lowest = coder.code(optional: value?.rangeMillibels?.lowerBound)
    let highest = coder.code(optional: value?.rangeMillibels?.upperBound)
    self.init(
      rawAtZeroDecibels: coder.code(optional: value?.rawAtZeroDecibels),
      silentUpToRaw: coder.code(optional: value?.silentUpToRaw),
      rangeMillibels: lowest.flatMap { lowest in highest.map { lowest...max(lowest, $0) } }
    )
  }
}

extension ControlAddress: Coded {
  init(_ coder: some ByteCoder, _ value: ControlAddress?) {
    self.init(
      coder.code(value?.name),
      index: coder.code(value?.index),
      interface: coder.code(value?.interface)
    )
  }
}

extension BoardMute: Coded {
  private enum Kind: Coded { case none, volume, control }

  private var kind: Kind {
    switch self {
    case .none: .none
    case .volume: .volume
    case .control: .control
    }
  }

  init(_ coder: some ByteCoder, _ value: BoardMute?) {
    switch coder.code(value?.kind) {
    case .none: self = .none
    case .volume: self = .volume
    case .control:
      var control: (address: ControlAddress, silent: ControlSetting, audible: ControlSetting)?
      if case .control(let address, let silent, let audible) = value {
        control = (address, silent, audible)
      }
      self = .control(
        coder.code(control?.address),
        silent: coder.code(control?.silent),
        audible: coder.code(control?.audible)
      )
    }
  }
}

extension ControlSetting: Coded {
  private enum Kind: Coded { case isOn, raw, gain, item }

  private var kind: Kind {
    switch self {
    case .isOn: .isOn
    case .raw: .raw
    case .gain: .gain
    case .item: .item
    }
  }

  init(_ coder: some ByteCoder, _ value: ControlSetting?) {
    switch coder.code(value?.kind) {
    case .isOn:
      let isOn: Bool? = if case .isOn(let isOn) = value { isOn } else { nil }
      self = .isOn(coder.code(isOn))
    case .raw:
      let raw: Int32? = if case .raw(let raw) = value { raw } else { nil }
      self = .raw(coder.code(raw))
    case .gain:
      let gain: Gain? = if case .gain(let gain) = value { gain } else { nil }
      self = .gain(coder.code(gain))
    case .item:
      let item: String? = if case .item(let item) = value { item } else { nil }
      self = .item(coder.code(item))
    }
  }
}

extension BoardPCM: Coded {
  init(_ coder: some ByteCoder, _ value: BoardPCM?) {
    self.init(
      cardIDs: coder.code(value?.cardIDs),
      device: coder.code(value?.device),
      rateHertz: coder.code(value?.rateHertz),
      format: coder.code(value?.format),
      channelCount: coder.code(value?.channelCount)
    )
  }
}

extension BoardSource: Coded {
  init(_ coder: some ByteCoder, _ value: BoardSource?) {
    self.init(
      name: coder.code(value?.name),
      player: coder.code(optional: value?.player),
      category: coder.code(value?.category),
      mode: coder.code(value?.mode),
      trim: coder.code(value?.trim),
      pausesOnUnplug: coder.code(value?.pausesOnUnplug),
      resumesAlways: coder.code(value?.resumesAlways),
      playerVolume: coder.code(value?.playerVolume),
      playsAtStart: coder.code(value?.playsAtStart),
      isExclusive: coder.code(value?.isExclusive)
    )
  }
}

extension BusAddress: Coded {
  private enum Kind: Coded { case system, session, address }

  private var kind: Kind {
    switch self {
    case .system: .system
    case .session: .session
    case .address: .address
    }
  }

  init(_ coder: some ByteCoder, _ value: BusAddress?) {
    switch coder.code(value?.kind) {
    case .system: self = .system
    case .session: self = .session
    case .address:
      let address: String? = if case .address(let address) = value { address } else { nil }
      self = .address(coder.code(address))
    }
  }
}

extension BoardSignal: Coded {
  init(_ coder: some ByteCoder, _ value: BoardSignal?) {
    self.init(
      name: coder.code(value?.name),
      role: coder.code(value?.role),
      means: coder.code(value?.means)
    )
  }
}

extension BoardSound: Coded {
  init(_ coder: some ByteCoder, _ value: BoardSound?) {
    self.init(name: coder.code(value?.name), path: coder.code(value?.path))
  }
}

extension BoardSignal.Means: Coded {
  private enum Kind: Coded { case line, device, simulated }

  private var kind: Kind {
    switch self {
    case .line: .line
    case .device: .device
    case .simulated: .simulated
    }
  }

  init(_ coder: some ByteCoder, _ value: Self?) {
    switch coder.code(value?.kind) {
    case .line:
      let line: BoardLine? = if case .line(let line) = value { line } else { nil }
      self = .line(coder.code(line))
    case .device:
      let pattern: String? = if case .device(let pattern) = value { pattern } else { nil }
      self = .device(coder.code(pattern))
    case .simulated: self = .simulated
    }
  }
}

extension BoardCaptureSwitch: Coded {
  init(_ coder: some ByteCoder, _ value: BoardCaptureSwitch?) {
    self.init(
      cardIDs: coder.code(value?.cardIDs),
      address: coder.code(value?.address),
      closed: coder.code(value?.closed),
      open: coder.code(value?.open)
    )
  }
}

extension FixedControl: Coded {
  init(_ coder: some ByteCoder, _ value: FixedControl?) {
    self.init(
      cardIDs: coder.code(value?.cardIDs),
      address: coder.code(value?.address),
      setting: coder.code(value?.setting)
    )
  }
}

extension ReservedLine: Coded {
  init(_ coder: some ByteCoder, _ value: ReservedLine?) {
    self.init(offset: coder.code(value?.offset), owner: coder.code(value?.owner))
  }
}
