// SPDX-License-Identifier: Apache-2.0
//
// A board's real lines and cards.

import TactusCore
import TactusLinux

/// Lines by libgpiod, controls by ALSA, and what tells that they came or went.
final class BoardHardware: Hardware {
  /// First and longest pause between two searches for what is missing, beside the kernel's own
  /// word.
  private static let retryNanoseconds: ClosedRange<UInt64> = 1_000_000_000...60_000_000_000

  private let board: Board
  private let contacts: Contacts
  private let inputDevices: InputDevices
  private let feedback: FeedbackPlayer
  private let mixer: Mixer
  private let runtimeFolder: String
  private var folders: FolderWatch?
  private var streams: StreamWatch?
  private var sounds: SoundPlayer?
  private var isFollowingControl: [Bool]
  private var isFollowingCard: [Bool]
  private var isFollowingDevice = [Bool](repeating: false, count: InputDevices.placeCount)
  private var pause = BoardHardware.retryNanoseconds.lowerBound
  private(set) var retryNanoseconds: UInt64?
  private var messages: [String] = []
  private var isPublished = false
  private var isStreaming = false
  /// A session that says what it does has the floor, so that the stream may be its own.
  private var hasActiveSession = false
  private var answers: [Input] = []

  init(board: Board, runtimeFolder: String) throws(SystemError) {
    self.board = board
    self.runtimeFolder = runtimeFolder
    contacts = Contacts(board: board)
    inputDevices = InputDevices(board: board)
    feedback = try FeedbackPlayer(board: board)
    mixer = Mixer(board: board)
    isFollowingControl = [Bool](repeating: false, count: board.controls.count)
    isFollowingCard = [Bool](repeating: false, count: mixer.linkCount)
  }

  func start(_ loop: EventLoop) {
    do throws(SystemError) {
      let watch = try FolderWatch()
      try loop.add(watch.descriptor, token: Token.folders)
      for folder in ["/dev", SoundCard.deviceDirectory] { _ = try? watch.add(folder) }
      folders = consume watch
      try loop.add(feedback.descriptor, token: Token.feedback)
    } catch {
      messages.append(error.description)
    }
    if !board.sounds.isEmpty {
      sounds = SoundPlayer(
        sounds: board.sounds,
        percent: board.configuration.settings.feedback.soundPercent,
        loop: loop,
        token: Token.sounds
      )
    }
    search(loop)
    schedule(at: MonotonicClock.now())
  }

  // MARK: What comes and goes

  func retry(_ loop: EventLoop, at now: UInt64) {
    guard let due = retryNanoseconds, now >= due else { return }
    search(loop)
    schedule(at: now)
  }

  private func search(_ loop: EventLoop) {
    contacts.request()
    mixer.probe()
    // They come and go as their devices do.
    for folder in inputDevices.folders + feedback.folders { _ = try? folders?.add(folder) }
    inputDevices.search()
    feedback.search()
    follow(loop)
  }

  private func schedule(at now: UInt64) {
    guard isIncomplete else {
      retryNanoseconds = nil
      pause = BoardHardware.retryNanoseconds.lowerBound
      return
    }
    retryNanoseconds = now + pause
    pause = min(pause * 2, BoardHardware.retryNanoseconds.upperBound)
  }

  private var isIncomplete: Bool {
    contacts.isIncomplete || mixer.isIncomplete || inputDevices.isIncomplete
      || feedback.isIncomplete
  }

  /// Waits for every descriptor that is new, and tells players when sound is possible.
  private func follow(_ loop: EventLoop) {
    for control in isFollowingControl.indices {
      let descriptors = contacts.descriptors(of: control)
      if !isFollowingControl[control] {
        for descriptor in descriptors {
          try? loop.add(descriptor, token: Token.controls + UInt32(control))
        }
      }
      isFollowingControl[control] = !descriptors.isEmpty
    }
    for card in isFollowingCard.indices {
      let descriptor = mixer.descriptor(of: card)
      if let descriptor, !isFollowingCard[card] {
        try? loop.add(descriptor, token: Token.cards + UInt32(card), isDeferrable: true)
      }
      isFollowingCard[card] = descriptor != nil
    }
    for place in isFollowingDevice.indices {
      let descriptor = inputDevices.descriptor(at: place)
      if let descriptor, !isFollowingDevice[place] {
        try? loop.add(descriptor, token: Token.inputDevices + UInt32(place))
      }
      isFollowingDevice[place] = descriptor != nil
    }
    followPlayback(loop)
  }

