// SPDX-License-Identifier: Apache-2.0
//
// Cards, their controls, what is read back from them, and who plays.

import TactusCore
import TactusLinux

extension Examination {
  /// So often has another program moved a control that it will go on.
  private static let movesCount = 3
  private static let soundServers = ["pipewire", "pulseaudio", "wireplumber", "jackd"]

  func checkSound(_ findings: inout Findings) {
    guard let board, board.status != .simulated else { return }
    var usable: [[String]] = []
    for ids in cards(of: board) where checkCard(ids, of: board, &findings) { usable.append(ids) }
    for output in board.outputs where usable.contains(output.cardIDs) {
      check(output, &findings)
    }
    for (index, output) in board.outputs.enumerated() {
      guard let amplifier = board.configuration.outputs[index].amplifier else { continue }
      let sequence = words(for: amplifier, board.configuration.timing)
      checkAmplifier(of: output, sequence, &findings)
    }
    checkFixed(board.fixed.filter { usable.contains($0.cardIDs) }, &findings)
    for control in board.capture where usable.contains(control.cardIDs) {
      check(control.address, on: control.cardIDs, called: "capture", &findings)
    }
    for control in board.controls {
      guard case .jack(let ids, let address) = control.contact, usable.contains(ids) else {
        continue
      }
      check(address, on: ids, called: control.name, &findings)
    }
    for pcm in playbackDevices(of: board) { check(pcm, of: board, &findings) }
    checkSoundFiles(&findings)
  }

  // MARK: Cards

  /// The cards that the board needs, each by all ids that it may have.
  private func cards(of board: Board) -> [[String]] {
    var cards: [[String]] = []
    func add(_ ids: [String]) { if !ids.isEmpty && !cards.contains(ids) { cards.append(ids) } }
    for output in board.outputs {
      add(output.cardIDs)
      add(output.pcm.cardIDs)
    }
    for fixed in board.fixed { add(fixed.cardIDs) }
    for control in board.capture { add(control.cardIDs) }
    return cards
  }

  /// The controls that the board needs on a card.
  private func addresses(of board: Board, on ids: [String]) -> [ControlAddress] {
    var addresses: [ControlAddress] = []
    for output in board.outputs where output.cardIDs == ids {
      if let volume = output.volume { addresses.append(volume.address) }
      if case .control(let address, _, _) = output.mute { addresses.append(address) }
    }
    return addresses + board.fixed.filter { $0.cardIDs == ids }.map { $0.address }
  }

  /// Whether a card is there with what the board needs of it, so that its controls can be looked at
  /// one by one.
  private func checkCard(_ ids: [String], of board: Board, _ findings: inout Findings) -> Bool {
    let all = SoundCard.allIDs
    guard let id = ids.first(where: { all.contains($0) }) else {
      let advice = adviceForMissing(ids, of: board, all)
      let there = all.isEmpty ? "there is no card at all" : "there are \(list(all))"
      findings.fail("card \(list(ids, "or"))", "it is not there, \(there)", advice)
      return false
    }
    if let path = SoundCard.controlPath(ofCard: id), let refusal = refusal(of: path) {
      let user = Account.name(ofUser: program?.user ?? 0)
      let advice = remedy(for: user, path, group: "audio")
      findings.fail("card \(id)", "\(refusal), so that nothing can be set", advice)
      return false
    }
    guard SoundCard.isPresent(id: id) else {
      findings.warn(
        "card \(id)",
        "you may not open it, so that nothing is said of its controls",
        "sudo tactus doctor, or join its group: sudo adduser $USER audio"
      )
      return false
    }
    if let other = cardInExchange(for: id, ids, of: board) {
      findings.fail(
        "card \(id)",
        "it is another card: none of the board's controls is on it, they are on \(other): the two"
          + " are swapped",
        "give each card its id by its place (udev: ATTR{id}=\"…\"), or write card: \(other) in the"
          + " board file"
      )
      return false
    }
    let name = SoundCard.list().first { $0.id == id }?.name ?? ""
    findings.ok("card \(id)", name)
    return true
  }

