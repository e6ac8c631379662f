// SPDX-License-Identifier: Apache-2.0
//
// Who has the floor: sessions that start, interrupt each other, wait, resume and end. The questions
// of who is admitted beside whom are answered in `Admission`; here is what follows from the
// answers.
//
// An interruption belongs to the one interrupted: it knows its holders, and ends when the last of
// them goes. A session that starts takes hold of everyone whom it would interrupt, also of those
// who are pending already, so that no end of an inner interruption resumes what an outer one holds
// (SES-5).

extension Policy {
  // MARK: What sessions, players and people do

  mutating func takeSessions(_ inputs: inout Inputs, _ effects: inout Effects) {
    for index in inputs.indices {
      guard case .session(let source, let event) = inputs.elements[index] else { continue }
      _ = take(event, ofSession: Int(source), &effects)
    }
  }

  /// What follows from all that happened to the sessions in a tick.
  mutating func settleSessions(_ effects: inout Effects) {
    elapseFormerHolders(&effects)
    beginInfluences(&effects)
    tellHints(&effects)
  }

  /// Takes what a session, its player or a person did.
  mutating func take(_ event: SessionEvent, ofSession index: Int, _ effects: inout Effects) -> Reply
  {
    guard index < configuration.sources.count, sessions[index].isOpen else { return .noSuchSource }
    let wasSounding = sessions[index].isSounding
    let reply = act(on: event, ofSession: index, &effects)
    if sessions[index].isSounding || wasSounding { sessions[index].lastPlayedAt = now }
    if sessions[index].isSounding && !wasSounding { controls.endRepeats() }
    return reply
  }

  private mutating func act(
    on event: SessionEvent,
    ofSession index: Int,
    _ effects: inout Effects
  ) -> Reply {
    switch event {
    case .activate: return start(index, isPlaying: true, byPerson: false, &effects)
    case .activateNotPlaying: return start(index, isPlaying: false, byPerson: false, &effects)
    case .play:
      return start(index, isPlaying: true, byPerson: true, canBeRefused: true, &effects)
    case .deactivate: end(index, givesLeave: false, &effects)
    case .deactivateNotifying, .stop: end(index, givesLeave: true, &effects)
    case .died:
      end(index, givesLeave: true, &effects)
      if index >= configuredSources { close(index) }
    case .playing: return play(index, &effects)
    case .notPlaying: notPlaying(index)
    case .pauseAnswered:
      sessions[index].answerPause(at: now, answerTicks: configuration.timing.pauseAnswerTicks)
    case .pause: pauseByPerson(index)
    case .background: enterBackground(index, &effects)
    case .foreground: sessions[index].isInBackground = false
    }
    return .done
  }

  /// Its program says that it sounds; of an adopted player that may be a person's act (SES-13).
  private mutating func play(_ index: Int, _ effects: inout Effects) -> Reply {
    if configuration.sources.elements[index].isAdopted, !sessions[index].isSounding {
      return adoptedPlays(index, &effects)
    }
    if sessions[index].isActive {
      sessions[index].isPlaying = true
    } else if sessions[index].isHeld {
      sessions[index].wasPlaying = true
    }
    return .done
  }

  /// Its program says that it does not sound, or its player has paused.
  private mutating func notPlaying(_ index: Int) {
    let isAnswer = sessions[index].pauseSentAt != nil && !sessions[index].hasAnsweredPause
    guard configuration.sources.elements[index].isAdopted, !isAnswer else {
      sessions[index].answerPause(at: now, answerTicks: configuration.timing.pauseAnswerTicks)
      return
    }
    pauseByPerson(index)
  }

  private mutating func pauseByPerson(_ index: Int) {
    sessions[index].isPlaying = false
    sessions[index].isPausedByUnplug = false
    sessions[index].isPausedByPerson = true
    if sessions[index].isActive { sessions[index].rule = .ses4 }
  }

