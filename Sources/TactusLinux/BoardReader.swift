// SPDX-License-Identifier: Apache-2.0
//
// From the tree of a board file to a `Board`. Every mistake is reported; an item with a mistake is
// left out, so that a lenient start has everything that is right.

import TactusCore

/// Reads one board file.
struct BoardReader {
  private let mistakes: Mistakes
  private let timing: Timing
  private(set) var pins = Pins()
  private var isSimulated = false
  private var chipLabels: [String] = []
  private var cardIDs: [String] = []
  private var pcm: Field?
  private var saidChipMissing = false
  private var board: Board
  private var fixed: [Fixed] = []
  /// What `detect` says of each output, in their order.
  private var detects: [Field?] = []
  /// Every route and input of the file, also those with a mistake.
  private var namedRoutes: [(RouteKind, Place)] = []
  private var namedInputs: [String] = []
  /// Where each control of the board stands.
  private var contactPlaces: [Place] = []

  init(_ mistakes: Mistakes, timing: Timing) {
    self.mistakes = mistakes
    self.timing = timing
    board = Board(timing: timing)
  }

  /// The board, without the items that are wrong.
  mutating func read(_ root: YamlNode) -> Board? {
    guard case .mapping(let entries) = root.content else {
      mistakes.error(root.place, "", "no board, write keys with values, such as name: my-radio")
      return nil
    }
    var fields = Fields(place: root.place, key: "", entries: entries, mistakes: mistakes)
    readIdentity(&fields)
    readHardware(&fields)
    readRoutes(&fields)
    readInputs(&fields)
    connectDetects()
    board.add(readInputDevices(fields.take("input-devices")))
    readCapture(fields.take("capture"))
    readSignals(&fields)
    fixed += readFixed(fields.take("fixed"), cardIDs)
    checkFixed()
    let list = readSources(fields.take("sources"), mistakes)
    board.sources = list.sources
    if let obstacle = board.exclusiveObstacle { list.exclusive?.error(refusal(obstacle)) }
    fields.finish { Explanations.ofTopLevel($0) }
    return board
  }
}

// MARK: - Identity and shared facts

extension BoardReader {
  private mutating func readIdentity(_ fields: inout Fields) {
    let advice = "write the board's name, such as name: my-radio"
    board.name = fields.require("name", advice)?.name(such: "my-radio", longest: 40) ?? ""
    board.title = fields.take("title")?.text(such: "My radio") ?? board.name
    board.description = fields.take("description")?.text(such: "Radio with a knob") ?? ""
    // What these two say was heeded before (BoardExtension).
    let hasBase = fields.take("extends") != nil
    if let without = fields.take("without"), !hasBase {
      without.error("only with extends, delete this line")
    }
    board.status = fields.take("status")?.word(Board.Status.self) ?? .unverified
    isSimulated = board.status == .simulated
    readUnverified(fields.take("unverified"))
    board.identity = readIdentity(fields.take("identify"))
    for line in fields.take("overlay")?.oneOrMore ?? [] {
      if let text = line.text(such: "dtoverlay=hifiberry-dacplus") { board.overlay.append(text) }
    }
  }

  private mutating func readUnverified(_ field: Field?) {
    guard let field else { return }
    board.unverified = texts(field, such: "the polarity of the LEDs")
    if board.status != .unverified {
      field.error("but the status is \(board.status.name), write status: unverified or delete this")
    }
  }

  private func readIdentity(_ field: Field?) -> BoardIdentity {
    var identity = BoardIdentity()
    guard let field, var fields = field.fields() else { return identity }
    identity.models = texts(fields.take("model"), such: "Raspberry Pi 4")
    identity.hatVendors = texts(fields.take("hat-vendor"), such: "HiFiBerry")
    identity.hatProducts = texts(fields.take("hat-product"), such: "Amp100")
    identity.controls = texts(fields.take("controls"), such: "Headphone Playback Volume")
    identity.foreignControls = texts(
      fields.take("foreign-controls"),
      such: "Headphone Playback Volume"
    )
    fields.finish()
    return identity
  }

