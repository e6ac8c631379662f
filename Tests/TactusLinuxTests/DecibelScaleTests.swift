// SPDX-License-Identifier: Apache-2.0
//
// Raw values and gains, on the tables of real drivers: those of the boards' codecs, of USB devices
// and of softvol.

import TactusCore
import Testing

@testable import TactusLinux

/// A driver's table, as the kernel's macros write it into TLV words.
private indirect enum Table {
  /// Gain of the lowest raw value and per step.
  case scale(Int, step: Int, mute: Bool = false)
  /// Gain of the lowest and of the highest raw value.
  case span(Int, Int)
  /// The same, the lowest being silent.
  case spanWithMute(Int, Int)
  /// Parts, each with its raw values, the gain of the first and per step.
  case ranges([(raw: ClosedRange<Int>, Int, Int)])
  /// Gain of both ends; the amplitude, not the gain, is even between.
  case linear(Int, Int)

  var words: [UInt32] {
    switch self {
    case .scale(let lowest, let step, let mute):
      [1, 8, word(lowest), word(step | (mute ? 0x1_0000 : 0))]
    case .linear(let lowest, let highest): [2, 8, word(lowest), word(highest)]
    case .span(let lowest, let highest): [4, 8, word(lowest), word(highest)]
    case .spanWithMute(let lowest, let highest): [5, 8, word(lowest), word(highest)]
    case .ranges(let parts):
      [3, UInt32(parts.count * 24)]
        + parts.flatMap { raw, lowest, step in
          [word(raw.lowerBound), word(raw.upperBound)]
            + Table.scale(lowest, step: step, mute: lowest == -9_999_999).words
        }
    }
  }

  private func word(_ value: Int) -> UInt32 { UInt32(bitPattern: Int32(value)) }
}

/// What a control is known to do: its first raw value that is not silent, and its last.
private struct Fact: CustomTestStringConvertible {
  let name: String
  let raw: ClosedRange<Int32>
  let table: Table
  let from: (raw: Int32, millibels: Int32)
  let to: (raw: Int32, millibels: Int32)

  init(
    _ name: String,
    _ raw: ClosedRange<Int32>,
    _ table: Table,
    from: (Int32, Int32),
    to: (Int32, Int32)
  ) {
    self.name = name
    self.raw = raw
    self.table = table
    self.from = from
    self.to = to
  }

  var testDescription: String { name }