  /// A player plays that was not asked to (SES-13).
  private mutating func adoptedPlays(_ index: Int, _ effects: inout Effects) -> Reply {
    if let sentAt = sessions[index].pauseSentAt, now - sentAt <= configuration.timing.ownPauseTicks
    {
      return .done
    }
    let reply = start(index, isPlaying: true, byPerson: true, canBeRefused: false, &effects)
    if sessions[index].isPending, !sessions[index].hasRepeatedPause {
      sessions[index].hasRepeatedPause = true
      sessions[index].notePause(at: now)
      effects.append(.pause(source: UInt8(index)))
    }
    return reply
  }

  // MARK: Starting

  /// A session takes the floor, as far as those present let it (SES-2).
  ///
  /// Whoever starts it hears a refusal where it `canBeRefused`; what starts without asking is
  /// silent until a call is over. By default it is as with the program of the session.
  mutating func start(
    _ index: Int,
    isPlaying: Bool,
    byPerson: Bool,
    canBeRefused: Bool? = nil,
    _ effects: inout Effects
  ) -> Reply {
    let source = configuration.sources.elements[index]
    if let refusal = refusal(of: source.kind, ofSession: index) { return refusal }
    let isActive = sessions[index].isActive
    let verdict = isActive ? Verdict() : admission(of: source.kind, excluding: index)
    if verdict.admission == .busy, canBeRefused ?? source.asksFirst { return .busy }
    if byPerson { sessions[index].startAgain() }
    sessions[index].isStartedByPerson = byPerson || isActive && sessions[index].isStartedByPerson
    sessions[index].reasons.drop(.silencedByPerson)
    sessions[index].isPausedByPerson = false
    if isActive {
      sessions[index].isPlaying = isPlaying || sessions[index].isPlaying
      if byPerson { sessions[index].rule = .ses6 }
      return .done
    }
    sessions[index].startNumber = sessions.nextStart()
    sessions[index].pauseSentAt = nil
    if verdict.admission == .held || verdict.admission == .busy {
      hold(index, isPlaying: isPlaying, verdict, &effects)
      return .held
    }
    sessions[index].begin(isPlaying: isPlaying, at: now)
    sessions[index].rule = verdict.rule
    noteCapture(index)
    beginInfluence(index, &effects)
    return .done
  }

  /// Granted, but not yet: it is told of an interruption at once (SES-2).
  private mutating func hold(
    _ index: Int,
    isPlaying: Bool,
    _ verdict: Verdict,
    _ effects: inout Effects
  ) {
    let wasPending = sessions[index].isPending
    let hasRepeatedPause = wasPending && sessions[index].hasRepeatedPause
    let reason = interruption(by: verdict.first)
    sessions[index].isPlaying = isPlaying
    sessions[index].suspend(reason, holders: verdict.holders, isHeld: true, at: now, verdict.rule)
    sessions[index].hasRepeatedPause = hasRepeatedPause
    holdPending(index)
    guard !wasPending else { return }
    effects.append(.interruptionBegan(UInt8(index), reason, by: UInt8(verdict.first), verdict.rule))
  }

  /// Why a kind may not start at all; nil when it may.
  private mutating func refusal(of kind: SessionKind, ofSession index: Int) -> Reply? {
    if sessions[index].isInBackground, kind.endsInBackground { return .inBackground }
    if kind.hasInput, isMicrophoneMuted,
      !configuration.sources.elements[index].overridesMutedMicrophone
    {
      feedback.noteRecordingRefused(at: now, windowTicks: configuration.timing.noticeTicks)
      return .microphoneMuted
    }
    return nil
  }

  /// What those present mean for a newcomer: busy before held, held before mixed (SES-2).
  struct Verdict: Plain {
    var admission = Admission.granted
    var rule = Rule.ses2
    /// Who refuses or holds it.
    var holders: UInt32 = 0
    /// The first of these.
    var first = 0
  }