  private mutating func readHardware(_ fields: inout Fields) {
    let chip = fields.take("chip")
    saidChipMissing = chip != nil
    chipLabels = texts(chip, such: "pinctrl-bcm2711")
    cardIDs = texts(fields.take("card"), such: "sndrpihifiberry")
    pcm = fields.take("pcm")
    let isPi = fields.take("header")?.word(PinHeader.self).map { $0 == .raspberryPi }
    pins.hasHeader = isPi ?? Pins.isRaspberryPi(chipLabels)
    pins.i2s = fields.take("i2s")?.word(I2SUse.self) ?? .duplex
    for item in fields.take("reserved")?.items(such: reservedExample) ?? [] {
      guard var entry = item.fields() else { continue }
      let lines = entry.require("line", "write the line's number")?.oneOrMore ?? []
      let owner = entry.require("owner", "write who owns the line")?.text(such: "the amplifier")
      entry.finish()
      for line in lines {
        guard let offset = line.integer(0...511), let owner else { continue }
        board.reserved.append(ReservedLine(offset: UInt32(offset), owner: owner))
      }
    }
    pins.reserved = board.reserved
    pins.chipLabels = chipLabels
  }

  private var reservedExample: String { "- line: 4, and below it owner: the amplifier" }

  private func texts(_ field: Field?, such example: String) -> [String] {
    (field?.oneOrMore ?? []).compactMap { $0.text(such: example) }
  }

  private func ticks(_ milliseconds: Int64) -> Tick { timing.ticks(milliseconds: milliseconds) }
}

// MARK: - Routes

extension BoardReader {
  private mutating func readRoutes(_ fields: inout Fields) {
    let advice = "write the ways to the ear, such as - name: speaker"
    guard let field = fields.require("routes", advice) else { return }
    let items = field.items(such: "- name: speaker")
    if items.isEmpty, case .sequence = field.node.content {
      field.error("an empty list, \(advice)")
    }
    pins.hasI2CCodec = pins.i2s != .none && items.contains { hasControls($0) }
    for item in items {
      let before = mistakes.errorCount
      guard let read = readRoute(item), mistakes.errorCount == before else { continue }
      guard board.configuration.outputs.append(read.policy) else {
        item.error("more than \(Configuration.maximumOutputs) routes, delete one")
        continue
      }
      warnOfNoSilence(read.output, item)
      board.outputs.append(read.output)
      fixed += read.fixed
      detects.append(read.detect)
    }
  }

  private func warnOfNoSilence(_ output: BoardOutput, _ item: Field) {
    guard output.volume == nil, output.mute == .none, output.amplifier == nil, !isSimulated,
      !has("mute", item)
    else { return }
    mistakes.warning(
      item.place,
      "routes",
      "\(output.name) can be silenced by its sources only, add mute or amplifier, or write"
        + " mute: none if there is neither"
    )
  }

  private func has(_ key: String, _ route: Field) -> Bool {
    guard case .mapping(let entries) = route.node.content else { return false }
    return entries.contains { $0.key == key }
  }

  private func hasControls(_ route: Field) -> Bool {
    guard case .mapping(let entries) = route.node.content else { return false }
    return entries.contains { entry in
      guard entry.key == "volume" else { return false }
      if case .scalar("none", _) = entry.value.content { return false }
      return true
    }
  }

  private struct Route {
    let output: BoardOutput
    let policy: TactusCore.Output
    let fixed: [Fixed]
    let detect: Field?
  }

  private mutating func readRoute(_ item: Field) -> Route? {
    guard var fields = item.fields() else { return nil }
    let name = fields.require("name", "write \(oneOf(RouteKind.words))")
    let kind = name?.word(RouteKind.self)
    if let name, let kind {
      if let first = namedRoutes.first(where: { $0.0 == kind }) {
        let other = mistakes.name(first.1, seenFrom: name.place)
        name.error("given twice (first in \(other)), delete one")
      } else {
        namedRoutes.append((kind, name.place))
      }
    }
    let cards = readCards(&fields)
    let volume = readVolume(&fields)
    let mute = readMute(&fields, hasVolume: volume != nil)
    let maximum = fields.take("max-db")
    let maximumGain = maximum?.gain(-6_000...2_400) ?? .unity
    checkWindow(volume, maximum, maximumGain)
    let priority = fields.take("priority")?.integer(-100...100) ?? 0
    let detect = fields.take("detect")
    let amplifier = readAmplifier(fields.take("amplifier"), route: kind?.name ?? "")
    let fixed = readFixed(fields.take("fixed"), cards)
    let pcm = readPCM(fields.take("pcm") ?? self.pcm, cards)
    fields.finish { Explanations.ofRoute($0) }
    guard let kind, let pcm else { return nil }
    let output = BoardOutput(
      name: kind.name,
      cardIDs: cards,
      volume: volume,
      mute: mute,
      pcm: pcm,
      amplifier: amplifier?.line,
      maximumGain: maximumGain
    )
    let policy = TactusCore.Output(
      kind: kind,
      hasVolume: volume != nil,
      hasSwitch: mute != .none,
      curve: Curve(
        lowest: volume?.lowest ?? Mixer.sourceVolume.scale.lowest,
        top: min(volume?.highest ?? .unity, maximumGain)
      ),
      amplifier: amplifier?.policy,
      priority: Int32(priority)
    )
    return Route(output: output, policy: policy, fixed: fixed, detect: detect)
  }

