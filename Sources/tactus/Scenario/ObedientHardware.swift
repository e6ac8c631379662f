// SPDX-License-Identifier: Apache-2.0
//
// Hardware, and players, that do exactly what they are told and say so one tick later, so that what
// a scenario shows is the policy's doing alone. Pauses are answered by the scenario.

import TactusCore

/// The answers to the policy's writes, and contacts that stand where hands have put them.
struct ObedientHardware {
  /// What the next tick is told.
  private(set) var answers: [Input] = []
  /// Where each control stands: 0 or 1, of a knob A<<1 | B.
  private var contacts: [UInt8]

  /// A device as its power comes on: nothing pressed, nothing plugged in, switches off, unless
  /// `contacts` says otherwise.
  init(_ configuration: Configuration, contacts: [UInt8]? = nil) {
    self.contacts =
      contacts
      ?? configuration.controls.indices.map {
        configuration.controls[$0].role == .knob ? 0b11 : 0
      }
    readLevels()
    for position in configuration.outputs.indices {
      answers.append(.output(UInt8(position), present: true))
    }
  }

  /// Takes what the next tick is told.
  mutating func takeAnswers() -> [Input] {
    defer { answers = [] }
    return answers
  }

  /// Moves a contact; nil where it stands there already.
  mutating func put(_ control: Int, _ state: UInt8) -> Input? {
    guard contacts[control] != state else { return nil }
    contacts[control] = state
    return .edge(control: UInt8(control), state: state)
  }

  /// A contact stands there now.
  mutating func stand(_ control: Int, _ state: UInt8) { contacts[control] = state }

  /// Turns a knob by one transition, clockwise where positive.
  mutating func turn(_ control: Int, clockwise: Bool, inverted: Bool) -> Input {
    // Clockwise, A changes first: 11 01 00 10.
    let circle: [UInt8] = clockwise != inverted ? [3, 1, 0, 2] : [3, 2, 0, 1]
    let place = circle.firstIndex(of: contacts[control]) ?? 0
    contacts[control] = circle[(place + 1) % 4]
    return .edge(control: UInt8(control), state: contacts[control])
  }

  /// Does what the policy wants.
  mutating func apply(_ effects: Effects) {
    for position in effects.indices {
      switch effects[position] {
      case .gain(let output, let gain): answers.append(.gain(output: output, gain))
      case .switched(let output, let on): answers.append(.switched(output: output, on: on))
      case .amplifier(let output, let on): answers.append(.amplifier(output: output, on: on))
      case .source(let source, let gain): answers.append(.source(source, gain))
      case .capture(let on): answers.append(.capture(on: on))
      case .readLevels: readLevels()
      case .opened(_, let place): answers.append(.sourceControl(place, present: true))
      case .resume(let place): answers.append(.session(place, .playing))
      case .feedback(_, let channels):
        if channels.contains(.sound) { answers.append(.soundEnded) }
      case .playSound: answers.append(.soundEnded)
      case .lock, .balance, .pause, .interruptionBegan, .interruptionEnded, .hint,
        .command, .undelivered, .routeChanged, .persist, .finished, .reply, .notice,
        .prepareFeedback:
        break
      }
    }
  }

  private mutating func readLevels() {
    for (position, state) in contacts.enumerated() {
      answers.append(.level(control: UInt8(position), state: state))
    }
  }
}
