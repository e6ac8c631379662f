// SPDX-License-Identifier: Apache-2.0
//
// What the device answers to the hand: which event gives which type, and on which channels. The
// hardware plays what is decided here, and nothing else.
//
//   event      something a person did at the device, or that a person must know
//   type       what it is answered with; the meanings are fixed (FBK-2)
//   channel    a way to the person: light, motor, sound
//   important  fault, hearing, microphone: never left to a single channel (FBK-3)
//   prepare    ready motor and sound for what is about to come: a finger is down (FBK-5)

/// What the device answers to the hand; the meanings are fixed.
public enum Feedback: Plain, CaseIterable {
  /// Outcomes.
  case success, warning, failure
  /// Something has moved or met its end; `heavy` is none of our own, and offered to sessions.
  case light, medium, heavy
  /// Moving through values, never confirming.
  case selection
}

/// Ways to answer a person.
public struct FeedbackChannels: Plain, Equatable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let none = FeedbackChannels(rawValue: 0)
  public static let led = FeedbackChannels(rawValue: 1 << 0)
  public static let haptic = FeedbackChannels(rawValue: 1 << 1)
  public static let sound = FeedbackChannels(rawValue: 1 << 2)
  public static let all = FeedbackChannels(rawValue: 0b111)

  public var isEmpty: Bool { rawValue == 0 }
  public func contains(_ other: FeedbackChannels) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }
  public func union(_ other: FeedbackChannels) -> FeedbackChannels {
    FeedbackChannels(rawValue: rawValue | other.rawValue)
  }
  public func intersection(_ other: FeedbackChannels) -> FeedbackChannels {
    FeedbackChannels(rawValue: rawValue & other.rawValue)
  }
  public func subtracting(_ other: FeedbackChannels) -> FeedbackChannels {
    FeedbackChannels(rawValue: rawValue & ~other.rawValue)
  }

  /// The first of light, motor and sound that is among them.
  var first: FeedbackChannels { FeedbackChannels(rawValue: rawValue & (0 &- rawValue)) }
}

/// How strong each channel answers, in percent; 0 is off.
///
/// What a type means cannot be set.
public struct FeedbackSettings: Plain {
  /// Brightness of lamps, 0…100; at 0 they are dark but for an answer that nothing else carries.
  public var ledPercent: UInt8 = 100
  /// Strength of the motor, 0…100.
  public var hapticPercent: UInt8 = 100
  /// Amplitude of the device's own sounds under the ringer volume, 0…100.
  public var soundPercent: UInt8 = 100

  public init() {}

  /// The channels that are not off.
  public var channels: FeedbackChannels {
    var channels = FeedbackChannels.none
    if ledPercent > 0 { channels = channels.union(.led) }
    if hapticPercent > 0 { channels = channels.union(.haptic) }
    if soundPercent > 0 { channels = channels.union(.sound) }
    return channels
  }
}

/// Equal pulses with pauses between them.
public struct FeedbackPattern: Plain, Equatable {
  public let pulses: UInt8
  public let onMilliseconds: UInt16
  /// Between two pulses.
  public let offMilliseconds: UInt16
  /// Of what the channel can do.
  public let strengthPercent: UInt8

  init(_ pulses: UInt8, on: UInt16, off: UInt16 = 0, strength: UInt8 = 100) {
    self.pulses = pulses
    onMilliseconds = on
    offMilliseconds = off
    strengthPercent = strength
  }
}

extension Feedback {
  /// How a lamp shows it: each pulse is the opposite of what it shows otherwise.
  public var lightPattern: FeedbackPattern {
    switch self {
    case .success: FeedbackPattern(2, on: 150, off: 100)
    case .warning: FeedbackPattern(3, on: 150, off: 100)
    case .failure: FeedbackPattern(5, on: 60, off: 60)
    case .light: FeedbackPattern(1, on: 60)
    case .medium: FeedbackPattern(1, on: 120)
    case .heavy: FeedbackPattern(1, on: 200)
    case .selection: FeedbackPattern(1, on: 30)
    }
  }

  /// How a motor shows it.
  public var hapticPattern: FeedbackPattern {
    switch self {
    case .success: FeedbackPattern(2, on: 20, off: 80, strength: 70)
    case .warning: FeedbackPattern(3, on: 30, off: 90, strength: 80)
    case .failure: FeedbackPattern(4, on: 40, off: 60)
    case .light: FeedbackPattern(1, on: 15, strength: 50)
    case .medium: FeedbackPattern(1, on: 25, strength: 75)
    case .heavy: FeedbackPattern(1, on: 40)
    case .selection: FeedbackPattern(1, on: 10, strength: 40)
    }
  }

  /// Which of two that come within one tick is told.
  fileprivate var weight: Int {
    switch self {
    case .failure: 6
    case .warning: 5
    case .success: 4
    case .heavy: 3
    case .medium: 2
    case .light: 1
    case .selection: 0
    }
  }
}