  private mutating func readCards(_ fields: inout Fields) -> [String] {
    if let field = fields.take("card") { return texts(field, such: "sndrpihifiberry") }
    if cardIDs.isEmpty, !isSimulated {
      mistakes.error(
        fields.place,
        "card",
        "missing, write the card's id as in /proc/asound/cards, here or at the top of the file"
      )
    }
    return cardIDs
  }

  private func readPCM(_ field: Field?, _ cards: [String]) -> BoardPCM? {
    var pcm = BoardPCM(
      cardIDs: cards,
      device: 0,
      rateHertz: 48_000,
      format: "S16_LE",
      channelCount: 2
    )
    guard let field else { return pcm }
    guard var fields = field.fields() else { return nil }
    if let card = fields.take("card") { pcm.cardIDs = texts(card, such: "sndrpihifiberry") }
    if let device = fields.take("device")?.integer(0...31) { pcm.device = UInt32(device) }
    if let rate = fields.take("rate")?.hertz(8_000...192_000) { pcm.rateHertz = rate }
    if let format = fields.take("format")?.choice(Words.formats) { pcm.format = format }
    if let channels = fields.take("channels")?.integer(1...8) { pcm.channelCount = Int32(channels) }
    fields.finish()
    return pcm
  }

  private mutating func readAmplifier(
    _ field: Field?,
    route: String
  ) -> (line: BoardLine?, policy: Amplifier)? {
    guard let field, var fields = field.fields() else { return nil }
    let line = readLine(&fields, defaultPolarity: .activeHigh, owner: "the amplifier of \(route)")
    var policy = Amplifier()
    let delays: ClosedRange<Int64> = 0...10_000
    if let delay = fields.take("enable-after")?.milliseconds(delays) {
      policy.enableTicks = ticks(delay)
    }
    if let delay = fields.take("close-after")?.milliseconds(delays) {
      policy.disableTicks = ticks(delay)
    }
    if let idle = fields.take("idle-off"), !idle.isWord("never") {
      policy.idleOffTicks = ticks(idle.milliseconds(1_000...86_400_000) ?? 0)
    }
    policy.whenReleased = readWhenReleased(&fields)
    fields.finish { Explanations.ofLine($0) }
    return (line, policy)
  }

  private mutating func readWhenReleased(_ fields: inout Fields) -> ReleasedAmplifier {
    guard let field = fields.take("when-released") else {
      mistakes.warning(
        fields.place,
        "when-released",
        "missing, measure what the amplifier does while nobody drives its line and write"
          + " silent or live"
      )
      return .unknown
    }
    let state = field.word(ReleasedAmplifier.self)
    switch state {
    case .live:
      field.warning(
        "the amplifier plays while nobody drives its line: at boot, and when tactusd has died;"
          + " fit a resistor that silences it"
      )
    case .unknown:
      field.warning(
        "the amplifier may play while nobody drives its line, measure and write silent or live"
      )
    case .silent, nil:
      break
    }
    return state ?? .unknown
  }

  /// The line of something that is driven; nil on a simulated board.
  private mutating func readLine(
    _ fields: inout Fields,
    defaultPolarity: Polarity,
    owner: String
  ) -> BoardLine? {
    let labels = readChip(&fields)
    let polarity = fields.take("active")?.choice(Words.polarities) ?? defaultPolarity
    let field = fields.take("line")
    if isSimulated { return nil }
    guard let field else {
      mistakes.error(fields.place, "line", "missing, write the line's number (BCM)")
      return nil
    }
    guard let offset = field.integer(0...511) else { return nil }
    pins.claim(field, UInt32(offset), of: labels, for: owner)
    return BoardLine(chipLabels: labels, offset: UInt32(offset), polarity: polarity)
  }

  private mutating func readChip(_ fields: inout Fields) -> [String] {
    if let field = fields.take("chip") { return texts(field, such: "pinctrl-bcm2711") }
    if chipLabels.isEmpty, !isSimulated, !saidChipMissing {
      saidChipMissing = true
      mistakes.error(
        fields.place,
        "chip",
        "missing, write the GPIO chip's label at the top of the file, such as"
          + " chip: [pinctrl-rp1, pinctrl-bcm2711, pinctrl-bcm2835]"
      )
    }
    return chipLabels
  }
}

