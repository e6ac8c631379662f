// SPDX-License-Identifier: Apache-2.0
//
// The policy: what the device does, as a pure function of the tick. This file holds the state and
// the order of a tick (T-4); the stages are in the files named beside them.
//
//   facts      what the hardware says                      Facts.swift
//   intents    what people and programs ask for            Facts.swift (controls), Intents.swift
//   resolve    who may be heard, how loud, where           Resolve.swift
//   emit       the difference to what was applied          Emit.swift
//   feedback   what the hand is answered                   Feedback.swift
//
// Members are mutating, and large values are lent by inout, even where nothing is changed: Swift
// would copy them otherwise, and a tick has no time for that.

/// The state of the device and the rules that move it.
public struct Policy: Plain {
  public internal(set) var configuration: Configuration
  /// The tick last stepped to.
  public private(set) var now: Tick = 0
  /// The tick at which the policy would next do something by itself; nil when only an input can
  /// move it (T-6).
  public private(set) var deadline: Tick? = 1
  /// Ticks by which the loop woke too late, in all (T-3).
  public private(set) var lateTicks: Int64 = 0

  var controls: Controls
  var sessions: Sessions
  /// Places of configured sources; those behind them are opened and closed by programs.
  public let configuredSources: Int
  var microphone = Microphone()
  var volumes: Volumes
  var routes: Routes
  var outputs = InlineArray<5, OutputDrive>(repeating: OutputDrive())
  var sources = InlineArray<32, SourceDrive>(repeating: SourceDrive())
  /// The capture path (SES-10).
  var capture = Register<Bool>()
  var feedback = FeedbackState()
  var notices = Notices()
  var isCapturePresent = true
  /// What was decided last.
  var decision = Decision()
  var ending = Ending.none
  /// The last audit, or when the need for audits began; nil while there is none.
  var lastAudit: Tick?
  /// Whether the plug was reported as stuck or idle (RTE-9).
  var detectReported = InlineArray<5, Bool>(repeating: false)
  /// Outputs that have been there before.
  var wasEverPresent = InlineArray<5, Bool>(repeating: false)
  /// A change of route that the sessions have not been told of.
  var routeChange: RouteChanged?
  /// The next fade from silence: shorter when a route opens (RTE-1).
  var openingFadeTicks: Tick
  /// A stored headphone level was above the limit, which a power cycle re-arms (VOL-13).
  var isLimitNoticeDue = false
  /// Something was decided without an input, so that the next tick has work.
  var isDirty = true

  /// A device at rest, silent until its hardware has answered (T-7).
  ///
  /// - Parameters:
  ///   - configuration: What the board and the settings say.
  ///   - saved: What a former run kept, or nil when nothing usable was found (VOL-12).
  ///   - paused: `pausedSources` of a run that ended a moment ago (SES-18).
  public init(configuration: Configuration, saved: Saved? = nil, paused: UInt32 = 0) {
    self.configuration = configuration
    configuredSources = configuration.sources.count
    controls = Controls(configuration)
    sessions = Sessions(configuration)
    volumes = Volumes(configuration, saved: saved)
    openingFadeTicks = configuration.timing.fadeInTicks
    routes = Routes(
      chosen: saved?.chosenRoute.flatMap { chosen in
        Int(chosen) < configuration.outputs.count ? chosen : nil
      }
    )
    for index in configuration.outputs.indices {
      guard let level = volumes.levels[index] else { continue }
      isLimitNoticeDue =
        isLimitNoticeDue || isLimited(index) && level > configuration.settings.headphoneLimit
      volumes.levels[index] = min(level, cap(of: index))
    }
    sessions.restore(paused: paused, until: configuration.timing.formerHolderTicks)
  }

  /// Configured sources that wait to resume after an interruption, one bit for each: kept over a
  /// restart, so that what Tactus has paused does not stay paused (SES-18).
  public var pausedSources: UInt32 {
    var paused: UInt32 = 0
    for index in 0..<configuredSources where sessions[index].waitsToResume {
      paused |= bit(index)
    }
    return paused
  }