  /// What to do where a card is not there: another one may have its controls.
  private func adviceForMissing(_ ids: [String], of board: Board, _ all: [String]) -> String {
    let wanted = addresses(of: board, on: ids)
    if let other = all.first(where: { has($0, wanted) }) {
      return "\(other) has its controls: write card: \(other) in the board file"
    }
    let lines = board.overlay.joined(separator: ", ")
    return lines.isEmpty
      ? "is it connected, and is its driver loaded? tactus mixer lists the cards"
      : "write into config.txt: \(lines), and reboot; dmesg says why its driver does not start"
  }

  /// The card that has all that the board needs of one that has nothing of it.
  private func cardInExchange(for id: String, _ ids: [String], of board: Board) -> String? {
    let wanted = addresses(of: board, on: ids)
    guard !wanted.isEmpty, let card = try? SoundCard(id: id), let there = try? card.controls(),
      !wanted.contains(where: { there.contains($0) })
    else { return nil }
    return SoundCard.allIDs.first { $0 != id && has($0, wanted) }
  }

  private func has(_ id: String, _ wanted: [ControlAddress]) -> Bool {
    guard !wanted.isEmpty, let card = try? SoundCard(id: id), let there = try? card.controls()
    else { return false }
    return wanted.allSatisfy { there.contains($0) }
  }

  // MARK: Outputs

  private func check(_ output: BoardOutput, _ findings: inout Findings) {
    guard let id = output.cardIDs.first(where: { SoundCard.isPresent(id: $0) }) else { return }
    let before = findings.count(.fail)
    if let volume = output.volume {
      check(volume.address, on: [id], called: output.name, isQuiet: true, &findings)
    } else {
      findings.ok(output.name, "no volume of its own: each source's gain has the level")
    }
    if case .control(let address, _, _) = output.mute {
      check(address, on: [id], called: output.name, isQuiet: true, &findings)
    }
    guard findings.count(.fail) == before else { return }
    if let volume = output.volume { checkWindow(volume, of: output, on: id, &findings) }
    checkObedience(of: output, on: id, &findings)
    checkMoves(of: output, on: id, &findings)
  }

  /// Whether a control is there, and nobody keeps it from the daemon.
  private func check(
    _ address: ControlAddress,
    on ids: [String],
    called object: String,
    isQuiet: Bool = false,
    _ findings: inout Findings
  ) {
    guard let id = ids.first(where: { SoundCard.isPresent(id: $0) }) else { return }
    do throws(MixerError) {
      let control = try SoundCard(id: id).control(address)
      guard let holder = control.lockingProcess, holder != program?.process else {
        if !isQuiet { findings.ok(object, "\(address.description) is there") }
        return
      }
      findings.fail(
        object,
        "\(address.description) is locked by process \(holder), so that tactusd cannot set it",
        "end that process: ps \(holder)"
      )
    } catch {
      findings.fail(
        object,
        error.description,
        "write the name that the driver has into the board file: tactus mixer --card \(id)"
      )
    }
  }

  private func checkWindow(
    _ volume: BoardVolume,
    of output: BoardOutput,
    on id: String,
    _ findings: inout Findings
  ) {
    guard let (scale, values) = try? reading(volume, on: id) else { return }
    let curve = Curve(lowest: scale.lowest, top: min(scale.highest, output.maximumGain))
    let window =
      "0 to 100 % is \(decibels(curve.floor.decibels, .unicode))"
      + " to \(decibels(curve.top.decibels, .unicode))"
    if scale.source == .rawSteps {
      findings.warn(
        output.name,
        "the driver gives no dB: \(window) is a guess",
        "write lowest: and highest: for its volume in the board file"
      )
    } else {
      let now = decibels(loudest(values, scale).decibels, .unicode)
      findings.ok(output.name, "\(volume.address.description), \(window), now \(now)")
    }
    checkReadBack(output, loudest(values, scale), scale, on: id, &findings)
  }

