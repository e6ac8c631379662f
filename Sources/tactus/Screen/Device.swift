// SPDX-License-Identifier: Apache-2.0
//
// The device as the daemon describes it, in the terms of what is shown. A member that the daemon
// does not send, being older or newer, has a harmless value here.

import TactusCore
import TactusLinux

/// The answer to `Describe`.
struct Device {
  var board = ""
  var version = ""
  /// Contacts can be moved by software: a simulated board's, or those that `--hands` moves.
  var hasMovableContacts = false
  var level = Level.zero
  var ringer = Level.zero
  /// The volume that the keys set now: "system" or "ringer".
  var keysSet = "system"
  var isMuted = false
  var isSilentSwitchOn = false
  var hasHardwareSilentSwitch = false
  /// Nothing can be heard, as read back from the codec.
  var isSilent = false
  /// What the status lamp tells; nil where the daemon does not say.
  var indication: Indication?
  /// The ways to answer a person that the board has.
  var channels: [Channel] = []
  /// The device's own sounds, where it can play them.
  var sounds: [String] = []
  /// Why the whole device is silent.
  var reasons: [String] = []
  /// The rules that silence the whole device.
  var why: [Ground] = []
  /// The route in use; nil where there is none.
  var route: String?
  var routes: [Route] = []
  /// −100 (left only) … 100 (right only).
  var balance = 0
  /// The headphone limit, while it holds for the route in use.
  var limit: Level?
  var sources: [Source] = []
  var controls: [Control] = []
  /// What does not work, as `OBJECT: WORD`.
  var faults: [String] = []
  /// Since the daemon began.
  var seconds = 0.0
  /// Ticks by which it woke too late, in all.
  var lateTicks = 0
  /// Where it keeps volumes; empty where it does not say.
  var stateFolder = ""
  /// Why it cannot keep them; nil while it can.
  var stateFault: String?
  /// The last events, oldest first.
  var events: [Event] = []

  struct Route {
    var name = ""
    var kind = ""
    var isPresent = false
    var isAvailable = false
    var maximumLevel = Level.full
    /// As read back; nil when not known.
    var decibels: Double?
    var isOn: Bool?
    var amplifierOn: Bool?
    var isFaulty = false
    /// How often another program moved its controls.
    var foreignMoves = 0
  }

  struct Source {
    var name = ""
    var category = ""
    var isActive = false
    var isPlaying = false
    /// In one word: playing, active, held, interrupted, inactive.
    var state = ""
    /// Why it is not heard.
    var reasons: [String] = []
    /// The same in the daemon's sentences; empty when it is heard.
    var silence = ""
    /// The sessions that keep it from the floor.
    var heldBy: [String] = []
    /// The rules that decide about it.
    var why: [Ground] = []
    /// As read back; nil when not known.
    var decibels: Double?
    /// The player that was adopted for it; empty where it is not there, nil where there is none.
    var player: String?

    /// It plays, and nothing silences it.
    var isHeard: Bool { isActive && isPlaying && reasons.isEmpty }
  }

  /// A way to answer a person.
  struct Channel {
    var name = ""
    /// Of what it can do; 0 is off.
    var percent = 100
  }

  /// A rule and what it came to.
  struct Ground {
    var rule = ""
    var text = ""
  }

  struct Control {
    var name = ""
    var role = ""
    var isPresent = true
    /// Pressed, on, plugged in; A<<1 | B of a knob.
    var state = 0
    /// Accepted changes, or detents of a knob.
    var changes = 0
    /// Edges on its lines.
    var edges = 0
    /// Times between them, counted by `EdgeCounts.gapBoundsMilliseconds`; empty where unknown.
    var gaps: [Int] = []
    /// How often a knob rested in each state, A<<1 | B.
    var rests: [Int] = []
    var glitches = 0
    var lostEdges = 0
    var illegalJumps = 0
    var isStuck = false
    var isNoisy = false

    /// Whether it is shown as on; a knob never is.
    var isOn: Bool { role != Role.knob.name && state != 0 }

    /// Whether it does not work.
    var isWrong: Bool { !isPresent || isStuck || isNoisy }

    /// What is or was wrong, in words and numbers.
    var troubles: [String] {
      var found: [String] = []
      if !isPresent { found.append("absent") }
      if isStuck { found.append("stuck") }
      if isNoisy { found.append("noisy") }
      if lostEdges > 0 { found.append("\(lostEdges) lost") }
      if illegalJumps > 0 { found.append("\(illegalJumps) illegal") }
      if glitches > 0 { found.append("\(glitches) glitch\(glitches == 1 ? "" : "es")") }
      return found
    }
  }

  struct Event {
    /// Since the daemon began.
    var seconds = 0.0
    var kind = ""
    var object = ""
    var text = ""
    /// How many equal ones there were within ten minutes.
    var count = 1

    /// Whether it is something that a person should know, with what to do about it.
    var isNotice: Bool { Notice(name: kind) != nil }

