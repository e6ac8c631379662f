// SPDX-License-Identifier: Apache-2.0
//
// Who may have the floor beside whom: a session that starts (newcomer) against each one that is
// active (present). `Floor` asks these questions; `tactus policy matrix` prints the answers.
//
//   call         `playAndRecord` in mode `voiceChat`; options have no effect in it
//   nonmixable   of the five categories of programs, and does not mix
//   admission    what those present mean for the newcomer
//   influence    what the newcomer means for one present

/// What decides about a session among others.
public struct SessionKind: Plain {
  public var category: Category
  public var mode: Mode
  public var options: SessionOptions

  public init(_ category: Category, mode: Mode = .standard, options: SessionOptions = .none) {
    self.category = category
    self.mode = mode
    self.options = options
  }

  /// One of the five that programs are made of; the others are uses with a fixed purpose.
  public var isOfProgram: Bool {
    switch category {
    case .ambient, .soloAmbient, .playback, .record, .playAndRecord: true
    case .ringtone, .alert, .systemSound, .alarm: false
    }
  }

  public var isCall: Bool { category == .playAndRecord && mode == .voiceChat }

  /// It uses the microphone.
  public var hasInput: Bool { category == .record || category == .playAndRecord }

  /// Sounds together with others of the five.
  public var isMixable: Bool {
    switch category {
    case .ambient: true
    case .playback: options.mixes
    case .playAndRecord: !isCall && options.mixes
    case .soloAmbient, .record, .ringtone, .alert, .systemSound, .alarm: false
    }
  }

  /// Of the five, and never heard together with another such (SES-14).
  public var isNonmixable: Bool { isOfProgram && !isMixable }

  /// Speech that is paused rather than lowered (SES-8).
  public var isSpoken: Bool { isOfProgram && mode == .spokenAudio }

  public var interruptsSpoken: Bool { isMixable && options.contains(.interruptSpokenAudio) }

  /// Lowers others while it is heard (SES-7).
  public var ducksOthers: Bool {
    switch category {
    case .playback, .playAndRecord: isMixable && options.ducks
    case .ringtone, .alert: true
    case .ambient, .soloAmbient, .record, .systemSound, .alarm: false
    }
  }

  /// Whether the category takes these options and this mode (SES-1).
  public var isAllowed: Bool {
    switch category {
    case .playback: mode != .voiceChat
    case .playAndRecord: true
    case .ambient, .soloAmbient, .record: mode != .voiceChat && options.isEmpty
    case .ringtone, .alert, .systemSound, .alarm: mode == .standard && options.isEmpty
    }
  }
}

/// What one that is present means for a newcomer.
public enum Admission: Plain, CaseIterable {
  /// It has the floor at once.
  case granted
  /// It has the floor, 20 dB below its level.
  case mixedLow
  /// It is told of an interruption at once, and starts when the other ends.
  case held
  /// It is refused.
  case busy
}

/// What a newcomer means for one that is present.
public enum Influence: Plain, CaseIterable {
  /// Nothing; both sound.
  case none
  /// It is lowered while the newcomer is heard.
  case ducks
  /// It goes on 20 dB below its level.
  case lowers
  /// It loses the floor.
  case interrupts
}

extension SessionKind {
  /// What `present`, active and heard, means for this newcomer (SES-2, SES-8).
  public func admission(beside present: SessionKind) -> (admission: Admission, rule: Rule) {
    if present.isCall {
      if isCall || category == .systemSound { return (.granted, .ses2) }
      return isOfProgram ? (.busy, .ses2) : (.mixedLow, .ses2)
    }
    if present.category == .alarm {
      let goesOn = isCall || category == .systemSound || category == .alarm
      return (goesOn ? .granted : .held, .ses2)
    }
    if present.category == .ringtone, isNonmixable, !isCall { return (.held, .ses2) }
    if present.interruptsSpoken, isSpoken, !isCall { return (.held, .ses8) }
    return (.granted, .ses2)
  }

  /// What this newcomer, once it may be heard, means for `present` (SES-2, SES-7, SES-8).
  public func influence(on present: SessionKind) -> (influence: Influence, rule: Rule) {
    if present.category == .systemSound || category == .systemSound { return (.none, .ses2) }
    if present.isCall { return isCall ? (.interrupts, .ses2) : (.none, .ses2) }
    if isCall {
      return present.category == .alarm ? (.lowers, .ses2) : (.interrupts, .ses2)
    }
    if present.category == .alarm { return (.none, .ses2) }
    if category == .alarm { return (.interrupts, .ses2) }
    if category == .ringtone, present.isNonmixable { return (.interrupts, .ses2) }
    if isNonmixable, present.isNonmixable { return (.interrupts, .ses14) }
    if interruptsSpoken, present.isSpoken { return (.interrupts, .ses8) }
    return ducks(present) ? (.ducks, .ses7) : (.none, .ses2)
  }

  /// Whether this one is mixed 20 dB below its level while a call has the floor (SES-2).
  public func isLow(beside present: SessionKind) -> Bool {
    guard present.isCall else { return false }
    switch category {
    case .alarm, .ringtone, .alert: return true
    case .ambient, .soloAmbient, .playback, .record, .playAndRecord, .systemSound: return false
    }
  }

  /// Whether this one, while it is heard, lowers `present` (SES-7).
  public func ducks(_ present: SessionKind) -> Bool {
    guard ducksOthers, present.category.volume == .system, !present.isCall else { return false }
    return !(isOfProgram && present.isOfProgram && present.ducksOthers)
  }
}