// MARK: - Mixer controls

extension BoardReader {
  private func readVolume(_ fields: inout Fields) -> BoardVolume? {
    let advice =
      "write the control's raw name as in `amixer controls`, or none where the codec has no volume"
    guard let field = fields.require("volume", advice), !field.isWord("none") else { return nil }
    var volume = BoardVolume(
      address: ControlAddress(""),
      correction: DecibelScale.Correction(),
      lowest: Gain(millibels: -6_000),
      highest: .unity
    )
    guard case .mapping = field.node.content else {
      guard let name = field.text(such: "Digital Playback Volume") else { return nil }
      volume.address.name = name
      return volume
    }
    guard var fields = field.fields() else { return nil }
    volume.address = readAddress(&fields, such: "Digital Playback Volume")
    let range: ClosedRange<Int32> = -20_000...10_000
    let correction = readCorrection(&fields, range)
    volume.correction = correction
    volume.lowest = fields.take("lowest")?.gain(range) ?? volume.lowest
    volume.highest = fields.take("highest")?.gain(range) ?? volume.highest
    if let range = correction.rangeMillibels {
      volume.lowest = Gain(millibels: range.lowerBound)
      volume.highest = Gain(millibels: range.upperBound)
    }
    fields.finish()
    return volume
  }

  private func readCorrection(
    _ fields: inout Fields,
    _ range: ClosedRange<Int32>
  ) -> DecibelScale.Correction {
    var correction = DecibelScale.Correction()
    let raws = -1_000_000...1_000_000
    correction.rawAtZeroDecibels = fields.take("raw-zero-db")?.integer(raws).map { Int32($0) }
    correction.silentUpToRaw = fields.take("silent-below")?.integer(raws).map { Int32($0) - 1 }
    let minimum = fields.take("min-db")
    let maximum = fields.take("max-db")
    let lowest = minimum?.gain(range)
    let highest = maximum?.gain(range)
    switch (minimum, maximum) {
    case (let minimum?, nil): minimum.error("min-db without max-db, write both or none")
    case (nil, let maximum?):
      maximum.error(
        "max-db without min-db, write both, or write max-db beside volume to cap the route"
      )
    case (nil, nil), (_?, _?): break
    }
    guard let maximum, let lowest, let highest else { return correction }
    if lowest < highest {
      correction.rangeMillibels = lowest.millibels...highest.millibels
    } else {
      maximum.error(
        "not above min-db (\(maximum.written)), write the gain of the highest raw value"
      )
    }
    return correction
  }

  private func checkWindow(_ volume: BoardVolume?, _ maximum: Field?, _ maximumGain: Gain) {
    if let maximum, maximumGain > .unity {
      maximum.warning("above 0 dB (\(maximum.written)), loud passages will distort")
    }
    guard let volume else { return }
    let top = min(volume.highest, maximumGain)
    guard volume.lowest >= top, let field = maximum else { return }
    field.error(
      "no window between the lowest gain (\(decibels(volume.lowest.millibels))) and the top"
        + " (\(decibels(top.millibels))), write a greater max-db"
    )
  }

  private func readAddress(_ fields: inout Fields, such example: String) -> ControlAddress {
    let advice = "write the control's raw name, such as \(example)"
    let name = fields.require("control", advice)?.text(such: example) ?? ""
    let index = fields.take("index")?.integer(0...255) ?? 0
    return ControlAddress(name, index: UInt32(index))
  }

  private func readMute(_ fields: inout Fields, hasVolume: Bool) -> BoardMute {
    guard let field = fields.take("mute") else { return hasVolume ? .volume : .none }
    if field.isWord("none") { return .none }
    if field.isWord("volume") {
      if hasVolume { return .volume }
      field.error("there is no volume to mute with, write a switch's raw name or none")
      return .none
    }
    guard case .mapping = field.node.content else {
      guard let name = field.text(such: "Digital Playback Switch") else { return .none }
      return .control(ControlAddress(name), silent: .isOn(false), audible: .isOn(true))
    }
    guard var fields = field.fields() else { return .none }
    let address = readAddress(&fields, such: "Digital Playback Switch")
    let silent = fields.take("silent").flatMap { readSetting($0) } ?? .isOn(false)
    let audible = fields.take("audible").flatMap { readSetting($0) } ?? .isOn(true)
    fields.finish()
    if silent == audible {
      field.error("silent and audible are the same, write the two values of the control")
    }
    return .control(address, silent: silent, audible: audible)
  }

  private typealias Fixed = (control: FixedControl, field: Field)

