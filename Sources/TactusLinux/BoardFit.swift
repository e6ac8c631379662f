// SPDX-License-Identifier: Apache-2.0
//
// Which boards a machine may have, by what it says of itself: its name, the HAT's EEPROM, its sound
// cards and GPIO chips. All of it is read from the kernel; nothing is asked of any bus.

import TactusCore

/// The facts by which boards are told apart.
public struct MachineIdentity: Equatable, Sendable {
  /// A sound card that is there.
  public struct Card: Equatable, Sendable {
    public var id: String
    /// The names of its mixer controls.
    public var controls: [String]

    public init(id: String, controls: [String]) {
      self.id = id
      self.controls = controls
    }
  }

  /// The machine's name, such as `Raspberry Pi 4 Model B Rev 1.4`; nil without a device tree.
  public var model: String?
  /// What the HAT's EEPROM says, as the firmware copied it into the device tree; nil without one.
  public var hatVendor: String?
  public var hatProduct: String?
  public var cards: [Card]
  /// The labels of its GPIO chips.
  public var chipLabels: [String]

  /// A machine of which this is known.
  public init(
    model: String?,
    hatVendor: String? = nil,
    hatProduct: String? = nil,
    cards: [Card] = [],
    chipLabels: [String] = []
  ) {
    self.model = model
    self.hatVendor = hatVendor
    self.hatProduct = hatProduct
    self.cards = cards
    self.chipLabels = chipLabels
  }

  /// Reads this machine.
  ///
  /// - Parameter deviceTree: where the kernel shows it.
  public init(deviceTree: String = "/proc/device-tree") {
    model = Machine.lines(of: "\(deviceTree)/model").first
    hatVendor = Machine.lines(of: "\(deviceTree)/hat/vendor").first
    hatProduct = Machine.lines(of: "\(deviceTree)/hat/product").first
    cards = SoundCard.list().map { Card(id: $0.id, controls: controls(ofCard: $0.id)) }
    chipLabels = Chips().found.map { $0.label }
  }
}

private func controls(ofCard id: String) -> [String] {
  guard let card = try? SoundCard(id: id), let controls = try? card.controls() else { return [] }
  return controls.map { $0.name }
}

/// How well a board fits a machine.
public struct BoardFit: Sendable {
  public enum Verdict: Sendable {
    /// Its card is there with all its controls, and nothing speaks against it.
    case fits
    /// The EEPROM names it, but its card is not there: the overlay is missing.
    case lacksCard
    /// Something of it is there, and something speaks against it.
    case differs
    /// Nothing of it is there.
    case absent
  }

  public private(set) var verdict = Verdict.absent
  /// What speaks for it, one sentence each.
  public private(set) var reasons: [String] = []
  /// What speaks against it.
  public private(set) var objections: [String] = []
  /// The HAT's EEPROM names it.
  public private(set) var isNamed = false

  /// Compares a board with a machine.
  public init(_ board: Board, _ machine: MachineIdentity) {
    guard board.status != .simulated else { return }
    judgeModel(board.identity, machine)
    judgeHat(board.identity, machine)
    let hasCard = judgeCard(board, machine)
    judgeChips(board, machine)
    if hasCard {
      verdict = objections.isEmpty ? .fits : .differs
    } else if isNamed {
      verdict = objections.isEmpty ? .lacksCard : .differs
    }
  }

  private mutating func judgeModel(_ identity: BoardIdentity, _ machine: MachineIdentity) {
    guard !identity.models.isEmpty, let model = machine.model else { return }
    if identity.models.contains(where: { model.utf8.contains($0.utf8) }) {
      reasons.append("this is a \(model)")
    } else {
      objections.append("it is on \(oneOf(identity.models)), this is a \(model)")
    }
  }

  private mutating func judgeHat(_ identity: BoardIdentity, _ machine: MachineIdentity) {
    guard let product = machine.hatProduct else { return }
    let vendor = machine.hatVendor ?? ""
    let name = vendor.isEmpty ? product : "\(vendor) \(product)"
    guard !identity.hatProducts.isEmpty || !identity.hatVendors.isEmpty else { return }
    let isVendor =
      identity.hatVendors.isEmpty || identity.hatVendors.contains { vendor.hasPrefix($0) }
    let isProduct = identity.hatProducts.isEmpty || identity.hatProducts.contains(product)
    if isVendor && isProduct {
      isNamed = true
      reasons.append("the HAT's EEPROM says \(name)")
    } else {
      objections.append("the HAT's EEPROM says \(name)")
    }
  }

  /// Whether a card with one of its ids is there.
  private mutating func judgeCard(_ board: Board, _ machine: MachineIdentity) -> Bool {
    var ids: [String] = []
    var wanted = board.identity.controls
    for output in board.outputs {
      for id in output.cardIDs where !ids.contains(id) { ids.append(id) }
      if let volume = output.volume { wanted.append(volume.address.name) }
      if case .control(let address, _, _) = output.mute { wanted.append(address.name) }
    }
    guard let card = machine.cards.first(where: { ids.contains($0.id) }) else { return false }
    var missing: [String] = []
    var present: [String] = []
    for name in wanted where !missing.contains(name) && !present.contains(name) {
      if card.controls.contains(name) { present.append(name) } else { missing.append(name) }
    }
    let having = present.isEmpty ? "" : " with \(present.joined(separator: ", "))"
    reasons.append("card \(card.id) is there\(having)")
    if !missing.isEmpty {
      objections.append("card \(card.id) has no \(missing.joined(separator: ", "))")
    }
    for name in board.identity.foreignControls where card.controls.contains(name) {
      objections.append("card \(card.id) has \(name), which this board has not")
    }
    return true
  }

  private mutating func judgeChips(_ board: Board, _ machine: MachineIdentity) {
    guard !machine.chipLabels.isEmpty else { return }
    for control in board.controls {
      guard case .lines(let labels, _, _, _) = control.contact else { continue }
      if let label = labels.first(where: { machine.chipLabels.contains($0) }) {
        return reasons.append("its lines are on \(label)")
      }
      return objections.append(
        "its lines are on \(oneOf(labels)), there is \(machine.chipLabels.joined(separator: ", "))"
      )
    }
  }
}

extension Sequence where Element == UInt8 {
  /// Whether these bytes stand somewhere in a row.
  fileprivate func contains(_ part: some Collection<UInt8>) -> Bool {
    let all = Array(self)
    guard part.count <= all.count else { return false }
    return (0...(all.count - part.count)).contains { all[$0...].starts(with: part) }
  }
}
