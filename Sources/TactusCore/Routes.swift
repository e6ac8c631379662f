// SPDX-License-Identifier: Apache-2.0
//
// Where sound comes out: detection of the plug, and the choice among what is there.
//
//   settling   the plug of the route in use moved; silent at once, decided within 200 ms (RTE-2)
//   act        a person plugged headphones in or chose a route; the latest act wins (RTE-4)
//   history    the route used most recently comes before those used earlier, then priority

/// The detection of one plug.
struct Jack: Plain {
  enum State: Plain, Equatable {
    case out
    /// The contact closed; it must stay so for 200 ms (RTE-1).
    case plugging
    case plugged
    /// The contact opened; within 200 ms it may come back (RTE-2).
    case leaving(since: Tick)
  }

  private(set) var state = State.out
  private(set) var isRaw = false
  private(set) var isSampled = false
  private(set) var lastEdge: Tick = 0
  private(set) var hasMoved = false

  enum Event: Plain, Equatable { case none, plugged, unplugged }

  /// In, as far as the route is concerned: leaving is not yet out.
  var isIn: Bool {
    switch state {
    case .plugged, .leaving: true
    case .out, .plugging: false
    }
  }

  var isLeaving: Bool {
    if case .leaving = state { true } else { false }
  }

  /// Takes the first sample: a fact, not a plugging (T-7).
  mutating func sample(_ isIn: Bool, at now: Tick) {
    isSampled = true
    isRaw = isIn
    lastEdge = now
    state = isIn ? .plugged : .out
  }

  /// Takes one change of the contact.
  mutating func take(_ isIn: Bool, at now: Tick) {
    hasMoved = true
    isRaw = isIn
    lastEdge = now
    switch state {
    case .out: if isIn { state = .plugging }
    case .plugging: break
    case .plugged: if !isIn { state = .leaving(since: now) }
    case .leaving: break
    }
  }

  /// Lets time decide.
  mutating func elapse(at now: Tick, debounceTicks: Tick, plugTicks: Tick) -> Event {
    switch state {
    case .out, .plugged:
      return .none
    case .plugging:
      if !isRaw {
        if now - lastEdge >= debounceTicks { state = .out }
        return .none
      }
      guard now - lastEdge >= plugTicks else { return .none }
      state = .plugged
      return .plugged
    case .leaving(let since):
      if isRaw {
        if now - lastEdge >= debounceTicks { state = .plugged }
        return .none
      }
      guard now - since >= plugTicks else { return .none }
      state = .out
      return .unplugged
    }
  }

  func deadline(debounceTicks: Tick, plugTicks: Tick) -> Tick? {
    switch state {
    case .out, .plugged: nil
    case .plugging: lastEdge + (isRaw ? plugTicks : debounceTicks)
    case .leaving(let since): isRaw ? lastEdge + debounceTicks : since + plugTicks
    }
  }
}

/// The choice of the route.
struct Routes: Plain {
  var jacks = InlineArray<5, Jack>(repeating: Jack())
  var isPresent = InlineArray<5, Bool>(repeating: false)
  private(set) var current: UInt8?
  /// The route of the latest act, while it stands.
  private(set) var chosen: UInt8?
  /// A route that a person chose against its detect contact (RTE-9).
  private var isForced = false
  private var acts: Int64 = 0
  /// The number of acts when an output vanished while in use (RTE-4).
  private var actsWhenLost = InlineArray<5, Int64>(repeating: -1)
  private var lastUsed = InlineArray<5, Int64>(repeating: 0)
  private var uses: Int64 = 0

  init(chosen: UInt8?) { self.chosen = chosen }

  /// The plug of the route in use is moving.
  var isSettling: Bool {
    guard let current else { return false }
    return jacks[Int(current)].isLeaving && !(isForced && chosen == current)
  }

  /// Whether sound could come out there now.
  mutating func isAvailable(_ index: Int, _ configuration: inout Configuration) -> Bool {
    guard isPresent[index] else { return false }
    return isConnected(index, &configuration)
  }

  private mutating func isConnected(_ index: Int, _ configuration: inout Configuration) -> Bool {
    if configuration.outputs.elements[index].detect == nil || jacks[index].isIn { return true }
    return isForced && chosen == UInt8(index)
  }

  /// Whether a person may choose it: always, but for headphones whose detect contact is believed.
  mutating func isChoosable(_ index: Int, _ configuration: inout Configuration) -> Bool {
    isPresent[index]
      && (configuration.outputs.elements[index].detect == nil || jacks[index].isIn
        || !jacks[index].hasMoved)
  }

  /// A person chose a route.
  mutating func choose(_ index: UInt8, _ configuration: inout Configuration) {
    chosen = index
    acts += 1
    isForced = configuration.outputs.elements[Int(index)].detect != nil && !jacks[Int(index)].isIn
  }

  /// A plug went in for good, or was in at the start.
  mutating func plugged(_ index: Int, isAct: Bool) {
    chosen = UInt8(index)
    isForced = false
    if isAct { acts += 1 }
  }

  /// A plug went out for good.
  mutating func unplugged(_ index: Int) {
    if chosen == UInt8(index) && !isForced { chosen = nil }
  }

  /// An output's card went away or came back by itself (RTE-8).
  mutating func setPresent(_ index: Int, _ present: Bool) {
    if !present && isPresent[index] {
      actsWhenLost[index] = current == UInt8(index) ? acts : -1
    }
    isPresent[index] = present
    if present && actsWhenLost[index] == acts { chosen = UInt8(index) }
    if present { actsWhenLost[index] = -1 }
  }

  /// The route that should be in use: the latest act, else history, else priority (RTE-4).
  mutating func selected(_ configuration: inout Configuration) -> UInt8? {
    best(&configuration, mustBePresent: true)
  }

  /// The route that a level set now is for, also while its card is not there yet.
  mutating func expected(_ configuration: inout Configuration) -> UInt8? {
    if let current { return current }
    return best(&configuration, mustBePresent: false)
  }

  private mutating func best(
    _ configuration: inout Configuration,
    mustBePresent: Bool
  ) -> UInt8? {
    var best: UInt8?
    for index in configuration.outputs.indices {
      guard isConnected(index, &configuration), isPresent[index] || !mustBePresent else { continue }
      if chosen == UInt8(index) { return chosen }
      if let former = best, !precedes(index, Int(former), &configuration) { continue }
      best = UInt8(index)
    }
    return best
  }

  /// Whether an output comes before another: by history, then by priority.
  private mutating func precedes(
    _ index: Int,
    _ other: Int,
    _ configuration: inout Configuration
  ) -> Bool {
    if lastUsed[index] != lastUsed[other] { return lastUsed[index] > lastUsed[other] }
    return configuration.outputs.elements[index].priority
      > configuration.outputs.elements[other].priority
  }

  /// Takes a route into use; nil is none.
  mutating func use(_ route: UInt8?) {
    current = route
    guard let route else { return }
    uses += 1
    lastUsed[Int(route)] = uses
  }

  /// The next tick at which a plug is decided by time.
  mutating func deadline(_ configuration: inout Configuration) -> Tick? {
    var deadline: Tick?
    for index in configuration.outputs.indices {
      guard let detect = configuration.outputs.elements[index].detect else { continue }
      soonest(
        &deadline,
        jacks[index].deadline(
          debounceTicks: configuration.controls.elements[Int(detect)].debounceTicks,
          plugTicks: configuration.timing.plugTicks
        )
      )
    }
    return deadline
  }
}
