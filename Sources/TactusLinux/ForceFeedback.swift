// SPDX-License-Identifier: Apache-2.0
//
// A motor behind an input device: an effect for each type is given to it when it appears, and
// played by its number. Giving one may take as long as the device likes, so a thread of its own
// does that; until it is through, the device plays nothing.

import CTactus
import TactusCore

/// The motor of the input device that a pattern names.
final class ForceFeedback {
  private let wanted: BoardInputDevice
  /// Tells that a claim is through.
  private let finished: Descriptor
  private let poll: Int32
  private var percent: UInt8
  private var claim: ForceClaim?
  private var device: ForceDevice?
  private var playing: Feedback?
  private var trouble: Trouble
  /// Looking again may find more, with nothing having changed.
  private(set) var isRefused = false

  /// A device that is not looked for yet, by the pattern of its own name.
  ///
  /// `poll` waits from now on for all that this has to take.
  ///
  /// - Throws: the call that made what tells of claims.
  init(name: String, pattern: String, percent: UInt8, poll: Int32) throws(SystemError) {
    let finished = try Descriptor(tactus_event_open(), "open", "eventfd")
    let result = tactus_poll_add(poll, finished.number, 0, UInt32(TACTUS_READABLE))
    if result < 0 { throw SystemError("wait for", name, code: -result) }
    trouble = Trouble(of: name)
    wanted = BoardInputDevice(selector: .name, pattern: pattern, isGrabbed: false)
    self.finished = finished
    self.poll = poll
    self.percent = percent
  }

  /// Looks for the device where it is neither there nor on its way.
  func search(telling messages: inout [String]) {
    guard device == nil, claim == nil else { return }
    guard let node = wanted.present.first else {
      isRefused = false
      return trouble.miss("no such input device (\(wanted.pattern))", &messages)
    }
    begin(ForceClaim(node.path, percent: percent, telling: finished.number))
  }

  /// Gives it other effects, of another strength.
  func set(percent: UInt8) {
    guard percent != self.percent else { return }
    self.percent = percent
    guard let device else { return }
    self.device = nil
    playing = nil
    begin(
      ForceClaim(device.path, percent: percent, replacing: device, telling: finished.number)
    )
  }

  private func begin(_ claim: ForceClaim) {
    self.claim = claim
    claim.start()
  }

  /// Takes what there is to take: a device that is ready, or gone.
  func takeEvents(telling messages: inout [String]) {
    if claim != nil { takeClaim(&messages) }
    if let device, tactus_force_take(device.file.number) < 0 { lose(&messages) }
  }

  private func takeClaim(_ messages: inout [String]) {
    var count: UInt64 = 0
    guard read(finished.number, &count, MemoryLayout.size(ofValue: count)) > 0, let claim else {
      return
    }
    self.claim = nil
    // The strength was changed meanwhile.
    guard claim.percent == percent else { return search(telling: &messages) }
    guard let ready = claim.device else { return refuse(claim, &messages) }
    let result = tactus_poll_add(poll, ready.file.number, 0, UInt32(TACTUS_READABLE))
    guard result == 0 else { return refuse(claim, &messages) }
    device = ready
    isRefused = false
    trouble.end("\(ready.path), found", &messages)
  }

  private func refuse(_ claim: ForceClaim, _ messages: inout [String]) {
    isRefused = true
    let object = "\(wanted.pattern) (\(claim.path))"
    let cause = reason(of: claim.code)
    switch claim.code {
    case ENODATA: trouble.tell("\(object) cannot vibrate, name another device", &messages)
    case EACCES, EPERM:
      let advice = "let tactusd's user into the group input"
      trouble.tell("\(object): cannot open (\(cause)), \(advice)", &messages)
    default: trouble.tell("\(object): cannot use (\(cause)), trying again", &messages)
    }
  }

  private func lose(_ messages: inout [String]) {
    device = nil
    playing = nil
    isRefused = true
    trouble.miss("\(wanted.pattern) went away", &messages)
  }

  /// Plays one pulse of a type, which ends by itself.
  func play(_ feedback: Feedback, telling messages: inout [String]) {
    guard let device else { return }
    guard tactus_force_play(device.file.number, device.effect(of: feedback), true) == 0 else {
      return lose(&messages)
    }
    playing = feedback
  }

  /// Ends the last pulse before its time.
  func stop(telling messages: inout [String]) {
    guard let device, let feedback = playing else { return }
    playing = nil
    guard tactus_force_play(device.file.number, device.effect(of: feedback), false) < 0 else {
      return
    }
    lose(&messages)
  }
}

/// A device that has its effects.
private final class ForceDevice {
  let path: String
  let file: Descriptor
  /// In the order of the types.
  private let effects: [Int16]

  init(_ path: String, _ file: consuming Descriptor, _ effects: [Int16]) {
    self.path = path
    self.file = file
    self.effects = effects
  }

  func effect(of feedback: Feedback) -> Int16 {
    effects[Feedback.allCases.firstIndex(of: feedback) ?? 0]
  }
}

/// One opening of a device, with all that it is given; its thread owns it until it is through.
private final class ForceClaim {
  let path: String
  let percent: UInt8
  private let finished: Int32
  /// Closed first: that, too, may wait for the device.
  private var former: ForceDevice?
  private(set) var device: ForceDevice?
  /// Why there is none.
  private(set) var code: Int32 = 0

  init(
    _ path: String,
    percent: UInt8,
    replacing former: ForceDevice? = nil,
    telling finished: Int32
  ) {
    self.path = path
    self.percent = percent
    self.former = former
    self.finished = finished
  }

  func start() {
    let context = Unmanaged.passRetained(self)
    var thread: UInt64 = 0
    if tactus_thread_start(&thread, runClaim, context.toOpaque()) == 0 {
      tactus_thread_leave(thread)
    } else {
      context.release()
      code = EAGAIN
      tell()
    }
  }

  func run() {
    former = nil
    do throws(SystemError) {
      let file = try Descriptor(tactus_force_open(path), "open", path)
      let effects = try upload(to: file.number)
      device = ForceDevice(path, file, effects)
    } catch {
      code = error.code
    }
    tell()
  }

  /// One effect for each type; a device that keeps fewer plays the last for those that are left.
  private func upload(to file: Int32) throws(SystemError) -> [Int16] {
    var effects: [Int16] = []
    for feedback in Feedback.allCases {
      let pattern = feedback.hapticPattern
      let strength = 0xffff * Int(pattern.strengthPercent) * Int(percent) / 10_000
      let result = tactus_force_upload(file, UInt16(strength), pattern.onMilliseconds)
      if result == -ENOSPC, let last = effects.last {
        effects.append(last)
      } else if result < 0 {
        throw SystemError("give effects to", path, code: -result)
      } else {
        effects.append(Int16(result))
      }
    }
    return effects
  }

  private func tell() {
    var one: UInt64 = 1
    _ = write(finished, &one, MemoryLayout.size(ofValue: one))
  }
}

private func runClaim(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ForceClaim>.fromOpaque(context).takeRetainedValue().run()
}
