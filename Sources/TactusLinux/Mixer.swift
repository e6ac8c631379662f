// SPDX-License-Identifier: Apache-2.0
//
// The board's outputs, sources and jacks on real cards: carries the policy's writes out, reads
// every one back, and tells what came, went, or was moved by somebody else. It decides nothing.
//
//   link    one card that the board needs, there or not
//   use     what a control on a link is for
//   answer  an input for the next tick: what was read back, or that a write failed

public import TactusCore

/// The mixer controls of a board.
public final class Mixer {
  /// What a control is for.
  private enum Use: Equatable {
    case volume(output: Int)
    case mute(output: Int)
    case jack(control: Int)
    case source(Int)
    case capture(Int)
  }

  /// A card and what is used on it; `controls` and `uses` have the same positions.
  private final class Link {
    let ids: [String]
    var card: SoundCard?
    var controls: [MixerControl] = []
    var uses: [Use] = []
    var descriptor: Int32 = -1
    /// Failures that were told, so that each is told once.
    var told: [String] = []
    var wasFound = false

    init(ids: [String]) { self.ids = ids }

    func controlIndex(of use: Use) -> Int? { uses.firstIndex(of: use) }
  }

  /// What is known of one output.
  private final class OutputState {
    var link = 0
    var volume: MirroredControl?
    var scale: DecibelScale?
    var mute: MirroredControl?
    var silent: ControlValues?
    var audible: ControlValues?
    var wantedGain = Gain.silence
    var isOn = false
    var isPresent = false
  }

  /// What is known of one capture switch.
  private struct CaptureState {
    let control: MirroredControl
    let closed: ControlValues
    let open: ControlValues
  }

  /// The range of every source's control.
  public static let sourceVolume = SourceVolume()

  /// How many failures of a card are remembered as told.
  private static let toldMaximum = 16

  private let board: Board
  private var links: [Link] = []
  private var outputs: [OutputState]
  private var captures: [CaptureState?]
  /// The control of each source, and the name that it has: the board's first, then sessions.
  private var sources = [MirroredControl?](repeating: nil, count: Configuration.maximumSources)
  private var sourceNames = [String](repeating: "", count: Configuration.maximumSources)
  /// Controls of sessions that have ended: silent, and removed when no buffer can hold sound that
  /// is louder.
  private var leaving: [(control: MixerControl, due: Tick)] = []
  private let sourceScale = Mixer.sourceVolume.scale
  private var balance: Int8 = 0
  /// What each jack was found to be last, by the position of its control.
  private var jacks: [UInt8]
  private var answers: [Input] = []
  private var messages: [String] = []
  /// How often another program moved an output's controls.
  public private(set) var foreignMoves: [Int32]

  /// A mixer that has not looked for its cards yet.
  public init(board: Board) {
    self.board = board
    outputs = board.outputs.map { _ in OutputState() }
    foreignMoves = board.outputs.map { _ in 0 }
    captures = board.capture.map { _ in nil }
    jacks = [UInt8](repeating: 0, count: board.controls.count)
    for index in board.outputs.indices {
      outputs[index].link = link(for: board.outputs[index].cardIDs)
      _ = link(for: board.outputs[index].pcm.cardIDs)
    }
    for control in board.controls {
      if case .jack(let cardIDs, _) = control.contact { _ = link(for: cardIDs) }
    }
    for fixed in board.fixed { _ = link(for: fixed.cardIDs) }
    for control in board.capture { _ = link(for: control.cardIDs) }
    if !captures.isEmpty { answers.append(.captureControl(present: false)) }
    for index in board.sources.indices {
      sourceNames[index] = board.sources[index].name
      answers.append(.sourceControl(UInt8(index), present: false))
    }
  }

  /// The position of the link with these ids, made where there is none.
  private func link(for ids: [String]) -> Int {
    if let known = links.firstIndex(where: { $0.ids == ids }) { return known }
    links.append(Link(ids: ids))
    return links.count - 1
  }

  /// How many cards the board needs; `descriptor(of:)` takes 0 up to this.
  public var linkCount: Int { links.count }

  /// The descriptor of a link's card; nil while it is not there.
  // Not inlined: in another module of an Embedded program that crashes the compiler (6.3.1).
  @inline(never)
  public func descriptor(of link: Int) -> Int32? {
    links[link].descriptor >= 0 ? links[link].descriptor : nil
  }

  /// Whether something waits for the next tick.
  public var hasAnswers: Bool { !answers.isEmpty }