  private func reading(
    _ volume: BoardVolume,
    on id: String
  ) throws(MixerError) -> (DecibelScale, ControlValues) {
    let card = try SoundCard(id: id)
    let control = try card.control(volume.address)
    let scale = DecibelScale(
      table: try card.gainTable(of: control),
      rawRange: control.rawMinimum...control.rawMaximum,
      correction: volume.correction
    )
    return (scale, try card.read(control))
  }

  private func loudest(_ values: ControlValues, _ scale: DecibelScale) -> Gain {
    (0..<values.channelCount).map { scale.gain(atRaw: values[$0]) }.max() ?? .silence
  }

  /// What the daemon believes against what the codec holds; a fade may be under way, so that it is
  /// asked again before anything is said.
  private func checkReadBack(
    _ output: BoardOutput,
    _ gain: Gain,
    _ scale: DecibelScale,
    on id: String,
    _ findings: inout Findings
  ) {
    guard let route = route(of: output), isOpen(route), differs(route, gain) else { return }
    Machine.pause(nanoseconds: 400_000_000)
    guard
      let again = DaemonAnswer(invocation).device?.routes.first(where: {
        $0.name == output.name
      }), isOpen(again), let volume = output.volume,
      let (scale, values) = try? reading(volume, on: id)
    else { return }
    let present = loudest(values, scale)
    guard differs(again, present) else { return }
    findings.fail(
      output.name,
      "tactusd reads \(decibels(again.decibels, .unicode)) back, and the codec holds"
        + " \(decibels(present.decibels, .unicode))",
      "restart tactusd, and report this: tactus doctor --bundle report.tar"
    )
  }

  private func isOpen(_ route: Device.Route) -> Bool { route.isOn == true && route.isPresent }

  private func differs(_ route: Device.Route, _ gain: Gain) -> Bool {
    guard let told = route.decibels else { return false }
    return abs(told - gain.decibels) > 0.01
  }

  private func route(of output: BoardOutput) -> Device.Route? {
    device?.routes.first { $0.name == output.name }
  }

  private func checkObedience(of output: BoardOutput, on id: String, _ findings: inout Findings) {
    guard let route = route(of: output) else { return }
    if route.isFaulty {
      findings.fail(
        output.name,
        "its controls do not take what is written, so it is kept silent",
        "dmesg | grep -i i2c: is the codec's bus sound? Then restart tactusd"
      )
    } else if !route.isPresent {
      findings.fail(
        output.name,
        "tactusd does not have its controls yet, although they are there",
        "journalctl -u tactusd says why; restart it"
      )
    }
  }

  /// Who could be moving a control is found by who has the card's control device open.
  private func checkMoves(of output: BoardOutput, on id: String, _ findings: inout Findings) {
    guard let route = route(of: output), route.foreignMoves >= Examination.movesCount else {
      return
    }
    let control = output.volume?.address.description ?? "its controls"
    let path = SoundCard.controlPath(ofCard: id) ?? ""
    let others = RunningProgram.all(holding: path).filter { $0.name != "tactusd" }
      .map { "\($0.name) (process \($0.process))" }
    findings.warn(
      output.name,
      "another program keeps moving \(control): \(route.foreignMoves) times since the start"
        + (others.isEmpty ? "" : "; \(list(others)) has the card open"),
      others.isEmpty
        ? "is alsactl, a desktop or a player with hardware volume running? fuser -v \(path) as it"
          + " moves; own-mixer: true in the settings keeps it out"
        : "stop that program, or write own-mixer: true into the settings to keep it out"
    )
  }

  // MARK: Amplifiers

