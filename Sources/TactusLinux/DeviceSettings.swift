// SPDX-License-Identifier: Apache-2.0
//
// The listener's settings, /etc/tactus/tactus.yaml: what a person chooses for a device, whatever
// board it has. Without the file every setting has the default of its rule.

public import TactusCore

/// What the settings file says.
public struct DeviceSettings: Sendable {
  /// Where the settings are, unless the command line says otherwise.
  public static let standardPath = "/etc/tactus/tactus.yaml"

  /// A board's name or the path of its file; nil where the command line must say.
  public var board: String?
  /// Length of a tick (T-1).
  public var tickMicroseconds: Int32 = 5_000
  /// What the policy takes as it is.
  public var policy = Settings()
  /// Sources in place of the board's.
  public var sources: [BoardSource]?
  /// Where one of them is called exclusive.
  private var exclusivePlace: Place?
  /// Input devices beside the board's (CTL-5).
  public var inputDevices: [BoardInputDevice] = []
  /// Sounds in the places of the built-in ones, and beside them.
  public var sounds: [BoardSound] = []
  /// Where they are written.
  private var soundsPlace: Place?
  /// Where players are found (SES-13); nil where tactusd itself is.
  public var playersBus: BusAddress?
  /// The routes that have a cap (VOL-16).
  private var maximumLevels: [Cap] = []

  /// The cap of one route, and where it is written; nowhere where it is given for all.
  private struct Cap {
    let route: RouteKind
    let level: Level
    let place: Place?
  }

  /// The defaults.
  public init() {}

  /// The cap of a route's level (VOL-16).
  public func maximumLevel(of route: RouteKind) -> Level {
    maximumLevels.first { $0.route == route }?.level ?? .full
  }

  /// What a board cannot do of what the settings ask for.
  func diagnostics(for board: Board, file: String) -> [Diagnostic] {
    var diagnostics = warnings(for: board, file: file)
    if let exclusivePlace, let obstacle = board.exclusiveObstacle {
      diagnostics.append(
        Diagnostic(
          severity: .error,
          file: file,
          place: exclusivePlace,
          key: "exclusive",
          message: refusal(obstacle)
        )
      )
    }
    return diagnostics
  }

  /// Warns of what a board does not have: routes with caps, sounds.
  private func warnings(for board: Board, file: String) -> [Diagnostic] {
    let outputs = board.configuration.outputs
    let kinds = RouteKind.allCases.filter { kind in
      outputs.indices.contains { outputs[$0].kind == kind }
    }
    var warnings: [Diagnostic] = []
    func warn(_ place: Place, _ key: String, _ message: String) {
      warnings.append(
        Diagnostic(severity: .warning, file: file, place: place, key: key, message: message)
      )
    }
    for cap in maximumLevels where !kinds.contains(cap.route) {
      guard let place = cap.place else { continue }
      let advice = oneOf(kinds.map { $0.name })
      warn(place, cap.route.name, "board \(board.name) has no such route, write \(advice)")
    }
    if let soundsPlace, board.sounds.isEmpty {
      warn(
        soundsPlace,
        "sounds",
        "board \(board.name) plays none, add - role: sounds to its signals, or delete this"
      )
    }
    return warnings
  }

  /// Loads a settings file; one that does not exist gives the defaults.
  ///
  /// - Parameters:
  ///   - path: where it is.
  ///   - lenient: take the default for what is wrong instead of refusing the whole file.
  /// - Returns: the settings and what is wrong; no settings where they cannot be used.
  public static func load(path: String, lenient: Bool = false) -> Loaded<DeviceSettings> {
    guard fileExists(path) else { return Loaded(value: DeviceSettings(), diagnostics: []) }
    let mistakes = Mistakes(file: path)
    var settings: DeviceSettings?
    if let root = yamlTree(path: path, mistakes) {
      var read = DeviceSettings()
      read.read(root, mistakes)
      settings = read
    }
    if mistakes.errorCount > 0 && !lenient { settings = nil }
    return Loaded(value: settings, diagnostics: mistakes.sorted)
  }
}

