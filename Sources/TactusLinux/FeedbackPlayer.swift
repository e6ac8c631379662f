// SPDX-License-Identifier: Apache-2.0
//
// What a person sees and feels: lamps that show the state of the device, and lamps and motors that
// answer the hand. What is answered, and on which of them, is the policy's; here are its patterns.
//
//   state     what a lamp shows when nothing is answered
//   answer    a pattern of pulses; the lamp that answers shows the opposite of its state in a pulse
//   blinking  of a state, half a second on and half a second off
//   awaited   an answer whose sound is on its way: light and motor begin when it will be heard

import CTactus
public import TactusCore

/// The lamps and motors of a board.
///
/// Nothing here waits for a device.
public final class FeedbackPlayer {
  /// So long a blinking light is lit, and so long it is dark.
  private static let blinkMilliseconds: Int64 = 500
  /// So long is waited for the sound to say when it will be heard.
  private static let awaitTicks: Tick = 2

  /// An answer whose sound has not said when it will be heard, or will be heard at `due`.
  private struct Awaited {
    let feedback: Feedback
    let channels: FeedbackChannels
    let since: Tick
    let sinceNanoseconds: UInt64
    var due: Tick
  }

  private let lamps: [Lamp]
  /// The place of the lamp that answers: the status lamp, else the first.
  private let answering: Int
  private let hasStatusLamp: Bool
  private let motors: [DrivenLine]
  private let forces: [ForceFeedback]
  private let poll: Descriptor
  private let timing: Timing
  private var settings: FeedbackSettings
  private var snapshot = Snapshot()
  private var now: Tick = 0
  /// When the last tick began, of `MonotonicClock`.
  private var nowNanoseconds: UInt64 = 0
  /// Since when the state of the status lamp blinks.
  private var blinkStart: Tick?
  private var light: FeedbackRun?
  /// What the answering lamp shows between the pulses.
  private var lightBase = Light.off
  private var motion: FeedbackRun?
  /// Which pulse the motors are in.
  private var motionPulse: Int?
  private var awaited: Awaited?
  private var wasHeld = true
  private var messages: [String] = []

  /// Lamps and motors that are not asked for yet.
  ///
  /// - Throws: the call that made what waits for motors.
  public convenience init(board: Board) throws(SystemError) {
    try self.init(board: board, lampFolder: LampDevice.classFolder)
  }

  /// As above, with the kernel's LED class in another folder.
  init(board: Board, lampFolder: String) throws(SystemError) {
    let poll = try Descriptor(tactus_poll_open(), "open", "epoll")
    let settings = board.configuration.settings.feedback
    var motors: [DrivenLine] = []
    var forces: [ForceFeedback] = []
    for signal in board.signals where signal.role == .haptic {
      switch signal.means {
      case .line(let line): motors.append(DrivenLine(name: signal.name, line: line))
      case .device(let pattern):
        forces.append(
          try ForceFeedback(
            name: signal.name,
            pattern: pattern,
            percent: settings.hapticPercent.unlessOff,
            poll: poll.number
          )
        )
      case .simulated: break
      }
    }
    lamps = board.signals.compactMap { Lamp($0, folder: lampFolder) }
    answering = lamps.firstIndex { $0.role == .status } ?? 0
    hasStatusLamp = lamps.contains { $0.role == .status }
    self.motors = motors
    self.forces = forces
    self.poll = poll
    self.settings = settings
    timing = board.configuration.timing
  }

  /// Readable when `takeEvents` has something to take.
  public var descriptor: Int32 { poll.number }

  /// The folders in which motors appear.
  public var folders: [String] { forces.isEmpty ? [] : ["/dev/input"] }

  /// Whether something is missing that looking again may find.
  public var isIncomplete: Bool {
    lamps.contains { !$0.isHeld } || motors.contains { !$0.isHeld }
      || forces.contains { $0.isRefused }
  }

  /// Whether something has gone since the last time.
  public func takeLoss() -> Bool {
    let isHeld = !isIncomplete
    defer { wasHeld = isHeld }
    return wasHeld && !isHeld
  }

  /// What a person should know, since the last time; each failure once.
  public func takeMessages() -> [String] {
    defer { messages.removeAll() }
    return messages
  }

  /// Asks for what is missing.
  public func search() {
    let chips = Chips()
    for motor in motors { motor.request(chips, telling: &messages) }
    for lamp in lamps { lamp.request(chips, telling: &messages) }
    for force in forces { force.search(telling: &messages) }
    wasHeld = !isIncomplete
    refresh()
  }

  /// Takes what motors have to tell.
  public func takeEvents() {
    for force in forces { force.takeEvents(telling: &messages) }
  }

  /// How strong is answered.
  public func set(_ settings: FeedbackSettings) {
    self.settings = settings
    for force in forces { force.set(percent: settings.hapticPercent.unlessOff) }
    refresh()
  }

  /// Shows the state of the device, as it was read back (SIL-9).
  public func show(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    now = max(now, snapshot.tick)
    if !snapshot.indication.light.blinks || !hasStatusLamp {
      blinkStart = nil
    } else if blinkStart == nil {
      blinkStart = now
    }
    refresh()
  }

  // MARK: Answers

  /// Answers a person; the newest answer takes the place of what runs, but a selection ends no
  /// other type.
  ///
  /// With `awaitsSound`, light and motor wait for `soundStarts`, two ticks at most.
  public func play(
    _ feedback: Feedback,
    on channels: FeedbackChannels,
    at tick: Tick,
    awaitsSound: Bool = false
  ) {
    now = tick
    let channels = free(channels, for: feedback)
    guard !channels.isEmpty else { return }
    awaited = nil
    guard awaitsSound else { return begin(feedback, channels) }
    awaited = Awaited(
      feedback: feedback,
      channels: channels,
      since: tick,
      sinceNanoseconds: nowNanoseconds,
      due: tick + FeedbackPlayer.awaitTicks
    )
  }

