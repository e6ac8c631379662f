// SPDX-License-Identifier: Apache-2.0
//
// A board drawn from chance: anything a maker might wire that the loader would accept.

public import TactusCore

/// A board that nobody built.
public struct Board {
  public var configuration: Configuration
  /// The hardware of each output.
  public var codecs: [Codec]

  /// A board drawn from `random`.
  public init(random: inout Random) {
    let periods: [Int32] = [5_000, 5_000, 5_000, 5_000, 10_000, 20_000, 2_000]
    configuration = Configuration(timing: Timing(tickMicroseconds: periods[random.below(7)]))
    codecs = []
    drawTiming(&random)
    drawSettings(&random)
    drawButtons(&random)
    drawOutputs(&random)
    drawSources(&random)
    drawFeedback(&random)
  }

  /// Long waits are shortened on some boards, so that a run lives to see their end.
  private mutating func drawTiming(_ random: inout Random) {
    guard random.oneIn(2) else { return }
    configuration.timing.limitRearmTicks = configuration.timing.ticks(milliseconds: 20_000)
    configuration.timing.stuckTicks = configuration.timing.ticks(milliseconds: 6_000)
    configuration.timing.detectIdleTicks = configuration.timing.ticks(milliseconds: 200_000)
  }

  private mutating func drawSettings(_ random: inout Random) {
    configuration.settings.limitsHeadphones = !random.oneIn(4)
    configuration.settings.muteSilencesAlarms = random.oneIn(4)
    configuration.settings.ownsMixer = random.oneIn(5)
    configuration.settings.resumesOnReplug = random.oneIn(4)
    if random.oneIn(3) {
      configuration.settings.startCeiling = Level(percent: Int32(random.within(30...100)))
      configuration.settings.firstLevel = Level(percent: Int32(random.within(10...60)))
      configuration.settings.headphoneLimit = Level(sixteenths: Int32(random.within(6...14)))
    }
  }

  private mutating func add(_ role: Role, _ random: inout Random) {
    let debounce = configuration.timing.ticks(milliseconds: Int64(random.within(2...8) * 5))
    configuration.controls.append(Control(role: role, debounceTicks: debounce))
  }

  private mutating func drawButtons(_ random: inout Random) {
    if !random.oneIn(6) {
      add(.volumeUp, &random)
      if !random.oneIn(8) { add(.volumeDown, &random) }
    }
    if random.oneIn(2) {
      var knob = Control(role: .knob, debounceTicks: 0)
      knob.transitionsPerDetent = [1, 2, 4, 4][random.below(4)]
      knob.inverted = random.oneIn(3)
      knob.acceleration = random.oneIn(4) ? 4 : 1
      configuration.controls.append(knob)
      if random.oneIn(2) { add(.knobPush, &random) }
    }
    if !random.oneIn(3) {
      add(.mute, &random)
      configuration.controls[configuration.controls.count - 1].latching = random.oneIn(5)
    }
    if random.oneIn(2) { add(.silentSwitch, &random) }
    if random.oneIn(3) { add(.power, &random) }
    if random.oneIn(4) { add(.playPause, &random) }
    if random.oneIn(4) {
      add(.microphoneSwitch, &random)
      configuration.hasCaptureSwitch = random.oneIn(2)
    }
  }

  private mutating func drawOutputs(_ random: inout Random) {
    addOutput(.speaker, detect: nil, &random)
    if !random.oneIn(4) {
      var detect: UInt8?
      if !random.oneIn(8) {
        detect = UInt8(configuration.controls.count)
        add(.headphoneDetect, &random)
      }
      addOutput(.headphones, detect: detect, &random)
    }
    if random.oneIn(5) { addOutput(.line, detect: nil, &random) }
    if configuration.outputs.count == 1, random.oneIn(4) { drawBareOutput() }
  }

  /// A single output that only the gains of the sources can silence.
  private mutating func drawBareOutput() {
    configuration.outputs[0].hasSwitch = false
    configuration.outputs[0].amplifier = nil
  }