  private func readFixed(_ field: Field?, _ cards: [String]) -> [Fixed] {
    guard let field, let fields = field.fields() else { return [] }
    if cards.isEmpty, !isSimulated {
      field.error("no card to set this on, write card at the top of the file")
    }
    return fields.all().compactMap { entry in
      guard case .mapping = entry.node.content else {
        return readSetting(entry).map {
          let address = ControlAddress(entry.key)
          return (FixedControl(cardIDs: cards, address: address, setting: $0), entry)
        }
      }
      guard var details = entry.fields() else { return nil }
      let index = details.take("index")?.integer(0...255) ?? 0
      let setting = details.require("value", "write on, off, a gain, a raw value or an item")
        .flatMap { readSetting($0) }
      details.finish()
      return setting.map {
        let address = ControlAddress(entry.key, index: UInt32(index))
        return (FixedControl(cardIDs: cards, address: address, setting: $0), entry)
      }
    }
  }

  /// `on`, `off`, a gain, a raw number, or else the name of an item.
  private func readSetting(_ field: Field) -> ControlSetting? {
    guard case .scalar(let text, let isQuoted) = field.node.content, !text.isEmpty else {
      field.error("no value (\(field.written)), write on, off, a gain, a raw value or an item")
      return nil
    }
    if isQuoted { return .item(text) }
    switch text {
    case "on", "true": return .isOn(true)
    case "off", "false": return .isOn(false)
    default: break
    }
    if text.hasSuffix("dB") { return field.gain(-20_000...10_000).map { .gain($0) } }
    if let raw = Int32(text) { return .raw(raw) }
    return field.text(such: "on").map { .item($0) }
  }

  /// A control that is moved cannot be fixed as well.
  private mutating func checkFixed() {
    for (control, field) in fixed {
      if let output = board.outputs.first(where: { isMoved(control, by: $0) }) {
        mistakes.error(
          field.keyPlace,
          field.key,
          "moved by the route \(output.name), delete it here: what is fixed stays as it is"
        )
      } else if board.capture.contains(where: { isSame(control, $0) }) {
        mistakes.error(
          field.keyPlace,
          field.key,
          "moved by capture, delete it here: what is fixed stays as it is"
        )
      } else {
        board.fixed.append(control)
      }
    }
  }

  /// What closes the way of the microphones' sound.
  private mutating func readCapture(_ field: Field?) {
    for item in field?.oneOrMore ?? [] {
      let before = mistakes.errorCount
      guard let read = readCaptureSwitch(item), mistakes.errorCount == before else { continue }
      if board.capture.contains(where: { $0.address == read.address && $0.cardIDs == read.cardIDs })
      {
        item.error("given twice (\(read.address.name)), delete one")
      } else {
        board.capture.append(read)
      }
    }
    board.configuration.hasCaptureSwitch = !board.capture.isEmpty
  }

  private mutating func readCaptureSwitch(_ item: Field) -> BoardCaptureSwitch? {
    var control = BoardCaptureSwitch(
      cardIDs: cardIDs,
      address: ControlAddress(""),
      closed: .isOn(false),
      open: .isOn(true)
    )
    if case .mapping = item.node.content {
      guard var fields = item.fields() else { return nil }
      control.cardIDs = readCards(&fields)
      control.address = readAddress(&fields, such: "Capture Switch")
      control.closed = fields.take("closed").flatMap { readSetting($0) } ?? control.closed
      control.open = fields.take("open").flatMap { readSetting($0) } ?? control.open
      fields.finish()
      if control.closed == control.open {
        item.error("closed and open are the same, write the two values of the control")
      }
    } else {
      guard let name = item.text(such: "Capture Switch") else { return nil }
      control.address.name = name
      if cardIDs.isEmpty, !isSimulated {
        item.error("no card to close this on, write card at the top of the file")
      }
    }
    return control
  }

  private func isSame(_ fixed: FixedControl, _ capture: BoardCaptureSwitch) -> Bool {
    fixed.cardIDs == capture.cardIDs && fixed.address == capture.address
  }

  private func isMoved(_ fixed: FixedControl, by output: BoardOutput) -> Bool {
    guard fixed.cardIDs == output.cardIDs else { return false }
    if case .control(let address, _, _) = output.mute, address == fixed.address { return true }
    return output.volume?.address == fixed.address
  }
}

// MARK: - Inputs