  /// Steps to `tick`, which must be later than `now`, taking what was gathered since (T-1…T-6).
  ///
  /// Ticks slept since the last call are made up for: up to the deadline nothing happens in them
  /// (T-2), after it they are stepped one by one, at most 200 (T-3). `effects` is emptied first;
  /// `inputs` is lent, and stays as it is.
  // The compiler proves that a tick cannot allocate; without optimisation it cannot see through
  // generics.
  #if !DEBUG
    @_noAllocation
  #endif
  public mutating func tick(at tick: Tick, _ inputs: inout Inputs, _ effects: inout Effects) {
    precondition(tick > now, "time goes on")
    effects.removeAll()
    if inputs.isEmpty, !isDirty, isBefore(tick, deadline) {
      now = tick
      return
    }
    catchUp(to: tick - 1, &effects)
    now = tick
    let asked = takeFacts(&inputs, &effects)
    step(&inputs, asked, &effects)
    emit(&effects)
    playFeedback(&effects)
    deadline = nextDeadline()
    isDirty = false
  }

  /// Takes other settings for the same hardware, without a click: only what they change moves.
  ///
  /// Outputs, controls and sources must be the same in number and kind; measured curves stay.
  public mutating func reconfigure(_ new: Configuration) {
    precondition(
      new.outputs.count == configuration.outputs.count
        && new.controls.count == configuration.controls.count
        && new.sources.count == configuredSources
        && new.timing.tickMicroseconds == configuration.timing.tickMicroseconds,
      "other hardware"
    )
    let old = configuration
    configuration = new
    for index in configuration.outputs.indices {
      configuration.outputs.elements[index].curve = old.outputs[index].curve
      volumes.levels[index] = volumes.levels[index].map { min($0, cap(of: index)) }
    }
    for index in configuredSources..<max(old.sources.count, configuredSources) {
      configuration.sources.place(old.sources[index], at: index)
    }
    isDirty = true
    deadline = now + 1
  }

  private mutating func isBefore(_ tick: Tick, _ deadline: Tick?) -> Bool {
    guard let deadline else { return true }
    return tick < deadline
  }

  /// Makes up for the ticks slept: nothing happens in them up to the deadline.
  private mutating func catchUp(to last: Tick, _ effects: inout Effects) {
    guard let deadline, deadline <= last else { return }
    lateTicks += last + 1 - deadline
    if last - deadline >= configuration.timing.lateTicks {
      effects.append(.readLevels)
      return
    }
    now = deadline - 1
    var none = Inputs(filler: .level(control: 0, state: 0))
    while now < last {
      now += 1
      step(&none, Asked(), &effects)
    }
  }

  /// One tick, in the order of T-4.
  private mutating func step(_ inputs: inout Inputs, _ asked: Asked, _ effects: inout Effects) {
    var intents = List<32, Intent>(filler: .toggleMute)
    takeControls(&inputs, &intents, &effects)
    if asked.hasRequests { takeRequests(&inputs, &effects) }
    take(&intents, &effects)
    if asked.hasSessions { takeSessions(&inputs, &effects) }
    settleSessions(&effects)
    elapsePlugs(&effects)
    chooseFeedback(&effects)
    resolve(&effects)
  }
}

/// Whether and how the device is being ended.
enum Ending: Plain, Equatable {
  case none
  /// Silent from now on; ends when that is confirmed or the time is over.
  case silencing(since: Tick, powerOff: Bool)
  case finished
}

/// A change of route, on its way to the sessions.
struct RouteChanged: Plain {
  var reason: RouteChange
  var previous: UInt8?
}

/// What a tick decided.
struct Decision: Plain {
  /// Reasons of the whole device.
  var device: SilenceReasons = .starting
  /// All reasons that silence each source, the device's included.
  var sources = InlineArray<32, SilenceReasons>(repeating: .starting)
  /// Sessions that wait until those they interrupted are silent, one bit for each (SES-2).
  var waiting: UInt32 = 0
  /// What each source's gain should come to.
  var goals = InlineArray<32, Gain>(repeating: .silence)
  /// Whether each source has been heard, or was kept from it, since it started.
  var goesOn = InlineArray<32, Bool>(repeating: false)
  /// The speaker on which an alarm sounds beside the headphones in use (RTE-7).
  var alarmSpeaker: UInt8?
  /// The volume that the codec follows.
  var codecVolume = Volume.system
  /// The gain that the codec should come to, per output.
  var target: Gain = .unity
  /// Something sounds.
  var isSounding = false
  /// Something sounds, or did when it was interrupted: a player that has not paused yet.
  var isEmitting = false
}
