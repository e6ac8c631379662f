// SPDX-License-Identifier: Apache-2.0
//
// Commands, alarms, adopted players, the microphone, hints, and what outlives a restart.

import Testing

@testable import TactusCore

@Suite("Commands and players")
struct CommandTests {
  private func bench(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
    var configuration = Configuration.full(playing: false)
    configuration.sources.removeAll()
    change(&configuration)
    return Bench(configuration)
  }

  /// Commands delivered since a tick, with their sessions.
  private func delivered(_ bench: Bench, since tick: Tick) -> [UInt8] {
    bench.history.compactMap { entry in
      guard entry.tick > tick, case .command(let place, _, _) = entry.effect else { return nil }
      return place
    }
  }

  // MARK: Whom a command reaches

  @Test("CTL-2 the newest nonmixable that plays comes before the newest mixable")
  func recipient() {
    var bench = bench()
    let ambient = bench.start("ambient")
    let music = bench.start("playback")
    let mixing = bench.start("mixing")
    _ = bench.start("alert")
    var since = bench.policy.now
    bench.ask(.command(.next))
    #expect(delivered(bench, since: since) == [music])
    bench.ask(.session(music, .deactivate))
    since = bench.policy.now
    bench.ask(.command(.next))
    #expect(delivered(bench, since: since) == [mixing])
    bench.ask(.session(mixing, .deactivate))
    bench.ask(.command(.next))
    #expect(delivered(bench, since: since) == [mixing, ambient])
  }

  @Test("CTL-2 what played last gets commands for 10 minutes; then nobody does")
  func context() {
    for (minutes, reaches) in [(9, true), (11, false)] {
      var bench = bench()
      let music = bench.start("playback")
      bench.ask(.command(.pause))
      bench.wait(100)
      let since = bench.policy.now
      bench.tick(at: bench.policy.now + Tick(minutes) * 12_000)
      bench.ask(.command(.toggle))
      #expect(delivered(bench, since: since) == (reaches ? [music] : []))
      #expect(bench.snapshot.sources[Int(music)].isPlaying == reaches)
      let dropped = bench.count(since: since) {
        if case .undelivered(.toggle, .nobody, _) = $0 { true } else { false }
      }
      #expect(dropped == (reaches ? 0 : 1))
    }
  }

  @Test("CTL-2 never to a session that has not played, an alert or a closed one")
  func nobody() {
    var bench = bench()
    _ = bench.open("playback")
    _ = bench.start("ringtone")
    let gone = bench.start("ambient")
    bench.session(gone, .died)
    let since = bench.policy.now
    bench.ask(.command(.pause))
    #expect(delivered(bench, since: since).isEmpty)
  }

  @Test("CTL-3 what a session does not support does nothing, and is told to nobody else")
  func unsupported() {
    var bench = bench()
    let music = bench.start("playback")
    bench.ask(.setCommands(music, CommandSet.none.with(.play).with(.pause)))
    let since = bench.policy.now
    bench.ask(.command(.next))
    bench.ask(.command(.stop))
    #expect(delivered(bench, since: since).isEmpty)
    #expect(bench.snapshot.sources[Int(music)].isPlaying)
    bench.ask(.command(.toggle))
    #expect(delivered(bench, since: since) == [music])
    #expect(!bench.snapshot.sources[Int(music)].isPlaying)
  }

  @Test("CTL-2 SES-6 play under a call is dropped as busy, under an alarm it waits")
  func playUnderOthers() {
    for (name, reason) in [("call", Undelivered.busy), ("alarm", .held)] {
      var bench = bench()
      let music = bench.start("playback")
      let other = bench.start(name)
      let since = bench.policy.now
      // A call plays itself, and is what a command goes to.
      if name == "call" { bench.ask(.session(other, .notPlaying)) }
      bench.tick(at: bench.policy.now + 1)
      bench.ask(.session(other, .notPlaying))
      bench.ask(.command(.play))
      let told = bench.history.contains { entry in
        if case .undelivered(.play, reason, _) = entry.effect { return entry.tick > since }
        return false
      }
      let toOther = delivered(bench, since: since) == [other]
      #expect(told || toOther)
      #expect(!bench.snapshot.sources[Int(music)].isPlaying)
    }
  }

  // MARK: Alarms (SES-17)