extension BoardReader {
  private mutating func readInputs(_ fields: inout Fields) {
    guard let field = fields.take("inputs") else { return }
    var places: [(Role, Place)] = []
    for item in field.items(such: "- role: volume-up") {
      let before = mistakes.errorCount
      guard var fields = item.fields() else { continue }
      let roleField = fields.require("role", "write \(oneOf(Words.roles.map { $0.0 }))")
      guard let roleField, let role = readRole(roleField) else {
        readForgotten(&fields)
        continue
      }
      if role != .headphoneDetect, let first = places.first(where: { $0.0 == role }) {
        let other = mistakes.name(first.1, seenFrom: roleField.place)
        roleField.error(
          "given twice (first in \(other)), delete one, or write both contacts as one"
            + " control: line: [5, 6]"
        )
      }
      places.append((role, roleField.place))
      let controls = readInput(&fields, role)
      guard mistakes.errorCount == before else { continue }
      append(controls, item)
    }
  }

  private func readRole(_ field: Field) -> Role? {
    if let word = field.scalar, let advice = Explanations.ofRole(word) {
      field.error(advice)
      return nil
    }
    return field.choice(Words.roles)
  }

  /// An input without a role: its lines are checked nevertheless.
  private mutating func readForgotten(_ fields: inout Fields) {
    let labels = fields.take("chip").map { texts($0, such: "pinctrl-bcm2711") } ?? chipLabels
    for key in ["line", "a", "b", "push"] {
      for field in fields.take(key)?.oneOrMore ?? [] {
        guard let offset = field.integer(0...511) else { continue }
        pins.claim(field, UInt32(offset), of: labels, for: "a control without a role")
      }
    }
  }

  private typealias ReadControl = (board: BoardControl, policy: TactusCore.Control)

  private mutating func append(_ controls: [ReadControl], _ item: Field) {
    for control in controls {
      if let first = board.controls.first(where: { $0.name == control.board.name }) {
        item.error("the name \(first.name) is taken, write another name: for one of the two")
        return
      }
    }
    for control in controls {
      guard board.controls.count < Board.maximumOwnControls,
        board.configuration.controls.append(control.policy)
      else {
        item.error("more than \(Board.maximumOwnControls) controls, delete one")
        return
      }
      board.controls.append(control.board)
      contactPlaces.append(item.place)
    }
  }

  private mutating func readInput(_ fields: inout Fields, _ role: Role) -> [ReadControl] {
    let name = fields.take("name")?.name(such: role.name) ?? role.name
    namedInputs.append(name)
    let controls = role == .knob ? readKnob(&fields, name) : readContact(&fields, name, role)
    fields.finish { Explanations.ofInput($0, role) }
    return controls
  }

  private mutating func readContact(
    _ fields: inout Fields,
    _ name: String,
    _ role: Role
  ) -> [ReadControl] {
    var policy = TactusCore.Control(role: role, debounceTicks: ticks(10))
    if role == .mute { policy.latching = fields.take("latching")?.flag() ?? false }
    if role == .headphoneDetect, let jack = fields.take("alsa-jack") {
      return [(BoardControl(name: name, role: role, contact: readJack(&fields, jack)), policy)]
    }
    if let debounce = fields.take("debounce")?.milliseconds(0...1_000) {
      policy.debounceTicks = ticks(debounce)
    }
    let contact = readLines(&fields, ["line"], name, role)
    return [(BoardControl(name: name, role: role, contact: contact), policy)]
  }

  private mutating func readJack(_ fields: inout Fields, _ jack: Field) -> BoardControl.Contact {
    let cards = readCards(&fields)
    let name = jack.text(such: "Headphone Jack") ?? ""
    if name.hasSuffix("Jack Switch") {
      jack.error(
        "no detection but a switch of the codec's routing (\(name)), write a control whose name"
          + " ends in Jack, or the line of a contact"
      )
    }
    jack.warning(
      "the kernel waits before it tells of an unplug, write line: if the contact is on a GPIO"
    )
    if isSimulated { return .simulated }
    return .jack(cardIDs: cards, ControlAddress(name, interface: .card))
  }

  private mutating func readKnob(_ fields: inout Fields, _ name: String) -> [ReadControl] {
    var policy = TactusCore.Control(role: .knob, debounceTicks: 0)
    policy.transitionsPerDetent = readTransitions(fields.take("transitions-per-detent"))
    policy.inverted = fields.take("invert")?.flag() ?? false
    policy.acceleration = Int32(fields.take("acceleration")?.integer(1...4) ?? 1)
    let push = fields.take("push")
    let debounce = fields.take("debounce")
    let debounceTicks = ticks(debounce?.milliseconds(0...1_000) ?? 10)
    if let debounce, push == nil {
      debounce.error("a knob's turning is not debounced by time, delete this line")
    }
    let active = fields.take("active")?.choice(Words.polarities)
    let turn = readLines(&fields, ["a", "b"], name, .knob)
    var controls: [ReadControl] = [
      (BoardControl(name: name, role: .knob, contact: turn), policy)
    ]
    if let push {
      let contact = readPush(push, turn, active, name)
      controls.append(
        (
          BoardControl(name: "\(name)-push", role: .knobPush, contact: contact),
          TactusCore.Control(role: .knobPush, debounceTicks: debounceTicks)
        )
      )
    }
    return controls
  }