  /// What the sessions present mean for a newcomer; the interruptions of `returning`, if that is a
  /// session, count as ended (SES-15).
  private mutating func admission(
    of kind: SessionKind,
    excluding index: Int,
    returning: Int? = nil
  ) -> Verdict {
    var verdict = Verdict()
    for other in configuration.sources.indices where other != index && !areUntold(index, other) {
      let isBack = returning.map { sessions[other].holders & bit($0) != 0 } ?? false
      guard sessions[other].isActive || isBack else { continue }
      let present = configuration.sources.elements[other].kind
      guard isBack || present.isCall || present.category == .alarm || isHeard(other)
      else { continue }
      let answer = kind.admission(beside: present)
      switch answer.admission {
      case .granted: continue
      case .mixedLow: if verdict.admission != .granted { continue }
      case .held: if verdict.admission == .busy { continue }
      case .busy: break
      }
      if verdict.admission != answer.admission {
        verdict = Verdict(admission: answer.admission, rule: answer.rule, holders: 0, first: other)
      }
      verdict.holders |= bit(other)
    }
    return verdict
  }

  /// Whether a session may be heard, but for the state of the hardware.
  mutating func isHeard(_ index: Int) -> Bool {
    sessions[index].isSounding && reasonsNow(index).subtracting(.unsafe).isEmpty
  }

  private mutating func interruption(by index: Int) -> Interruption {
    let kind = configuration.sources.elements[index].kind
    if kind.isCall { return .call }
    switch kind.category {
    case .alarm: return .alarm
    case .ringtone: return .ringtone
    case .ambient, .soloAmbient, .playback, .record, .playAndRecord, .alert, .systemSound:
      return .otherSession
    }
  }

  // MARK: Influence on others

  /// Sessions that the silent switch has kept from having any effect, and does no longer (SES-2).
  private mutating func beginInfluences(_ effects: inout Effects) {
    var last: UInt32 = 0
    while let index = oldest(after: last, where: { $0.isActive && !$0.hasInfluence }) {
      last = sessions[index].startNumber
      beginInfluence(index, &effects)
    }
  }

  /// The session that started first after the one with this number.
  private mutating func oldest(after number: UInt32, where matches: (Session) -> Bool) -> Int? {
    var found: Int?
    for index in configuration.sources.indices
    where sessions[index].startNumber > number && matches(sessions[index]) {
      guard let best = found else {
        found = index
        continue
      }
      if sessions[index].startNumber < sessions[best].startNumber { found = index }
    }
    return found
  }

  /// An active session has its effect on others, unless the silent switch silences it.
  private mutating func beginInfluence(_ index: Int, _ effects: inout Effects) {
    let kind = configuration.sources.elements[index].kind
    guard sessions[index].isActive,
      !(kind.category.obeysSilentSwitch && volumes.isSilentSwitchOn)
    else { return }
    sessions[index].hasInfluence = true
    for other in configuration.sources.indices
    where other != index && sessions[other].isActive && !areUntold(index, other) {
      let answer = kind.influence(on: configuration.sources.elements[other].kind)
      guard answer.influence == .interrupts else { continue }
      interrupt(other, by: index, answer.rule, &effects)
    }
    holdPending(index)
  }

  mutating func areUntold(_ index: Int, _ other: Int) -> Bool {
    configuration.sources.elements[index].isUntold
      && configuration.sources.elements[other].isUntold
  }

  /// Those already pending may not resume beside this one (SES-5).
  private mutating func holdPending(_ index: Int) {
    let kind = configuration.sources.elements[index].kind
    for other in configuration.sources.indices
    where other != index && sessions[other].isPending && !areUntold(index, other) {
      guard kind.influence(on: configuration.sources.elements[other].kind).influence == .interrupts,
        sessions[index].holders & bit(other) == 0
      else { continue }
      sessions[other].holders |= bit(index)
      sessions[other].formerHolderUntil = nil
    }
  }

  private mutating func interrupt(
    _ index: Int,
    by other: Int,
    _ rule: Rule,
    _ effects: inout Effects
  ) {
    suspend(index, interruption(by: other), holders: bit(other), by: UInt8(other), rule, &effects)
  }

