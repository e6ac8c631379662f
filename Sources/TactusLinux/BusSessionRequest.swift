// SPDX-License-Identifier: Apache-2.0
//
// What programs ask for their sessions: the arguments of `OpenSession` and of the methods of a
// session. Words are taken in kebab-case and in camelCase.

import TactusCore

extension BusArguments {
  /// What `OpenSession` asks for: a name for ALSA, and a session.
  func opening() throws(BusRefusal) -> (name: String, source: Source) {
    let name = try text()
    guard SourceVolume.isSourceName(name) else {
      throw BusRefusal(
        .invalidArgument,
        "name: not possible in ALSA (\(name)), 1 to \(SourceVolume.sourceNameLimit)"
          + " small letters, digits and hyphens"
      )
    }
    var source = Source(category: try named("category", text()), hasPlayer: true)
    guard message.enter("a", "{sv}") else { throw BusArguments.unreadable }
    while message.enter("e", "sv") {
      try set(try text(), message.variant(), &source)
      message.leave()
    }
    message.leave()
    // What the listener has set for a source goes for the session that takes its place.
    let configured = description.configuration.sources
    if let place = description.names.sources.firstIndex(of: name), place < configured.count {
      source.trim = configured[place].trim
    }
    return (name, source)
  }

  private func set(
    _ key: String,
    _ value: BusValue?,
    _ source: inout Source
  ) throws(BusRefusal) {
    switch (key.kebabCase, value) {
    case ("mode", .text(let word)): source.mode = try named("mode", word)
    case ("options", .texts(let words)): source.options = try options(words)
    case ("commands", .texts(let words)): source.commands = try commands(words)
    case ("gain", .number(let decibels)): source.gain = try gain(decibels)
    case ("resumes-always", .bool(let value)): source.resumesAlways = value
    case ("adopted", .bool(let value)): source.isAdopted = value
    case ("pause-on-unplug", .bool(let value)): source.pausesOnUnplug = value
    case ("override-muted-microphone-interruption", .bool(let value)):
      source.overridesMutedMicrophone = value
    default:
      throw BusRefusal(
        .invalidArgument,
        "options: not known, or of another type (\(key)); mode s, options as, commands as, gain d,"
          + " resumesAlways b, pauseOnUnplug b, overrideMutedMicrophoneInterruption b, adopted b"
      )
    }
  }

  /// What a method of the session at a place asks for.
  func request(_ method: BusSessionMethod, of place: UInt8) throws(BusRefusal) -> Request {
    switch method {
    case .activate: .session(place, .activateNotPlaying)
    case .deactivate: .session(place, try bool() ? .deactivateNotifying : .deactivate)
    case .setCategory: .setCategory(place, try named("category", text()))
    case .setMode: .setMode(place, try named("mode", text()))
    case .setOptions: .setOptions(place, try options(texts()))
    case .setGain: .setSessionGain(place, try gain())
    case .setPlaying: .session(place, try bool() ? .playing : .notPlaying)
    case .setBackground: .session(place, try bool() ? .background : .foreground)
    case .setCommands: .setCommands(place, try commands(texts()))
    case .setPauseOnUnplug: .setPausesOnUnplug(place, try bool())
    }
  }

  private func options(_ words: [String]) throws(BusRefusal) -> SessionOptions {
    var options = SessionOptions.none
    for word in words {
      let option: SessionOption = try named("option", word)
      options = SessionOptions(rawValue: options.rawValue | option.set.rawValue)
    }
    return options
  }

  private func commands(_ words: [String]) throws(BusRefusal) -> CommandSet {
    var commands = CommandSet.none
    for word in words { commands = commands.with(try named("command", word)) }
    return commands
  }

  /// A word of a closed set.
  func named<Value: Named>(
    _ what: String,
    _ word: String
  ) throws(BusRefusal) -> Value {
    if let value = Value(name: word.kebabCase) { return value }
    let known = Value.allCases.map { $0.name }.joined(separator: ", ")
    throw BusRefusal(.invalidArgument, "\(what): no such \(what) (\(word)), one of \(known)")
  }
}