  /// What a person should know, since the last time; each failure once.
  public func takeMessages() -> [String] {
    defer { messages.removeAll() }
    return messages
  }

  /// Adds what is known to a tick's inputs; what finds no room waits for the next tick.
  public func gather(into inputs: inout Inputs) {
    var taken = 0
    while taken < answers.count, inputs.append(answers[taken]) { taken += 1 }
    answers.removeFirst(taken)
  }

  /// The id of the card that players write to, while it is there.
  public var playbackCardID: String? {
    guard let pcm = board.outputs.first?.pcm else { return nil }
    let link = links[link(for: pcm.cardIDs)]
    return link.descriptor >= 0 ? link.card?.id : nil
  }

  // MARK: Cards that come and go

  /// Whether a card is missing, or another program holds a source's control.
  public var isIncomplete: Bool {
    links.contains { !$0.ids.isEmpty && $0.descriptor < 0 } || lacksSource
  }

  private var lacksSource: Bool { sources.indices.contains(where: lacks(source:)) }

  /// An exclusive source has no control.
  private func lacks(source: Int) -> Bool {
    !sourceNames[source].isEmpty && sources[source] == nil && !isExclusive(source)
  }

  private func isExclusive(_ source: Int) -> Bool {
    source < board.sources.count && board.sources[source].isExclusive
  }

  /// Looks for cards that are not there yet, and for controls that were held.
  public func probe() {
    for index in links.indices {
      if links[index].descriptor < 0 { open(index) } else if lacks(index) { findControls(index) }
    }
  }

  /// Whether something on a card that is there could not be had yet.
  private func lacks(_ index: Int) -> Bool {
    if board.outputs.first.map({ $0.pcm.cardIDs == links[index].ids }) == true,
      lacksSource
    {
      return true
    }
    if captures.indices.contains(where: { captures[$0] == nil && isCapture($0, on: index) }) {
      return true
    }
    return outputs.contains { $0.link == index && !$0.isPresent }
  }

  private func open(_ index: Int) {
    let link = links[index]
    var missing: MixerError?
    for id in link.ids {
      do throws(MixerError) {
        let card = try SoundCard(id: id)
        link.descriptor = card.fileDescriptor
        link.card = consume card
        link.told = []
        link.wasFound = true
        messages.append("card \(id): found")
        return findControls(index)
      } catch {
        guard case .cardMissing = error else { return tell(error.description, link) }
        missing = missing ?? error
      }
    }
    // That it went away was told then.
    if let missing, !link.wasFound { tell(missing.description, link) }
  }

  private func tell(_ message: String, _ link: Link) {
    guard !link.told.contains(message) else { return }
    if link.told.count == Mixer.toldMaximum { link.told.removeFirst() }
    link.told.append(message)
    messages.append(message)
  }

  /// The card went away: everything on it is gone.
  private func close(_ index: Int) {
    let link = links[index]
    for use in link.uses {
      switch use {
      case .volume(let output), .mute(let output): lose(output)
      case .jack(let control): answers.append(.line(control: UInt8(control), present: false))
      case .source(let source): loseSource(source)
      case .capture(let capture): loseCapture(capture)
      }
    }
    for output in outputs.indices where outputs[output].link == index { lose(output) }
    messages.append("card \(link.ids.first ?? ""): went away, waiting for it to return")
    link.card = nil
    link.descriptor = -1
    link.controls = []
    link.uses = []
    leaving = []
  }

  private func lose(_ output: Int) {
    guard outputs[output].isPresent else { return }
    let link = outputs[output].link
    outputs[output] = OutputState()
    outputs[output].link = link
    answers.append(.output(UInt8(output), present: false))
  }

  private func loseSource(_ source: Int) {
    guard sources[source] != nil else { return }
    sources[source] = nil
    answers.append(.sourceControl(UInt8(source), present: false))
  }

  private func loseCapture(_ capture: Int) {
    let wasWhole = hasCapture
    captures[capture] = nil
    if wasWhole { answers.append(.captureControl(present: false)) }
  }

  // MARK: Controls of a card

