// SPDX-License-Identifier: Apache-2.0
//
// A sound card's control interface, found by the card's id and never by its number, which changes
// from boot to boot.
//
// Late and returning cards: watch `SoundCard.deviceDirectory` by inotify (a `controlC…` node is
// created, or its rights change), then ask `SoundCard.isPresent(id:)`.

import CTactus
import TactusCore

/// A card as the kernel lists it.
public struct SoundCardDescription: Equatable, Sendable {
  /// This boot's number; for display, never to be kept.
  public let number: Int32
  public let id: String
  public let name: String
  public let driver: String
}

/// An open control interface of one card, subscribed to its events, never blocking.
///
/// Not one call allocates except looking things up.
public struct SoundCard: ~Copyable {
  /// Where the kernel and udev make the device nodes of cards.
  public static let deviceDirectory = "/dev/snd"

  /// The kernel's bound on cards.
  private static let cardLimit: Int32 = 32

  /// Events taken per `drainChanges`; more are left for the next call.
  ///
  /// The kernel queues at most one event for each control of the card.
  private static let eventLimit = 128

  public let id: String
  let handle: OpaquePointer
  private let value: OpaquePointer
  private let event: OpaquePointer

  /// Opens the card with this id and subscribes to its events.
  ///
  /// - Throws: `cardMissing` with the ids that are there, or `cardRefused`, for example `EACCES`
  ///   when udev has not given the node to the group `audio` yet.
  public init(id: String) throws(MixerError) {
    tactus_sound_quiet()
    let handle = try SoundCard.open(id: id)
    let status = snd_ctl_subscribe_events(handle, 1)
    var value: OpaquePointer?
    var event: OpaquePointer?
    guard status >= 0,
      snd_ctl_elem_value_malloc(&value) >= 0, let value,
      snd_ctl_event_malloc(&event) >= 0, let event
    else {
      snd_ctl_close(handle)
      throw .cardRefused(id: id, operation: "subscribing to events", errno: -status)
    }
    self.id = id
    self.handle = handle
    self.value = value
    self.event = event
  }

  deinit {
    snd_ctl_event_free(event)
    snd_ctl_elem_value_free(value)
    snd_ctl_close(handle)
  }

  /// To be polled for input; an error or hang-up on it means that the card went away.
  public var fileDescriptor: Int32 {
    var descriptor = pollfd()
    return snd_ctl_poll_descriptors(handle, &descriptor, 1) == 1 ? descriptor.fd : -1
  }
}

// MARK: - Which cards there are

extension SoundCard {
  /// The cards that are there and may be opened.
  public static func list() -> [SoundCardDescription] {
    var cards: [SoundCardDescription] = []
    forEachCard { handle, number, information in
      cards.append(
        SoundCardDescription(
          number: number,
          id: String(cString: snd_ctl_card_info_get_id(information)),
          name: String(cString: snd_ctl_card_info_get_name(information)),
          driver: String(cString: snd_ctl_card_info_get_driver(information))
        )
      )
      return .next
    }
    return cards
  }

  /// Whether a card with this id is there now and may be opened.
  public static func isPresent(id: String) -> Bool {
    var found = false
    forEachCard { _, _, information in
      found = hasID(information, id)
      return found ? .stop : .next
    }
    return found
  }

  private static func open(id: String) throws(MixerError) -> OpaquePointer {
    var opened: OpaquePointer?
    let refusal = forEachCard { handle, _, information in
      guard hasID(information, id) else { return .next }
      opened = handle
      return .keep
    }
    if let opened { return opened }
    let present = list().map { $0.id }
    guard refusal == 0 else {
      throw .cardRefused(id: id, operation: "opening", errno: refusal)
    }
    throw .cardMissing(id: id, present: present)
  }

  private enum Step { case next, stop, keep }