  @Test("SES-17 stop, pause, toggle and the mute button end the newest alarm, and nothing else")
  func endsAlarms() {
    for act in 0..<4 {
      var bench = bench()
      let music = bench.start("playback")
      let old = bench.start("alarm")
      let new = bench.start("alarm")
      for (alarm, remains) in [(new, true), (old, false)] {
        switch act {
        case 0: bench.ask(.command(.stop))
        case 1: bench.ask(.command(.pause))
        case 2: bench.ask(.command(.toggle))
        default: bench.press(.mute)
        }
        #expect(!bench.snapshot.sources[Int(alarm)].isActive)
        #expect(!bench.snapshot.isMuted)
        #expect(bench.snapshot.sources[Int(old)].isActive == remains)
      }
      #expect(bench.snapshot.sources[Int(music)].isPlaying)
      let told = bench.count {
        if case .interruptionBegan(_, .byPerson, _, .ses17) = $0 { true } else { false }
      }
      #expect(told == 2)
    }
  }

  @Test("SES-17 an alarm that is not heard does not take the mute button")
  func silentAlarm() {
    var bench = bench { $0.settings.muteSilencesAlarms = true }
    let alarm = bench.start("alarm")
    bench.ask(.setMute(true))
    bench.wait(200)
    bench.press(.mute)
    #expect(!bench.snapshot.isMuted && bench.snapshot.sources[Int(alarm)].isActive)
  }

  @Test("SES-2 SES-12 an alarm against everything: music, ring, call, mute, full table")
  func alarm() {
    var bench = bench()
    for index in 0..<27 { _ = bench.open(NamedKind.named("ambient").source, peer: UInt16(index)) }
    let music = bench.start("playback")
    bench.ask(.setMute(true))
    bench.wait(200)
    let alarm = bench.start("alarm")
    bench.wait(300)
    #expect(bench.hears(Int(alarm)) && !bench.hears(Int(music)))
    let call = bench.start("call")
    bench.wait(500)
    #expect(bench.snapshot.sources[Int(alarm)].duck.millibels == -2_000)
    #expect(!bench.hears(Int(call)))
    bench.ask(.setMute(false))
    bench.wait(500)
    #expect(bench.hears(Int(call)) && bench.hears(Int(alarm)))
  }

  @Test("RTE-7 an alarm sounds on the speaker as well as on headphones, but not beside a call")
  func alarmOnSpeaker() {
    var bench = bench()
    bench.plug(true)
    let music = bench.start("playback")
    bench.wait(400)
    #expect(!bench.isOpen(0))
    let alarm = bench.start("alarm")
    bench.wait(300)
    #expect(bench.hears(Int(alarm), at: 0) && bench.hears(Int(alarm), at: 1))
    #expect(!bench.hears(Int(music)))
    // Pulling the headphones does not touch the alarm on the speaker.
    bench.set(.headphoneDetect, false)
    for _ in 0..<100 {
      bench.tick()
      #expect(bench.hears(Int(alarm), at: 0))
    }
    bench.plug(true)
    let call = bench.start("call")
    bench.wait(300)
    #expect(!bench.isOpen(0) && bench.hears(Int(call), at: 1))
  }

  @Test("SIL-4 beside an alarm on the speaker the mute holds at the source while a plug is pulled")
  func muteBesideAlarm() {
    var bench = bench()
    bench.plug(true)
    let call = Int(bench.start("call"))
    let alarm = Int(bench.start("alarm"))
    bench.ask(.setMute(true))
    bench.wait(500)
    #expect(bench.hears(alarm, at: 0) && !bench.hears(call))
    bench.set(.headphoneDetect, false)
    for _ in 0..<100 {
      #expect(bench.hears(alarm, at: 0) && !bench.hears(call), "tick \(bench.policy.now)")
      bench.tick()
    }
  }