  /// Looks up what is still missing on a card; controls may appear late.
  private func findControls(_ index: Int) {
    setFixed(index)
    for output in board.outputs.indices where outputs[output].link == index {
      if !outputs[output].isPresent { find(output: output, index) }
    }
    for control in board.controls.indices {
      guard case .jack(let ids, let address) = board.controls[control].contact,
        ids == links[index].ids, links[index].controlIndex(of: .jack(control: control)) == nil
      else { continue }
      findJack(control, address, index)
    }
    for capture in captures.indices where captures[capture] == nil && isCapture(capture, on: index)
    {
      findCapture(capture, index)
    }
    if board.outputs.first.map({ $0.pcm.cardIDs == links[index].ids }) == true {
      for source in sources.indices where lacks(source: source) {
        attempt(links[index]) { (card) throws(MixerError) in
          try makeSource(source, links[index], card)
        }
      }
    }
  }

  private func find(output: Int, _ index: Int) {
    let link = links[index]
    let wanted = board.outputs[output]
    attempt(link) { (card) throws(MixerError) in
      let state = OutputState()
      state.link = index
      if let volume = wanted.volume {
        let control = try card.control(volume.address)
        let scale = DecibelScale(
          table: try card.gainTable(of: control),
          rawRange: control.rawMinimum...control.rawMaximum,
          correction: volume.correction
        )
        state.volume = MirroredControl(control)
        state.scale = scale
        if wanted.mute == .volume { state.silent = control.values(scale.rawMinimum) }
      }
      if case .control(let address, let silent, let audible) = wanted.mute {
        let control = try card.control(address)
        state.mute = MirroredControl(control)
        state.silent = try card.values(of: silent, for: control)
        state.audible = try card.values(of: audible, for: control)
      }
      adopt(state, output, link)
    }
  }

  /// All of an output's controls are there.
  private func adopt(_ state: OutputState, _ output: Int, _ link: Link) {
    outputs[output] = state
    outputs[output].isPresent = true
    if let volume = state.volume { add(volume.control, .volume(output: output), link) }
    if let mute = state.mute { add(mute.control, .mute(output: output), link) }
    if let scale = state.scale {
      let top = min(scale.highest, board.outputs[output].maximumGain)
      answers.append(.window(output: UInt8(output), lowest: scale.lowest, top: top))
    }
    answers.append(.output(UInt8(output), present: true))
  }

  private func add(_ control: MixerControl, _ use: Use, _ link: Link) {
    if let known = link.controlIndex(of: use) {
      link.controls[known] = control
    } else {
      link.controls.append(control)
      link.uses.append(use)
    }
  }

  private func findJack(_ control: Int, _ address: ControlAddress, _ index: Int) {
    attempt(links[index]) { (card) throws(MixerError) in
      let found = try card.control(address)
      let state: UInt8 = try card.read(found)[0] != 0 ? 1 : 0
      add(found, .jack(control: control), links[index])
      jacks[control] = state
      answers.append(.line(control: UInt8(control), present: true))
      answers.append(.level(control: UInt8(control), state: state))
    }
  }

  private func isCapture(_ capture: Int, on index: Int) -> Bool {
    board.capture[capture].cardIDs == links[index].ids
  }

  private func findCapture(_ capture: Int, _ index: Int) {
    let wanted = board.capture[capture]
    attempt(links[index]) { (card) throws(MixerError) in
      let control = try card.control(wanted.address)
      captures[capture] = CaptureState(
        control: MirroredControl(control),
        closed: try card.values(of: wanted.closed, for: control),
        open: try card.values(of: wanted.open, for: control)
      )
      add(control, .capture(capture), links[index])
      if hasCapture { answers.append(.captureControl(present: true)) }
    }
  }

  private func makeSource(
    _ source: Int,
    _ link: Link,
    _ card: borrowing SoundCard
  ) throws(MixerError) {
    let control = try card.makeSourceControl(named: sourceNames[source], Mixer.sourceVolume)
    leaving.removeAll { $0.control.number == control.number }
    sources[source] = MirroredControl(control)
    add(control, .source(source), link)
    answers.append(.sourceControl(UInt8(source), present: true))
  }

  /// Sets the stages and route switches that must sit at one value (VOL-11).
  private func setFixed(_ index: Int) {
    let link = links[index]
    for fixed in board.fixed where fixed.cardIDs == link.ids {
      attempt(link) { (card) throws(MixerError) in
        let control = try card.control(fixed.address)
        let wanted = try card.values(of: fixed.setting, for: control)
        if try card.read(control) == wanted { return }
        try card.write(wanted, to: control)
        guard try card.read(control) == wanted else {
          throw .controlRefused(fixed.address, operation: "setting it for good", errno: 0)
        }
      }
    }
  }

