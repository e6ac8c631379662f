// SPDX-License-Identifier: Apache-2.0
//
// From the text of a scenario to its steps. Every mistake is found in one pass and said with its
// place and what to write. Words may be written as in the rules (`soloAmbient`) or as the rest of
// the tool prints them (`solo-ambient`).

import TactusCore
import TactusLinux

/// Reads a scenario.
///
/// - Parameters:
///   - text: the scenario.
///   - file: what its mistakes are said to be in.
///   - board: the device it happens on, whose controls and routes it may name.
/// - Returns: the scenario, or what is wrong with its text.
func readScenario(_ text: String, file: String, board: Board) -> Loaded<Scenario> {
  var reader = ScenarioReader(file: file, board: board)
  reader.read(text)
  return Loaded(
    value: reader.mistakes.isEmpty ? reader.scenario : nil,
    diagnostics: reader.mistakes
  )
}

/// One word with the column of its first character.
private struct Word {
  let text: String
  let column: Int
}

private struct ScenarioReader {
  /// How long a scenario may last, ten days.
  private static let longest: Int64 = 864_000_000
  private static let verbs = [
    "open", "activate", "play", "pause", "stop", "deactivate", "die", "category", "mode", "options",
    "gain", "supports", "pause-on-unplug", "background", "answer", "press", "turn", "switch",
    "jack", "set", "command", "end",
  ]

  let file: String
  let board: Board
  var scenario = Scenario()
  var mistakes: [Diagnostic] = []

  /// Whether each session is open at the line being read.
  private var isOpen: [Bool] = []
  private var peers: [String] = []
  private var line = 0
  private var words: [Word] = []
  private var next = 0
  /// The column behind the last word.
  private var endColumn = 1
  private var time: Int64 = 0
  private var hasEnded = false
  /// A line behind the end was found; one complaint is enough.
  private var isBehindEnd = false

  init(file: String, board: Board) {
    self.file = file
    self.board = board
  }

  mutating func read(_ text: String) {
    for text in text.split(separator: "\n" as Character, omittingEmptySubsequences: false) {
      line += 1
      split(text)
      guard !words.isEmpty else { continue }
      readLine()
    }
    if scenario.steps.isEmpty, mistakes.isEmpty {
      line = max(line, 1)
      mistake(at: 1, "nothing happens, write a line such as 0 ms open music playback")
    }
  }

  /// Words between spaces, up to `#`.
  private mutating func split(_ text: Substring) {
    words = []
    next = 0
    endColumn = 1
    var word = ""
    var column = 0
    for character in text {
      column += 1
      if character == "#" { break }
      if character == " " || character == "\t" || character == "\r" || character == "\r\n" {
        if !word.isEmpty { words.append(Word(text: word, column: column - word.count)) }
        word = ""
      } else {
        word.append(character == "\u{2212}" ? "-" : character)
        endColumn = column + 1
      }
    }
    if !word.isEmpty { words.append(Word(text: word, column: endColumn - word.count)) }
  }

  // MARK: Lines

  private mutating func readLine() {
    let before = mistakes.count
    guard let milliseconds = readTime() else { return }
    guard let word = take("a verb", such: "activate music") else { return }
    if hasEnded, !isBehindEnd {
      isBehindEnd = true
      mistake(at: words[0].column, "after the end, delete what follows or move end behind it")
    }
    let event = readEvent(word)
    guard mistakes.count == before else { return }
    if next < words.count {
      let extra = words[next]
      return mistake(at: extra.column, "too much (\(extra.text)), delete it or write it below")
    }
    time = max(time, milliseconds)
    if hasEnded { scenario.end = milliseconds }
    if let event { scenario.steps.append(ScenarioStep(milliseconds: milliseconds, event: event)) }
  }

  private mutating func readTime() -> Int64? {
    let first = words[0]
    next = 1
    var digits = first.text
    if digits.hasSuffix("ms") {
      digits.removeLast(2)
    } else if next < words.count, words[next].text == "ms" {
      next += 1
    } else if Int64(digits) != nil {
      let column = next < words.count ? words[next].column : endColumn
      mistake(at: column, "no unit, write \(digits) ms and then what happens")
      return nil
    }
    guard let milliseconds = Int64(digits), milliseconds >= 0, digits.utf8.first != 0x2b else {
      mistake(at: first.column, "no time (\(first.text)), write such as 200 ms before each verb")
      return nil
    }
    guard milliseconds <= ScenarioReader.longest else {
      mistake(
        at: first.column,
        "too late (\(digits) ms), at most \(Int(ScenarioReader.longest)) ms"
      )
      return nil
    }
    if milliseconds < time {
      mistake(
        at: first.column,
        "before the line above (\(Int(time)) ms), write the lines in the order of their times"
      )
      return nil
    }
    return milliseconds
  }

