// SPDX-License-Identifier: Apache-2.0
//
// A trace as histories: what was so from which tick on. The picture is drawn from them.
//
//   series   a value and the ticks from which on it had each of its values
//   session  a name under which something played, whatever place it had

import TactusCore
import TactusLinux

/// A value over time.
struct Series<Value: Equatable> {
  private(set) var points: [(tick: Tick, value: Value)] = []

  mutating func add(_ value: Value, at tick: Tick) {
    if let last = points.last, last.value == value { return }
    points.append((tick, value))
  }

  /// The stretches of one value up to an end.
  func stretches(until end: Tick) -> [(from: Tick, to: Tick, value: Value)] {
    points.indices.map { index in
      let next = index + 1 < points.count ? points[index + 1].tick : end
      return (points[index].tick, max(next, points[index].tick), points[index].value)
    }
  }
}

/// Everything that a trace tells over time.
struct TraceHistory {
  /// What a session did, as far as a listener cares.
  enum Sound: CaseIterable {
    case absent, idle, paused, heard, ducked, silenced, interrupted, held
  }

  /// One session by its name.
  struct Session {
    let name: String
    var sound = Series<Sound>()
  }

  /// One control.
  struct Touch {
    let name: String
    let role: Role
    var state = Series<UInt8>()
    /// Detents of a knob, positive is clockwise.
    var detents: [(tick: Tick, isClockwise: Bool)] = []
    var troubles: [Tick] = []
    var isTouched = false
  }

  private(set) var first: Tick
  private(set) var last: Tick
  private(set) var tickCount = 0
  private(set) var board = ""
  private(set) var outputs: [String] = []
  private(set) var kinds: [RouteKind] = []
  /// In ten-thousandths.
  private(set) var level = Series<Int32>()
  private(set) var ringer = Series<Int32>()
  /// Of each output; nil while it is not there, silence while it is off.
  private(set) var gains: [Series<Gain?>] = []
  private(set) var route = Series<UInt8?>()
  /// Of the device and of what plays, by the order of `SilenceReason`.
  private(set) var reasons = [Series<Bool>](
    repeating: Series<Bool>(),
    count: SilenceReason.allCases.count
  )
  /// As it was read back.
  private(set) var silent = Series<Bool>()
  private(set) var sessions: [Session] = []
  private(set) var touches: [Touch] = []
  private(set) var notices: [(tick: Tick, text: String)] = []

  init(_ trace: Trace) {
    var player = TracePlayer(trace)
    first = player.policy.now
    last = first
    let configuration = player.policy.configuration
    for index in configuration.outputs.indices {
      outputs.append(Labels(player.names).output(UInt8(index)))
      kinds.append(configuration.outputs[index].kind)
      gains.append(Series())
    }
    for index in configuration.controls.indices {
      let name = Labels(player.names).control(UInt8(index))
      touches.append(Touch(name: name, role: configuration.controls[index].role))
    }
    var before = player.policy.snapshot
    see(before, before, player.names)
    while let step = player.next() {
      tickCount += 1
      last = step.tick
      let snapshot = player.policy.snapshot
      see(snapshot, before, player.names)
      turn(step, snapshot, before, player.policy.configuration)
      for effect in step.replayed {
        guard case .notice(let notice, _, _) = effect else { continue }
        let event = DeviceEvent(effect, at: step.tick, names: player.names)
        let object = event?.object ?? ""
        notices.append((step.tick, object.isEmpty ? notice.name : "\(object): \(notice.name)"))
      }
      before = snapshot
    }
    board = player.names.board
  }

  private mutating func see(_ now: Snapshot, _ before: Snapshot, _ names: DeviceNames) {
    level.add(now.level.parts, at: now.tick)
    ringer.add(now.ringer.parts, at: now.tick)
    route.add(now.route, at: now.tick)
    silent.add(now.isSilent, at: now.tick)
    for index in now.outputs.indices where index < gains.count {
      gains[index].add(now.outputs[index].heardGain, at: now.tick)
    }
    var why = now.reasons
    for index in now.sources.indices where now.sources[index].isPlaying {
      why.formUnion(now.sources[index].reasons)
    }
    for (index, reason) in SilenceReason.allCases.enumerated() {
      reasons[index].add(why.contains(reason.set), at: now.tick)
    }
    seeSessions(now, names)
    for index in now.controls.indices where index < touches.count {
      seeTouch(index, now, before)
    }
  }

  private mutating func seeTouch(_ index: Int, _ now: Snapshot, _ before: Snapshot) {
    let state = now.controls[index]
    touches[index].state.add(state.state, at: now.tick)
    guard index < before.controls.count else { return }
    let then = before.controls[index]
    if state.changes != then.changes { touches[index].isTouched = true }
    let isWrong =
      state.glitches != then.glitches || state.lostEdges != then.lostEdges
      || state.illegalJumps != then.illegalJumps
    if isWrong {
      touches[index].troubles.append(now.tick)
      touches[index].isTouched = true
    }
  }

  private mutating func seeSessions(_ now: Snapshot, _ names: DeviceNames) {
    for place in now.sources.indices where place < names.sources.count {
      let name = names.sources[place]
      let sound = Sound(now.sources[place], now.reasons)
      guard !name.isEmpty else { continue }
      guard let index = sessions.firstIndex(where: { $0.name == name }) else {
        var session = Session(name: name)
        session.sound.add(sound, at: now.tick)
        sessions.append(session)
        continue
      }
      // A program's session stands for the configured source of its name.
      let isShown = sound != .absent || names.sources.lastIndex(of: name) == place
      if isShown { sessions[index].sound.add(sound, at: now.tick) }
    }
  }

  /// A, then B is clockwise: 11 01 00 10 11.
  private mutating func turn(
    _ step: TracePlayer.Step,
    _ now: Snapshot,
    _ before: Snapshot,
    _ configuration: Configuration
  ) {
    let clockwise: [UInt8] = [2, 0, 3, 1]
    for index in touches.indices where touches[index].role == .knob {
      guard now.controls[index].changes != before.controls[index].changes else { continue }
      var old = before.controls[index].state
      var isClockwise = true
      for case .edge(UInt8(index), let state) in step.inputs {
        if old != state { isClockwise = clockwise[Int(old & 3)] == state }
        old = state
      }
      if configuration.controls[index].inverted { isClockwise.toggle() }
      touches[index].detents.append((now.tick, isClockwise))
    }
  }
}

extension TraceHistory.Sound {
  fileprivate init(_ source: SourceState, _ device: SilenceReasons) {
    if !source.isOpen {
      self = .absent
    } else if source.interruption != nil {
      self = source.isHeld ? .held : .interrupted
    } else if !source.isActive {
      self = .idle
    } else if !source.isPlaying {
      self = .paused
    } else if !source.reasons.isEmpty {
      self = .silenced
    } else {
      self = source.duck < .unity ? .ducked : .heard
    }
  }
}

extension OutputState {
  /// Its gain at the ear; silence while it is off, nil while it is not there.
  fileprivate var heardGain: Gain? {
    guard isPresent else { return nil }
    if appliedOn == false || amplifierOn == false { return .silence }
    return appliedGain
  }
}
