// SPDX-License-Identifier: Apache-2.0
//
// When nothing happened for two seconds, what can be heard is what was asked for: this is what
// makes a policy that is always silent fail.

import TactusCore

extension Invariants {
  /// Two seconds, and long enough for every timer that a person can set off by hand.
  var calmTicks: Tick {
    max(
      timing.ticks(milliseconds: 2_000),
      timing.fadeInTicks + timing.plugTicks + timing.pauseAnswerTicks + timing.faultRetryTicks + 100
    )
  }

  mutating func checkCalm(
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    guard !isEnding, snapshot.tick > 0 else { return }
    try checkContacts(snapshot, speaker)
    try checkDevice(snapshot)
    try checkRegisters(snapshot, speaker)
    guard let route = snapshot.route else { return }
    try checkOtherOutputs(Int(route), snapshot, speaker)
    for index in sources.indices { try checkEar(index, Int(route), snapshot, speaker) }
  }

  /// The accepted state of every contact is where it is put.
  private func checkContacts(
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    for index in roles.indices where roles[index] != .knob && speaker.isTold(index) {
      guard snapshot.controls[index].state == speaker.contacts[index].physical else {
        throw Breach(rule: "SIL-2", sentence: "control \(index) is not taken for what it is")
      }
    }
  }

  private func checkDevice(_ snapshot: Snapshot) throws(Breach) {
    if snapshot.route != nil, snapshot.reasons.contains(.starting) {
      throw Breach(rule: "VOL-8", sentence: "the device never gets past its start")
    }
    if snapshot.reasons.contains(.routeSettling), snapshot.route != nil {
      throw Breach(rule: "RTE-1", sentence: "the route never settles")
    }
    if snapshot.reasons.contains(.fault) {
      throw Breach(rule: "SIL-11", sentence: "a fault is reported long after the last one")
    }
    for index in outputs.indices where snapshot.outputs[index].isAvailable && snapshot.route == nil
    {
      throw Breach(rule: "RTE-4", sentence: "output \(index) could be the route, and none is")
    }
  }

  /// What is shown as read back is what the hardware has (SIL-9).
  private func checkRegisters(
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    for index in outputs.indices where speaker.ways[index].isPresent {
      let shown = snapshot.outputs[index]
      let way = speaker.ways[index]
      let isTrue =
        (!way.hasVolume || shown.appliedGain == nil || shown.appliedGain == way.gain)
        && (!way.hasSwitch || shown.appliedOn == nil || shown.appliedOn == way.isOn)
        && (!way.hasAmplifier || shown.amplifierOn == nil || shown.amplifierOn == way.amplifierOn)
      guard isTrue else {
        throw Breach(rule: "SIL-9", sentence: "output \(index) is not shown as it is")
      }
    }
    for index in sources.indices {
      if let gain = snapshot.sources[index].appliedGain, gain != speaker.players[index].gain {
        throw Breach(rule: "SIL-9", sentence: "the gain of source \(index) is not shown as it is")
      }
    }
  }

  /// Nothing but an alarm comes out of an output that is not the route (RTE-1, RTE-7).
  private func checkOtherOutputs(
    _ route: Int,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    for output in outputs.indices where output != route {
      for source in sources.indices
      where sources[source].category != .alarm
        && snapshot.sources[source].isActive && snapshot.sources[source].isPlaying
        && speaker.isAudible(source: source, output: output)
      {
        throw Breach(rule: "RTE-1", sentence: "output \(output) sounds beside the route")
      }
    }
  }

  private mutating func checkEar(
    _ source: Int,
    _ route: Int,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    let state = snapshot.sources[source]
    guard state.isActive, state.isPlaying, sources[source].category != .record else { return }
    let isExempt = sources[source].category == .alarm && !settings.muteSilencesAlarms
    var shown = state.reasons.union(snapshot.reasons)
    if isExempt { shown.remove(.softMute) }
    guard shown.isEmpty else { return }
    let gain = speaker.gainAtEar(source: source, output: route)
    let isAlone = isAlone(source, snapshot)
    let expected = expectedGain(source, route, snapshot, speaker)
    let isBelowStage = !isAlone && isBelowSoftvol(source, route, snapshot, speaker)
    if gain.isSilence, !expected.isSilence, !isBelowStage {
      throw Breach(rule: "SIL-10", sentence: "source \(source) is silent without any reason")
    }
    guard isAlone else { return }
    statistics.met(.exactGain)
    let resolution = speaker.ways[route].codec.stepMillibels + Codec.softvol.stepMillibels
    // A foreign gain that was adopted lies between two levels.
    guard abs(gain.millibels - expected.millibels) <= resolution else {
      throw Breach(
        rule: "VOL-4",
        sentence:
          "source \(source) is heard at \(gain.millibels) mB instead of \(expected.millibels)"
      )
    }
  }

  /// What the ear should get from a source that sounds alone.
  private func expectedGain(
    _ source: Int,
    _ route: Int,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) -> Gain {
    var level = min(governingLevel(source, snapshot), outputs[route].maximum)
    if outputs[route].limit != nil, snapshot.isLimitArmed {
      level = min(level, settings.headphoneLimit)
    }
    let curve = configuration.outputs[route].curve
    let codec = outputs[route].hasVolume ? speaker.ways[route].codec : Codec.softvol
    let own = sources[source].trim + duck(of: source, snapshot)
    if !outputs[route].hasVolume { return codec.quantised(curve.gain(at: level) + own) }
    return codec.quantised(curve.gain(at: level)) + Codec.softvol.quantised(own)
  }

  /// What others that are heard, or a call, take off a source (SES-2, SES-7).
  private func duck(of source: Int, _ snapshot: Snapshot) -> Gain {
    let lowered = kind(snapshot.sources[source])
    for other in sources.indices where other != source {
      let state = snapshot.sources[other]
      guard state.isActive else { continue }
      let isHeard = state.isPlaying && state.reasons.isEmpty
      let other = kind(state)
      if lowered.isLow(beside: other) || isHeard && other.ducks(lowered) { return settings.duck }
    }
    return .unity
  }

  func kind(_ state: SourceState) -> SessionKind {
    SessionKind(state.category, mode: state.mode, options: state.options)
  }

  /// Whether what another volume holds the codec at leaves a source less than its own stage can do.
  private func isBelowSoftvol(
    _ source: Int,
    _ route: Int,
    _ snapshot: Snapshot,
    _ speaker: SimulatedSpeaker
  ) -> Bool {
    let curve = configuration.outputs[route].curve
    let own = sources[source].trim + duck(of: source, snapshot)
    guard outputs[route].hasVolume else {
      // Beside others it follows the lower volume (VOL-2b, VOL-3).
      let level = min(governingLevel(source, snapshot), snapshot.level)
      return Codec.softvol.quantised(curve.gain(at: level) + own).isSilence
    }
    let wanted = curve.gain(at: governingLevel(source, snapshot)) + own
    return wanted.millibels - speaker.ways[route].gain.millibels < Codec.softvol.lowest.millibels
  }

  /// Whether no sound under another volume plays.
  private func isAlone(_ source: Int, _ snapshot: Snapshot) -> Bool {
    for other in sources.indices
    where other != source && snapshot.sources[other].isActive && snapshot.sources[other].isPlaying
      && sources[other].category.volume != sources[source].category.volume
    {
      return false
    }
    return true
  }
}