  private mutating func addOutput(_ kind: RouteKind, detect: UInt8?, _ random: inout Random) {
    let codec = drawCodec(&random)
    codecs.append(codec)
    let hasVolume = !random.oneIn(4)
    let cap = random.oneIn(4) ? Gain(millibels: Int32(-random.within(0...12)) * 100) : .unity
    let lowest = hasVolume ? codec.lowest : Codec.softvol.lowest
    var output = Output(
      kind: kind,
      hasVolume: hasVolume,
      hasSwitch: !random.oneIn(4),
      curve: Curve(lowest: lowest, top: hasVolume ? min(codec.highest, cap) : min(.unity, cap)),
      detect: detect,
      priority: Int32(random.below(3))
    )
    if random.oneIn(4) { output.maximumLevel = Level(percent: Int32(random.within(50...99))) }
    // Where the lowest value is mute, it serves as the switch; what can be silenced by nothing
    // would sound beside every other output, and no loader accepts it.
    if hasVolume, codec.lowestIsMute { output.hasSwitch = true }
    if random.oneIn(2) || !output.hasSwitch {
      output.amplifier = Amplifier(
        enableTicks: Tick(random.below(20)),
        disableTicks: Tick(random.below(4)),
        idleOffTicks: random.oneIn(4) ? 2_000 : 0,
        whenReleased: [.silent, .silent, .live, .unknown][random.below(4)]
      )
    }
    configuration.outputs.append(output)
  }

  /// Ranges of codecs that are sold: PCM512x, DA7212, WM8960, a small USB device, one without mute.
  private func drawCodec(_ random: inout Random) -> Codec {
    func codec(_ lowest: Int32, _ highest: Int32, _ step: Int32, _ mutes: Bool) -> Codec {
      Codec(
        lowest: Gain(millibels: lowest),
        highest: Gain(millibels: highest),
        stepMillibels: step,
        lowestIsMute: mutes
      )
    }
    switch random.below(5) {
    case 0: return codec(-10_350, 2_400, 50, true)
    case 1: return codec(-5_700, 600, 100, false)
    case 2: return codec(-7_300, 600, 100, true)
    case 3: return codec(-2_000, 0, 100, false)
    default: return codec(-5_950, 405, 50, false)
    }
  }

  private mutating func drawSources(_ random: inout Random) {
    addSource(.playback, player: true, atStart: !random.oneIn(3), &random)
    if random.oneIn(2) { addSource(.ringtone, player: false, atStart: false, &random) }
    if random.oneIn(3) { addSource(.alert, player: false, atStart: false, &random) }
    if random.oneIn(3) { addSource(.alarm, player: false, atStart: false, &random) }
    if random.oneIn(3) { addSource(.ambient, player: false, atStart: random.oneIn(2), &random) }
    if random.oneIn(4) { addSource(.soloAmbient, player: true, atStart: false, &random) }
    if random.oneIn(4) { addSource(.playback, player: true, atStart: false, &random) }
    if random.oneIn(4) { addSource(.systemSound, player: false, atStart: false, &random) }
    if random.oneIn(5) { addSource(.playAndRecord, player: false, atStart: false, &random) }
  }

  /// Any channels, any of them off; the device's own sounds are the last source.
  private mutating func drawFeedback(_ random: inout Random) {
    configuration.feedbackChannels = random.oneIn(3) ? drawChannels(&random) : .all
    if random.oneIn(3) {
      let on = drawChannels(&random)
      configuration.settings.feedback.ledPercent = on.contains(.led) ? 100 : 0
      configuration.settings.feedback.hapticPercent = on.contains(.haptic) ? 60 : 0
      configuration.settings.feedback.soundPercent = on.contains(.sound) ? 30 : 0
    }
    guard configuration.feedbackChannels.contains(.sound) else { return }
    configuration.soundSource = UInt8(configuration.sources.count)
    configuration.sources.append(Source(category: .systemSound, hasPlayer: true))
  }

  private func drawChannels(_ random: inout Random) -> FeedbackChannels {
    FeedbackChannels(rawValue: UInt8(random.below(8)))
  }

  private mutating func addSource(
    _ category: Category,
    player: Bool,
    atStart: Bool,
    _ random: inout Random
  ) {
    var source = Source(category: category, hasPlayer: player, playsAtStart: atStart)
    if category == .playAndRecord { source.mode = .voiceChat }
    if category == .playback, !atStart {
      source.isAdopted = player && random.oneIn(2)
      source.resumesAlways = random.oneIn(4)
      if random.oneIn(4) { source.options = random.oneIn(2) ? .duckOthers : .mixWithOthers }
    }
    if random.oneIn(4) { source.trim = Gain(millibels: Int32(-random.within(1...9)) * 100) }
    if random.oneIn(6) { source.pausesOnUnplug = false }
    if player && random.oneIn(3) { source.hasPlayer = false }
    configuration.sources.append(source)
  }
}
