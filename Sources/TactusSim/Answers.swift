// SPDX-License-Identifier: Apache-2.0
//
// What the device answers to the hand: never without cause, never where it would be heard or felt
// in a recording, one sound at a time; and what a person must know reaches at least one channel.

import TactusCore

/// What is remembered of answers.
struct AnswerWatch {
  /// Until when an important event must have been answered; `.max` is nothing owed.
  var due: Tick = .max
  /// When something last happened that may be answered.
  var causedAt: Tick = .min / 2
  /// Since when no sound is under way any more.
  var soundlessSince: Tick = 0
}

extension Invariants {
  mutating func checkAnswers(
    _ step: Step,
    _ causes: Causes,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    try checkSoftware(step, causes)
    if isAnswerable(step, causes) { answers.causedAt = step.tick }
    var count = 0
    var sounds = 0
    for position in step.effects.indices {
      switch step.effects[position] {
      case .feedback(_, .none): continue
      case .feedback(_, let channels):
        count += 1
        if channels.contains(.sound) { sounds += 1 }
        try checkChannels(channels, step)
      case .playSound: sounds += 1
      default: break
      }
    }
    guard count <= 1, sounds <= 1 else {
      throw Breach(rule: "FBK-4", sentence: "more than one answer or sound at a time")
    }
    if sounds > 0 {
      statistics.met(.ownSound)
      try checkSound(step)
    }
    // What is noted at the end of a tick is answered in the next.
    if count > 0, step.late == 0, step.tick - answers.causedAt > 1 {
      throw Breach(rule: "FBK-1", sentence: "the device answers without cause")
    }
    try checkImportant(step, isAnswered: count > 0)
    try checkSoundEnd(step, speaker)
  }

  /// Software gets no feedback at the device, unless it asks for that (FBK-1).
  private func checkSoftware(_ step: Step, _ causes: Causes) throws(Breach) {
    guard causes.requests > 0, step.inputs.count == causes.requests, step.late == 0, !up.isHeld,
      !down.isHeld, step.tick - up.pressed > 100, step.tick - down.pressed > 100,
      step.tick - plugMoved > timing.plugTicks + 3, !asksForAnswer(step)
    else { return }
    // A contact that has just been stable for long enough is a person's act.
    for index in roles.indices
    where step.after.controls[index].changes != step.before.controls[index].changes { return }
    for position in step.effects.indices {
      if case .feedback = step.effects[position] {
        throw Breach(rule: "FBK-1", sentence: "software is answered with feedback at the device")
      }
    }
  }

  private func asksForAnswer(_ step: Step) -> Bool {
    for position in step.inputs.indices {
      switch step.inputs[position] {
      case .request(_, .feedback), .request(_, .playSound): return true
      // Refused while the microphone is off (SES-10).
      case .request(_, .session), .request(_, .command), .session:
        if step.after.isMicrophoneMuted { return true }
      default: continue
      }
    }
    return false
  }

  /// Whether something happened, or goes on happening, that may be answered.
  private func isAnswerable(_ step: Step, _ causes: Causes) -> Bool {
    if causes.isByHand || causes.outputs > 0 || asksForAnswer(step) { return true }
    if up.isHeld || down.isHeld || step.tick - max(up.pressed, down.pressed) < 100 { return true }
    if step.tick - plugMoved <= timing.plugTicks + 3 { return true }
    for index in roles.indices
    where step.after.controls[index].changes != step.before.controls[index].changes
      || step.after.controls[index].isPresent != step.before.controls[index].isPresent
    {
      return true
    }
    for position in step.effects.indices {
      if case .notice = step.effects[position] { return true }
    }
    return false
  }

  /// Only what the board has, only light in a recording (FBK-4), and what is off only to carry what
  /// a person must know (FBK-3).
  private func checkChannels(_ channels: FeedbackChannels, _ step: Step) throws(Breach) {
    guard configuration.feedbackChannels.contains(channels) else {
      throw Breach(rule: "FBK-2", sentence: "an answer goes to a channel that is not there")
    }
    let isFelt = channels.contains(.haptic) && configuration.feedbackChannels.contains(.led)
    if isRecording(step.after), isFelt || channels.contains(.sound) {
      throw Breach(rule: "FBK-4", sentence: "a recording is disturbed by an answer")
    }
    let off = channels.subtracting(settings.feedback.channels)
    if !off.isEmpty, off != channels {
      throw Breach(rule: "FBK-3", sentence: "a channel that is off is used beside another")
    }
  }

  private func isRecording(_ snapshot: Snapshot) -> Bool {
    for index in snapshot.sources.indices {
      let state = snapshot.sources[index]
      if state.isActive, kind(state).hasInput { return true }
    }
    return false
  }

  /// A sound is played only where it is heard: its gain stands before it begins (FBK-4, FBK-5).
  private func checkSound(_ step: Step) throws(Breach) {
    guard let place = configuration.soundSource else {
      throw Breach(rule: "FBK-4", sentence: "a device without sounds plays one")
    }
    let state = step.after.sources[Int(place)]
    let isHeard = state.isActive && state.isPlaying && state.reasons.isEmpty
    guard isHeard, step.after.reasons.isEmpty, !step.after.isSilentSwitchOn, !step.after.isMuted
    else {
      throw Breach(rule: "FBK-4", sentence: "a sound is played that must not be heard")
    }
  }

  /// A microphone that a hand switched, a fault that is news, a level that was lowered.
  private mutating func checkImportant(_ step: Step, isAnswered: Bool) throws(Breach) {
    if isAnswered { answers.due = .max }
    var isImportant = false
    for index in roles.indices where roles[index] == .microphoneSwitch {
      let hasMoved = step.after.controls[index].changes != step.before.controls[index].changes
      let hasChanged = step.after.isMicrophoneMuted != step.before.isMicrophoneMuted
      isImportant = isImportant || hasMoved && hasChanged
    }
    for position in step.effects.indices {
      switch step.effects[position] {
      case .notice(.notSilent, _, 1), .notice(.writeFault, _, 1), .notice(.limitRearmed, _, _):
        isImportant = true
      default: continue
      }
    }
    if isImportant {
      statistics.met(.importantEvent)
      let canCarry = configuration.feedbackChannels.intersection(.silentOnes)
      if !isAnswered, !canCarry.isEmpty { answers.due = step.tick + 1 + step.late }
    } else if step.tick > answers.due {
      throw Breach(rule: "FBK-3", sentence: "an important event reaches no channel")
    }
  }

  /// The session of the device's own sounds ends with the last of them.
  private mutating func checkSoundEnd(
    _ step: Step,
    _ speaker: SimulatedSpeaker
  ) throws(Breach) {
    guard let place = configuration.soundSource else { return }
    if speaker.soundsUnderWay > 0 || step.late > 0 { answers.soundlessSince = step.tick }
    guard step.after.sources[Int(place)].isActive, step.tick - answers.soundlessSince > 2
    else { return }
    throw Breach(rule: "FBK-4", sentence: "the session of the sounds outlives them")
  }
}

extension FeedbackChannels {
  /// Those that nobody hears.
  fileprivate static let silentOnes = FeedbackChannels.led.union(.haptic)
}