  /// Publishes the players' configuration while their card is there (VOL-8a), and follows whether
  /// anything plays.
  private func followPlayback(_ loop: EventLoop) {
    guard let cardID = mixer.playbackCardID, let pcm = board.outputs.first?.pcm else {
      if isPublished { withdraw() }
      streams = nil
      setStreaming(false)
      return
    }
    if !isPublished { isPublished = publish(cardID, pcm) }
    guard streams == nil else { return }
    do throws(SystemError) {
      let watch = try StreamWatch(cardID: cardID, device: pcm.device)
      try loop.add(watch.descriptor, token: Token.streams)
      streams = consume watch
      takeStreams()
    } catch {
      messages.append(error.description)
    }
  }

  /// - Returns: whether players find what there is.
  private func publish(_ cardID: String, _ pcm: BoardPCM) -> Bool {
    let names = mixer.playerNames
    guard let standard = names.first(where: { $0 == "default" }) ?? names.first else {
      return false
    }
    let configuration = AsoundConfiguration(
      cardID: cardID,
      deviceNumber: Int32(pcm.device),
      format: pcm.format,
      rateHertz: pcm.rateHertz,
      volume: Mixer.sourceVolume,
      sources: names,
      defaultSource: standard,
      exclusiveSource: board.sources.first { $0.isExclusive }?.name
    )
    do throws(SystemError) {
      try configuration.publish(at: "\(runtimeFolder)/asound.conf")
      return true
    } catch {
      messages.append("\(error.description), players cannot find tactus:")
      return false
    }
  }

  /// What players find has changed.
  private func republish() {
    guard let cardID = mixer.playbackCardID, let pcm = board.outputs.first?.pcm else { return }
    isPublished = publish(cardID, pcm)
  }

  private func withdraw() {
    isPublished = false
    do throws(SystemError) {
      try AsoundConfiguration.withdraw(at: "\(runtimeFolder)/asound.conf")
    } catch {
      messages.append(error.description)
    }
  }

  // MARK: Sessions

  func open(source: Int, named name: String) -> BusRefusal? {
    if let source = board.sources.first(where: { $0.name == name }),
      source.isExclusive || source == .sounds
    {
      let owner = source.isExclusive ? "an exclusive source" : "the device itself"
      return BusRefusal(.nameInUse, "name: \(owner) has it (\(name)), choose another")
    }
    do throws(MixerError) {
      try mixer.open(source: source, named: name)
    } catch {
      return BusRefusal(.nameInUse, "name: not possible now (\(name)), \(error.description)")
    }
    for index in board.sources.indices where board.sources[index].name == name {
      answers.append(.session(UInt8(index), .died))
    }
    republish()
    return nil
  }

  func close(source: Int, at tick: Tick) {
    mixer.close(source: source, at: tick)
    republish()
  }

  // MARK: What happens

  func take(_ ready: EventLoop.Ready, _ loop: EventLoop) {
    switch ready.token {
    case Token.folders:
      _ = folders?.takeChanges()
      inputDevices.noteChange()
      search(loop)
      schedule(at: MonotonicClock.now())
    case Token.streams: takeStreams()
    case Token.sounds:
      takeSounds()
      takeStreams()
    case Token.feedback:
      feedback.takeEvents()
      missLamps()
    case Token.controls..<Token.cards:
      let control = Int(ready.token - Token.controls)
      contacts.takeEdges(of: control)
      if contacts.descriptors(of: control).isEmpty { lost(loop) }
    case Token.inputDevices...:
      let place = Int(ready.token - Token.inputDevices)
      inputDevices.takeEvents(at: place)
      if inputDevices.descriptor(at: place) == nil { lost(loop) }
    default: takeCard(Int(ready.token - Token.cards), loop)
    }
  }

  func takeDeferred(_ loop: EventLoop) {
    for card in isFollowingCard.indices where isFollowingCard[card] { takeCard(card, loop) }
  }

  private func takeCard(_ card: Int, _ loop: EventLoop) {
    mixer.takeEvents(of: card)
    if mixer.descriptor(of: card) == nil { lost(loop) }
  }

  /// Something went away: it is followed no more, and looked for.
  private func lost(_ loop: EventLoop) {
    follow(loop)
    pause = BoardHardware.retryNanoseconds.lowerBound
    schedule(at: MonotonicClock.now())
  }

  /// A lamp or motor that has gone is looked for soon.
  private func missLamps() {
    guard feedback.takeLoss() else { return }
    pause = BoardHardware.retryNanoseconds.lowerBound
    schedule(at: MonotonicClock.now())
  }

  /// A source that tells nobody what it does sounds while the card's PCM is open.
  private func takeStreams() {
    switch streams {
    case .some(let watch): setStreaming(watch.isOpen(), isOurs: sounds?.isRunning ?? false)
    case .none: setStreaming(false)
    }
  }