  static let all = [
    Fact(
      "bcm2835 PCM Playback Volume",
      -10_239...400,
      .scale(-10_239, step: 1, mute: true),
      from: (-10_238, -10_238),
      to: (400, 400)
    ),
    Fact("DA7212 Mic 1 Volume", 0...7, .scale(-600, step: 600), from: (0, -600), to: (7, 3_600)),
    Fact(
      "DA7212 Aux Volume",
      0...63,
      .ranges([(0...17, -5_400, 0), (18...63, -5_250, 150)]),
      from: (0, -5_400),
      to: (63, 1_500)
    ),
    Fact(
      "DA7212 Mixin PGA Volume",
      0...15,
      .scale(-450, step: 150),
      from: (0, -450),
      to: (15, 1_800)
    ),
    Fact(
      "DA7212 ADC Volume",
      0...127,
      .ranges([(0...7, -9_999_999, 0), (8...127, -7_800, 75)]),
      from: (8, -7_800),
      to: (127, 1_125)
    ),
    Fact(
      "DA7212 Headphone Volume",
      0...63,
      .scale(-5_700, step: 100),
      from: (0, -5_700),
      to: (63, 600)
    ),
    Fact(
      "DA7212 Lineout Volume",
      0...63,
      .scale(-4_800, step: 100),
      from: (0, -4_800),
      to: (63, 1_500)
    ),
    Fact(
      "DA7212 DAC EQ1 Volume",
      0...15,
      .scale(-1_050, step: 150),
      from: (0, -1_050),
      to: (15, 1_200)
    ),
    Fact(
      "DA7212 ToneGen Volume",
      0...15,
      .scale(-4_500, step: 300),
      from: (0, -4_500),
      to: (15, 0)
    ),
    Fact(
      "DA7212 ALC Noise Threshold Volume",
      0...63,
      .scale(-9_450, step: 150),
      from: (0, -9_450),
      to: (63, 0)
    ),
    Fact(
      "DA7212 ALC Max Attenuation Volume",
      0...15,
      .scale(0, step: 600),
      from: (0, 0),
      to: (15, 9_000)
    ),
    Fact(
      "DA7212 ALC Min Analog Gain Volume",
      0...7,
      .ranges([(0...0, -9_999_999, 0), (1...7, 0, 600)]),
      from: (1, 0),
      to: (7, 3_600)
    ),
    Fact(
      "MA120x0P A.Mstr Vol Volume",
      0...144,
      .scale(-14_400, step: 100),
      from: (0, -14_400),
      to: (144, 0)
    ),
    Fact(
      "MA120x0P B.L Vol Volume",
      0...50,
      .scale(-5_000, step: 100),
      from: (0, -5_000),
      to: (50, 0)
    ),
    Fact(
      "MA120x0P D.Lim thresh Volume",
      0...60,
      .scale(-5_000, step: 100),
      from: (0, -5_000),
      to: (60, 1_000)
    ),
    Fact(
      "PCM1792 DAC Playback Volume",
      0...240,
      .scale(-12_000, step: 50, mute: true),
      from: (1, -11_950),
      to: (240, 0)
    ),
    Fact(
      "PCM512x Digital Playback Volume",
      0...207,
      .scale(-10_350, step: 50, mute: true),
      from: (1, -10_300),
      to: (207, 0)
    ),
    Fact(
      "PCM512x Analogue Playback Volume",
      0...1,
      .scale(-600, step: 600),
      from: (0, -600),
      to: (1, 0)
    ),
    Fact(
      "PCM512x Analogue Playback Boost Volume",
      0...1,
      .scale(0, step: 80),
      from: (0, 0),
      to: (1, 80)
    ),
    Fact(
      "TPA6130A2 Headphone Playback Volume",
      0...63,
      .ranges([
        (0...1, -5_950, 600), (2...3, -5_000, 250), (4...5, -4_550, 160), (6...7, -4_140, 190),
        (8...9, -3_650, 120), (10...11, -3_330, 160), (12...13, -3_040, 180),
        (14...20, -2_710, 110), (21...37, -1_960, 74), (38...63, -720, 45),
      ]),
      from: (0, -5_950),
      to: (63, 405)
    ),
    Fact(
      "RT5645 Speaker Playback Volume",
      0...39,
      .scale(-4_650, step: 150),
      from: (0, -4_650),
      to: (39, 1_200)
    ),
    Fact(
      "RT5645 Speaker ClassD Playback Volume",
      0...7,
      .ranges([(0...4, -600, 150), (5...5, 82, 0), (6...6, 158, 0), (7...7, 228, 0)]),
      from: (0, -600),
      to: (7, 228)
    ),
    Fact(
      "RT5645 DAC1 Playback Volume",
      0...87,
      .scale(-6_525, step: 75),
      from: (0, -6_525),
      to: (87, 0)
    ),
    Fact(
      "RT5645 IN1 Boost",
      0...12,
      .ranges([
        (0...0, 0, 0), (1...1, 2_000, 0), (2...2, 2_400, 0), (3...5, 3_000, 500), (6...6, 4_400, 0),
        (7...7, 5_000, 0), (8...8, 5_200, 0),
      ]),
      from: (0, 0),
      to: (8, 5_200)
    ),
    Fact(
      "RT5645 IN2 Boost",
      0...8,
      .ranges([
        (0...0, 0, 0), (1...1, 2_000, 0), (2...2, 2_400, 0), (3...5, 3_000, 500), (6...6, 4_400, 0),
        (7...7, 5_000, 0), (8...8, 5_200, 0),
      ]),
      from: (0, 0),
      to: (8, 5_200)
    ),
    Fact(
      "RT5645 IN Capture Volume",
      0...31,
      .scale(-3_450, step: 150),
      from: (0, -3_450),
      to: (31, 1_200)
    ),
    Fact(
      "RT5645 ADC Capture Volume",
      0...63,
      .scale(-1_725, step: 75),
      from: (0, -1_725),
      to: (63, 3_000)
    ),
    Fact(
      "RT5645 ADC Boost Capture Volume",
      0...3,
      .scale(0, step: 1_200),
      from: (0, 0),
      to: (3, 3_600)
    ),
    Fact(
      "softvol −60 dB PCM",
      0...255,
      .scale(-6_000, step: 23),
      from: (0, -6_000),
      to: (255, -135)
    ),
    Fact("softvol PCM", 0...255, .scale(-5_100, step: 20), from: (0, -5_100), to: (255, 0)),
    Fact(
      "TAS5713 Master",
      0...248,
      .scale(-10_000, step: 50, mute: true),
      from: (1, -9_950),
      to: (248, 2_400)
    ),
    Fact(
      "AIC3104 PCM Playback Volume",
      0...127,
      .scale(-6_350, step: 50),
      from: (0, -6_350),
      to: (127, 0)
    ),
    Fact(
      "AIC3104 Left Line Mixer PGAR Bypass Volume",
      0...118,
      .scale(-5_900, step: 50, mute: true),
      from: (1, -5_850),
      to: (118, 0)
    ),
    Fact("AIC3104 Line Playback Volume", 0...9, .scale(0, step: 100), from: (0, 0), to: (9, 900)),
    Fact(
      "AIC3104 PGA Capture Volume",
      0...119,
      .scale(0, step: 50),
      from: (0, 0),
      to: (119, 5_950)
    ),
    Fact(
      "USB 151 steps Mic Playback Volume",
      0...127,
      .span(0, 2_381),
      from: (0, 0),
      to: (127, 2_381)
    ),
    Fact(
      "USB 151 steps Speaker Playback Volume",
      0...151,
      .span(-2_837, -6),
      from: (0, -2_837),
      to: (151, -6)
    ),
    Fact(
      "USB 151 steps Mic Capture Volume",
      0...16,
      .span(0, 2_381),
      from: (0, 0),
      to: (16, 2_381)
    ),
    Fact(
      "CM108 Mic Playback Volume",
      0...31,
      .spanWithMute(-2_300, 800),
      from: (1, -2_200),
      to: (31, 800)
    ),
    Fact(
      "CM108 Speaker Playback Volume",
      0...37,
      .spanWithMute(-3_700, 0),
      from: (1, -3_600),
      to: (37, 0)
    ),
    Fact(
      "CM108 Mic Capture Volume",
      0...35,
      .span(-1_200, 2_300),
      from: (0, -1_200),
      to: (35, 2_300)
    ),
    Fact(
      "D10s D10s  Playback Volume",
      0...127,
      .span(-12_700, 0),
      from: (0, -12_700),
      to: (127, 0)
    ),
    Fact(
      "USB headset Mic Playback Volume",
      0...43,
      .span(-1_400, 2_900),
      from: (0, -1_400),
      to: (43, 2_900)
    ),
    Fact(
      "USB headset Headphone Playback Volume",
      0...62,
      .span(-6_200, 0),
      from: (0, -6_200),
      to: (62, 0)
    ),
    Fact(
      "USB headset Mic Capture Volume",
      0...63,
      .span(-1_400, 4_900),
      from: (0, -1_400),
      to: (63, 4_900)
    ),
    Fact(
      "QEMU audio Audio Output Volume Control Playback Volume",
      0...256,
      .span(-12_799, 800),
      from: (0, -12_799),
      to: (256, 800)
    ),
    Fact(
      "WM8960 Left Input Boost Mixer LINPUT3 Volume",
      0...7,
      .scale(-1_500, step: 300, mute: true),
      from: (1, -1_200),
      to: (7, 600)
    ),
    Fact(
      "WM8960 Right Input Boost Mixer RINPUT1 Volume",
      0...3,
      .ranges([(0...1, 0, 1_300), (2...3, 2_000, 900)]),
      from: (0, 0),
      to: (3, 2_900)
    ),
    Fact(
      "WM8960 Playback Volume",
      0...255,
      .scale(-12_750, step: 50, mute: true),
      from: (1, -12_700),
      to: (255, 0)
    ),
    Fact(
      "WM8960 Headphone Playback Volume",
      0...127,
      .scale(-12_100, step: 100, mute: true),
      from: (1, -12_000),
      to: (127, 600)
    ),
    Fact(
      "WM8960 ADC PCM Capture Volume",
      0...255,
      .scale(-9_750, step: 50, mute: true),
      from: (1, -9_700),
      to: (255, 3_000)
    ),
    Fact(
      "WM8960 Left Output Mixer Boost Bypass Volume",
      0...7,
      .scale(-2_100, step: 300),
      from: (0, -2_100),
      to: (7, 0)
    ),
  ]
}