  private func readTransitions(_ field: Field?) -> Int32 {
    guard let field, let transitions = field.integer(1...4) else { return 4 }
    if transitions == 3 { field.error("not a number of transitions (3), write 1, 2 or 4") }
    return Int32(transitions)
  }

  /// The push has the chip and bias of the turning.
  private mutating func readPush(
    _ push: Field,
    _ turn: BoardControl.Contact,
    _ active: Polarity?,
    _ name: String
  ) -> BoardControl.Contact {
    if isSimulated, push.isWord("true") { return .simulated }
    guard let offset = push.integer(0...511), case .lines(let labels, _, let bias, _) = turn
    else { return .simulated }
    let polarity = active ?? (bias == .pullDown ? .activeHigh : .activeLow)
    pins.claim(push, UInt32(offset), of: labels, for: "\(name)-push")
    return .lines(chipLabels: labels, offsets: [UInt32(offset)], bias: bias, polarity)
  }

  private mutating func readLines(
    _ fields: inout Fields,
    _ keys: [String],
    _ name: String,
    _ role: Role
  ) -> BoardControl.Contact {
    let labels = readChip(&fields)
    let bias = readBias(&fields, role)
    let polarity = readPolarity(&fields, bias, role)
    var offsets: [UInt32] = []
    for key in keys {
      guard let field = fields.take(key) else {
        if !isSimulated {
          mistakes.error(fields.place, key, "missing, write the line's number (BCM)")
        }
        continue
      }
      for line in keys.count == 1 ? field.oneOrMore : [field] {
        guard let offset = line.integer(0...511) else { continue }
        let owner = keys.count == 1 ? name : "\(name) \(key)"
        pins.claim(line, UInt32(offset), of: labels, for: owner)
        offsets.append(UInt32(offset))
      }
    }
    if isSimulated { return .simulated }
    return .lines(chipLabels: labels, offsets: offsets, bias: bias, polarity)
  }

  /// Which level is active: by default the one that the resistor does not hold; a knob's turning is
  /// decoded from the levels as they are.
  private func readPolarity(_ fields: inout Fields, _ bias: Bias, _ role: Role) -> Polarity {
    if role == .knob { return .activeHigh }
    let active = fields.take("active")?.choice(Words.polarities)
    return active ?? (bias == .pullDown ? .activeHigh : .activeLow)
  }

  private func readBias(_ fields: inout Fields, _ role: Role) -> Bias {
    if let field = fields.take("bias") { return field.choice(Words.biases) ?? .noneExternal }
    guard !isSimulated else { return .noneExternal }
    let message =
      "missing: the line floats, write pull-up or pull-down, or none-external where the board"
      + " has a resistor"
    if role == .power {
      mistakes.error(fields.place, "bias", message)
    } else {
      mistakes.warning(fields.place, "bias", message)
    }
    return .noneExternal
  }
}

// MARK: - Detection and signals

extension BoardReader {
  /// Joins each route with the contact that says whether something is plugged in.
  private mutating func connectDetects() {
    let contacts = board.controls.indices.filter { board.controls[$0].role == .headphoneDetect }
    for position in board.outputs.indices {
      guard let field = detects[position] else {
        let isObvious = contacts.count == 1 && board.outputs[position].name == "headphones"
        if isObvious { board.configuration.outputs[position].detect = UInt8(contacts[0]) }
        continue
      }
      if field.isWord("none") { continue }
      guard let name = field.text(such: "headphone-detect") else { continue }
      if let contact = contacts.first(where: { board.controls[$0].name == name }) {
        board.configuration.outputs[position].detect = UInt8(contact)
      } else if !namedInputs.contains(name) {
        let names = contacts.map { board.controls[$0].name } + ["none"]
        field.error("no such headphone-detect input (\(name)), write \(oneOf(names))")
      }
    }
    for contact in contacts {
      let outputs = board.configuration.outputs
      if !outputs.indices.contains(where: { outputs[$0].detect == UInt8(contact) }) {
        mistakes.warning(
          contactPlaces[contact],
          "inputs",
          "\(board.controls[contact].name) says nothing of any route, write detect:"
            + " \(board.controls[contact].name) below the route that it belongs to"
        )
      }
    }
  }