  /// The program that plays our own sounds knows whether it is alone; until it is prepared, or
  /// gone, nothing is known.
  private func setStreaming(_ isOpen: Bool, isOurs: Bool) {
    guard isOpen, isOurs, let sounds else { return setStreaming(isOpen) }
    if sounds.isPrepared { setStreaming(sounds.hasCompany) }
  }

  // MARK: Sounds

  /// Light and motor wait for a sound that is about to start; an unprepared one comes when it can.
  private func answer(_ type: Feedback, on channels: FeedbackChannels, at tick: Tick) {
    let hasSound = channels.contains(.sound)
    let awaits = hasSound && sounds?.isPrepared ?? false
    feedback.play(type, on: channels, at: tick, awaitsSound: awaits)
    if hasSound { play(type.sound) }
  }

  private func play(_ sound: UInt8) {
    sounds?.play(sound)
    if sounds?.hasEvents ?? true { takeSounds() }
  }

  func set(_ settings: FeedbackSettings, sounds: [BoardSound]) {
    feedback.set(settings)
    self.sounds?.set(sounds: sounds, percent: settings.soundPercent)
  }

  private func takeSounds() {
    guard let sounds else { return answers.append(.soundEnded) }
    for event in sounds.take() {
      switch event {
      case .ready: break
      case .started(let moment): feedback.soundStarts(atNanoseconds: moment)
      case .ended: answers.append(.soundEnded)
      case .failed(let what):
        feedback.soundFails()
        messages.append("sounds: \(what), going on without")
      }
    }
  }

  private func setStreaming(_ isOpen: Bool) {
    guard isOpen != isStreaming else { return }
    isStreaming = isOpen
    for index in board.sources.indices
    where board.sources[index].playsAtStart && !mixer.isTaken(source: index) {
      answers.append(.session(UInt8(index), isOpen ? .activate : .deactivateNotifying))
    }
  }

  var hasAnswers: Bool {
    contacts.hasAnswers || inputDevices.hasAnswers || mixer.hasAnswers || !answers.isEmpty
  }

  var nextTick: Tick? {
    var next = mixer.nextRemoval(whilePlaying: isStreaming)
    for event in [contacts.nextRelease, feedback.nextTick] {
      guard let event else { continue }
      next = min(next ?? event, event)
    }
    return next
  }

  func gather(at tick: Tick, into inputs: inout Inputs) {
    contacts.release(at: tick)
    feedback.advance(to: tick)
    mixer.removeLeft(at: tick, whilePlaying: isStreaming)
    mixer.gather(into: &inputs)
    contacts.gather(into: &inputs)
    inputDevices.gather(into: &inputs)
    if hasActiveSession { answers.removeAll { $0.isActivation } }
    var taken = 0
    while taken < answers.count, inputs.append(answers[taken]) { taken += 1 }
    answers.removeFirst(taken)
  }

  func apply(_ effects: Effects, at tick: Tick) {
    var readsLevels = false
    for index in effects.indices {
      switch effects[index] {
      case .amplifier(let output, let on): contacts.setAmplifier(Int(output), on)
      case .prepareFeedback: sounds?.prepare()
      case .playSound(let sound): play(sound)
      case .feedback(let type, let channels): answer(type, on: channels, at: tick)
      case .readLevels: readsLevels = true
      default: _ = mixer.apply(effects[index])
      }
    }
    // Last: a person waits for what is written, nobody for what is read.
    guard readsLevels else { return }
    contacts.readLevels()
    mixer.readLevels()
  }

  var facts: DaemonFacts {
    DaemonFacts(edges: contacts.counts, foreignMoves: mixer.foreignMoves)
  }

  func edges(after number: UInt32) -> String? { contacts.edges(after: number) }

  func show(_ snapshot: Snapshot) {
    contacts.show(snapshot)
    feedback.show(snapshot)
    missLamps()
    hasActiveSession = snapshot.sources.indices.contains { place in
      guard place < board.sources.count else { return snapshot.sources[place].isActive }
      return board.sources[place].player != nil && snapshot.sources[place].isPlaying
    }
  }

  func takeMessages() -> [String] {
    defer { messages.removeAll() }
    return messages + contacts.takeMessages() + inputDevices.takeMessages()
      + feedback.takeMessages() + mixer.takeMessages()
  }

  func touch(_ touch: Touch, at tick: Tick) -> BusRefusal? {
    guard case .press(let control, let ticks) = touch else {
      return BusRefusal(.notOnThisDevice, "control: real, move it by hand")
    }
    contacts.press(control, until: tick + ticks)
    return nil
  }

  func finish() {
    feedback.finish()
    if isPublished { withdraw() }
  }
}

extension Input {
  /// A source that tells nothing is taken to sound.
  fileprivate var isActivation: Bool {
    if case .session(_, .activate) = self { true } else { false }
  }
}