  /// When its line is moved: `on 50 ms after the stream opens, off 10 ms before it closes`.
  private func words(for amplifier: Amplifier, _ timing: Timing) -> String {
    func time(_ ticks: Tick) -> String { "\(ticks * Tick(timing.tickMicroseconds) / 1_000) ms" }
    var words = "on \(time(amplifier.enableTicks)) after the stream opens, off"
    words += " \(time(amplifier.disableTicks)) before it closes"
    if amplifier.idleOffTicks > 0 {
      words += ", off after \(time(amplifier.idleOffTicks)) of silence"
    }
    return "\(words), \(amplifier.whenReleased.name) when released"
  }

  private func checkAmplifier(
    of output: BoardOutput,
    _ sequence: String,
    _ findings: inout Findings
  ) {
    guard let line = output.amplifier else { return }
    guard let route = route(of: output) else {
      return findings.ok("\(output.name) amplifier", sequence)
    }
    let isOpen = route.isOn ?? false
    if isOpen, route.amplifierOn == false, device?.route == output.name, device?.isSilent == false {
      findings.fail(
        "\(output.name) amplifier",
        "line \(line.offset) is at its silent value while the route is open",
        "restart tactusd; if it stays, see line \(line.offset) above"
      )
    } else {
      let word = route.amplifierOn.map { $0 ? "on" : "off" } ?? "not known"
      findings.ok("\(output.name) amplifier", "\(word) now; \(sequence)")
    }
  }

  // MARK: Fixed stages and route switches

  private func checkFixed(_ controls: [FixedControl], _ findings: inout Findings) {
    var good: [String] = []
    for fixed in controls where check(fixed, &findings) { good.append(fixed.address.name) }
    if good.isEmpty { return }
    findings.ok("fixed controls", "as they must be: \(list(good))")
  }

  /// Whether a control is as it must be; else says what it is.
  private func check(_ fixed: FixedControl, _ findings: inout Findings) -> Bool {
    guard let id = fixed.cardIDs.first(where: { SoundCard.isPresent(id: $0) }) else {
      return false
    }
    let object = fixed.address.name
    do throws(MixerError) {
      let card = try SoundCard(id: id)
      let control = try card.control(fixed.address)
      let wanted = try card.values(of: fixed.setting, for: control)
      let present = try card.read(control)
      let scale = try scale(of: control, on: card)
      let shouldBe = words(wanted, control, scale)
      if present == wanted { return true }
      let what = "is at \(words(present, control, scale)) and must be at \(shouldBe)"
      guard device != nil else {
        findings.ok(object, "\(what), which tactusd will set")
        return false
      }
      let effect =
        scale == nil ? "sound takes another way" : "all sound is too quiet or too loud by that"
      findings.fail(
        object,
        "\(what): \(effect)",
        "systemctl restart tactusd sets it; if it moves again, another program (alsactl?) does it"
      )
    } catch {
      findings.fail(
        object,
        error.description,
        "write the name that the driver has into the board file: tactus mixer --card \(id)"
      )
    }
    return false
  }

  private func scale(
    of control: MixerControl,
    on card: borrowing SoundCard
  ) throws(MixerError) -> DecibelScale? {
    guard control.kind == .integer else { return nil }
    let scale = DecibelScale(
      table: try card.gainTable(of: control),
      rawRange: control.rawMinimum...control.rawMaximum
    )
    return scale.source == .driver ? scale : nil
  }

  /// What a control holds, as a person says it: `on`, `−20.0 dB`, an item's name.
  private func words(
    _ values: ControlValues,
    _ control: MixerControl,
    _ scale: DecibelScale?
  ) -> String {
    var words: [String] = []
    for channel in 0..<values.channelCount {
      let raw = values[channel]
      switch control.kind {
      case .boolean: words.append(raw == 0 ? "off" : "on")
      case .enumerated:
        let isKnown = control.items.indices.contains(Int(raw))
        words.append(isKnown ? control.items[Int(raw)] : "\(raw)")
      case .integer:
        let gain = scale.map { decibels($0.gain(atRaw: raw).decibels, .unicode) }
        words.append(gain ?? "\(raw)")
      }
    }
    guard let first = words.first else { return "nothing" }
    return words.allSatisfy { $0 == first } ? first : words.joined(separator: ", ")
  }