extension DeviceSettings {
  private mutating func read(_ root: YamlNode, _ mistakes: Mistakes) {
    if case .scalar("", false) = root.content { return }
    guard case .mapping(let entries) = root.content else {
      mistakes.error(root.place, "", "no settings, write keys with values, such as ringer: 60 %")
      return
    }
    var fields = Fields(place: root.place, key: "", entries: entries, mistakes: mistakes)
    board = fields.take("board")?.text(such: "hifiberry-dacplus")
    if let tick = fields.take("tick")?.milliseconds(1...20) {
      tickMicroseconds = Int32(tick * 1_000)
    }
    readLevels(&fields)
    readFlags(&fields)
    if let balance = fields.take("balance")?.percent(-100...100) {
      policy.balance = Int8(balance / 100)
    }
    inputDevices = readInputDevices(fields.take("input-devices"))
    if let bus = fields.take("players-bus")?.text(such: "unix:path=/run/players/bus") {
      playersBus = BusAddress(argument: bus)
    }
    policy.feedback = readFeedback(fields.take("feedback"))
    let soundsField = fields.take("sounds")
    sounds = readSounds(soundsField)
    soundsPlace = soundsField?.keyPlace
    if let field = fields.take("sources") {
      let list = readSources(field, mistakes)
      sources = list.sources
      exclusivePlace = list.exclusive?.place
    }
    fields.finish { DeviceSettings.explanation(of: $0) }
  }

  private mutating func readLevels(_ fields: inout Fields) {
    readLevel(&fields, "first-level", &policy.firstLevel)
    readLevel(&fields, "start-ceiling", &policy.startCeiling)
    readLevel(&fields, "ringer", &policy.ringer)
    readLevel(&fields, "alarm-floor", &policy.alarmFloor)
    guard let field = fields.take("max-level") else { return }
    guard case .mapping = field.node.content else {
      guard let parts = field.percent(1...100) else { return }
      maximumLevels = RouteKind.allCases.map {
        Cap(route: $0, level: Level(parts: parts), place: nil)
      }
      return
    }
    guard var routes = field.fields() else { return }
    for route in RouteKind.allCases {
      guard let field = routes.take(route.name), let parts = field.percent(1...100) else {
        continue
      }
      maximumLevels.append(Cap(route: route, level: Level(parts: parts), place: field.keyPlace))
    }
    routes.finish()
  }

  private func readLevel(
    _ fields: inout Fields,
    _ key: String,
    _ level: inout Level
  ) {
    if let parts = fields.take(key)?.percent(0...100) { level = Level(parts: parts) }
  }

  private mutating func readFlags(_ fields: inout Fields) {
    readFlag(&fields, "headphone-limit", &policy.limitsHeadphones)
    readFlag(&fields, "mute-silences-alarms", &policy.muteSilencesAlarms)
    readFlag(&fields, "own-mixer", &policy.ownsMixer)
    readFlag(&fields, "resume-on-replug", &policy.resumesOnReplug)
  }

  private func readFlag(_ fields: inout Fields, _ key: String, _ flag: inout Bool) {
    if let value = fields.take(key)?.flag() { flag = value }
  }

  private static func explanation(of key: String) -> String? {
    switch key {
    case "inputs", "routes", "signals", "fixed", "chip", "card", "pcm", "reserved":
      "belongs to the board file, copy the board to /etc/tactus, change it there and write its"
        + " path: board: /etc/tactus/my-board.yaml"
    case "max-volume", "volume-limit": "unknown key, write max-level"
    case "volume": "the level is set by people and remembered, write start-ceiling or max-level"
    default: nil
    }
  }
}

extension Board {
  /// Takes the listener's choices.
  public mutating func apply(_ settings: DeviceSettings) {
    configuration.settings = settings.policy
    for position in configuration.outputs.indices {
      configuration.outputs[position].maximumLevel = settings.maximumLevel(
        of: configuration.outputs[position].kind
      )
    }
    add(settings.inputDevices)
    playersBus = settings.playersBus
    replaceSounds(by: settings.sounds)
    if let sources = settings.sources {
      self.sources = sources
      fillSources()
    }
  }
}