@Suite struct DecibelScaleTests {
  @Test("the tables of all known controls", arguments: Fact.all)
  private func facts(_ fact: Fact) {
    let scale = DecibelScale(table: fact.table.words, rawRange: fact.raw)
    #expect(scale.source == .driver)
    #expect(scale.rawMinimum == fact.raw.lowerBound)
    #expect(scale.rawMaximum == fact.to.raw)
    #expect(scale.lowestAudibleRaw == fact.from.raw)
    #expect(scale.lowest.millibels == fact.from.millibels)
    #expect(scale.highest.millibels == fact.to.millibels)
    #expect(scale.hasSilence == (fact.from.raw > fact.raw.lowerBound))
    #expect(scale.gain(atRaw: fact.raw.lowerBound).isSilence == scale.hasSilence)
    #expect(scale.gain(atRaw: Int32.max) == scale.highest)
  }

  @Test(
    "F43 no gain is ever above what was asked, and the next raw value would be",
    arguments: Fact.all
  )
  private func notAbove(_ fact: Fact) {
    let scale = DecibelScale(table: fact.table.words, rawRange: fact.raw)
    var previous = scale.rawMinimum
    for millibels in stride(from: Int32(-13_000), through: 10_000, by: 37) {
      let raw = scale.raw(notAbove: Gain(millibels: millibels))
      #expect(raw >= previous)
      previous = raw
      if millibels < scale.lowest.millibels {
        #expect(raw == scale.rawMinimum)
      } else {
        #expect(scale.gain(atRaw: raw).millibels <= millibels)
        #expect(raw == scale.rawMaximum || scale.gain(atRaw: raw + 1).millibels > millibels)
      }
    }
    #expect(scale.raw(notAbove: .silence) == scale.rawMinimum)
  }