  private mutating func readEvent(_ verb: Word) -> ScenarioEvent? {
    switch spelled(verb.text, among: ScenarioReader.verbs) {
    case "open": return readOpen()
    case "activate": return takeSession().map { .activate(session: $0) }
    case "play": return takeSession().map { .session($0, .play) }
    case "pause": return takeSession().map { .session($0, .pause) }
    case "stop": return takeSession().map { .session($0, .stop) }
    case "deactivate": return readDeactivate()
    case "die": return readDeath()
    case "category": return readCategory()
    case "mode": return readMode()
    case "options": return readOptions()
    case "gain":
      guard let session = takeSession(), let gain = takeGain() else { return nil }
      return .setGain(session, gain)
    case "supports":
      guard let session = takeSession(), let commands = takeCommands() else { return nil }
      return .setCommands(session, commands)
    case "pause-on-unplug":
      guard let session = takeSession(), let isOn = takeOnOff() else { return nil }
      return .setPausesOnUnplug(session, isOn)
    case "background":
      guard let session = takeSession(), let isOn = takeOnOff() else { return nil }
      return .session(session, isOn ? .background : .foreground)
    case "answer": return readAnswer()
    case "press": return readPress()
    case "turn": return readTurn()
    case "switch": return readSwitch()
    case "jack": return readJack()
    case "set": return readSet()
    case "command":
      guard let command = takeWord(TactusCore.Command.self, "a command") else { return nil }
      return .ask(.command(command))
    case "end":
      hasEnded = true
      return nil
    default:
      wrong(verb, "no such verb", among: ScenarioReader.verbs)
      return nil
    }
  }

  // MARK: Sessions

  private mutating func readOpen() -> ScenarioEvent? {
    guard let name = take("a name", such: "open music playback") else { return nil }
    let number = newSession(name)
    guard let category = takeWord(TactusCore.Category.self, "a category") else { return nil }
    var source = Source(category: category, hasPlayer: true)
    var peer: String?
    while next < words.count {
      guard readProperty(of: &source, &peer) else { return nil }
    }
    guard let number else { return nil }
    return .open(session: number, peer: peerNumber(peer, of: number), source)
  }

  /// A new session, or one that opens again after its death.
  private mutating func newSession(_ word: Word) -> Int? {
    if let fault = fault(ofName: word.text) {
      mistake(at: word.column, "\(fault) (\(word.text)), write another name")
    }
    guard let number = scenario.names.firstIndex(of: word.text) else {
      scenario.names.append(word.text)
      isOpen.append(true)
      return scenario.names.count - 1
    }
    guard !isOpen[number] else {
      mistake(at: word.column, "already open (\(word.text)), write another name")
      return nil
    }
    isOpen[number] = true
    return number
  }

