// SPDX-License-Identifier: Apache-2.0
//
// A board file that extends another: only what differs is written, and the two are read as one.
//
//   extends   the name of the other board; it may extend a third one
//   chain     the boards on the way, from the file that was asked for
//   item      of a list whose items have names: an input, a route, a signal, a source
//   without   names of inherited inputs, routes and signals that this board has not
//
// Mappings are joined key by key; a value that both have is the extending file's. Items of one name
// are joined likewise, and what is new goes behind what is inherited. Any other list is taken as a
// whole, but those that only ever grow: `reserved`, `unverified` and `input-devices`; so is
// `identify`. Every value keeps its place in its own file: a mistake is told where it stands.

import TactusCore

/// Reads a board file with those that it extends.
struct BoardExtension {
  /// So many boards may stand in a chain.
  static let maximumChain = 8

  /// What a board says of itself alone.
  private static let own = ["extends", "without", "name", "title", "description"]
  private static let growing = ["reserved", "unverified", "input-devices"]
  private static let named = ["inputs", "routes", "signals", "sources"]
  private static let removable = ["inputs", "routes", "signals"]

  private let folders: BoardFolders
  private let mistakes: Mistakes
  /// The names of the boards that the file extends, the nearest one first.
  private(set) var bases: [String] = []

  init(_ mistakes: Mistakes, folders: BoardFolders) {
    self.mistakes = mistakes
    self.folders = folders
  }

  /// The file's tree, with all that it inherits.
  mutating func tree(path: String) -> YamlNode? {
    guard let root = yamlTree(path: path, mistakes) else { return nil }
    return extended(root, chain: [name(of: root, path: path)])
  }

  private mutating func extended(_ node: YamlNode, chain: [String]) -> YamlNode {
    guard case .mapping(let entries) = node.content,
      let entry = entries.first(where: { $0.key == "extends" })
    else { return node }
    let field = Field(
      key: "extends",
      keyPlace: entry.place,
      node: entry.value,
      mistakes: mistakes
    )
    guard let base = base(field, chain: chain) else {
      return YamlNode(place: node.place, content: node.content, isBaseMissing: true)
    }
    return join(base, node)
  }

  /// The tree of the board that is extended.
  private mutating func base(_ field: Field, chain: [String]) -> YamlNode? {
    guard let name = field.name(such: "hifiberry-dacplus", longest: 40) else { return nil }
    let way = (chain + [name]).joined(separator: " → ")
    if chain.contains(name) {
      field.error("a circle (\(way)), extend a board that does not come back to this one")
      return nil
    }
    guard chain.count < BoardExtension.maximumChain else {
      field.error(
        "more than \(BoardExtension.maximumChain) boards in a row (\(way)), extend the last one"
          + " itself"
      )
      return nil
    }
    guard let path = folders.path(of: name) else {
      let names = folders.boards.map { $0.name }.filter { !chain.contains($0) }
      let advice = nearest(to: name, among: names) ?? oneOf(names)
      field.error("no such board (\(way)), write \(advice)")
      return nil
    }
    let number = mistakes.begin(file: path)
    guard let root = yamlTree(path: path, mistakes, fileNumber: number) else { return nil }
    bases.append(name)
    return extended(root, chain: chain + [name])
  }

  /// The board's own name; without one that of its folder.
  private func name(of root: YamlNode, path: String) -> String {
    root.text(of: "name") ?? Array(path.split(at: "/").dropLast()).last ?? path
  }
}

// MARK: - Joining

extension BoardExtension {
  private func join(_ base: YamlNode, _ node: YamlNode) -> YamlNode {
    guard case .mapping(let inherited) = base.content, case .mapping(let entries) = node.content
    else { return node }
    var kept = inherited.filter { entry in
      !BoardExtension.own.contains(entry.key) && !isOutdated(entry, by: node)
    }
    if let without = entries.first(where: { $0.key == "without" }) { remove(without, &kept) }
    let joined = joinEntries(kept, entries) { key, old, new in
      if BoardExtension.growing.contains(key) { return joinLists(old, new) { _ in nil } }
      if BoardExtension.named.contains(key) { return joinLists(old, new) { name(of: $0, in: key) } }
      return key == "identify" ? new : joinValues(old, new)
    }
    return YamlNode(
      place: node.place,
      content: .mapping(joined),
      isBaseMissing: base.isBaseMissing
    )
  }