  private mutating func suspend(
    _ index: Int,
    _ reason: Interruption,
    holders: UInt32,
    by other: UInt8?,
    _ rule: Rule,
    _ effects: inout Effects
  ) {
    sessions[index].suspend(reason, holders: holders, isHeld: false, at: now, rule)
    effects.append(.interruptionBegan(UInt8(index), reason, by: other, rule))
    guard configuration.sources.elements[index].isAdopted, sessions[index].wasPlaying else {
      return
    }
    sessions[index].notePause(at: now)
    effects.append(.pause(source: UInt8(index)))
  }

  // MARK: Ending

  /// A session gives up the floor.
  ///
  /// With leave, those whom it interrupted may resume, unless a person
  /// started it as new playback (SES-3).
  mutating func end(_ index: Int, givesLeave: Bool, _ effects: inout Effects) {
    let isNewPlayback =
      sessions[index].isStartedByPerson
      && configuration.sources.elements[index].kind.isNewPlayback
    sessions[index].end()
    sessions[index].rule = .ses3
    release(heldBy: index, givesLeave: givesLeave && !isNewPlayback, &effects)
  }

  /// Those whom a session holds lose that holder.
  private mutating func release(heldBy index: Int, givesLeave: Bool, _ effects: inout Effects) {
    for other in configuration.sources.indices where sessions[other].holders & bit(index) != 0 {
      sessions[other].holders &= ~bit(index)
      if !givesLeave { sessions[other].mayResume = false }
    }
    resumeFree(&effects)
  }

  /// Everyone who is pending, and whom nobody holds, resumes or is left out; the newest last, so
  /// that it has the floor (SES-14).
  private mutating func resumeFree(_ effects: inout Effects) {
    while let index = oldest(after: 0, where: { $0.isPending && $0.isFree }) {
      resumeOrLeaveOut(index, &effects)
    }
  }

  /// The last holder has gone (SES-3, SES-4, SES-5).
  private mutating func resumeOrLeaveOut(_ index: Int, _ effects: inout Effects) {
    let session = sessions[index]
    let source = configuration.sources.elements[index]
    let hasLeave = session.isHeld || session.mayResume || source.resumesAlways
    let isDeaf = source.kind.hasInput && isMicrophoneMuted && !source.overridesMutedMicrophone
    let isAway = session.isInBackground && source.kind.endsInBackground
    let mayResume = hasLeave && !session.isPausedByPerson && !isDeaf && !isAway
    // Only a player that has stopped can go on; one that never answered waits for a person
    // (SES-13).
    let isStubborn = source.isAdopted && session.pauseSentAt != nil && !session.hasAnsweredPause
    let isLate = now - (session.pauseSentAt ?? now) > configuration.timing.pauseAnswerTicks
    let resumes = mayResume && (session.wasPlaying || session.isHeld) && !(isStubborn && isLate)
    let rule: Rule = session.isHeld ? .ses2 : resumes ? .ses4 : .ses3
    effects.append(.interruptionEnded(UInt8(index), shouldResume: resumes, rule))
    sessions[index].forgetInterruption()
    sessions[index].rule = rule
    guard resumes else {
      sessions[index].isLeftOut = true
      sessions[index].hasInfluence = false
      release(heldBy: index, givesLeave: false, &effects)
      return
    }
    sessions[index].begin(isPlaying: session.wasPlaying, at: now)
    sessions[index].pauseSentAt = nil
    noteCapture(index)
    if source.isAdopted, session.wasPlaying, !session.isHeld || session.hasRepeatedPause {
      effects.append(.resume(source: UInt8(index)))
    }
    beginInfluence(index, &effects)
  }

  /// A holder from before a restart counts as died after a while (SES-18).
  private mutating func elapseFormerHolders(_ effects: inout Effects) {
    for index in configuration.sources.indices {
      guard let until = sessions[index].formerHolderUntil, now >= until else { continue }
      sessions[index].formerHolderUntil = nil
      resumeFree(&effects)
    }
  }

  private mutating func enterBackground(_ index: Int, _ effects: inout Effects) {
    sessions[index].isInBackground = true
    guard configuration.sources.elements[index].kind.endsInBackground,
      sessions[index].isActive || sessions[index].isPending
    else { return }
    end(index, givesLeave: true, &effects)
    sessions[index].rule = .ses11
  }