  /// Does something on a link's card; a failure is told once, a vanished card closes the link.
  @discardableResult
  private func attempt(
    _ link: Link,
    _ body: (borrowing SoundCard) throws(MixerError) -> Void
  ) -> Bool {
    guard link.card != nil else { return false }
    do throws(MixerError) {
      try withCard(link, body)
      return true
    } catch {
      if case .cardVanished = error, let index = links.firstIndex(where: { $0 === link }) {
        close(index)
      } else {
        tell(error.description, link)
      }
      return false
    }
  }

  private func withCard(
    _ link: Link,
    _ body: (borrowing SoundCard) throws(MixerError) -> Void
  ) throws(MixerError) {
    switch link.card {
    case .some(let card): try body(card)
    case .none: throw .cardVanished(id: link.ids.first ?? "")
    }
  }

  // MARK: Sources that come and go

  /// How long the control of a session that has ended stays at least, silent: more than a buffer
  /// (VOL-8a).
  private static let leavingMilliseconds: Int64 = 100
  /// How many such controls stay while something plays: it may be a player of theirs that has not
  /// looked yet, and would keep its last gain for ever.
  private static let leavingMaximum = 32

  /// The names of the sources that are there, each once.
  public var playerNames: [String] {
    board.sources.map { $0.name }
      + sourceNames.filter { !$0.isEmpty && configuredPlace(of: $0) == nil }
  }

  /// Whether a session has the place of one of the board's sources.
  public func isTaken(source: Int) -> Bool { sourceNames[source] != board.sources[source].name }

  /// A session has come to a place: makes its control, silent, or takes that of the board's source
  /// of the same name.
  ///
  /// Without its card the control comes with it.
  /// - Throws: when the card is there and the control cannot be had.
  public func open(source: Int, named name: String) throws(MixerError) {
    if let configured = configuredPlace(of: name) { return move(configured, to: source, name) }
    sourceNames[source] = name
    guard let link = playbackLink, link.card != nil else {
      return answers.append(.sourceControl(UInt8(source), present: false))
    }
    do throws(MixerError) {
      try withCard(link) { (card) throws(MixerError) in try makeSource(source, link, card) }
    } catch {
      sourceNames[source] = ""
      throw error
    }
  }

  /// A session has left its place.
  public func close(source: Int, at now: Tick) {
    let name = sourceNames[source]
    if name.isEmpty { return }
    if let configured = configuredPlace(of: name) { return move(source, to: configured, name) }
    sourceNames[source] = ""
    guard let link = playbackLink, let control = sources[source]?.control else { return }
    silence(source)
    if let position = link.controlIndex(of: .source(source)) {
      link.controls.remove(at: position)
      link.uses.remove(at: position)
    }
    loseSource(source)
    let ticks = board.configuration.timing.ticks(milliseconds: Mixer.leavingMilliseconds)
    leaving.append((control, now + ticks))
  }

  /// The tick at which a control that nobody needs any more is to be removed.
  public func nextRemoval(whilePlaying isPlaying: Bool) -> Tick? {
    isPlaying && leaving.count <= Mixer.leavingMaximum ? nil : leaving.first?.due
  }

  /// Removes the controls that nobody needs any more.
  public func removeLeft(at now: Tick, whilePlaying isPlaying: Bool) {
    while let due = nextRemoval(whilePlaying: isPlaying), due <= now, let link = playbackLink {
      let first = leaving[0]
      leaving.removeFirst()
      attempt(link) { (card) throws(MixerError) in try card.removeSourceControl(first.control) }
    }
  }

  private func configuredPlace(of name: String) -> Int? {
    board.sources.firstIndex { $0.name == name }
  }

  /// The link of the card that players write to.
  private var playbackLink: Link? {
    board.outputs.first.map { links[link(for: $0.pcm.cardIDs)] }
  }

  /// A control is another source's from now on; silent, until that one's gain is written.
  private func move(_ source: Int, to target: Int, _ name: String) {
    silence(source)
    sourceNames[source] = ""
    sourceNames[target] = name
    let isThere = sources[source] != nil
    sources[target] = sources[source]
    if let link = playbackLink, let position = link.controlIndex(of: .source(source)) {
      link.uses[position] = .source(target)
    }
    loseSource(source)
    answers.append(.sourceControl(UInt8(target), present: isThere))
  }

  private func silence(_ source: Int) {
    guard let link = playbackLink else { return }
    attempt(link) { (card) throws(MixerError) in
      guard let control = sources[source]?.control else { return }
      _ = try sources[source]?.set(control.values(0), on: card)
    }
  }