  private func fault(ofName name: String) -> String? {
    if name == Observer.device { return "not a name for a session" }
    if name.utf8.count > 30 { return "a name longer than 30 bytes" }
    let isPlain = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || byte == 0x2d || byte == 0x2e || byte == 0x5f
    }
    return isPlain ? nil : "a name of other than letters, digits, -, _ and ."
  }

  private static let properties = [
    "mode", "option", "resumes", "gain", "adopted", "peer", "supports", "pause-on-unplug",
  ]

  private mutating func readProperty(of source: inout Source, _ peer: inout String?) -> Bool {
    guard let word = take("a property", such: "option duckOthers") else { return false }
    switch spelled(word.text, among: ScenarioReader.properties) {
    case "mode":
      guard let mode = takeWord(Mode.self, "a mode") else { return false }
      source.mode = mode
    case "option": return readOption(of: &source)
    case "resumes":
      guard let word = take("when", such: "resumes always") else { return false }
      guard word.text == "always" else {
        mistake(at: word.column, "no such value (\(word.text)), write resumes always")
        return false
      }
      source.resumesAlways = true
    case "gain":
      guard let gain = takeGain() else { return false }
      source.gain = gain
    case "adopted": source.isAdopted = true
    case "peer":
      guard let word = take("a name", such: "peer browser") else { return false }
      peer = word.text
    case "supports":
      guard let commands = takeCommands() else { return false }
      source.commands = commands
    case "pause-on-unplug":
      guard let isOn = takeOnOff() else { return false }
      source.pausesOnUnplug = isOn
    default:
      wrong(word, "no such property", among: ScenarioReader.properties)
      return false
    }
    return true
  }

  private static let override = "override-muted-microphone-interruption"

  private mutating func readOption(of source: inout Source) -> Bool {
    guard let word = take("an option", such: "option duckOthers") else { return false }
    let names = SessionOption.allCases.map { $0.name } + [ScenarioReader.override]
    guard let name = spelled(word.text, among: names) else {
      wrong(word, "no such option", among: names)
      return false
    }
    if name == ScenarioReader.override {
      source.overridesMutedMicrophone = true
    } else if let option = SessionOption(name: name) {
      source.options = SessionOptions(rawValue: source.options.rawValue | option.set.rawValue)
    }
    return true
  }

  /// A peer that the scenario names, or the session's own.
  private mutating func peerNumber(_ name: String?, of session: Int) -> UInt16 {
    let key = name.map { "peer \($0)" } ?? "session \(scenario.names[session])"
    if let known = peers.firstIndex(of: key) { return UInt16(truncatingIfNeeded: known + 1) }
    peers.append(key)
    return UInt16(truncatingIfNeeded: peers.count)
  }

  private mutating func takeSession() -> Int? {
    guard let word = take("a session", such: "activate music") else { return nil }
    guard let number = scenario.names.firstIndex(of: word.text) else {
      let near = nearest(to: word.text, among: scenario.names)
      let advice = near ?? "open \(word.text) CATEGORY in a line above"
      mistake(at: word.column, "no such session (\(word.text)), write \(advice)")
      return nil
    }
    guard isOpen[number] else {
      mistake(at: word.column, "not open any more (\(word.text)), write open in a line above")
      return nil
    }
    return number
  }

  private mutating func readDeactivate() -> ScenarioEvent? {
    guard let session = takeSession() else { return nil }
    guard next < words.count else { return .session(session, .deactivate) }
    let word = words[next]
    next += 1
    guard word.text == "notify" else {
      mistake(at: word.column, "too much (\(word.text)), write notify or nothing")
      return nil
    }
    return .session(session, .deactivateNotifying)
  }

  private mutating func readDeath() -> ScenarioEvent? {
    guard let session = takeSession() else { return nil }
    isOpen[session] = false
    return .session(session, .died)
  }

  private mutating func readCategory() -> ScenarioEvent? {
    guard let session = takeSession(),
      let category = takeWord(TactusCore.Category.self, "a category")
    else { return nil }
    return .setCategory(session, category)
  }

  private mutating func readMode() -> ScenarioEvent? {
    guard let session = takeSession(), let mode = takeWord(Mode.self, "a mode") else { return nil }
    return .setMode(session, mode)
  }

  private mutating func readOptions() -> ScenarioEvent? {
    guard let session = takeSession() else { return nil }
    var options: UInt8 = 0
    if next < words.count, words[next].text == "none" {
      next += 1
      return .setOptions(session, .none)
    }
    repeat {
      guard let option = takeWord(SessionOption.self, "an option") else { return nil }
      options |= option.set.rawValue
    } while next < words.count
    return .setOptions(session, SessionOptions(rawValue: options))
  }

  private mutating func readAnswer() -> ScenarioEvent? {
    guard let session = takeSession(), let word = take("pause", such: "answer music pause") else {
      return nil
    }
    guard word.text == "pause" else {
      mistake(at: word.column, "nothing to answer (\(word.text)), write pause")
      return nil
    }
    return .session(session, .pauseAnswered)
  }

  // MARK: Hands

  private mutating func takeControl(such example: String) -> (control: Int, word: Word)? {
    guard let word = take("a control", such: example) else { return nil }
    var name = word.text
    if name == "knob", next < words.count, words[next].text == "push" {
      next += 1
      name = "knob-push"
    }
    for (position, control) in board.controls.enumerated() where control.name == name {
      return (position, word)
    }
    for (position, control) in board.controls.enumerated()
    where spelled(name, among: [control.role.name]) != nil {
      return (position, word)
    }
    let names = board.controls.map { $0.name }
    wrong(word, "no such control on board \(board.name)", among: names)
    return nil
  }

  private mutating func readPress() -> ScenarioEvent? {
    guard let (control, word) = takeControl(such: "press volume-up") else { return nil }
    switch board.controls[control].role {
    case .knob:
      mistake(
        at: word.column,
        "a knob (\(word.text)), write turn \(word.text) N, or press knob push"
      )
    case .silentSwitch, .headphoneDetect, .microphoneSwitch, .lid:
      mistake(at: word.column, "a switch (\(word.text)), write switch \(word.text) on or off")
    case .volumeUp, .volumeDown, .mute, .knobPush, .playPause, .next, .previous, .stop, .headset,
      .power, .play, .pause, .microphoneMute:
      break
    }
    guard next < words.count else { return .press(control: control, milliseconds: 50) }
    let hold = words[next]
    next += 1
    guard hold.text == "hold" else {
      mistake(at: hold.column, "too much (\(hold.text)), write hold MS or nothing")
      return nil
    }
    guard let milliseconds = takeNumber("milliseconds", in: 1...86_400_000, such: "hold 500") else {
      return nil
    }
    if next < words.count, words[next].text == "ms" { next += 1 }
    return .press(control: control, milliseconds: Int64(milliseconds))
  }

  private mutating func readTurn() -> ScenarioEvent? {
    guard let (control, word) = takeControl(such: "turn knob -2") else { return nil }
    guard board.controls[control].role == .knob else {
      mistake(at: word.column, "no knob (\(word.text)), write press \(word.text)")
      return nil
    }
    guard let detents = takeNumber("detents", in: -100...100, such: "turn knob -2") else {
      return nil
    }
    return .turn(control: control, detents: detents)
  }

  private mutating func readSwitch() -> ScenarioEvent? {
    guard let (control, word) = takeControl(such: "switch silent-switch on") else { return nil }
    guard board.controls[control].role != .knob else {
      mistake(at: word.column, "a knob (\(word.text)), write turn \(word.text) N")
      return nil
    }
    return takeOnOff().map { .put(control: control, $0) }
  }

  private mutating func readJack() -> ScenarioEvent? {
    guard let word = take("in or out", such: "jack in") else { return nil }
    guard word.text == "in" || word.text == "out" else {
      mistake(at: word.column, "no such state (\(word.text)), write jack in or jack out")
      return nil
    }
    for (position, control) in board.controls.enumerated() where control.role == .headphoneDetect {
      return .put(control: position, word.text == "in")
    }
    mistake(at: word.column, "no headphone-detect on board \(board.name), write set route NAME")
    return nil
  }

  // MARK: What is asked of the device

  private static let settings = ["volume", "ringer", "mute", "silent", "route", "balance"]

  private mutating func readSet() -> ScenarioEvent? {
    guard let word = take("what to set", such: "set volume 40%") else { return nil }
    switch spelled(word.text, among: ScenarioReader.settings) {
    case "volume": return takeAmount(of: .system).map { .ask($0) }
    case "ringer": return takeAmount(of: .ringer).map { .ask($0) }
    case "mute": return readMute()
    case "silent": return takeOnOff().map { .ask(.setSilent($0)) }
    case "route": return readRoute()
    case "balance":
      guard let number = takeNumber("a balance", in: -100...100, such: "set balance -20") else {
        return nil
      }
      return .ask(.setBalance(Int8(number)))
    default:
      wrong(word, "nothing to set", among: ScenarioReader.settings)
      return nil
    }
  }

  private mutating func takeAmount(of volume: Volume) -> Request? {
    guard let word = take("an amount", such: "set volume 40%") else { return nil }
    var text = word.text
    if next < words.count, words[next].text == "%" || words[next].text.lowercased() == "db" {
      text += words[next].text
      next += 1
    }
    switch Amount(text) {
    case .level(let level): return .setLevel(volume, level)
    case .gain(let gain): return .setGain(volume, gain)
    case .steps(let steps): return .step(volume, steps)
    case nil:
      mistake(
        at: word.column,
        "not an amount (\(text)), write 0% to 100%, -20dB, or +1 or -1 steps"
      )
      return nil
    }
  }

  private mutating func readMute() -> ScenarioEvent? {
    guard let word = take("on, off or toggle", such: "set mute on") else { return nil }
    switch word.text {
    case "on": return .ask(.setMute(true))
    case "off": return .ask(.setMute(false))
    case "toggle": return .ask(.toggleMute)
    default:
      mistake(at: word.column, "no such state (\(word.text)), write on, off or toggle")
      return nil
    }
  }

  private mutating func readRoute() -> ScenarioEvent? {
    guard let word = take("a route", such: "set route speaker") else { return nil }
    for (position, output) in board.outputs.enumerated() where output.name == word.text {
      return .ask(.chooseRoute(UInt8(position)))
    }
    wrong(word, "no such route on board \(board.name)", among: board.outputs.map { $0.name })
    return nil
  }

  // MARK: Words

  private mutating func take(_ what: String, such example: String) -> Word? {
    guard next < words.count else {
      mistake(at: endColumn, "missing \(what), write such as \(example)")
      return nil
    }
    next += 1
    return words[next - 1]
  }

  private mutating func takeWord<Value: Named>(_ type: Value.Type, _ what: String) -> Value? {
    let names = Value.allCases.map { $0.name }
    guard let word = take(what, such: names.first ?? "") else { return nil }
    guard let name = spelled(word.text, among: names) else {
      wrong(word, "not \(what)", among: names)
      return nil
    }
    return Value(name: name)
  }

  private mutating func takeOnOff() -> Bool? {
    guard let word = take("on or off", such: "on") else { return nil }
    guard word.text == "on" || word.text == "off" else {
      mistake(at: word.column, "neither on nor off (\(word.text)), write one of these")
      return nil
    }
    return word.text == "on"
  }

  private mutating func takeNumber(
    _ what: String,
    in bounds: ClosedRange<Int>,
    such example: String
  ) -> Int? {
    guard let word = take(what, such: example) else { return nil }
    var digits = word.text
    if digits.hasSuffix("ms") { digits.removeLast(2) }
    guard let number = Int(digits), bounds.contains(number) else {
      let range = "\(bounds.lowerBound) to \(bounds.upperBound)"
      mistake(at: word.column, "not \(what) (\(word.text)), write \(range)")
      return nil
    }
    return number
  }

  /// `-6`, `-6dB` or `-6 dB`.
  private mutating func takeGain() -> Gain? {
    guard let word = take("a gain", such: "gain -6 dB") else { return nil }
    var text = word.text[...]
    if word.text.lowercased().hasSuffix("db") {
      text = text.dropLast(2)
    } else if next < words.count, words[next].text.lowercased() == "db" {
      next += 1
    }
    guard let millibels = hundredths(in: text), (-20_000...5_000).contains(millibels) else {
      mistake(at: word.column, "not a gain (\(word.text)), write such as -6 dB")
      return nil
    }
    return Gain(millibels: millibels)
  }

  /// `play,pause`, `all` or `none`.
  private mutating func takeCommands() -> CommandSet? {
    guard let word = take("commands", such: "supports play,pause") else { return nil }
    if word.text == "all" { return .all }
    if word.text == "none" { return CommandSet.none }
    var set = CommandSet.none
    for part in word.text.split(separator: "," as Character) {
      let names = TactusCore.Command.allCases.map { $0.name }
      guard let name = spelled(String(part), among: names),
        let command = TactusCore.Command(name: name)
      else {
        wrong(Word(text: String(part), column: word.column), "not a command", among: names)
        return nil
      }
      set = set.with(command)
    }
    return set
  }

  /// The word of a list that is meant: marks between its parts and large letters do not count.
  private func spelled(_ word: String, among words: [String]) -> String? {
    let wanted = spelling(word)
    return words.first { spelling($0) == wanted }
  }

  private func spelling(_ word: String) -> [UInt8] {
    word.utf8.compactMap { byte in
      if byte == 0x2d || byte == 0x5f { return nil }
      return (0x41...0x5a).contains(byte) ? byte + 0x20 : byte
    }
  }

  // MARK: Mistakes

  private mutating func wrong(_ word: Word, _ what: String, among words: [String]) {
    let advice = nearest(to: word.text, among: words) ?? "one of \(words.joined(separator: ", "))"
    mistake(at: word.column, "\(what) (\(word.text)), write \(advice)")
  }

  private mutating func mistake(at column: Int, _ message: String) {
    mistakes.append(
      Diagnostic(file: file, place: Place(line: line, column: column), message: cleaned(message))
    )
  }
}
