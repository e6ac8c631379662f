// SPDX-License-Identifier: Apache-2.0
//
// Whole scenes, compared tick by tick with the files in Transcripts. A change of behaviour is seen
// there as a difference: TACTUS_RECORD=1 writes them anew.

import Foundation
import Testing

@testable import TactusCore

@Suite struct TranscriptTests {
  @Test("T-7 VOL-8 the scene of a boot with the hardware at 100 % and 35 % stored")
  func boot() throws {
    var saved = Saved()
    saved.levels[0] = Level(percent: 35)
    var configuration = Configuration.full()
    configuration.outputs[0].amplifier = Amplifier(enableTicks: 4, disableTicks: 2)
    var bench = Bench(configuration, saved: saved, starts: false)
    for index in configuration.controls.indices {
      let isKnob = configuration.controls[index].role == .knob
      bench.give(.level(control: UInt8(index), state: isKnob ? 3 : 0))
    }
    bench.wait(50)
    for output: UInt8 in 0...1 { bench.give(.output(output, present: true)) }
    bench.wait(1_000)
    try expect(bench, toMatch: "boot")
  }

  @Test("VOL-1 the scene of a press whose contact bounces, and of one that is held")
  func press() throws {
    var bench = Bench(.full())
    bench.play(
      .volumeUp,
      [(0, 1), (0.4, 0), (0.9, 1), (6, 0), (6.3, 1), (90, 0), (90.8, 1), (91.6, 0)]
    )
    bench.wait(200)
    bench.press(.volumeDown, for: 700)
    bench.wait(1_000)
    try expect(bench, toMatch: "press")
  }

  @Test("RTE-2 the scene of headphones pulled with chatter, and of a player that answers")
  func unplug() throws {
    var bench = Bench(.full())
    bench.plug(true)
    bench.play(.headphoneDetect, [(0, 0), (3, 1), (9, 0), (60, 1), (62, 0)])
    bench.wait(400)
    bench.session(0, .pauseAnswered)
    bench.wait(300)
    bench.session(0, .play)
    bench.wait(300)
    try expect(bench, toMatch: "unplug")
  }

  @Test("SIL-4 the scene of an alarm under the soft mute")
  func alarm() throws {
    var bench = Bench(.full())
    bench.press(.mute)
    bench.wait(200)
    bench.session(2, .activate)
    bench.wait(500)
    bench.press(.volumeUp)
    bench.session(2, .deactivateNotifying)
    bench.wait(300)
    bench.press(.mute)
    bench.wait(400)
    try expect(bench, toMatch: "alarm")
  }

  @Test("VOL-13 the scene of crossing the headphone limit")
  func limit() throws {
    var bench = Bench(.full())
    bench.plug(true)
    bench.ask(.setLevel(.system, .full))
    bench.press(.volumeUp)
    bench.wait(500)
    bench.press(.volumeUp)
    bench.wait(1_000)
    try expect(bench, toMatch: "limit")
  }

  @Test("CTL-7 the scene of switching off")
  func powerOff() throws {
    var configuration = Configuration.full()
    configuration.outputs[0].amplifier = Amplifier(enableTicks: 4, disableTicks: 2)
    var bench = Bench(configuration)
    bench.press(.power, for: 2_100)
    bench.wait(500)
    try expect(bench, toMatch: "power-off")
  }

  private func expect(_ bench: Bench, toMatch name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Transcripts/\(name).txt")
    let transcript = bench.transcript
    if ProcessInfo.processInfo.environment["TACTUS_RECORD"] == "1" {
      try transcript.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let pairs = zip(transcript.split(separator: "\n"), recorded.split(separator: "\n"))
    for (now, before) in pairs where now != before {
      Issue.record("\(name).txt says\n\(before)\nbut now it is\n\(now)")
      return
    }
    #expect(transcript == recorded, "\(name).txt has other ends; TACTUS_RECORD=1 writes it anew")
  }
}
