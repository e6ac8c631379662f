// SPDX-License-Identifier: Apache-2.0
//
// From the two contacts of an incremental encoder to detents: the full state table of (A, B),
// without any debounce by time. A bounce goes forth and back in the table and cancels itself; it
// may drop a step, never reverse one.
//
//   transition   one change of A or B; A changing first (11 01 00 10 11) is clockwise, +
//   detent       1, 2 or 4 transitions, by the knob's make
//   jump         both lines changed at once: which way is unknown, so it makes no step

/// The decoding of one knob.
///
/// States are A<<1 | B.
struct Encoder: Plain {
  private(set) var state: UInt8 = 3
  private(set) var isSampled = false
  private(set) var illegalJumps: Int64 = 0
  private(set) var detents: Int64 = 0
  /// When a detent was completed last, for acceleration and the rest that the limit asks for.
  private(set) var lastDetent: Tick = -1_000_000
  private var lastTransition: Tick = 0
  private var transitions: Int32 = 0
  var lostEdges: Int64 = 0
  var isPresent = true

  init() {}

  /// Takes a state that was read, not heard: the start, or the truth after lost edges.
  mutating func sample(_ newState: UInt8) {
    if isSampled && newState != state { transitions = 0 }
    state = newState & 3
    isSampled = true
  }

  /// Takes a new state; answers the detents completed by it: −1, 0 or +1.
  mutating func turn(to newState: UInt8, at now: Tick, control: Control, restTicks: Tick) -> Int32 {
    let next = newState & 3
    if now - lastTransition >= restTicks { transitions = 0 }
    let step = Encoder.direction(from: state, to: next)
    if state ^ next == 3 { illegalJumps += 1 }
    state = next
    guard step != 0 else { return 0 }
    lastTransition = now
    transitions += control.inverted ? -step : step
    let completed = transitions / control.transitionsPerDetent
    transitions -= completed * control.transitionsPerDetent
    detents += Int64(completed.magnitude)
    return completed
  }

  /// The factor for a detent completed now: more when the knob is turned fast, at most
  /// `acceleration`.
  mutating func factor(at now: Tick, control: Control) -> Int32 {
    let distance = now - lastDetent
    lastDetent = now
    let wanted: Int32 = distance <= 3 ? 4 : distance <= 5 ? 3 : distance <= 8 ? 2 : 1
    return min(wanted, control.acceleration)
  }

  /// +1 clockwise, −1 anticlockwise, 0 for no change or a jump.
  static func direction(from: UInt8, to: UInt8) -> Int32 {
    // Position on the circle 11, 01, 00, 10.
    func position(_ state: UInt8) -> Int32 {
      switch state {
      case 0b11: 0
      case 0b01: 1
      case 0b00: 2
      default: 3
      }
    }
    switch (position(to) - position(from)) & 3 {
    case 1: return 1
    case 3: return -1
    default: return 0
    }
  }
}
