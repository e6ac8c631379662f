// SPDX-License-Identifier: Apache-2.0
//
// The controls of one card that the daemon keeps, for its whole life: some may be missing at first
// and appear later, go and come back, or be moved by somebody else.
//
//   place   a control's position in the list of addresses; the caller's name for it

/// An open card and the controls on it that are kept.
///
/// An effect of the policy is one `set`; once per wake-up of `fileDescriptor`, `drain` tells what
/// others did. When either throws `cardVanished`, the bank is to be dropped and made anew when
/// `SoundCard.isPresent(id:)` says so; everything is then unknown, and so written (VOL-8).
public struct ControlBank: ~Copyable {
  /// What happened to a control by others' doing.
  public enum Event: Equatable, Sendable {
    /// Somebody else changed the value to this.
    case changed(ControlValues)
    /// It is there now, at first or again, and what it holds is unknown.
    case appeared
    /// It is not there any more, or cannot be used.
    case lost(MixerError)
  }

  /// A control, or why there is none.
  private enum Place {
    case present(MirroredControl)
    case absent(MixerError)
  }

  public let card: SoundCard
  private let addresses: [ControlAddress]
  private var places: [Place]

  /// Looks every control up; those that are missing are waited for.
  ///
  /// - Precondition: at most `ControlChanges.controlLimit` addresses.
  public init(card: consuming SoundCard, _ addresses: [ControlAddress]) {
    precondition(addresses.count <= ControlChanges.controlLimit)
    self.card = card
    self.addresses = addresses
    places = []
    for address in addresses { places.append(find(address)) }
  }

  /// To be polled for input.
  public var fileDescriptor: Int32 { card.fileDescriptor }

  /// The control at a place, nil while it is missing.
  public func control(at place: Int) -> MixerControl? {
    if case .present(let mirrored) = places[place] { return mirrored.control }
    return nil
  }

  /// Why the control at a place is missing, nil when it is there.
  public func failure(at place: Int) -> MixerError? {
    if case .absent(let error) = places[place] { return error }
    return nil
  }

  /// What the control at a place is known to hold.
  public func current(at place: Int) -> ControlValues? {
    if case .present(let mirrored) = places[place] { return mirrored.current }
    return nil
  }

  /// Writes a control if need be and reads it back: see `MirroredControl.set`.
  public mutating func set(
    _ values: ControlValues,
    at place: Int
  ) throws(MixerError) -> ControlValues {
    switch places[place] {
    case .absent(let error):
      throw error
    case .present(var mirrored):
      defer { places[place] = .present(mirrored) }
      return try mirrored.set(values, on: card)
    }
  }

  /// Makes the next `set` of a place write, whatever was written before.
  public mutating func forget(at place: Int) {
    guard case .present(var mirrored) = places[place] else { return }
    mirrored.forget()
    places[place] = .present(mirrored)
  }

  /// Takes what is waiting, without blocking, and reports what others did; own writes are not
  /// reported.
  ///
  /// - Throws: `cardVanished`.
  public mutating func drain(_ report: (Int, Event) -> Void) throws(MixerError) {
    let changes = try card.drainChanges { number in
      places.firstIndex { place in
        if case .present(let mirrored) = place { return mirrored.control.number == number }
        return false
      }
    }
    if changes.isEmpty { return }
    for place in places.indices {
      let bit: UInt64 = 1 << UInt64(place)
      if (changes.removed | changes.information) & bit != 0 {
        try lookAgain(place, report)
      } else if changes.values & bit != 0 {
        try lookForChange(place, report)
      }
    }
    guard changes.somethingAppeared else { return }
    for place in places.indices where failure(at: place) != nil { try lookAgain(place, report) }
  }

  private func find(_ address: ControlAddress) -> Place {
    do { return .present(MirroredControl(try card.control(address))) } catch {
      return .absent(error)
    }
  }

  private mutating func lookAgain(
    _ place: Int,
    _ report: (Int, Event) -> Void
  ) throws(MixerError) {
    let wasAbsent = failure(at: place) != nil
    places[place] = find(addresses[place])
    switch failure(at: place) {
    case .cardVanished(let id): throw .cardVanished(id: id)
    case .some(let error): if !wasAbsent { report(place, .lost(error)) }
    case .none: report(place, .appeared)
    }
  }

  private mutating func lookForChange(
    _ place: Int,
    _ report: (Int, Event) -> Void
  ) throws(MixerError) {
    guard case .present(var mirrored) = places[place] else { return }
    defer { places[place] = .present(mirrored) }
    do {
      if let values = try mirrored.foreignChange(on: card) { report(place, .changed(values)) }
    } catch {
      if case .cardVanished = error { throw error }
      // The event of its removal comes behind this one.
    }
  }
}
