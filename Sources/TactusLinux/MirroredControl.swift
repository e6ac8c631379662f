// SPDX-License-Identifier: Apache-2.0
//
// One control that Tactus keeps in step: written only when needed, always read back, and able to
// tell the echo of its own write from a change that somebody else made.

/// A control together with what it is known to hold.
///
/// What it holds starts unknown, so the first write always happens (VOL-8).
public final class MirroredControl {
  public let control: MixerControl
  /// What was read last; nil until then, and after a failure.
  public private(set) var current: ControlValues?
  /// What was written last, while nobody has changed it since.
  private var written: ControlValues?

  public init(_ control: MixerControl) { self.control = control }

  /// Writes every channel, unless it is known to hold this by our own writing, and reads back.
  ///
  /// - Returns: what the control holds now. A codec may hold something else than was written: it is
  ///   for the caller to judge, and the same again is then a write again.
  /// - Throws: the failure of the write or of the read-back; the control is then unknown.
  public func set(
    _ values: ControlValues,
    on card: borrowing SoundCard
  ) throws(MixerError) -> ControlValues {
    if let current, current == values, written == values { return current }
    forget()
    try card.write(values, to: control)
    let applied = control.isReadable ? try card.read(control) : values
    written = values
    current = applied
    return applied
  }

  /// To be called when the card says that the value changed.
  ///
  /// - Returns: the new values when somebody else changed them; nil when it was the echo of our own
  ///   write, or a change that has been taken back already.
  public func foreignChange(
    on card: borrowing SoundCard
  ) throws(MixerError) -> ControlValues? {
    let values: ControlValues
    do { values = try card.read(control) } catch {
      forget()
      throw error
    }
    if values == current { return nil }
    written = nil
    current = values
    return values
  }

  /// Makes the next `set` write, whatever was written before.
  public func forget() {
    current = nil
    written = nil
  }
}