  /// A person ends an alarm for good (SES-17).
  mutating func endAlarm(_ index: Int, _ effects: inout Effects) {
    end(index, givesLeave: true, &effects)
    sessions[index].isLeftOut = true
    sessions[index].rule = .ses17
    sessions[index].wasPlaying = true
    effects.append(.interruptionBegan(UInt8(index), .byPerson, by: nil, .ses17))
    if configuration.sources.elements[index].isAdopted {
      effects.append(.pause(source: UInt8(index)))
    }
  }

  // MARK: Opening, changing and closing

  /// A program opens a session (SES-12).
  mutating func open(
    _ source: Source,
    peer: UInt16,
    token: UInt16,
    _ effects: inout Effects
  ) -> Reply {
    guard source.kind.isAllowed else { return .notAllowed }
    guard source.gain <= .unity, source.trim <= .unity else { return .gainAboveZero }
    var open = 0
    var ofPeer = 0
    var free: Int?
    for index in 0..<Configuration.maximumSources {
      if sessions[index].isOpen {
        open += 1
        if index >= configuredSources && sessions[index].peer == peer { ofPeer += 1 }
      } else if index >= configuredSources, free == nil {
        free = index
      }
    }
    guard ofPeer < Sessions.maximumOfPeer else { return .tooManyOfPeer }
    let isUrgent = source.kind.isCall || source.category == .alarm
    let limit = Configuration.maximumSources - (isUrgent ? 0 : Sessions.keptForUrgent)
    guard open < limit, let free else { return .tooManySessions }
    configuration.sources.place(source, at: free)
    sessions[free] = Session()
    sessions[free].isOpen = true
    sessions[free].peer = peer
    sessions[free].rule = .ses12
    sources[free] = SourceDrive()
    sources[free].isPresent = false
    effects.append(.opened(token: token, UInt8(free)))
    return .done
  }

  /// Its place is free again.
  private mutating func close(_ index: Int) {
    sessions[index] = Session()
    sources[index] = SourceDrive()
    sources[index].isPresent = false
    while configuration.sources.count > configuredSources,
      !sessions[configuration.sources.count - 1].isOpen
    {
      configuration.sources.removeLast()
    }
  }

  /// A session becomes another kind; an active one is admitted anew (SES-15).
  mutating func change(
    _ index: Int,
    _ effects: inout Effects,
    _ edit: (inout SessionKind) -> Void
  ) -> Reply {
    guard index < configuration.sources.count, sessions[index].isOpen else { return .noSuchSource }
    var kind = configuration.sources.elements[index].kind
    edit(&kind)
    guard kind.isAllowed else { return .notAllowed }
    guard sessions[index].isActive else {
      configuration.sources.elements[index].take(kind)
      return .done
    }
    if let refusal = refusal(of: kind, ofSession: index) { return refusal }
    let verdict = admission(of: kind, excluding: index, returning: index)
    if verdict.admission == .busy { return .busy }
    let isPlaying = sessions[index].isPlaying
    configuration.sources.elements[index].take(kind)
    if verdict.admission == .held {
      hold(index, isPlaying: isPlaying, verdict, &effects)
    } else {
      sessions[index].rule = .ses15
      sessions[index].hasInfluence = false
      noteCapture(index)
      beginInfluence(index, &effects)
    }
    for other in configuration.sources.indices where sessions[other].holders & bit(index) != 0 {
      let answer = kind.influence(on: configuration.sources.elements[other].kind)
      if answer.influence != .interrupts { sessions[other].holders &= ~bit(index) }
    }
    resumeFree(&effects)
    return verdict.admission == .held ? .held : .done
  }

  /// Changes what does not touch the floor.
  mutating func edit(_ index: Int, _ edit: (inout Source) -> Void) -> Reply {
    guard index < configuration.sources.count, sessions[index].isOpen else { return .noSuchSource }
    edit(&configuration.sources.elements[index])
    return .done
  }

  // MARK: Hints (SES-9)