  /// Opens one card after the other; `body` says how to go on, and may keep the handle.
  ///
  /// `snd_ctl_open("hw:…")` would first read the whole ALSA configuration: 300 KB, and ours may not
  /// be there yet.
  ///
  /// - Returns: the `errno` of a card that is there but could not be opened, else 0.
  @discardableResult
  private static func forEachCard(
    _ body: (OpaquePointer, Int32, OpaquePointer) -> Step
  ) -> Int32 {
    var refusal: Int32 = 0
    var information: OpaquePointer?
    guard snd_ctl_card_info_malloc(&information) >= 0, let information else { return ENOMEM }
    defer { snd_ctl_card_info_free(information) }
    for number in 0..<cardLimit {
      var handle: OpaquePointer?
      let status = snd_ctl_hw_open(&handle, nil, number, Int32(SND_CTL_NONBLOCK))
      guard status >= 0, let handle else {
        if status != -ENOENT, status != -ENODEV, status != -ENXIO { refusal = -status }
        continue
      }
      guard snd_ctl_card_info(handle, information) >= 0 else {
        snd_ctl_close(handle)
        continue
      }
      let step = body(handle, number, information)
      if step != .keep { snd_ctl_close(handle) }
      if step != .next { break }
    }
    return refusal
  }

  private static func hasID(_ information: OpaquePointer, _ id: String) -> Bool {
    strcmp(snd_ctl_card_info_get_id(information), id) == 0
  }
}

// MARK: - Looking controls up

extension SoundCard {
  /// Finds a control.
  ///
  /// - Throws: `controlMissing` with the nearest names, `controlUnsuitable`, `cardVanished`.
  public func control(_ address: ControlAddress) throws(MixerError) -> MixerControl {
    let information = try informationStorage()
    defer { snd_ctl_elem_info_free(information) }
    snd_ctl_elem_info_set_interface(information, address.interface.kernelValue)
    snd_ctl_elem_info_set_name(information, address.name)
    snd_ctl_elem_info_set_index(information, address.index)
    let status = snd_ctl_elem_info(handle, information)
    if status == -ENOENT {
      throw .controlMissing(address, similar: nearest(to: address.name, in: try controls()))
    }
    try check(status, address, "looking it up")
    return try describe(information, as: address)
  }

  /// The addresses of all mixer and card controls.
  public func controls() throws(MixerError) -> [ControlAddress] {
    var list: OpaquePointer?
    guard snd_ctl_elem_list_malloc(&list) >= 0, let list else {
      throw .cardRefused(id: id, operation: "listing controls", errno: ENOMEM)
    }
    defer { snd_ctl_elem_list_free(list) }
    try checkCard(snd_ctl_elem_list(handle, list), "listing controls")
    guard snd_ctl_elem_list_alloc_space(list, snd_ctl_elem_list_get_count(list)) >= 0 else {
      throw .cardRefused(id: id, operation: "listing controls", errno: ENOMEM)
    }
    defer { snd_ctl_elem_list_free_space(list) }
    try checkCard(snd_ctl_elem_list(handle, list), "listing controls")
    var addresses: [ControlAddress] = []
    for entry in 0..<snd_ctl_elem_list_get_used(list) {
      guard let interface = ControlAddress.Interface(snd_ctl_elem_list_get_interface(list, entry))
      else { continue }
      addresses.append(
        ControlAddress(
          String(cString: snd_ctl_elem_list_get_name(list, entry)),
          index: snd_ctl_elem_list_get_index(list, entry),
          interface: interface
        )
      )
    }
    return addresses
  }

  /// The driver's table of raw values and gains as ALSA's TLV words, empty where it has none.
  public func gainTable(of control: MixerControl) throws(MixerError) -> [UInt32] {
    let identity = try identityStorage(control.address)
    defer { snd_ctl_elem_id_free(identity) }
    let byteLimit = 4096
    var words = [UInt32](repeating: 0, count: byteLimit / 4)
    let status = snd_ctl_elem_tlv_read(handle, identity, &words, UInt32(byteLimit))
    if status == -ENXIO || status == -EPERM { return [] }
    try check(status, control.address, "reading its gain table")
    let used = 2 + (Int(words[1]) + 3) / 4
    return used <= words.count ? Array(words[..<used]) : []
  }