  /// The channels on which a type may be played now.
  private func free(
    _ channels: FeedbackChannels,
    for feedback: Feedback
  ) -> FeedbackChannels {
    var free = channels.subtracting(.sound)
    guard feedback == .selection else { return free }
    if let awaited, awaited.feedback != .selection { return .none }
    if isOther(light) { free = free.subtracting(.led) }
    if isOther(motion) { free = free.subtracting(.haptic) }
    return free
  }

  /// Whether it is under way and no selection.
  private func isOther(_ run: FeedbackRun?) -> Bool {
    run.map { $0.feedback != .selection && !$0.isOver(at: now) } ?? false
  }

  /// The awaited answer's sound will be heard at a moment of `MonotonicClock`.
  ///
  /// Light and motor begin at the tick that is nearest.
  public func soundStarts(atNanoseconds moment: UInt64) {
    guard let before = awaited else { return }
    let period = UInt64(timing.tickMicroseconds) * 1_000
    let delay = moment > before.sinceNanoseconds ? moment - before.sinceNanoseconds : 0
    awaited?.due = before.since + Tick((delay + period / 2) / period)
  }

  /// The awaited answer has no sound after all.
  public func soundFails() {
    if let since = awaited?.since { awaited?.due = since }
  }

  private func begin(_ feedback: Feedback, _ channels: FeedbackChannels) {
    if channels.contains(.led), lamps.indices.contains(answering) {
      light = FeedbackRun(feedback, feedback.lightPattern, at: now, timing: timing)
      lightBase = settings.ledPercent > 0 ? state(of: lamps[answering]) : .off
    }
    if channels.contains(.haptic) {
      motion = FeedbackRun(
        feedback,
        feedback.hapticPattern,
        at: now,
        timing: timing,
        lengthPercent: settings.hapticPercent.unlessOff
      )
      cutPulse()
    }
    refresh()
  }

  // MARK: Ticks

  /// The tick at which something changes by itself.
  public var nextTick: Tick? {
    let blink = blinkStart.map { $0 + ((now - $0) / blinkTicks + 1) * blinkTicks }
    var next: Tick?
    for change in [awaited?.due, light?.change(after: now), motion?.change(after: now), blink] {
      guard let change else { continue }
      next = min(next ?? change, change)
    }
    return next
  }

  /// Does what is to be done up to a tick, which begins now.
  public func advance(to tick: Tick) {
    nowNanoseconds = MonotonicClock.now()
    guard let next = nextTick, tick >= next else {
      now = max(now, tick)
      return
    }
    now = tick
    if let answer = awaited, tick >= answer.due {
      awaited = nil
      begin(answer.feedback, answer.channels)
    }
    refresh()
  }

  private var blinkTicks: Tick { timing.ticks(milliseconds: FeedbackPlayer.blinkMilliseconds) }

  /// Brings everything to what it is at this tick.
  private func refresh() {
    if let run = light, run.isOver(at: now) { light = nil }
    if let run = motion, run.isOver(at: now) { motion = nil }
    moveMotors()
    for index in lamps.indices {
      let lamp = lamps[index]
      if index == answering, let run = light {
        let isPulse = run.pulse(at: now) != nil
        let percent = settings.ledPercent.unlessOff
        lamp.show(
          isPulse ? lamp.opposite(of: lightBase) : lightBase,
          percent: isPulse ? run.feedback.lightPattern.strength(of: percent) : percent,
          telling: &messages
        )
      } else {
        lamp.show(present(lamp), percent: settings.ledPercent, telling: &messages)
      }
    }
  }

  /// What a lamp is for, without its blinking.
  private func state(of lamp: Lamp) -> Light { snapshot.light(of: lamp.role) }

  /// What a lamp shows now when it does not answer.
  private func present(_ lamp: Lamp) -> Light {
    let light = state(of: lamp)
    guard light.blinks, let blinkStart else { return light }
    return (now - blinkStart) / blinkTicks % 2 == 0 ? light : .off
  }

  private func moveMotors() {
    let pulse = motion?.pulse(at: now)
    for motor in motors where motor.isHeld && motor.isActive != (pulse != nil) {
      _ = motor.drive(pulse != nil, telling: &messages)
    }
    guard pulse != motionPulse else { return }
    motionPulse = pulse
    guard let feedback = motion?.feedback, pulse != nil else { return }
    for force in forces { force.play(feedback, telling: &messages) }
  }

  /// Ends the pulse that is on before its time.
  private func cutPulse() {
    guard motionPulse != nil else { return }
    motionPulse = nil
    for force in forces { force.stop(telling: &messages) }
  }

  /// The device ends: no motor stays on, and lamps are as they were found.
  public func finish() {
    light = nil
    motion = nil
    cutPulse()
    moveMotors()
    for lamp in lamps { lamp.release(telling: &messages) }
  }
}

extension FeedbackPattern {
  /// Its strength on a channel that is set to so many percent.
  fileprivate func strength(of percent: UInt8) -> UInt8 {
    UInt8(max(Int(strengthPercent) * Int(percent) / 100, 1))
  }
}

extension UInt8 {
  /// A channel that is off and is played on nevertheless, since it is the last one (FBK-3), is
  /// played on in full.
  fileprivate var unlessOff: UInt8 { self == 0 ? 100 : self }
}
