// SPDX-License-Identifier: Apache-2.0
//
// What went in and what came out, one line per tick that did something:
//
//   tick  input, input  →  effect, effect
//
// Controls are named by their role, outputs by their kind, sources by their category; gains are
// millibels.

import TactusCore

extension Bench {
  /// Everything since the start.
  var transcript: String {
    var ticks = Set(past.map(\.tick))
    ticks.formUnion(history.map(\.tick))
    return ticks.sorted().map { line(at: $0) + "\n" }.joined()
  }

  private func line(at tick: Tick) -> String {
    let inputs = past.filter { $0.tick == tick }.map { text(of: $0.input) }
    let effects = history.filter { $0.tick == tick }.map { text(of: $0.effect) }
    let number = String(repeating: " ", count: max(6 - "\(tick)".count, 0)) + "\(tick)"
    let causes = inputs.isEmpty ? "" : "  " + inputs.joined(separator: ", ")
    return number + causes + (effects.isEmpty ? "" : "  → " + effects.joined(separator: ", "))
  }

  private func control(_ index: UInt8) -> String {
    "\(policy.configuration.controls[Int(index)].role)"
  }
  private func output(_ index: UInt8) -> String {
    "\(policy.configuration.outputs[Int(index)].kind)"
  }
  private func source(_ index: UInt8) -> String {
    "\(policy.configuration.sources[Int(index)].category)"
  }
  private func text(of gain: Gain) -> String { gain.isSilence ? "silence" : "\(gain.millibels)" }
  private func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }

  private func text(of input: Input) -> String {
    switch input {
    case .edge(let index, let state): "\(control(index)) \(state)"
    case .level(let index, let state): "\(control(index)) = \(state)"
    case .lost(let index, let count): "\(control(index)) lost \(count)"
    case .line(let index, let present): "\(control(index)) line \(state(present))"
    case .output(let index, let present): "\(output(index)) \(present ? "present" : "absent")"
    case .window(let index, let lowest, let top):
      "\(output(index)) window \(text(of: lowest)) \(text(of: top))"
    case .gain(let index, let gain): "\(output(index)) = \(text(of: gain))"
    case .switched(let index, let on): "\(output(index)) = \(state(on))"
    case .amplifier(let index, let on): "\(output(index)) amplifier = \(state(on))"
    case .source(let index, let gain): "\(source(index)) = \(text(of: gain))"
    case .sourceControl(let index, let present): "\(source(index)) control \(state(present))"
    case .failed(let part, let index): "\(part) \(index) failed"
    case .request(_, let request): "asked \(text(of: request))"
    case .captureControl(let present): "capture control \(state(present))"
    case .soundEnded: "sound ended"
    case .capture(let on): "capture is \(state(on))"
    case .session(let index, let event): "\(source(index)) \(event)"
    }
  }

  private func text(of request: Request) -> String {
    switch request {
    case .setLevel(let volume, let level): "\(volume) level \(level.parts)"
    case .setGain(let volume, let gain): "\(volume) gain \(text(of: gain))"
    case .step(let volume, let steps): "\(volume) step \(steps)"
    case .setMute(let isOn): "mute \(state(isOn))"
    case .toggleMute: "mute toggle"
    case .setSilent(let isOn): "silent \(state(isOn))"
    case .chooseRoute(let route): "route \(route)"
    case .setBalance(let balance): "balance \(balance)"
    case .session(let index, let event): "\(source(index)) \(event)"
    case .command(let command): "\(command)"
    case .open(let peer, let opened): "peer \(peer) opens \(opened.category)"
    case .setCategory(let index, let category): "\(source(index)) category \(category)"
    case .setMode(let index, let mode): "\(source(index)) mode \(mode)"
    case .setOptions(let index, let options): "\(source(index)) options \(options.rawValue)"
    case .setSessionGain(let index, let gain): "\(source(index)) own gain \(text(of: gain))"
    case .setCommands(let index, let set): "\(source(index)) commands \(set.rawValue)"
    case .setPausesOnUnplug(let index, let isOn): "\(source(index)) unplug pause \(state(isOn))"
    case .feedback(let peer, let feedback): "peer \(peer) feedback \(feedback)"
    case .playSound(let peer, let sound): "peer \(peer) sound \(sound)"
    case .prepareFeedback(let peer): "peer \(peer) prepares feedback"
    case .shutDown: "to shut down"
    }
  }

  private func text(of effect: Effect) -> String {
    switch effect {
    case .gain(let index, let gain): "\(output(index)) \(text(of: gain))"
    case .switched(let index, let on): "\(output(index)) \(state(on))"
    case .amplifier(let index, let on): "\(output(index)) amplifier \(state(on))"
    case .source(let index, let gain): "\(source(index)) \(text(of: gain))"
    case .lock(let index, let isLocked): "\(output(index)) \(isLocked ? "locked" : "free")"
    case .balance(let balance): "balance \(balance)"
    case .capture(let on): "capture \(state(on))"
    case .readLevels: "read levels"
    case .opened(_, let index): "\(source(index)) opened"
    case .interruptionBegan(let index, let reason, let other, let rule):
      "\(source(index)) interrupted (\(reason)\(other.map { ", \(source($0))" } ?? ""), \(rule))"
    case .interruptionEnded(let index, let shouldResume, let rule):
      "\(source(index)) interruption ended (\(shouldResume ? "resume" : "no resume"), \(rule))"
    case .hint(let index, let isOn): "\(source(index)) hint \(state(isOn))"
    case .command(let index, let command, let rule): "\(source(index)) \(command) (\(rule))"
    case .undelivered(let command, let reason, let rule):
      "\(command) undelivered (\(reason), \(rule))"
    case .pause(let index): "pause \(source(index))"
    case .resume(let index): "resume \(source(index))"
    case .routeChanged(let reason, let previous, let current):
      "route \(previous.map(output) ?? "none") to \(current.map(output) ?? "none") (\(reason))"
    case .persist: "persist"
    case .finished(let powerOff): powerOff ? "power off" : "finished"
    case .reply(_, let reply): "reply \(reply)"
    case .notice(let notice, let index, let count):
      "notice \(notice) \(index)\(count > 1 ? ", number \(count)" : "")"
    case .feedback(let feedback, _): "feedback \(feedback)"
    case .prepareFeedback: "prepare feedback"
    case .playSound(let sound): "sound \(sound)"
    }
  }
}
