// SPDX-License-Identifier: Apache-2.0
//
// Headset buttons, USB knobs, infrared, Bluetooth remotes: the keys of the kernel's input devices
// (CTL-5). A key acts by its code, on whichever device; all devices together are one control for
// each meaning, which is pressed while any of its keys is.
//
//   wanted   an input device of the board or the settings: a pattern and whether it is grabbed
//   place    where a device is kept while it is open; its number names it to the event loop
//   told     what the policy was last told of a meaning

import CTactus
public import TactusCore

/// The input devices of a board, which come and go.
public final class InputDevices {
  /// So many devices are open at once; others are not asked for.
  public static let placeCount = 16

  /// Inputs that may wait for a tick; beyond, only what is pressed in the end counts.
  private static let answersMaximum = 200

  /// Searches after a change, since udev writes its tags a moment after it made a device.
  private static let tagSearches = 3

  /// The keys that mean something.
  ///
  /// The kernel's Bluetooth remotes send the codes of disc players.
  static let keys: [(code: Int32, role: Role)] = [
    (KEY_VOLUMEUP, .volumeUp), (KEY_VOLUMEDOWN, .volumeDown), (KEY_MUTE, .mute),
    (KEY_PLAYPAUSE, .playPause), (KEY_PLAY, .play), (KEY_PLAYCD, .play), (KEY_PAUSE, .pause),
    (KEY_PAUSECD, .pause), (KEY_STOP, .stop), (KEY_STOPCD, .stop), (KEY_NEXTSONG, .next),
    (KEY_PREVIOUSSONG, .previous), (KEY_MICMUTE, .microphoneMute), (KEY_MEDIA, .headset),
  ]

  /// One that is open.
  private final class Device {
    let name: String
    let path: String
    let file: Descriptor
    /// Bit i is pressed for `keys[i]`.
    var pressed: UInt32 = 0

    init(name: String, path: String, file: consuming Descriptor) {
      self.name = name
      self.path = path
      self.file = file
    }
  }

  private let wanted: [BoardInputDevice]
  /// The position of each key's control, as `keys`.
  private let controls: [UInt8]
  private let codes: [UInt16]
  private var devices = [Device?](repeating: nil, count: InputDevices.placeCount)
  /// What the policy was told, as `keys`: keys of one meaning have the same.
  private var told = [Bool](repeating: false, count: InputDevices.keys.count)
  private var isBehind = false
  private var answers: [Input] = []
  private var messages: [String] = []
  private var isRefused = false
  private var searchesLeft = 0
  private var failures: [String] = []
  private var buffer = [tactus_key](repeating: tactus_key(), count: Int(TACTUS_KEYS_MAX))

  /// No device is open yet.
  public init(board: Board) {
    wanted = board.inputDevices
    codes = InputDevices.keys.map { UInt16($0.code) }
    controls = InputDevices.keys.map { key in
      UInt8(board.configuration.control(key.role, isKey: true) ?? 0)
    }
    guard !wanted.isEmpty else { return }
    for index in controls.indices where isFirst(index) {
      answers.append(.level(control: controls[index], state: 0))
    }
  }

  /// Whether it is the first key with its meaning.
  private func isFirst(_ key: Int) -> Bool { controls.firstIndex(of: controls[key]) == key }

  // MARK: Devices that come and go

  /// The folders in which devices appear.
  public var folders: [String] {
    wanted.isEmpty ? [] : ["/dev/input", "/dev/input/by-id", "/dev/input/by-path"]
  }

  /// Whether looking again may find more, with nothing having changed.
  public var isIncomplete: Bool { isRefused || searchesLeft > 0 }

  /// Something has appeared or gone.
  public func noteChange() {
    if wanted.contains(where: { $0.selector == .tag }) { searchesLeft = InputDevices.tagSearches }
  }

  /// Opens what is wanted and there.
  public func search() {
    guard !wanted.isEmpty else { return }
    isRefused = false
    searchesLeft = max(searchesLeft - 1, 0)
    for node in InputNode.all where !isOpen(node.path) {
      guard let match = wanted.first(where: { node.matches($0) }) else { continue }
      open(node, grab: match.isGrabbed)
    }
  }

  private func isOpen(_ path: String) -> Bool {
    devices.contains { $0.map { $0.path == path } ?? false }
  }