  // MARK: Writes

  /// Carries out what the policy wants of the mixer.
  ///
  /// - Returns: false when the effect is none of the mixer's.
  public func apply(_ effect: Effect) -> Bool {
    switch effect {
    case .gain(let output, let gain): setGain(Int(output), gain)
    case .switched(let output, let on): setSwitch(Int(output), on)
    case .source(let source, let gain): setSource(Int(source), gain)
    case .capture(let on): setCapture(on)
    case .lock(let output, let isLocked): setLock(Int(output), isLocked)
    case .balance(let balance): self.balance = balance
    default: return false
    }
    return true
  }

  private func setGain(_ output: Int, _ gain: Gain) {
    outputs[output].wantedGain = gain
    guard let scale = outputs[output].scale else { return }
    if board.outputs[output].mute == .volume && !outputs[output].isOn {
      // Silent by the same control: kept until it is let out.
      let kept = scale.gain(atRaw: scale.raw(notAbove: gain))
      return answers.append(.gain(output: UInt8(output), kept))
    }
    let isDone = writeVolume(output, values(gain, output, scale)) { applied in
      .gain(output: UInt8(output), loudest(applied, scale))
    }
    if !isDone { answers.append(.failed(.gain, UInt8(output))) }
  }

  private func setSwitch(_ output: Int, _ on: Bool) {
    let isDone: Bool
    if board.outputs[output].mute == .volume {
      isDone = setSwitchByVolume(output, on)
    } else {
      isDone = setSwitchByControl(output, on)
    }
    if !isDone { answers.append(.failed(.outputSwitch, UInt8(output))) }
  }

  private func setSwitchByVolume(_ output: Int, _ on: Bool) -> Bool {
    guard let scale = outputs[output].scale, let silent = outputs[output].silent else {
      return false
    }
    outputs[output].isOn = on
    let wanted = on ? values(outputs[output].wantedGain, output, scale) : silent
    return writeVolume(output, wanted) { applied in
      .switched(output: UInt8(output), on: !loudest(applied, scale).isSilence)
    }
  }

  private func setSwitchByControl(_ output: Int, _ on: Bool) -> Bool {
    guard let wanted = on ? outputs[output].audible : outputs[output].silent else { return false }
    return attempt(links[outputs[output].link]) { (card) throws(MixerError) in
      guard let applied = try outputs[output].mute?.set(wanted, on: card) else { return }
      answers.append(.switched(output: UInt8(output), on: applied != outputs[output].silent))
    }
  }

  private func writeVolume(
    _ output: Int,
    _ wanted: ControlValues,
    _ answer: (ControlValues) -> Input
  ) -> Bool {
    attempt(links[outputs[output].link]) { (card) throws(MixerError) in
      guard let applied = try outputs[output].volume?.set(wanted, on: card) else { return }
      answers.append(answer(applied))
    }
  }

  private func setSource(_ source: Int, _ gain: Gain) {
    guard let pcm = board.outputs.first?.pcm else { return }
    let isDone = attempt(links[link(for: pcm.cardIDs)]) { (card) throws(MixerError) in
      guard let control = sources[source]?.control else { return }
      let wanted = control.values(sourceScale.raw(notAbove: gain))
      guard let applied = try sources[source]?.set(wanted, on: card) else { return }
      answers.append(.source(UInt8(source), loudest(applied, sourceScale)))
    }
    if !isDone { answers.append(.failed(.source, UInt8(source))) }
  }

  /// Whether the board has capture switches, and all are there.
  private var hasCapture: Bool { !captures.isEmpty && captures.allSatisfy { $0 != nil } }

  private func setCapture(_ on: Bool) {
    var isDone = hasCapture
    for index in captures.indices where hasCapture {
      let written = attempt(links[link(for: board.capture[index].cardIDs)]) {
        (card) throws(MixerError) in
        guard let wanted = on ? captures[index]?.open : captures[index]?.closed else { return }
        _ = try captures[index]?.control.set(wanted, on: card)
      }
      isDone = isDone && written
    }
    answers.append(isDone ? .capture(on: isCaptureOpen) : .failed(.capture, 0))
  }

  /// Whether anything can be recorded: every switch that is not known to be closed is open.
  private var isCaptureOpen: Bool {
    captures.contains { $0.map { $0.control.current != $0.closed } ?? true }
  }