  /// Facts that were not confirmed, of a board that says that all are.
  private func isOutdated(_ entry: YamlEntry, by node: YamlNode) -> Bool {
    guard entry.key == "unverified", let status = node.text(of: "status") else { return false }
    return status != Board.Status.unverified.name
  }

  /// Every inherited entry, with the new value where there is one, then what is new.
  private func joinEntries(
    _ inherited: [YamlEntry],
    _ entries: [YamlEntry],
    _ join: (String, YamlNode, YamlNode) -> YamlNode
  ) -> [YamlEntry] {
    var joined = inherited
    for entry in entries {
      if let index = inherited.firstIndex(where: { $0.key == entry.key }) {
        let value = join(entry.key, inherited[index].value, entry.value)
        joined[index] = YamlEntry(key: entry.key, place: entry.place, value: value)
      } else {
        joined.append(entry)
      }
    }
    return joined
  }

  /// Two values of one key: mappings are joined, of anything else the new one is taken.
  private func joinValues(_ old: YamlNode, _ new: YamlNode) -> YamlNode {
    guard case .mapping(let inherited) = old.content, case .mapping(let entries) = new.content
    else { return new }
    let keys = entries.map { $0.key }
    let kept = inherited.filter { !isReplaced($0.key, by: keys) }
    return YamlNode(
      place: new.place,
      content: .mapping(joinEntries(kept, entries) { joinValues($1, $2) })
    )
  }

  /// A line in place of a jack that the kernel watches, or the other way round.
  private func isReplaced(_ key: String, by keys: [String]) -> Bool {
    if keys.contains("alsa-jack") {
      return ["line", "chip", "bias", "active", "debounce"].contains(key)
    }
    return key == "alsa-jack" && keys.contains("line")
  }

  /// All inherited items, each joined with the new one of its name, then the other new ones.
  private func joinLists(
    _ old: YamlNode,
    _ new: YamlNode,
    _ name: (YamlNode) -> String?
  ) -> YamlNode {
    guard case .sequence(let inherited) = old.content, case .sequence(let items) = new.content
    else { return new }
    var joined = inherited
    var isTaken = [Bool](repeating: false, count: inherited.count)
    for item in items {
      let wanted = name(item)
      let place = inherited.indices.first {
        wanted != nil && !isTaken[$0] && name(inherited[$0]) == wanted
      }
      if let place {
        isTaken[place] = true
        joined[place] = joinValues(inherited[place], item)
      } else {
        joined.append(item)
      }
    }
    return YamlNode(place: new.place, content: .sequence(joined))
  }

  /// What an item of a list goes by.
  private func name(of item: YamlNode, in list: String) -> String? {
    if let name = item.text(of: "name") { return name }
    guard let role = item.text(of: "role") else { return nil }
    guard list == "signals" else { return role }
    return [role, item.text(of: "shows") ?? item.text(of: "route")].compactMap { $0 }
      .joined(separator: "-")
  }

  /// Takes away the inputs, routes and signals that `without` names.
  private func remove(_ without: YamlEntry, _ entries: inout [YamlEntry]) {
    let field = Field(
      key: "without",
      keyPlace: without.place,
      node: without.value,
      mistakes: mistakes
    )
    for word in field.oneOrMore {
      guard let wanted = word.text(such: "knob") else { continue }
      var names: [String] = []
      var isFound = false
      for index in entries.indices where BoardExtension.removable.contains(entries[index].key) {
        let entry = entries[index]
        guard case .sequence(let items) = entry.value.content else { continue }
        let kept = items.filter { name(of: $0, in: entry.key) != wanted }
        isFound = isFound || kept.count < items.count
        names += kept.compactMap { name(of: $0, in: entry.key) }
        entries[index] = YamlEntry(
          key: entry.key,
          place: entry.place,
          value: YamlNode(place: entry.value.place, content: .sequence(kept))
        )
      }
      if !isFound { word.error("nothing of that name (\(wanted)), write \(oneOf(names))") }
    }
  }
}

extension YamlNode {
  /// The text of a key, if this is a mapping that has it.
  fileprivate func text(of key: String) -> String? {
    guard case .mapping(let entries) = content,
      case .scalar(let text, _)? = entries.first(where: { $0.key == key })?.value.content
    else { return nil }
    return text
  }
}