  @Test(
    "RTE-7 an alarm comes to the speaker when the others are silent, also while the loop sleeps"
  )
  func alarmAwaitsSilence() throws {
    var bench = bench()
    bench.plug(true)
    // The codec has no way to go, so that nothing else wakes the loop.
    bench.ask(.setLevel(.system, bench.snapshot.ringer))
    _ = bench.start("call")
    let alarm = Int(bench.start("alarm"))
    bench.wait(1_000)
    #expect(!bench.isOpen(0))
    let start = bench.policy.now
    bench.ask(.setMute(true))
    while bench.policy.now < start + 200, bench.wake() {}
    let opened = try #require(
      bench.ticks(since: start) { $0 == .switched(output: 0, on: true) }.first
    )
    // Its fade of 50 ms, and one PCM buffer.
    #expect(opened - start <= 18)
    #expect(bench.hears(alarm, at: 0))
  }

  @Test("RTE-7 VOL-16 on the speaker alone an alarm keeps to the limit of that speaker")
  func alarmOnCappedSpeaker() {
    var bench = bench { configuration in
      for index in configuration.outputs.indices {
        configuration.outputs[index].hasVolume = false
        let top = Gain(millibels: index == 0 ? -3_000 : 0)
        configuration.outputs[index].curve = Curve(lowest: Gain(millibels: -6_000), top: top)
      }
    }
    bench.plug(true)
    let alarm = Int(bench.start("alarm"))
    bench.wait(500)
    #expect(bench.hears(alarm, at: 0) && bench.hears(alarm, at: 1))
    bench.set(.headphoneDetect, false)
    for _ in 0..<100 {
      bench.tick()
      #expect(bench.loudness(alarm, at: 0)! <= -3_000)
    }
  }

  // MARK: Adopted players (SES-13)

  private func adopted() -> Bench {
    bench { configuration in
      configuration.sources.append(Source(category: .playback, hasPlayer: true, isAdopted: true))
    }
  }

  private func pauses(_ bench: Bench) -> Int {
    bench.count { if case .pause(source: 0) = $0 { true } else { false } }
  }

  private func resumes(_ bench: Bench) -> Int {
    bench.count { if case .resume(source: 0) = $0 { true } else { false } }
  }

  @Test("SES-13 an interrupted player gets one Pause; when it has answered it is resumed")
  func pausedAndResumed() {
    var bench = adopted()
    bench.session(0, .playing)
    #expect(bench.snapshot.sources[0].isActive)
    let call = bench.start("call")
    #expect(pauses(bench) == 1)
    bench.wait(100)
    bench.session(0, .notPlaying)
    bench.wait(2_000)
    bench.ask(.session(call, .deactivateNotifying))
    #expect(resumes(bench) == 1 && bench.snapshot.sources[0].isPlaying)
    bench.session(0, .playing)
    #expect(pauses(bench) == 1 && resumes(bench) == 1)
  }

  @Test("SES-13 one that never answers is silent, and stays so until a person plays it")
  func neverAnswers() {
    var bench = adopted()
    bench.session(0, .playing)
    bench.wait(300)
    let call = bench.start("call")
    bench.wait(1_500)
    #expect(bench.hardware.sources[0].isSilence)
    bench.ask(.session(call, .deactivateNotifying))
    bench.wait(500)
    #expect(bench.hardware.sources[0].isSilence && resumes(bench) == 0)
    bench.ask(.session(0, .play))
    bench.wait(300)
    #expect(bench.hears(0))
  }

  @Test("SES-13 a Playing within 500 ms of our Pause is late, after that it is a person's")
  func latePlaying() {
    for (delay, isPerson) in [(490 as Int64, false), (510, true)] {
      var bench = adopted()
      bench.session(0, .playing)
      let other = bench.start("playback")
      bench.wait(delay)
      bench.session(0, .playing)
      #expect(bench.snapshot.sources[0].isActive == isPerson)
      #expect(bench.snapshot.sources[Int(other)].isActive == !isPerson)
    }
  }

  @Test("SES-13 under a call a Playing gets one further Pause, then it plays on in silence")
  func noFight() {
    var bench = adopted()
    bench.session(0, .playing)
    bench.wait(300)
    _ = bench.start("call")
    bench.session(0, .notPlaying)
    for _ in 0..<4 {
      bench.wait(700)
      bench.session(0, .playing)
      bench.wait(700)
      #expect(bench.hardware.sources[0].isSilence)
    }
    #expect(pauses(bench) == 2)
  }

  @Test("SES-13 a pause by a person makes it user-paused: it is not resumed")
  func userPaused() {
    var bench = adopted()
    bench.session(0, .playing)
    bench.session(0, .notPlaying)
    let ring = bench.start("ringtone")
    bench.wait(300)
    bench.ask(.session(ring, .deactivateNotifying))
    #expect(resumes(bench) == 0 && !bench.snapshot.sources[0].isPlaying)
  }

  @Test("RTE-2 RTE-3 an unplug also takes the resumption of what was interrupted")
  func unplugWhilePending() {
    for resumesOnReplug in [false, true] {
      var bench = bench {
        $0.settings.resumesOnReplug = resumesOnReplug
        $0.sources.append(Source(category: .playback, hasPlayer: true, isAdopted: true))
      }
      bench.plug(true)
      bench.session(0, .playing)
      let call = bench.start("call")
      bench.session(0, .notPlaying)
      bench.plug(false)
      bench.ask(.session(call, .deactivateNotifying))
      #expect(resumes(bench) == 0 && !bench.snapshot.sources[0].isPlaying)
    }
  }

  // MARK: Microphone (SES-10)

  private func withMicrophone() -> Bench {
    bench {
      $0.controls.append(Control(role: .microphoneSwitch))
      $0.hasCaptureSwitch = true
    }
  }

  @Test("SES-10 the switch interrupts what records, and its opening resumes and re-opens nothing")
  func microphoneSwitch() {
    var bench = withMicrophone()
    #expect(bench.snapshot.isCaptureOn == true)
    let memo = bench.start("recordMixing")
    let music = bench.start("ambient")
    bench.set(.microphoneSwitch, true)
    bench.wait(50)
    #expect(bench.snapshot.sources[Int(memo)].interruption == .microphoneMuted)
    #expect(bench.snapshot.sources[Int(music)].isActive)
    #expect(bench.snapshot.isCaptureOn == false)
    #expect(bench.ask(.session(memo, .activate)) == .microphoneMuted)
    #expect(bench.feedback().last == .failure)
    let since = bench.policy.now
    bench.set(.microphoneSwitch, false)
    bench.wait(200)
    let told = bench.count(since: since) {
      if case .interruptionEnded(memo, false, .ses10) = $0 { true } else { false }
    }
    #expect(told == 1 && !bench.snapshot.sources[Int(memo)].isActive)
    #expect(bench.snapshot.isCaptureOn == false)
    #expect(bench.ask(.session(memo, .activate)) == .done)
    bench.wait(20)
    #expect(bench.snapshot.isCaptureOn == true)
  }

  @Test("SES-10 with the override a session goes on, and starts, with silent input")
  func override() {
    var bench = withMicrophone()
    var source = NamedKind.named("call").source
    source.overridesMutedMicrophone = true
    let call = bench.open(source)!
    bench.ask(.session(call, .activate))
    bench.set(.microphoneSwitch, true)
    bench.wait(50)
    #expect(bench.snapshot.sources[Int(call)].isActive && bench.snapshot.isCaptureOn == false)
    bench.ask(.session(call, .deactivate))
    #expect(bench.ask(.session(call, .activate)) == .done)
    #expect(bench.snapshot.isCaptureOn == false)
    bench.set(.microphoneSwitch, false)
    bench.wait(50)
    #expect(bench.snapshot.isCaptureOn == false)
  }

  @Test("SES-10 SIL-2 a switch that is closed at the start has closed the capture path")
  func closedAtStart() {
    var configuration = Configuration.full(playing: false)
    configuration.controls.append(Control(role: .lid))
    configuration.hasCaptureSwitch = true
    var bench = Bench(configuration, starts: false)
    bench.give(.level(control: bench.index(.lid), state: 1))
    bench.wait(100)
    #expect(bench.snapshot.isMicrophoneMuted && bench.snapshot.isCaptureOn == false)
    let opened = bench.count { $0 == .capture(on: true) }
    #expect(opened == 0)
  }

  // MARK: Hints (SES-9)

  @Test("SES-9 mixable sessions are told once when a nonmixable one plays, and once when it ends")
  func hints() {
    var bench = bench()
    let ambient = bench.start("ambient")
    let idle = bench.open("ambient")
    let music = bench.start("playback")
    bench.wait(100)
    bench.ask(.session(music, .notPlaying))
    bench.ask(.session(music, .playing))
    bench.ask(.session(music, .deactivate))
    bench.wait(100)
    let hints = bench.history.compactMap { entry -> Bool? in
      guard case .hint(let place, let isOn) = entry.effect else { return nil }
      #expect(place == ambient && place != idle)
      return isOn
    }
    #expect(hints == [true, false, true, false])
  }

  // MARK: Restart (SES-18)

  @Test("SES-18 what Tactus paused resumes 60 s after a restart, if its holder does not return")
  func restart() {
    for returns in [false, true] {
      var before = adopted()
      before.session(0, .playing)
      _ = before.start("alarm")
      before.session(0, .notPlaying)
      #expect(before.policy.pausedSources == 1)
      var bench = adopted()
      bench.policy = Policy(configuration: bench.policy.configuration, paused: 1)
      for index in bench.policy.configuration.controls.indices {
        let isKnob = bench.policy.configuration.controls[index].role == .knob
        bench.give(.level(control: UInt8(index), state: isKnob ? 3 : 0))
      }
      bench.give(.output(0, present: true))
      bench.wait(59_900)
      #expect(bench.snapshot.sources[0].interruption == .otherSession)
      let alarm = returns ? bench.start("alarm") : 0
      bench.wait(300)
      #expect(bench.snapshot.sources[0].isPlaying == !returns)
      #expect(resumes(bench) == (returns ? 0 : 1))
      if returns {
        bench.ask(.session(alarm, .deactivateNotifying))
        #expect(resumes(bench) == 1)
      }
    }
  }
}