/// What has happened that is worth an answer.
enum FeedbackEvent: Plain, Equatable {
  /// A volume moved by a step.
  case volumeStep
  /// A volume is at its end, or at `max-level`.
  case rangeEnd
  /// A touch was stopped at the headphone limit (VOL-13).
  case limitStop
  /// The level was lowered to the headphone limit (VOL-13).
  case limitRearmed
  case silentSwitchMoved
  case muteChanged
  case microphoneSwitched
  case routeChanged
  /// What a person asked for at the device is not done.
  case refused
  /// Somebody wanted to record while the microphone is off (SES-10).
  case recordingRefused
  /// The hardware does not do what it must (SIL-11).
  case fault
  /// A program or a person's tool asks for it.
  case asked(Feedback)

  /// The one table of meanings (FBK-2).
  var feedback: Feedback {
    switch self {
    case .volumeStep: .selection
    case .rangeEnd: .light
    case .limitStop, .limitRearmed: .warning
    case .silentSwitchMoved, .muteChanged, .microphoneSwitched, .routeChanged: .medium
    case .refused, .recordingRefused, .fault: .failure
    case .asked(let feedback): feedback
    }
  }

  /// Which of two that come within one tick is told: what is important, then the greater; of equals
  /// the newer.
  fileprivate var weight: Int { feedback.weight + (isImportant ? 7 : 0) }

  /// Fault, hearing and microphone are never left to a channel that is off (FBK-3).
  var isImportant: Bool {
    switch self {
    case .limitStop, .limitRearmed, .microphoneSwitched, .recordingRefused, .fault: true
    case .volumeStep, .rangeEnd, .silentSwitchMoved, .muteChanged, .routeChanged, .refused, .asked:
      false
    }
  }
}

/// What is under way of the device's answers.
struct FeedbackState: Plain {
  /// The event of this tick that is not answered yet; of several the weightiest.
  fileprivate(set) var event: FeedbackEvent?
  /// A sound that was asked for by its number.
  fileprivate var sound: UInt8?
  /// The event that is answered in this tick, once the gains for it are written.
  fileprivate var answered: FeedbackEvent?
  /// A control was touched in this tick.
  fileprivate var isFingerDown = false
  /// Sounds that the hardware has not reported as ended.
  fileprivate var soundsUnderWay = 0
  /// By then they are over, whatever the hardware says.
  fileprivate(set) var soundUntil: Tick?
  /// When a program was last refused to record; further refusals soon after are no news (FBK-6).
  private var refusedRecordingAt: Tick?

  init() {}

  /// Takes an event into this tick; what weighs less than another is not told.
  mutating func note(_ event: FeedbackEvent) {
    self.event = FeedbackState.weightier(event, self.event)
  }

  /// Of two events the weightier, of equals the first of these, which is newer.
  fileprivate static func weightier(_ event: FeedbackEvent, _ other: FeedbackEvent?)
    -> FeedbackEvent
  {
    guard let other, other.weight > event.weight else { return event }
    return other
  }

  /// A program may not record; one that tries again and again does not nag.
  mutating func noteRecordingRefused(at now: Tick, windowTicks: Tick) {
    if let last = refusedRecordingAt, now - last < windowTicks { return }
    refusedRecordingAt = now
    note(.recordingRefused)
  }

  /// The microphone was switched: the next refusal is news.
  mutating func noteMicrophone() {
    refusedRecordingAt = nil
    note(.microphoneSwitched)
  }

  /// A finger is down: something is about to be answered (FBK-5).
  mutating func noteFinger() { isFingerDown = true }
}

extension Policy {
  // MARK: By software

  /// A program or a person's tool wants an answer played (FBK-8).
  mutating func play(_ feedback: Feedback, for peer: UInt16) -> Reply {
    guard !configuration.feedbackChannels.isEmpty else { return .notOnThisDevice }
    guard maySignal(peer) else { return .notActive }
    guard !channels(of: .asked(feedback)).isEmpty else { return .stillSilent }
    self.feedback.note(.asked(feedback))
    return .done
  }

  /// A program or a person's tool wants one of the device's own sounds played (FBK-4, FBK-8).
  mutating func play(sound: UInt8, for peer: UInt16) -> Reply {
    guard configuration.soundSource != nil, configuration.feedbackChannels.contains(.sound)
    else { return .notOnThisDevice }
    guard maySignal(peer) else { return .notActive }
    guard maySound else { return .stillSilent }
    feedback.sound = sound
    return .done
  }

  /// A program wants motor and sound ready (FBK-5).
  mutating func prepareFeedback(for peer: UInt16) -> Reply {
    guard maySignal(peer) else { return .notActive }
    feedback.noteFinger()
    return .done
  }