  private func setLock(_ output: Int, _ isLocked: Bool) {
    attempt(links[outputs[output].link]) { (card) throws(MixerError) in
      for mirror in [outputs[output].volume, outputs[output].mute] {
        guard let control = mirror?.control else { continue }
        if isLocked { try card.lock(control) } else { try card.unlock(control) }
      }
    }
  }

  /// Raw values of a gain on each channel, balance included (VOL-9).
  private func values(_ gain: Gain, _ output: Int, _ scale: DecibelScale) -> ControlValues {
    guard let control = outputs[output].volume?.control else {
      return ControlValues(repeating: 0, channelCount: 0)
    }
    var values = control.values(scale.raw(notAbove: gain))
    guard control.channelCount == 2, balance != 0 else { return values }
    let weaker = balance > 0 ? 0 : 1
    values[weaker] = scale.raw(notAbove: gain + Mixer.attenuation(balance))
    return values
  }

  /// What balance takes from the weaker channel: the volume curve, and silence at the end.
  private static func attenuation(_ balance: Int8) -> Gain {
    let rest = 100 - Int32(balance.magnitude)
    if rest <= 0 { return .silence }
    return Curve(lowest: Gain(millibels: -6_000), top: .unity).gain(at: Level(percent: rest))
  }

  private func loudest(_ values: ControlValues, _ scale: DecibelScale) -> Gain {
    var loudest = Gain.silence
    for channel in 0..<values.channelCount {
      loudest = max(loudest, scale.gain(atRaw: values[channel]))
    }
    return loudest
  }

  // MARK: What others do

  /// Takes what a link's card has to tell.
  public func takeEvents(of index: Int) {
    let link = links[index]
    var changes = ControlChanges()
    let isThere = attempt(link) { (card) throws(MixerError) in
      changes = try card.drainChanges(of: link.controls)
    }
    guard isThere, !changes.isEmpty else { return }
    for position in link.uses.indices where changes.removed >> UInt64(position) & 1 == 1 {
      lose(link.uses[position])
    }
    for position in link.uses.indices where changes.values >> UInt64(position) & 1 == 1 {
      read(link.uses[position], link)
    }
    if changes.somethingAppeared || changes.removed != 0 { findControls(index) }
  }

  private func lose(_ use: Use) {
    switch use {
    case .volume(let output), .mute(let output): lose(output)
    case .source(let source): loseSource(source)
    case .jack(let control): answers.append(.line(control: UInt8(control), present: false))
    case .capture(let capture): loseCapture(capture)
    }
  }

  private func read(_ use: Use, _ link: Link) {
    attempt(link) { (card) throws(MixerError) in
      switch use {
      case .volume(let output):
        guard let scale = outputs[output].scale,
          let values = try outputs[output].volume?.foreignChange(on: card)
        else { return }
        foreignMoves[output] &+= 1
        let gain = loudest(values, scale)
        if board.outputs[output].mute == .volume {
          answers.append(.switched(output: UInt8(output), on: !gain.isSilence))
          if gain.isSilence { return }
        }
        answers.append(.gain(output: UInt8(output), gain))
      case .mute(let output):
        guard let values = try outputs[output].mute?.foreignChange(on: card) else { return }
        foreignMoves[output] &+= 1
        answers.append(.switched(output: UInt8(output), on: values != outputs[output].silent))
      case .source(let source):
        guard let values = try sources[source]?.foreignChange(on: card) else { return }
        answers.append(.source(UInt8(source), loudest(values, sourceScale)))
      case .capture(let capture):
        guard try captures[capture]?.control.foreignChange(on: card) != nil, hasCapture
        else { return }
        answers.append(.capture(on: isCaptureOpen))
      case .jack(let control):
        guard let position = link.controlIndex(of: use) else { return }
        let state: UInt8 = try card.read(link.controls[position])[0] != 0 ? 1 : 0
        jacks[control] = state
        answers.append(.edge(control: UInt8(control), state: state))
      }
    }
  }

  /// Reads the jacks again: levels are truth for switches.
  public func readLevels() {
    for link in links {
      for position in link.uses.indices {
        guard case .jack(let control) = link.uses[position] else { continue }
        attempt(link) { (card) throws(MixerError) in
          let state: UInt8 = try card.read(link.controls[position])[0] != 0 ? 1 : 0
          guard state != jacks[control] else { return }
          jacks[control] = state
          answers.append(.level(control: UInt8(control), state: state))
        }
      }
    }
  }
}