  private mutating func tellHints(_ effects: inout Effects) {
    var playing: UInt32 = 0
    for index in configuration.sources.indices
    where sessions[index].isSounding && configuration.sources.elements[index].kind.isNonmixable {
      playing |= bit(index)
    }
    for index in configuration.sources.indices {
      let isAsked =
        sessions[index].isActive && configuration.sources.elements[index].kind.isMixable
        && playing & ~bit(index) != 0
      guard isAsked != sessions[index].isToldToBeSilent else { continue }
      sessions[index].isToldToBeSilent = isAsked
      effects.append(.hint(UInt8(index), shouldBeSilent: isAsked))
    }
  }

  // MARK: Microphone (SES-10)

  /// The microphone is off by its switch, a closed lid or a key.
  var isMicrophoneMuted: Bool { microphone.isMuted }

  /// A contact that closes the microphone was moved, or the key pressed.
  mutating func noteMicrophone(wasMuted: Bool, _ effects: inout Effects) {
    guard microphone.isMuted != wasMuted else { return }
    feedback.noteMicrophone()
    if microphone.isMuted { muteMicrophone(&effects) } else { unmuteMicrophone(&effects) }
  }

  private mutating func muteMicrophone(_ effects: inout Effects) {
    for index in configuration.sources.indices {
      sessions[index].mayCapture = false
      let source = configuration.sources.elements[index]
      guard sessions[index].isActive, source.kind.hasInput, !source.overridesMutedMicrophone
      else { continue }
      suspend(index, .microphoneMuted, holders: 0, by: nil, .ses10, &effects)
    }
  }

  /// Tells the end, resumes none, and opens no capture path.
  private mutating func unmuteMicrophone(_ effects: inout Effects) {
    for index in configuration.sources.indices
    where sessions[index].interruption == .microphoneMuted {
      effects.append(.interruptionEnded(UInt8(index), shouldResume: false, .ses10))
      sessions[index].forgetInterruption()
      sessions[index].isLeftOut = true
      sessions[index].rule = .ses10
      release(heldBy: index, givesLeave: false, &effects)
    }
  }

  private mutating func noteCapture(_ index: Int) {
    guard configuration.sources.elements[index].kind.hasInput, !isMicrophoneMuted else { return }
    sessions[index].mayCapture = true
    microphone.isCaptureOpen = true
  }
}

extension Sessions {
  /// Sessions that one peer may have open (SES-12).
  static var maximumOfPeer: Int { 8 }
  /// Places kept for alarms and calls (SES-12).
  static var keptForUrgent: Int { 4 }
}

/// The microphone and its capture path (SES-10).
struct Microphone: Plain {
  /// Its switch or the lid is closed.
  private var areContactsClosed = false
  /// A key has muted it.
  private var isKeyMuted = false
  /// The capture path may be open: it is at the start, and after a muting from the next start of a
  /// session with input on.
  var isCaptureOpen = true

  var isMuted: Bool { areContactsClosed || isKeyMuted }

  mutating func setContacts(isClosed: Bool) {
    areContactsClosed = isClosed
    if isMuted { isCaptureOpen = false }
  }

  /// The key; it opens only what it closed.
  mutating func toggleKey() {
    isKeyMuted.toggle()
    if isMuted { isCaptureOpen = false }
  }
}

extension SessionKind {
  /// Takes another category: the options end with the old one, and a mode that the new one has not
  /// (SES-1).
  mutating func become(_ category: Category) {
    self.category = category
    options = .none
    if !isAllowed { mode = .standard }
  }

  /// Stops when its program is in background (SES-11).
  public var endsInBackground: Bool { category == .ambient || category == .soloAmbient }

  /// What is meant by playing something new, when a person starts it (SES-3).
  var isNewPlayback: Bool { category == .playback || category == .soloAmbient }
}

extension Source {
  /// Its program asks for the floor, and can be refused.
  var asksFirst: Bool { hasPlayer && !isAdopted }

  mutating func take(_ kind: SessionKind) {
    category = kind.category
    mode = kind.mode
    options = kind.options
  }
}