  @Test("PCM512x: raw 0 is mute, 104 is −51.5 dB, 207 is 0 dB, a step is half a decibel")
  func pcm512x() {
    let scale = DecibelScale(
      table: Table.scale(-10_350, step: 50, mute: true).words,
      rawRange: 0...207
    )
    #expect(scale.gain(atRaw: 0) == .silence)
    #expect(scale.gain(atRaw: 104) == Gain(millibels: -5_150))
    #expect(scale.gain(atRaw: 207) == .unity)
    #expect(scale.stepMillibels == 50)
    #expect(scale.raw(notAbove: Gain(millibels: -5_150)) == 104)
    #expect(scale.raw(notAbove: Gain(millibels: -5_151)) == 103)
    #expect(scale.raw(notAbove: Gain(millibels: -10_300)) == 1)
    #expect(scale.raw(notAbove: Gain(millibels: -10_301)) == 0)
  }

  @Test("F43 what can amplify is capped at 0 dB by asking for 0 dB")
  func capped() {
    for (table, range, raw) in [
      (Table.scale(-10_239, step: 1, mute: true), Int32(-10_239)...400, Int32(0)),
      (.scale(-10_000, step: 50, mute: true), 0...248, 200),
      (.scale(-12_800, step: 50), 0...256, 256),
      (.scale(-10_350, step: 50, mute: true), 0...255, 207),
    ] {
      let scale = DecibelScale(table: table.words, rawRange: range)
      #expect(scale.raw(notAbove: .unity) == raw)
      #expect(scale.gain(atRaw: raw) == .unity)
    }
  }

  @Test("a flat part of a table gives its highest raw value")
  func flat() {
    let scale = DecibelScale(
      table: Table.ranges([(0...17, -5_400, 0), (18...63, -5_250, 150)]).words,
      rawRange: 0...63
    )
    #expect(scale.raw(notAbove: Gain(millibels: -5_400)) == 17)
    #expect(scale.raw(notAbove: Gain(millibels: -5_401)) == 0)
    #expect(scale.stepMillibels == 150)
  }

  @Test("a linear table is a gain for each raw value, the lowest silent where ALSA says so")
  func linear() {
    let scale = DecibelScale(table: Table.linear(-9_999_999, 0).words, rawRange: 0...100)
    #expect(scale.source == .driver)
    #expect(scale.gain(atRaw: 0) == .silence)
    #expect(scale.gain(atRaw: 50) == Gain(millibels: -602))
    #expect(scale.gain(atRaw: 10) == Gain(millibels: -2_000))
    #expect(scale.gain(atRaw: 100) == .unity)
  }
}

// MARK: - What the board file knows better