    /// As a person reads it: `volume-up pressed`, `route headphones, new-device-available`.
    var sentence: String { count > 1 ? "\(words) (\(count) times)" : words }

    private var words: String {
      if kind == "interruption-began" { return "\(object) interrupted \(text)" }
      if kind == "interruption-ended" { return "\(object) interruption ended, \(text)" }
      if kind == "route" { return "route \(object.isEmpty ? "none" : object), \(text)" }
      return "\(object.isEmpty ? kind : object) \(text)"
    }
  }

  /// The route in use.
  var routeInUse: Route? { routes.first { $0.name == route } }

  /// What can be heard, in one word.
  var sound: Sound {
    if isSilent { return .silent }
    return reasons.contains(SilenceReason.fault.name) ? .notSilent : .sound
  }

  enum Sound {
    case sound, silent
    /// It ought to be silent, and that cannot be confirmed (SIL-11).
    case notSilent

    var word: String {
      switch self {
      case .sound: "SOUND"
      case .silent: "SILENT"
      case .notSilent: "NOT SILENT"
      }
    }
  }

  /// The first control of a role.
  func control(_ role: Role) -> Control? { controls.first { $0.role == role.name } }

  /// Why nothing is heard, or what is, in words; and what else a glance must tell (FBK-7).
  var explanation: [String] { heardOrNot + warnings }

  /// What the status lamp tells before all else, where the words do not say it already.
  private var warnings: [String] {
    switch indication {
    case .fault where !reasons.contains(SilenceReason.fault.name): ["a fault, see tactus doctor"]
    case .microphoneOff: ["microphone is off"]
    case .fault, .silent, .softMute, .route, .activity, .rest, nil: []
    }
  }

  private var heardOrNot: [String] {
    switch sound {
    case .notSilent: return ["silence is not confirmed", "see tactus doctor"]
    case .silent:
      if !reasons.isEmpty { return reasons.map { phrase(for: $0) } }
      var found: [String] = []
      for source in sources where source.isActive && source.isPlaying {
        for reason in source.reasons {
          let phrase = phrase(for: reason)
          if !found.contains(phrase) { found.append(phrase) }
        }
      }
      return found.isEmpty ? ["nothing plays"] : found
    case .sound:
      var heard = sources.filter { $0.isHeard }.map { $0.name }
      if heard.count > 3 { heard = Array(heard.prefix(2)) + ["\(heard.count - 2) more"] }
      return [heard.isEmpty ? "nothing plays" : "\(heard.joined(separator: ", ")) heard"]
    }
  }
}

extension Device.Control {
  /// How it is shown: `● volume-up`.
  func spans(_ glyphs: Glyphs) -> [Span] {
    let sign = role == Role.knob.name ? glyphs.dot : isOn ? glyphs.on : glyphs.off
    var spans = [
      Span(text: sign, style: isOn ? .green : .dim),
      Span(text: " \(name)", style: isOn ? .bold : []),
    ]
    if !troubles.isEmpty {
      let text = " (\(troubles.joined(separator: ", ")))"
      spans.append(Span(text: text, style: isWrong ? .red : .yellow))
    }
    return spans
  }
}

extension Device.Source {
  /// Whether it is heard, or why not, in a word or two and how that looks.
  func state(on device: Device) -> (String, Style) {
    if isHeard { return device.isSilent ? ("silent", .yellow) : ("heard", .green) }
    if state == "interrupted" || state == "held" {
      return (heldBy.isEmpty ? state : "\(state) by \(heldBy[0])", .yellow)
    }
    guard isActive else { return ("idle", .dim) }
    guard let reason = reasons.first else { return ("paused", .dim) }
    return (phrase(for: reason), isPlaying ? .yellow : .dim)
  }

  /// The same where there is room for sentences.
  func sentence(on device: Device) -> (String, Style) {
    let (sentence, style) = stateSentence(on: device)
    switch player {
    case nil: return (sentence, style)
    case "": return ("\(sentence), its player is not there", style)
    case .some(let player): return ("\(sentence), player \(player)", style)
    }
  }

  private func stateSentence(on device: Device) -> (String, Style) {
    let (word, style) = state(on: device)
    if silence.isEmpty { return (word, style) }
    if state == "interrupted" || state == "held" { return ("\(state): \(silence)", .yellow) }
    return isActive && !reasons.isEmpty ? ("silent: \(silence)", style) : (word, style)
  }
}

/// What a silence reason means to a listener.
func phrase(for reason: String) -> String { SilenceReason(name: reason)?.phrase ?? reason }

// MARK: From JSON

extension Device {
  /// Reads the answer to `Describe`.
  /// - Throws: `unavailable` when it is not JSON.
  init(describedBy text: String) throws(Failure) {
    do throws(JsonError) {
      self.init(try Json(parsing: text))
    } catch {
      throw Failure(
        .unavailable,
        "tactusd",
        "its description is \(error.description)",
        next: "are both programs of one version?"
      )
    }
  }

