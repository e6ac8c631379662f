// SPDX-License-Identifier: Apache-2.0
//
// Work for the policy, so that a tick can be measured: every control in motion, every write
// answered, in every tick.

public import TactusCore

/// A policy with all its inputs active.
public struct PolicyLoad {
  private var policy: Policy
  private var inputs = Inputs(filler: .level(control: 0, state: 0))
  private var effects = Effects(filler: .readLevels)
  private let roles: [Role]
  /// The first inputs are an edge of each control.
  private var hasEdges = false
  /// How many writes the policy has asked for.
  public private(set) var writeCount = 0

  /// The device with every control that `configuration` has.
  public init(configuration: Configuration) {
    policy = Policy(configuration: configuration)
    roles = configuration.controls.indices.map { configuration.controls[$0].role }
    for control in configuration.controls.indices {
      let isKnob = configuration.controls[control].role == .knob
      inputs.append(.level(control: UInt8(control), state: isKnob ? 3 : 0))
    }
    for output in configuration.outputs.indices {
      inputs.append(.output(UInt8(output), present: true))
    }
  }

  /// Runs so many ticks, none of them idle: an edge of each control, then the answers to writes.
  ///
  /// What it costs to make these is measured too, so only edges that are others are made anew.
  public mutating func run(ticks: Tick) {
    let end = policy.now + ticks
    while policy.now < end {
      policy.tick(at: policy.now + 1, &inputs, &effects)
      makeEdges()
      for index in effects.indices {
        guard let answer = answer(to: effects[index]) else { continue }
        inputs.append(answer)
        writeCount += 1
      }
    }
  }

  private mutating func makeEdges() {
    if !hasEdges {
      hasEdges = true
      inputs.removeAll()
      for control in roles.indices {
        inputs.append(.edge(control: UInt8(control), state: state(control, roles[control])))
      }
      return
    }
    inputs.removeAll(from: roles.count)
    for control in roles.indices
    where roles[control] == .knob || policy.now & (rhythm(control) - 1) == 0 {
      inputs[control] = .edge(control: UInt8(control), state: state(control, roles[control]))
    }
  }

  private func answer(to effect: Effect) -> Input? {
    switch effect {
    case .gain(let output, let gain): .gain(output: output, gain)
    case .switched(let output, let on): .switched(output: output, on: on)
    case .amplifier(let output, let on): .amplifier(output: output, on: on)
    case .source(let source, let gain): .source(source, gain)
    default: nil
    }
  }

  /// A knob turns all the time; each contact changes in its own rhythm.
  private func state(_ control: Int, _ role: Role) -> UInt8 {
    if role == .knob {
      let circle: InlineArray<4, UInt8> = [3, 1, 0, 2]
      return circle[Int(policy.now & 3)]
    }
    return policy.now & rhythm(control) == 0 ? 0 : 1
  }

  /// For how many ticks a contact stays as it is, a power of 2.
  private func rhythm(_ control: Int) -> Tick { 16 &<< Tick(control % 6) }
}

extension Configuration {
  /// A device with one control of every role, a speaker, headphones, and three sources.
  public static var everything: Configuration {
    var configuration = Configuration()
    for role in Role.allCases { configuration.controls.append(Control(role: role)) }
    let curve = Curve(lowest: Gain(millibels: -10_300), top: .unity)
    let detect = configuration.control(.headphoneDetect).map { UInt8($0) }
    configuration.outputs.append(
      Output(kind: .speaker, hasVolume: true, hasSwitch: true, curve: curve, priority: 1)
    )
    configuration.outputs.append(
      Output(kind: .headphones, hasVolume: true, hasSwitch: true, curve: curve, detect: detect)
    )
    configuration.sources.append(Source(category: .playback, playsAtStart: true))
    configuration.sources.append(Source(category: .ringtone))
    configuration.sources.append(Source(category: .alarm))
    return configuration
  }

  /// The same device with so many sessions that all sound together, 1…32.
  public static func everything(sounding sessions: Int) -> Configuration {
    var configuration = Configuration.everything
    configuration.sources.removeAll()
    for _ in 0..<sessions {
      configuration.sources.append(Source(category: .ambient, playsAtStart: true))
    }
    return configuration
  }
}