  /// Whether one of a program's sessions is active and in front; a program without any is a
  /// person's tool (FBK-8).
  private mutating func maySignal(_ peer: UInt16) -> Bool {
    var hasSession = false
    for index in configuredSources..<max(configuration.sources.count, configuredSources)
    where sessions[index].isOpen && sessions[index].peer == peer {
      if sessions[index].isActive, !sessions[index].isInBackground { return true }
      hasSession = true
    }
    return !hasSession
  }

  // MARK: In the tick

  /// Takes what the hardware says of its sounds; each that was asked for ends once.
  mutating func endSound(_ effects: inout Effects) {
    if feedback.soundsUnderWay > 0 { feedback.soundsUnderWay -= 1 }
    if feedback.soundsUnderWay == 0 { endSounds(&effects) }
  }

  private mutating func endSounds(_ effects: inout Effects) {
    feedback.soundsUnderWay = 0
    feedback.soundUntil = nil
    guard let place = configuration.soundSource else { return }
    end(Int(place), givesLeave: true, &effects)
  }

  /// Chooses the channels of this tick's answer, and begins the session of its sound, so that its
  /// gain is right before it starts.
  mutating func chooseFeedback(_ effects: inout Effects) {
    if let until = feedback.soundUntil, now >= until { endSounds(&effects) }
    if let event = feedback.event {
      // After a late wake several ticks may have something to tell.
      feedback.answered = FeedbackState.weightier(event, feedback.answered)
      feedback.event = nil
    }
    let answered = feedback.answered.map { channels(of: $0) } ?? .none
    guard feedback.sound != nil || answered.contains(.sound),
      let place = configuration.soundSource
    else { return }
    _ = start(Int(place), isPlaying: true, byPerson: false, &effects)
    feedback.soundUntil = now + configuration.timing.soundTicks
  }

  /// Has the answer played, behind the writes that its sound needs.
  mutating func playFeedback(_ effects: inout Effects) {
    if feedback.isFingerDown {
      feedback.isFingerDown = false
      if maySound { effects.append(.prepareFeedback) }
    }
    let named = feedback.sound
    let isHeard = isSoundHeard
    if let event = feedback.answered {
      var channels = channels(of: event)
      // One at a time: a sound asked for by name goes before the sound of an answer.
      if !isHeard || named != nil { channels = channels.subtracting(.sound) }
      play(.feedback(event.feedback, channels), channels.contains(.sound), &effects)
    }
    if let named, isHeard { play(.playSound(named), true, &effects) }
    feedback.answered = nil
    feedback.sound = nil
    // What was silenced within its own tick never began.
    if feedback.soundUntil != nil, feedback.soundsUnderWay == 0 { endSounds(&effects) }
  }

  /// Whether the session of the device's own sounds has begun, and nothing silences it.
  private var isSoundHeard: Bool {
    mutating get {
      guard let place = configuration.soundSource.map({ Int($0) }) else { return false }
      return sessions[place].isSounding && decision.sources[place].isEmpty
    }
  }

  private mutating func play(_ effect: Effect, _ hasSound: Bool, _ effects: inout Effects) {
    if effects.append(effect), hasSound { feedback.soundsUnderWay += 1 }
  }

  /// The channels on which an event is answered now.
  private mutating func channels(of event: FeedbackEvent) -> FeedbackChannels {
    let present = configuration.feedbackChannels
    var allowed = present
    if isRecording || decision.device.contains(.starting) { allowed = allowed.intersection(.led) }
    if !maySound || event.feedback == .selection && isAnythingElseSounding {
      allowed = allowed.subtracting(.sound)
    }
    let chosen = allowed.intersection(configuration.settings.feedback.channels)
    guard chosen.isEmpty, event.isImportant else { return chosen }
    // Every channel that could carry it is off: one carries it all the same, a light if there is
    // any, and nothing that would be heard where it must not.
    return allowed.isEmpty ? present.subtracting(.sound).first : allowed.first
  }

  /// Whether the device's own sounds may be heard now (FBK-4).
  private var maySound: Bool {
    mutating get {
      guard let place = configuration.soundSource, sources[Int(place)].isPresent,
        configuration.feedbackChannels.contains(.sound),
        configuration.settings.feedback.soundPercent > 0, !isRecording, ending == .none
      else { return false }
      return decision.device.isDisjoint(with: .unsafe) && reasonsNow(Int(place)).isEmpty
    }
  }

  /// Something records, or there is a call: a motor would be in it (FBK-4).
  private var isRecording: Bool {
    mutating get {
      for index in configuration.sources.indices
      where sessions[index].isActive && configuration.sources.elements[index].kind.hasInput {
        return true
      }
      return false
    }
  }

  private var isAnythingElseSounding: Bool {
    mutating get {
      for index in configuration.sources.indices
      where sessions[index].isSounding && UInt8(index) != configuration.soundSource {
        if decision.sources[index].isEmpty { return true }
      }
      return false
    }
  }
}
