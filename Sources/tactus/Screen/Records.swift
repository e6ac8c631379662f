// SPDX-License-Identifier: Apache-2.0
//
// Inputs and effects of the policy as words, for traces and simulations.

import TactusCore
import TactusLinux

/// What controls, outputs and sources are called: their names, or numbers where none are known.
struct Labels {
  private let names: DeviceNames?

  static let numbers = Labels(nil)

  init(_ names: DeviceNames?) { self.names = names }

  func control(_ position: UInt8) -> String { label(names?.controls, "control", position) }

  func output(_ position: UInt8) -> String { label(names?.outputs, "output", position) }

  func source(_ position: UInt8) -> String { label(names?.sources, "source", position) }

  /// The same place, as programs know it.
  func session(_ position: UInt8) -> String { label(names?.sources, "session", position) }

  private func label(_ names: [String]?, _ kind: String, _ position: UInt8) -> String {
    guard let names, Int(position) < names.count, !names[Int(position)].isEmpty else {
      return "\(kind) \(position)"
    }
    return names[Int(position)]
  }
}

extension Input {
  /// As one line: `edge control 0 to 1`.
  var text: String { text(.numbers) }

  /// The same with names.
  func text(_ labels: Labels) -> String {
    switch self {
    case .edge(let control, let state): "edge \(labels.control(control)) to \(state)"
    case .level(let control, let state): "level \(labels.control(control)) is \(state)"
    case .lost(let control, let count): "lost \(labels.control(control)) \(count) edges"
    case .line(let control, let isPresent): "line \(labels.control(control)) \(presence(isPresent))"
    case .output(let output, let isPresent): "\(labels.output(output)) \(presence(isPresent))"
    case .window(let output, let lowest, let top):
      "window \(labels.output(output)) \(gainText(of: lowest)) to \(gainText(of: top))"
    case .gain(let output, let gain): "gain \(labels.output(output)) reads \(gainText(of: gain))"
    case .switched(let output, let isOn): "switch \(labels.output(output)) reads \(onOff(isOn))"
    case .amplifier(let output, let isOn): "amplifier \(labels.output(output)) reads \(onOff(isOn))"
    case .source(let source, let gain): "gain \(labels.source(source)) reads \(gainText(of: gain))"
    case .sourceControl(let source, let isPresent):
      "control \(labels.source(source)) \(presence(isPresent))"
    case .captureControl(let isPresent): "control capture \(presence(isPresent))"
    case .capture(let isOn): "capture reads \(onOff(isOn))"
    case .soundEnded: "sound ended"
    case .failed(let part, let index): "failed \(part.name) \(index)"
    case .request(let token, let request): "request \(token) \(request.text(labels))"
    case .session(let source, let event): "\(labels.session(source)) \(event.name)"
    }
  }
}

extension Request {
  func text(_ labels: Labels) -> String {
    switch self {
    case .setLevel(let volume, let level): "set \(volume.name) level \(percent(level))"
    case .setGain(let volume, let gain): "set \(volume.name) gain \(gainText(of: gain))"
    case .step(let volume, let steps): "step \(volume.name) \(steps)"
    case .setMute(let isOn): "set mute \(onOff(isOn))"
    case .toggleMute: "toggle mute"
    case .setSilent(let isOn): "set silent \(onOff(isOn))"
    case .chooseRoute(let output): "choose \(labels.output(output))"
    case .setBalance(let balance): "set balance \(balance)"
    case .session(let source, let event): "\(labels.session(source)) \(event.name)"
    case .command(let command): "command \(command.name)"
    case .open(let peer, let source): "open \(source.category.name) of peer \(peer)"
    case .setCategory(let session, let category):
      "\(labels.session(session)) category \(category.name)"
    case .setMode(let session, let mode): "\(labels.session(session)) mode \(mode.name)"
    case .setOptions(let session, let options):
      "\(labels.session(session)) options \(options.rawValue)"
    case .setSessionGain(let session, let gain):
      "\(labels.session(session)) gain \(gainText(of: gain))"
    case .setCommands(let session, let set): "\(labels.session(session)) commands \(set.rawValue)"
    case .setPausesOnUnplug(let session, let isOn):
      "\(labels.session(session)) pause on unplug \(onOff(isOn))"
    case .feedback(let peer, let feedback): "feedback \(feedback.name) of peer \(peer)"
    case .playSound(let peer, let sound): "sound \(sound) of peer \(peer)"
    case .prepareFeedback(let peer): "prepare feedback of peer \(peer)"
    case .shutDown: "shut down"
    }
  }
}

extension Effect {
  /// As one line: `gain output 0 -12.5 dB`.
  var text: String { text(.numbers) }

  /// The same with names.
  func text(_ labels: Labels) -> String {
    switch self {
    case .gain(let output, let gain): "gain \(labels.output(output)) \(gainText(of: gain))"
    case .switched(let output, let isOn): "switch \(labels.output(output)) \(onOff(isOn))"
    case .amplifier(let output, let isOn): "amplifier \(labels.output(output)) \(onOff(isOn))"
    case .source(let source, let gain): "gain \(labels.source(source)) \(gainText(of: gain))"
    case .lock(let output, let isLocked): "\(isLocked ? "lock" : "unlock") \(labels.output(output))"
    case .balance(let balance): "balance \(balance)"
    case .capture(let isOn): "capture \(onOff(isOn))"
    case .readLevels: "read levels"
    case .opened(let token, let session): "opened \(token) as \(labels.session(session))"
    case .interruptionBegan(let session, let reason, let other, let rule):
      labels.session(session) + " interrupted"
        + (other.map { " by \(labels.session($0))" } ?? "") + ", \(reason.name), \(rule.name)"
    case .interruptionEnded(let session, let shouldResume, let rule):
      labels.session(session)
        + " interruption ended, \(shouldResume ? "" : "no ")resume, \(rule.name)"
    case .hint(let session, let shouldBeSilent):
      "\(labels.session(session)) hint \(shouldBeSilent ? "silence" : "sound")"
    case .command(let session, let command, let rule):
      "\(labels.session(session)) command \(command.name), \(rule.name)"
    case .undelivered(let command, let reason, let rule):
      "command \(command.name) undelivered, \(reason.name), \(rule.name)"
    case .pause(let source): "pause \(labels.source(source))"
    case .resume(let source): "resume \(labels.source(source))"
    case .routeChanged(let reason, let previous, let current):
      "route \(route(previous, labels)) to \(route(current, labels)), \(reason.name)"
    case .persist: "persist"
    case .finished(let powerOff): powerOff ? "finished, power off" : "finished"
    case .reply(let token, let reply): "reply \(token) \(reply.name)"
    case .notice(let notice, let index, let count):
      "notice \(notice.name) \(index) count \(Int(count))"
    case .feedback(let feedback, let channels):
      "feedback \(feedback.name)" + channels.names.map { " \($0)" }.joined()
    case .prepareFeedback: "prepare feedback"
    case .playSound(let sound): "play sound \(sound)"
    }
  }
}

private func gainText(of gain: Gain) -> String { decibels(gain.decibels, .ascii) }

private func onOff(_ isOn: Bool) -> String { isOn ? "on" : "off" }

private func presence(_ isPresent: Bool) -> String { isPresent ? "is there" : "is gone" }

private func route(_ output: UInt8?, _ labels: Labels) -> String {
  output.map { labels.output($0) } ?? "none"
}
