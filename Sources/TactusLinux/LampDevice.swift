// SPDX-License-Identifier: Apache-2.0
//
// A lamp of the kernel's LED class: a folder of small files below /sys/class/leds, which may go and
// return with its device. Writing them never waits for the lamp; the kernel does that by itself.
//
//   trigger     what the kernel has a lamp show by itself, such as the SD card's work
//   brightness  0 … the folder's max_brightness
//   intensity   of each colour of a lamp that has several, before the brightness

import CTactus
import TactusCore

/// The lamp that a pattern names.
final class LampDevice {
  /// Where the kernel has them.
  static let classFolder = "/sys/class/leds"

  /// One that is there and ours.
  private final class Claimed {
    let path: String
    let brightness: Descriptor
    let maximum: UInt32
    let colours: Colours?
    /// As they were found.
    let trigger: String
    let level: UInt32
    /// As it was written last; nil before the first time.
    var shown: (light: Light, level: UInt32)?

    init(path: String) throws(SystemError) {
      let brightness = try Descriptor(path: "\(path)/brightness", flags: O_RDWR)
      maximum = max(number(in: "\(path)/max_brightness") ?? 255, 1)
      level = number(in: "\(path)/brightness") ?? 0
      trigger = Claimed.trigger(of: path)
      if trigger != Claimed.noTrigger {
        try put(Claimed.noTrigger, to: "\(path)/trigger")
      }
      colours = try Colours(path: path, maximum: maximum)
      self.path = path
      self.brightness = brightness
    }

    static let noTrigger = "none"

    /// The one in brackets among all that there are.
    private static func trigger(of path: String) -> String {
      let words = firstLine(of: "\(path)/trigger")?.split(at: " ") ?? []
      let chosen = words.first { $0.hasPrefix("[") } ?? "[\(noTrigger)]"
      return String(decoding: Array(chosen.utf8).dropFirst().dropLast(), as: UTF8.self)
    }
  }

  /// The colours of a lamp that has several.
  private final class Colours {
    private let file: Descriptor
    private let path: String
    private let maximum: UInt32
    /// In the kernel's order.
    private let names: [String]

    /// Nil for a lamp that has no red, green or blue to be set.
    init?(path: String, maximum: UInt32) throws(SystemError) {
      let names = firstLine(of: "\(path)/multi_index")?.split(at: " ") ?? []
      guard names.contains(where: { ["red", "green", "blue"].contains($0) }) else { return nil }
      let object = "\(path)/multi_intensity"
      file = try Descriptor(path: object, flags: O_WRONLY)
      self.path = object
      self.maximum = maximum
      self.names = names
    }

    func write(_ light: Light) throws(SystemError) {
      var text = ""
      for name in names {
        let part: UInt8 =
          switch name {
          case "red": light.red
          case "green": light.green
          case "blue": light.blue
          default: 0
          }
        text += "\(text.isEmpty ? "" : " ")\(Int(UInt32(part) * maximum / 255))"
      }
      try put(text, to: file.number, called: path)
    }
  }

  private let pattern: String
  private let folder: String
  private var claimed: Claimed?
  private var trouble: Trouble

  /// A lamp of a signal with this name that is not looked for yet, by the pattern of its own.
  init(name: String, pattern: String, folder: String = LampDevice.classFolder) {
    trouble = Trouble(of: name)
    self.pattern = pattern
    self.folder = folder
  }

  /// Whether it can be lit.
  var isHeld: Bool { claimed != nil }

  /// Looks for the lamp where it is not held, and takes it from its trigger.
  func request(telling messages: inout [String]) {
    guard claimed == nil else { return }
    guard let found = LampDevice.present(pattern, in: folder).first else {
      return trouble.miss("no such lamp in \(folder) (\(pattern))", &messages)
    }
    do throws(SystemError) {
      claimed = try Claimed(path: "\(folder)/\(found)")
      trouble.end("\(folder)/\(found), found", &messages)
    } catch {
      trouble.tell("\(error.description), \(LampDevice.advice(error.code))", &messages)
    }
  }

  /// The names of lamps that fit a pattern, in order.
  static func present(_ pattern: String, in folder: String = LampDevice.classFolder) -> [String] {
    let names = (try? TactusLinux.names(in: folder, beginning: "")) ?? []
    return names.filter { !$0.hasPrefix(".") && fnmatch(pattern, $0, 0) == 0 }.sorted(by: <)
  }

  private static func advice(_ code: Int32) -> String {
    [EACCES, EPERM, EROFS].contains(code) ? "let tactusd's user write it" : "trying again"
  }

  /// Whether it shines when it shows this.
  func isLit(_ light: Light) -> Bool {
    guard claimed?.colours != nil else { return light.isLit }
    return light.red > 0 || light.green > 0 || light.blue > 0
  }

  /// Shows it; a lamp that went away is looked for at once, since it may have returned meanwhile.
  func show(_ light: Light, percent: UInt8, telling messages: inout [String]) {
    guard let before = claimed, !write(light, percent, to: before, telling: &messages) else {
      return
    }
    claimed = nil
    request(telling: &messages)
    guard let claimed, !write(light, percent, to: claimed, telling: &messages) else { return }
    self.claimed = nil
  }

  /// - Returns: whether it shows that now.
  private func write(
    _ light: Light,
    _ percent: UInt8,
    to lamp: Claimed,
    telling messages: inout [String]
  ) -> Bool {
    let part = (lamp.maximum * UInt32(percent) + 99) / 100
    let level = isLit(light) ? part : 0
    do throws(SystemError) {
      if level > 0, lamp.colours != nil, lamp.shown?.light != light {
        try lamp.colours?.write(light)
      }
      if lamp.shown?.level != level {
        try put("\(Int(level))", to: lamp.brightness.number, called: lamp.path)
      }
      // In the dark it keeps its colour.
      lamp.shown = (level > 0 ? light : lamp.shown?.light ?? .off, level)
      return true
    } catch {
      if error.code == ENODEV {
        trouble.miss("\(lamp.path) went away", &messages)
      } else {
        trouble.tell(error.description, &messages)
      }
      return false
    }
  }

  /// Gives it back as it was found.
  func release() {
    guard let lamp = claimed else { return }
    claimed = nil
    if lamp.trigger != Claimed.noTrigger {
      try? put(lamp.trigger, to: "\(lamp.path)/trigger")
    } else {
      try? put("\(Int(lamp.level))", to: lamp.brightness.number, called: lamp.path)
    }
  }
}

/// The whole number that a file of the kernel holds.
private func number(in path: String) -> UInt32? {
  firstLine(of: path).flatMap { wholeNumber($0) }.flatMap { UInt32(exactly: $0) }
}

private func put(_ text: String, to path: String) throws(SystemError) {
  let file = try Descriptor(path: path, flags: O_WRONLY)
  try put(text, to: file.number, called: path)
}

/// Writes a line to a file of the kernel, in one call as it wants.
private func put(
  _ text: String,
  to descriptor: Int32,
  called object: String
) throws(SystemError) {
  let bytes = Array("\(text)\n".utf8)
  let written = uninterrupted { pwrite(descriptor, bytes, bytes.count, 0) }
  if written < 0 { throw SystemError("write", object) }
}
