// SPDX-License-Identifier: Apache-2.0
//
// What the daemon says of what happens: events for those who watch, sentences for the journal. A
// notice names the next step.

import TactusCore
import TactusLinux

/// Words for effects.
struct Announcer {
  private let names: DeviceNames

  init(names: DeviceNames) { self.names = names }

  /// The event of an effect that a person may want to know of.
  func event(_ effect: Effect, at tick: Tick) -> DeviceEvent? {
    switch effect {
    case .notice(let notice, let position):
      return DeviceEvent(
        tick: tick,
        kind: notice.name,
        object: object(of: notice, Int(position)),
        text: advice(notice)
      )
    case .routeChanged(let reason, let previous, let current):
      return DeviceEvent(
        tick: tick,
        kind: "route",
        object: route(current),
        text: "\(reason.name), before: \(route(previous))"
      )
    case .feedback(let feedback):
      return DeviceEvent(tick: tick, kind: "feedback", object: "", text: feedback.name)
    case .pause(let source):
      return DeviceEvent(
        tick: tick,
        kind: "pause",
        object: names.sources[Int(source)],
        text: "asked to pause"
      )
    case .resume(let source):
      return DeviceEvent(
        tick: tick,
        kind: "resume",
        object: names.sources[Int(source)],
        text: "asked to go on"
      )
    case .gain, .switched, .amplifier, .source, .lock, .balance, .capture, .readLevels, .opened,
      .interruptionBegan, .interruptionEnded, .hint, .command, .undelivered, .persist, .finished,
      .reply:
      return nil
    }
  }

  /// Whether the journal says it: not what a person felt, nor what the hardware's own message has
  /// told with its cause.
  func isForJournal(_ effect: Effect) -> Bool {
    switch effect {
    case .feedback, .notice(.lineLost, _), .notice(.outputLost, _): false
    default: true
    }
  }

  /// The journal's line of an event.
  func sentence(_ event: DeviceEvent) -> String {
    event.object.isEmpty
      ? "\(event.kind): \(event.text)" : "\(event.object): \(event.kind), \(event.text)"
  }

  func priority(_ effect: Effect) -> Journal.Priority {
    guard case .notice(let notice, _) = effect else { return .info }
    switch notice {
    case .notSilent, .writeFault: return .error
    case .stuck, .noisy, .lineLost, .outputLost, .foreignMixer, .detectStuck, .detectIdle:
      return .warning
    case .lineBack, .outputBack, .writeRecovered, .limitRearmed: return .notice
    }
  }

  private func route(_ position: UInt8?) -> String {
    position.map { names.outputs[Int($0)] } ?? "none"
  }

  private func object(of notice: Notice, _ position: Int) -> String {
    switch notice {
    case .stuck, .noisy, .lineLost, .lineBack, .detectStuck, .detectIdle:
      return position < names.controls.count ? names.controls[position] : ""
    case .outputLost, .outputBack, .notSilent, .writeFault, .writeRecovered, .foreignMixer,
      .limitRearmed:
      return position < names.outputs.count ? names.outputs[position] : ""
    }
  }

  private func advice(_ notice: Notice) -> String {
    switch notice {
    case .stuck: "held for a minute; free the button, or check its bias and polarity"
    case .noisy: "changes without end; check its wiring and bias"
    case .lineLost: "its line is gone; it works again when the line is back"
    case .lineBack: "its line is back"
    case .outputLost: "its card is gone; it is silent until the card is back"
    case .outputBack: "its card is back"
    case .notSilent: "not silent, its control does not obey; run tactus doctor"
    case .writeFault: "does not take what is written, kept silent; run tactus doctor"
    case .writeRecovered: "obeys again"
    case .foreignMixer: "another program keeps moving its volume; stop it, or set own-mixer: true"
    case .detectStuck: "in since the start; check its wiring, or choose the route by hand"
    case .detectIdle: "has not moved for 7 days; check its wiring"
    case .limitRearmed: "headphone limit is on again, the level was lowered"
    }
  }
}