  private func describe(
    _ information: OpaquePointer,
    as address: ControlAddress
  ) throws(MixerError) -> MixerControl {
    let kind: MixerControl.Kind
    var range: (minimum: Int, maximum: Int, step: Int) = (0, 1, 1)
    var items: [String] = []
    switch snd_ctl_elem_info_get_type(information) {
    case SND_CTL_ELEM_TYPE_BOOLEAN:
      kind = .boolean
    case SND_CTL_ELEM_TYPE_INTEGER:
      kind = .integer
      range.minimum = snd_ctl_elem_info_get_min(information)
      range.maximum = snd_ctl_elem_info_get_max(information)
      range.step = snd_ctl_elem_info_get_step(information)
    case SND_CTL_ELEM_TYPE_ENUMERATED:
      kind = .enumerated
      items = try itemNames(information, address)
      range.maximum = items.count - 1
    default:
      throw .controlUnsuitable(address, reason: "it is no number, switch or choice")
    }
    let channelCount = Int(snd_ctl_elem_info_get_count(information))
    guard channelCount <= ControlValues.channelLimit else {
      throw .controlUnsuitable(address, reason: "it has \(channelCount) channels, at most 8")
    }
    guard let minimum = Int32(exactly: range.minimum), let maximum = Int32(exactly: range.maximum),
      minimum <= maximum
    else { throw .controlUnsuitable(address, reason: "its range is no range") }
    let isLocked = snd_ctl_elem_info_is_locked(information) != 0
    return MixerControl(
      address: address,
      number: snd_ctl_elem_info_get_numid(information),
      kind: kind,
      channelCount: channelCount,
      rawMinimum: minimum,
      rawMaximum: maximum,
      rawStep: Int32(clamping: range.step),
      items: items,
      isReadable: snd_ctl_elem_info_is_readable(information) != 0,
      isWritable: snd_ctl_elem_info_is_writable(information) != 0,
      isInactive: snd_ctl_elem_info_is_inactive(information) != 0,
      isUserMade: snd_ctl_elem_info_is_user(information) != 0,
      lockingProcess: isLocked ? snd_ctl_elem_info_get_owner(information) : nil
    )
  }

  private func itemNames(
    _ information: OpaquePointer,
    _ address: ControlAddress
  ) throws(MixerError) -> [String] {
    var names: [String] = []
    for item in 0..<snd_ctl_elem_info_get_items(information) {
      snd_ctl_elem_info_set_item(information, item)
      try check(snd_ctl_elem_info(handle, information), address, "reading its items")
      names.append(String(cString: snd_ctl_elem_info_get_item_name(information)))
    }
    return names
  }
}

// MARK: - Values and locks

extension SoundCard {
  /// What the control holds now.
  public func read(_ control: MixerControl) throws(MixerError) -> ControlValues {
    snd_ctl_elem_value_clear(value)
    snd_ctl_elem_value_set_numid(value, control.number)
    try check(snd_ctl_elem_read(handle, value), control.address, "reading")
    var values = control.values(0)
    for channel in 0..<control.channelCount {
      let position = UInt32(channel)
      switch control.kind {
      case .integer:
        values[channel] = Int32(clamping: snd_ctl_elem_value_get_integer(value, position))
      case .boolean:
        values[channel] = snd_ctl_elem_value_get_boolean(value, position)
      case .enumerated:
        values[channel] = Int32(clamping: snd_ctl_elem_value_get_enumerated(value, position))
      }
    }
    return values
  }