  private func open(_ node: InputNode, grab: Bool) {
    let object = "input device \(node.name) (\(node.path))"
    guard let place = devices.firstIndex(where: { $0 == nil }) else {
      return fail("\(object): one more than \(InputDevices.placeCount), name fewer")
    }
    let result = tactus_keys_open(node.path, codes, UInt32(codes.count), grab)
    if result == -ENODATA { return fail("\(object): no key of it means anything, name another") }
    do throws(SystemError) {
      let file = try Descriptor(result, "open", object)
      devices[place] = Device(name: node.name, path: node.path, file: file)
      messages.append("\(object): found")
    } catch {
      // What has gone meanwhile is not there.
      if [ENOENT, ENODEV, ENXIO].contains(error.code) { return }
      isRefused = true
      fail("\(error.description), \(InputDevices.advice(error.code))")
    }
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "let tactusd's user into the group input"
    case EBUSY: "another program has grabbed it, end that one"
    default: "trying again"
    }
  }

  /// Each failure is told once.
  private func fail(_ message: String) {
    guard !failures.contains(message) else { return }
    if failures.count == InputDevices.placeCount { failures.removeFirst() }
    failures.append(message)
    messages.append(message)
  }

  /// The descriptor of the device at a place; nil where there is none.
  // Not inlined: in another module of an Embedded program that crashes the compiler (6.3.1).
  @inline(never)
  public func descriptor(at place: Int) -> Int32? { devices[place]?.file.number }

  /// What is pressed on a device that went away is let go of, without what its release would do.
  private func lose(_ place: Int) {
    guard let device = devices[place] else { return }
    devices[place] = nil
    messages.append("input device \(device.name): went away, waiting for it to return")
    for key in controls.indices where isFirst(key) && told[key] && !isPressed(key) {
      told[key] = false
      answers.append(.line(control: controls[key], present: false))
      answers.append(.line(control: controls[key], present: true))
      answers.append(.level(control: controls[key], state: 0))
    }
  }

  // MARK: Keys

  /// Takes what the device at a place has to tell.
  public func takeEvents(at place: Int) {
    guard let device = devices[place] else { return }
    var isDropped = false
    let count = tactus_keys_take(device.file.number, &buffer, &isDropped)
    guard count >= 0 else { return lose(place) }
    for event in buffer.prefix(Int(count)) {
      guard let key = codes.firstIndex(of: event.code) else { continue }
      set(device, key, event.pressed)
      tell(key, isHeard: true)
    }
    if isDropped { readKeys(of: place) }
  }

  /// What is pressed now is the truth; it stands for what the kernel had to drop.
  private func readKeys(of place: Int) {
    guard let device = devices[place] else { return }
    var pressed: UInt32 = 0
    guard tactus_keys_read(device.file.number, codes, UInt32(codes.count), &pressed) == 0 else {
      return lose(place)
    }
    for key in codes.indices {
      set(device, key, pressed >> UInt32(key) & 1 == 1)
      tell(key, isHeard: false)
    }
  }

  private func set(_ device: Device, _ key: Int, _ isPressed: Bool) {
    let bit: UInt32 = 1 << UInt32(key)
    device.pressed = isPressed ? device.pressed | bit : device.pressed & ~bit
  }

  /// Whether a key with the meaning of this one is pressed on any device.
  private func isPressed(_ key: Int) -> Bool {
    for other in controls.indices where controls[other] == controls[key] {
      let bit: UInt32 = 1 << UInt32(other)
      if devices.contains(where: { $0.map { $0.pressed & bit != 0 } ?? false }) { return true }
    }
    return false
  }

  private func tell(_ key: Int, isHeard: Bool) {
    let first = controls.firstIndex(of: controls[key]) ?? key
    let state = isPressed(key)
    guard state != told[first] else { return }
    guard answers.count < InputDevices.answersMaximum else {
      isBehind = true
      return
    }
    told[first] = state
    let number: UInt8 = state ? 1 : 0
    answers.append(
      isHeard
        ? .edge(control: controls[key], state: number)
        : .level(control: controls[key], state: number)
    )
  }

  /// Whether something waits for the next tick.
  public var hasAnswers: Bool { !answers.isEmpty }

  /// Adds what is known to a tick's inputs; what finds no room waits for the next tick.
  public func gather(into inputs: inout Inputs) {
    var taken = 0
    while taken < answers.count, inputs.append(answers[taken]) { taken += 1 }
    answers.removeFirst(taken)
    guard isBehind, answers.isEmpty else { return }
    isBehind = false
    for key in controls.indices where isFirst(key) { tell(key, isHeard: false) }
  }

  /// What a person should know, since the last time; each failure once.
  public func takeMessages() -> [String] {
    defer { messages.removeAll() }
    return messages
  }
}

extension BoardInputDevice {
  /// What is there that fits.
  public var present: [InputNode] { InputNode.all.filter { $0.matches(self) } }
}

/// An input device as it is found, before it is opened.
public struct InputNode {
  /// Its file, such as `/dev/input/event3`.
  public let path: String
  /// Its own name.
  public let name: String
  private let node: String

  /// All that are there.
  static var all: [InputNode] {
    ((try? names(in: "/dev/input", beginning: "event")) ?? []).sorted(by: <).map { InputNode($0) }
  }

  /// Whether it has force feedback.
  var vibrates: Bool {
    let bits = firstLine(of: "/sys/class/input/\(node)/device/capabilities/ff") ?? "0"
    return bits.utf8.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: " ") }
  }

  /// Whether this process may listen to it.
  public var isReadable: Bool { fileExists(path) }

  /// - Parameter node: Its name in /dev/input.
  private init(_ node: String) {
    self.node = node
    path = "/dev/input/\(node)"
    name = firstLine(of: "/sys/class/input/\(node)/device/name") ?? node
  }

  func matches(_ wanted: BoardInputDevice) -> Bool {
    switch wanted.selector {
    case .name: return fnmatch(wanted.pattern, name, 0) == 0
    case .link: return tactus_input_has_link(path, "/dev/input/\(wanted.pattern)")
    case .tag: return hasTag(wanted.pattern)
    }
  }

  /// Whether udev's record of the device has the tag.
  private func hasTag(_ tag: String) -> Bool {
    guard let number = firstLine(of: "/sys/class/input/\(node)/dev"),
      let record = try? contents(of: "/run/udev/data/c\(number)", limit: 1 << 16)
    else { return false }
    return String(decoding: record, as: UTF8.self).split(at: "\n").contains("G:\(tag)")
  }
}