  init(_ json: Json) {
    board = json["board"]?.text ?? ""
    version = json["version"]?.text ?? ""
    hasMovableContacts = json["simulated"]?.bool ?? false
    level = Level(json["level"])
    ringer = Level(json["ringer"])
    keysSet = json["keysSet"]?.text ?? "system"
    isMuted = json["muted"]?.bool ?? false
    isSilentSwitchOn = json["silentSwitch"]?["on"]?.bool ?? false
    hasHardwareSilentSwitch = json["silentSwitch"]?["hardware"]?.bool ?? false
    isSilent = json["silent"]?.bool ?? false
    indication = json["indication"]?.text.flatMap { Indication(name: $0) }
    channels = (json["feedback"]?["channels"]?.elements ?? []).map { Channel($0) }
    sounds = texts(json["feedback"]?["sounds"])
    reasons = texts(json["reasons"])
    why = grounds(json["why"])
    route = json["route"]?.text
    routes = (json["routes"]?.elements ?? []).map { Route($0) }
    balance = Int(json["balance"]?.integer ?? 0)
    sources = (json["sources"]?.elements ?? []).map { Source($0) }
    controls = (json["controls"]?.elements ?? []).map { Control($0) }
    faults = texts(json["faults"])
    seconds = json["seconds"]?.number ?? 0
    lateTicks = Int(json["late"]?.integer ?? 0)
    stateFolder = json["stateFolder"]?.text ?? ""
    stateFault = json["stateFault"]?.text
    events = (json["events"]?.elements ?? []).map { Event($0) }
    let isLimited = routeInUse?.kind == RouteKind.headphones.name
    if isLimited, json["limit"]?["armed"]?.bool == true,
      let level = json["limit"]?["level"], level.number != nil
    {
      limit = Level(level)
    }
  }
}

extension Device.Channel {
  fileprivate init(_ json: Json) {
    name = json["name"]?.text ?? ""
    percent = Int(json["percent"]?.integer ?? 0)
  }
}

extension Device.Route {
  fileprivate init(_ json: Json) {
    name = json["name"]?.text ?? ""
    kind = json["kind"]?.text ?? ""
    isPresent = json["present"]?.bool ?? false
    isAvailable = json["available"]?.bool ?? false
    if let maximum = json["maximumLevel"] { maximumLevel = Level(maximum) }
    decibels = json["gainDecibels"]?.number
    isOn = json["on"]?.bool
    amplifierOn = json["amplifier"]?.bool
    isFaulty = json["faulty"]?.bool ?? false
    foreignMoves = Int(json["foreignMoves"]?.integer ?? 0)
  }
}

extension Device.Source {
  fileprivate init(_ json: Json) {
    name = json["name"]?.text ?? ""
    category = json["category"]?.text ?? ""
    isActive = json["active"]?.bool ?? false
    isPlaying = json["playing"]?.bool ?? false
    state = json["state"]?.text ?? ""
    reasons = texts(json["reasons"])
    silence = json["silence"]?.text ?? ""
    heldBy = texts(json["heldBy"])
    why = grounds(json["why"])
    player = json["player"].map { $0.text ?? "" }
    decibels = json["gainDecibels"]?.number
  }
}

extension Device.Control {
  fileprivate init(_ json: Json) {
    name = json["name"]?.text ?? ""
    role = json["role"]?.text ?? ""
    isPresent = json["present"]?.bool ?? true
    state = Int(json["state"]?.integer ?? 0)
    changes = Int(json["changes"]?.integer ?? 0)
    edges = Int(json["edges"]?.integer ?? 0)
    gaps = (json["gaps"]?.elements ?? []).map { Int($0.integer ?? 0) }
    rests = (json["rests"]?.elements ?? []).map { Int($0.integer ?? 0) }
    glitches = Int(json["glitches"]?.integer ?? 0)
    lostEdges = Int(json["lostEdges"]?.integer ?? 0)
    illegalJumps = Int(json["illegalJumps"]?.integer ?? 0)
    isStuck = json["stuck"]?.bool ?? false
    isNoisy = json["noisy"]?.bool ?? false
  }
}

extension Device.Event {
  fileprivate init(_ json: Json) {
    seconds = json["seconds"]?.number ?? 0
    kind = json["kind"]?.text ?? ""
    object = json["object"]?.text ?? ""
    text = json["text"]?.text ?? ""
    count = Int(json["count"]?.integer ?? 1)
  }
}

extension Level {
  /// From 0…1.
  fileprivate init(_ json: Json?) {
    let fraction = json?.number ?? 0
    self.init(parts: fraction.isFinite ? Int32((min(max(fraction, 0), 1) * 10_000).rounded()) : 0)
  }
}

private func texts(_ json: Json?) -> [String] { (json?.elements ?? []).compactMap { $0.text } }

private func grounds(_ json: Json?) -> [Device.Ground] {
  (json?.elements ?? []).map { json in
    Device.Ground(rule: json["rule"]?.text ?? "", text: json["text"]?.text ?? "")
  }
}