  /// What a control holds when it is set as a board file says.
  public func values(
    of setting: ControlSetting,
    for control: MixerControl
  ) throws(MixerError) -> ControlValues {
    switch setting {
    case .isOn(let isOn): return control.values(isOn ? 1 : 0)
    case .raw(let raw): return control.values(raw)
    case .gain(let gain):
      let scale = DecibelScale(
        table: try gainTable(of: control),
        rawRange: control.rawMinimum...control.rawMaximum
      )
      return control.values(scale.raw(notAbove: gain))
    case .item(let name):
      guard let item = control.item(named: name) else {
        throw .controlUnsuitable(control.address, reason: "it has no item ‘\(name)’")
      }
      return control.values(item)
    }
  }

  /// Sets every channel of the control.
  ///
  /// Whether that is needed is for `MirroredControl` to know.
  public func write(_ values: ControlValues, to control: MixerControl) throws(MixerError) {
    snd_ctl_elem_value_clear(value)
    snd_ctl_elem_value_set_numid(value, control.number)
    for channel in 0..<control.channelCount {
      let position = UInt32(channel)
      switch control.kind {
      case .integer:
        snd_ctl_elem_value_set_integer(value, position, Int(values[channel]))
      case .boolean:
        snd_ctl_elem_value_set_boolean(value, position, Int(values[channel]))
      case .enumerated:
        snd_ctl_elem_value_set_enumerated(value, position, UInt32(bitPattern: values[channel]))
      }
    }
    try check(snd_ctl_elem_write(handle, value), control.address, "writing")
  }

  /// Keeps every other process from writing the control, until `unlock` or the handle's end.
  ///
  /// Locking what this handle has locked already does nothing.
  public func lock(_ control: MixerControl) throws(MixerError) {
    let identity = try identityStorage(control.address)
    defer { snd_ctl_elem_id_free(identity) }
    let status = snd_ctl_elem_lock(handle, identity)
    if status == -EBUSY, isOwnLock(control.address) { return }
    try check(status, control.address, "locking")
  }

  /// Lets other processes write the control again.
  ///
  /// Unlocking what is not locked does nothing.
  public func unlock(_ control: MixerControl) throws(MixerError) {
    let identity = try identityStorage(control.address)
    defer { snd_ctl_elem_id_free(identity) }
    let status = snd_ctl_elem_unlock(handle, identity)
    if status == -EINVAL { return }
    try check(status, control.address, "unlocking")
  }

  private func isOwnLock(_ address: ControlAddress) -> Bool {
    guard let information = try? informationStorage() else { return false }
    defer { snd_ctl_elem_info_free(information) }
    snd_ctl_elem_info_set_interface(information, address.interface.kernelValue)
    snd_ctl_elem_info_set_name(information, address.name)
    snd_ctl_elem_info_set_index(information, address.index)
    return snd_ctl_elem_info(handle, information) >= 0
      && snd_ctl_elem_info_is_owner(information) != 0
  }
}

// MARK: - Events

extension SoundCard {
  /// Takes the waiting events without blocking and merges them into a set of places.
  ///
  /// - Parameter place: where the control with this number is kept, below
  ///   `ControlChanges.controlLimit`; nil for one that is not.
  /// - Returns: the places to which something happened.
  /// - Throws: `cardVanished`.
  public func drainChanges(
    place: (UInt32) -> Int?
  ) throws(MixerError) -> ControlChanges {
    var changes = ControlChanges()
    for _ in 0..<SoundCard.eventLimit {
      let status = snd_ctl_read(handle, event)
      if status == -EAGAIN || status == 0 { break }
      if status == -EINTR { continue }
      try checkCard(status, "reading events")
      guard snd_ctl_event_get_type(event) == SND_CTL_EVENT_ELEM else { continue }
      let number = snd_ctl_event_elem_get_numid(event)
      changes.note(snd_ctl_event_elem_get_mask(event), at: place(number))
    }
    return changes
  }

  /// The same for a list of controls: a place is the index in it.
  public func drainChanges(of controls: [MixerControl]) throws(MixerError) -> ControlChanges {
    precondition(controls.count <= ControlChanges.controlLimit)
    return try drainChanges { number in controls.firstIndex { $0.number == number } }
  }
}