extension DecibelScaleTests {
  @Test("WM8960: raw 0 to 47 is silent whatever the driver says, 48 is −73 dB")
  func silentBelow() {
    let scale = DecibelScale(
      table: Table.scale(-12_100, step: 100, mute: true).words,
      rawRange: 0...127,
      correction: .init(silentUpToRaw: 47)
    )
    #expect(scale.lowestAudibleRaw == 48)
    #expect(scale.lowest == Gain(millibels: -7_300))
    #expect(scale.gain(atRaw: 47) == .silence)
    #expect(scale.raw(notAbove: Gain(millibels: -7_301)) == 0)
    #expect(scale.raw(notAbove: Gain(millibels: -7_300)) == 48)
    #expect(scale.raw(notAbove: .unity) == 121)
  }

  @Test("a raw value that is 0 dB shifts all others, but not silence")
  func rawZero() {
    let scale = DecibelScale(
      table: Table.scale(-10_350, step: 50, mute: true).words,
      rawRange: 0...255,
      correction: .init(rawAtZeroDecibels: 255)
    )
    #expect(scale.gain(atRaw: 255) == .unity)
    #expect(scale.gain(atRaw: 254) == Gain(millibels: -50))
    #expect(scale.gain(atRaw: 0) == .silence)
    #expect(scale.lowest == Gain(millibels: -12_700))
  }

  @Test("a board's own range counts, with and without a table")
  func ownRange() {
    for table in [[], Table.scale(-10_350, step: 50, mute: true).words] {
      let scale = DecibelScale(
        table: table,
        rawRange: 0...100,
        correction: .init(silentUpToRaw: 0, rangeMillibels: -5_000...500)
      )
      #expect(scale.source == .board)
      #expect(scale.hasSilence)
      #expect(scale.gain(atRaw: 1) == Gain(millibels: -4_945))
      #expect(scale.highest == Gain(millibels: 500))
    }
  }
}

// MARK: - Tables that are not believed

extension DecibelScaleTests {
  @Test("nonsense, emptiness and nothing fall back to raw steps, which rise evenly")
  func nonsense() {
    let tables: [(String, [UInt32])] = [
      ("none", []), ("cut off", [1, 8, 0]), ("longer than it is", [1, 800, 0, 0]),
      ("unknown", [99, 8, 0, 0]), ("100 023.99 dB", Table.span(0, 10_002_399).words),
      ("empty", Table.span(-12_799, -12_799).words), ("falling", Table.span(0, -6_000).words),
      ("all mute", Table.span(-9_999_999, -9_999_999).words),
      ("no step", Table.scale(0, step: 0).words),
      ("hole at the start", Table.ranges([(2...9, -600, 100)]).words),
      ("parts that overlap", Table.ranges([(0...4, 0, 100), (5...9, -600, 100)]).words),
    ]
    for (name, table) in tables {
      let scale = DecibelScale(table: table, rawRange: 0...10)
      #expect(scale.source == .rawSteps, "\(name)")
      #expect(scale.lowest == Gain(millibels: -2_400) && scale.highest == .unity)
      #expect(scale.gain(atRaw: 5) == Gain(millibels: -1_200))
      #expect(!scale.hasSilence)
      for raw in Int32(0)...10 { #expect(scale.raw(notAbove: scale.gain(atRaw: raw)) == raw) }
    }
  }

  @Test("any range and any words give a scale, and no trap")
  func wild() {
    var generator = SeededGenerator(seed: 7)
    let bounds: [Int32] = [Int32.min, -1, 0, 1, 100, Int32.max]
    for _ in 0..<200 {
      let words = (0..<Int.random(in: 0...12, using: &generator)).map { place in
        place < 2
          ? UInt32.random(in: 0...40, using: &generator)
          : UInt32.random(in: 0...UInt32.max, using: &generator)
      }
      let ends = [
        bounds.randomElement(using: &generator)!, Int32.random(in: -300...300, using: &generator),
      ]
      let lowest = ends.min()!
      let range = lowest...min(ends.max()!, lowest < 0 ? lowest + 300 : Int32.max)
      let scale = DecibelScale(table: words, rawRange: range)
      #expect(scale.lowest <= scale.highest)
      #expect(range.contains(scale.raw(notAbove: .unity)))
    }
    let alone = DecibelScale(table: [], rawRange: 5...5)
    #expect(alone.raw(notAbove: .unity) == 5 && alone.lowest == alone.highest)
    let wide = DecibelScale(table: [], rawRange: Int32.min...Int32.max)
    #expect(wide.rawMaximum < 0)
  }
}