  // MARK: PCMs

  private func playbackDevices(of board: Board) -> [BoardPCM] {
    var devices: [BoardPCM] = []
    for output in board.outputs where !devices.contains(output.pcm) { devices.append(output.pcm) }
    return devices
  }

  private func check(_ pcm: BoardPCM, of board: Board, _ findings: inout Findings) {
    let all = SoundCard.allIDs
    // That its card is not there has been said.
    guard let id = pcm.cardIDs.first(where: { all.contains($0) }) else { return }
    let playback = PlaybackDevice(cardID: id, device: pcm.device)
    let object = "PCM hw:\(id),\(pcm.device)"
    guard playback.isThere else {
      return findings.fail(
        object,
        "the card has no such playback device",
        "aplay -l lists them; write the right device: in the board file"
      )
    }
    let holders = SoundCard.holders(cardID: id).filter {
      $0.isPlayback && $0.deviceNumber == Int32(pcm.device)
    }
    for holder in holders { check(holder, playback, of: board, object, &findings) }
    guard holders.isEmpty else { return }
    if device != nil { return findings.ok(object, "free, nobody plays") }
    open(pcm, playback, object, &findings)
  }

  /// A program on the card itself keeps Tactus's mix out, unless it plays through it.
  private func check(
    _ holder: PCMHolder,
    _ playback: PlaybackDevice,
    of board: Board,
    _ object: String,
    _ findings: inout Findings
  ) {
    let who = "\(holder.program) (process \(holder.process))"
    let use = playback.use
    let isExclusive = board.sources.contains { $0.isExclusive }
    if Examination.soundServers.contains(where: { holder.program.hasPrefix($0) }) {
      findings.fail(
        object,
        "the sound server \(who) holds it and leaves no room for others",
        "remove \(holder.program), or keep it off this card"
      )
    } else if let use, !use.isMapped, !isExclusive {
      findings.warn(
        object,
        "\(who) plays on hw: past Tactus: others find the card busy, only the codec silences it",
        "let it play to tactus:default"
      )
    } else {
      let how = use.map { ", \($0.rateHertz) Hz \($0.format)" } ?? ""
      findings.ok(object, "\(who) plays\(how)")
    }
  }

  private func open(
    _ pcm: BoardPCM,
    _ playback: PlaybackDevice,
    _ object: String,
    _ findings: inout Findings
  ) {
    let how = "\(pcm.rateHertz) Hz \(pcm.format)"
    switch playback.trial(
      format: pcm.format,
      rateHertz: pcm.rateHertz,
      channelCount: pcm.channelCount
    ) {
    case .works: findings.ok(object, "opens at \(how)")
    case .busy:
      findings.warn(object, "busy, and nobody says by whom", "fuser -v /dev/snd/pcm* as root")
    case .denied:
      findings.warn(object, "you may not open it", "sudo tactus doctor, or join the group audio")
    case .lacks(let what):
      findings.fail(
        object,
        "opens, but cannot do \(what)",
        "write pcm: with what it can: aplay --dump-hw-params -D hw:\(playback.cardID) /dev/zero"
      )
    case .fails(let reason):
      findings.fail(object, "does not open (\(reason))", "dmesg says what its driver lacks")
    }
  }
}

/// Names with commas, and a word before the last one.
func list(_ names: [String], _ word: String = "and") -> String {
  guard names.count > 1, let last = names.last else { return names.first ?? "" }
  return "\(Array(names.dropLast()).joined(separator: ", ")) \(word) \(last)"
}