extension ControlChanges {
  fileprivate mutating func note(_ mask: UInt32, at index: Int?) {
    guard let index else {
      // Removing a control that is not ours is nothing to us.
      if mask != SND_CTL_EVENT_MASK_REMOVE, mask & UInt32(SND_CTL_EVENT_MASK_ADD) != 0 {
        somethingAppeared = true
      }
      return
    }
    let bit: UInt64 = 1 << UInt64(index)
    if mask == SND_CTL_EVENT_MASK_REMOVE {
      removed |= bit
      return
    }
    if mask & UInt32(SND_CTL_EVENT_MASK_VALUE) != 0 { values |= bit }
    if mask & UInt32(SND_CTL_EVENT_MASK_INFO | SND_CTL_EVENT_MASK_TLV) != 0 { information |= bit }
  }
}

// MARK: - Shared

extension SoundCard {
  func informationStorage() throws(MixerError) -> OpaquePointer {
    var information: OpaquePointer?
    guard snd_ctl_elem_info_malloc(&information) >= 0, let information else {
      throw .cardRefused(id: id, operation: "looking a control up", errno: ENOMEM)
    }
    return information
  }

  func identityStorage(_ address: ControlAddress) throws(MixerError) -> OpaquePointer {
    var identity: OpaquePointer?
    guard snd_ctl_elem_id_malloc(&identity) >= 0, let identity else {
      throw .cardRefused(id: id, operation: "looking a control up", errno: ENOMEM)
    }
    snd_ctl_elem_id_set_interface(identity, address.interface.kernelValue)
    snd_ctl_elem_id_set_name(identity, address.name)
    snd_ctl_elem_id_set_index(identity, address.index)
    return identity
  }

  private func checkCard(_ status: Int32, _ operation: String) throws(MixerError) {
    guard status < 0 else { return }
    if status == -ENODEV { throw .cardVanished(id: id) }
    throw .cardRefused(id: id, operation: operation, errno: -status)
  }

  func check(
    _ status: Int32,
    _ address: ControlAddress,
    _ operation: String
  ) throws(MixerError) {
    guard status < 0 else { return }
    switch -status {
    case ENODEV: throw .cardVanished(id: id)
    case ENOENT: throw .controlVanished(address)
    case EPERM, EBUSY: throw refusal(-status, address, operation)
    default: throw .controlRefused(address, operation: operation, errno: -status)
    }
  }

  /// The kernel says EPERM both for a control that somebody locked and for one that cannot be
  /// written at all.
  private func refusal(
    _ errno: Int32,
    _ address: ControlAddress,
    _ operation: String
  ) -> MixerError {
    if let control = try? control(address), let process = control.lockingProcess {
      return .controlLocked(address, byProcess: process)
    }
    return .controlRefused(address, operation: operation, errno: errno)
  }
}

extension ControlAddress.Interface {
  fileprivate init?(_ kernelValue: snd_ctl_elem_iface_t) {
    switch kernelValue {
    case SND_CTL_ELEM_IFACE_MIXER: self = .mixer
    case SND_CTL_ELEM_IFACE_CARD: self = .card
    default: return nil
    }
  }

  fileprivate var kernelValue: snd_ctl_elem_iface_t {
    self == .card ? SND_CTL_ELEM_IFACE_CARD : SND_CTL_ELEM_IFACE_MIXER
  }
}

// MARK: - Suggestions

/// The names that a person probably meant, best first, at most three.
private func nearest(to name: String, in addresses: [ControlAddress]) -> [String] {
  var names: [String] = []
  for address in addresses where !names.contains(address.name) { names.append(address.name) }
  let wanted = plainSpelling(name)
  let ranked = names.map { (name: $0, distance: editDistance(plainSpelling($0), wanted)) }
    .sorted { $0.distance < $1.distance }
  return ranked.prefix(3).map { $0.name }
}