  private mutating func readSignals(_ fields: inout Fields) {
    guard let field = fields.take("signals") else { return }
    defer { warnOfOneChannel(field) }
    for item in field.items(such: "- role: led") {
      let before = mistakes.errorCount
      guard var fields = item.fields() else { continue }
      let word = fields.require("role", "write \(oneOf(SignalWord.words))")?
        .word(SignalWord.self)
      if word == .sounds {
        readSounds(&fields, item)
        continue
      }
      let role = word.flatMap { readSignalRole(&fields, $0) }
      let name = fields.take("name")?.name(such: "led") ?? ""
      let called = name.isEmpty ? role?.name ?? "a signal" : name
      let means = readMeans(&fields, word, called)
      fields.finish { Explanations.ofSignal($0) }
      guard let role, let means, mistakes.errorCount == before else { continue }
      let signal = BoardSignal(name: called, role: role, means: means)
      board.signals.append(signal)
      board.configuration.feedbackChannels =
        board.configuration.feedbackChannels.union(role.channels)
    }
  }

  /// A line, or what the kernel drives: a lamp of its LED class, a motor of an input device.
  private mutating func readMeans(
    _ fields: inout Fields,
    _ word: SignalWord?,
    _ name: String
  ) -> BoardSignal.Means? {
    let field: Field?
    let example: String
    switch word {
    case .led: (field, example) = (fields.take("device"), "\"*:status\"")
    case .haptic: (field, example) = (fields.take("input"), "\"Griffin*\"")
    case .trigger, .sounds, nil: (field, example) = (nil, "")
    }
    guard let field else {
      let line = readLine(&fields, defaultPolarity: .activeHigh, owner: name)
      return line.map { .line($0) } ?? (isSimulated ? .simulated : nil)
    }
    for key in ["line", "chip", "active"] {
      fields.take(key)?.error("the kernel drives it by \(field.key), delete one of the two")
    }
    let pattern = field.text(such: example)
    return isSimulated ? .simulated : pattern.map { .device($0) }
  }

  /// Fault, hearing and microphone must reach a person on two channels.
  private func warnOfOneChannel(_ signals: Field?) {
    let advice: String
    switch board.configuration.feedbackChannels {
    case .led: advice = "light alone, add - role: haptic or - role: sounds"
    case .haptic: advice = "a motor alone, add - role: led or - role: sounds"
    case .sound: advice = "sound alone, add - role: led or - role: haptic"
    default: return
    }
    signals?.warning(
      "a fault, a hearing warning and a closed microphone are told by two channels (FBK-3), here by"
        + " \(advice)"
    )
  }

  private func readSignalRole(
    _ fields: inout Fields,
    _ word: SignalWord
  ) -> BoardSignal.Role? {
    switch word {
    case .led:
      let field = fields.require("shows", "write \(oneOf(Words.lights.map { $0.0 }))")
      let role = field?.choice(Words.lights)
      if role == .microphoneLED, board.capture.isEmpty {
        field?.warning("never lit: write capture with the switch that closes the microphone")
      }
      return role
    case .trigger:
      let field = fields.require("route", "write the route that it serves")
      guard let field, let kind = field.word(RouteKind.self) else { return nil }
      guard let output = board.configuration.output(kind) else {
        if !namedRoutes.contains(where: { $0.0 == kind }) {
          let names = namedRoutes.map { $0.0.name }
          field.error("no such route on this board (\(kind.name)), write \(oneOf(names))")
        }
        return nil
      }
      return .trigger(output: UInt8(output))
    case .haptic:
      return .haptic
    case .sounds:
      return nil
    }
  }

  /// They sound on whatever route there is, and have no line.
  private mutating func readSounds(_ fields: inout Fields, _ item: Field) {
    fields.finish { Explanations.ofSounds($0) }
    if board.sounds.isEmpty { board.addSounds() } else { item.error("given twice, delete one") }
  }
}

extension BoardSignal.Role {
  /// The ways to answer a person that it adds.
  fileprivate var channels: FeedbackChannels {
    switch self {
    case .statusLED, .silentLED, .microphoneLED, .activityLED: .led
    case .haptic: .haptic
    case .trigger: .none
    }
  }

  fileprivate var name: String {
    switch self {
    case .statusLED: "led-status"
    case .silentLED: "led-silent"
    case .microphoneLED: "led-microphone"
    case .activityLED: "led-activity"
    case .trigger: "trigger"
    case .haptic: "haptic"
    }
  }
}
