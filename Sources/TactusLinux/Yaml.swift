// SPDX-License-Identifier: Apache-2.0
//
// YAML as a tree in which every value knows its place.
//
//   scalar    one value: plain, or in quotes and then always text
//   mapping   keys with values, in the order of the file
//   sequence  values in a row
//
// Only what a board file needs: one document, no anchors, aliases, tags or merged keys, and bounds
// on size and depth. What a plain scalar is follows YAML 1.2, as editors read it: `true` and
// `false` are flags, `on` is text.

import CTactus
import TactusCore

/// A value in a YAML file.
struct YamlNode {
  enum Content {
    case scalar(String, isQuoted: Bool)
    case sequence([YamlNode])
    case mapping([YamlEntry])
  }

  let place: Place
  let content: Content
  /// It is wrong whatever it is read as, and was reported.
  var isReported = false
  /// What it extends could not be read, which was reported: what it lacks may be there.
  var isBaseMissing = false
}

/// A key with its value.
struct YamlEntry {
  let key: String
  let place: Place
  let value: YamlNode
}

/// Bounds of a file; beyond them it is refused as a whole.
enum YamlBounds {
  static let bytes = 65_536
  static let nodes = 4_096
  static let depth = 8
}

/// The tree of a file by its number, nil where it cannot be read to its end.
func yamlTree(_ bytes: [UInt8], _ mistakes: Mistakes, fileNumber: Int = 0) -> YamlNode? {
  let withoutTabs = reportTabs(bytes, mistakes, fileNumber)
  var parser = YamlParser(mistakes, fileNumber: fileNumber)
  return parser.parse(withoutTabs.bytes, silently: withoutTabs.hadTabs)
}

/// Names every tab in an indentation, and takes two spaces for it, so that the rest is read too.
private func reportTabs(
  _ bytes: [UInt8],
  _ mistakes: Mistakes,
  _ fileNumber: Int
) -> (bytes: [UInt8], hadTabs: Bool) {
  var result: [UInt8] = []
  var line = 1
  var column = 1
  var isIndentation = true
  var hadTabs = false
  for byte in bytes {
    if byte == UInt8(ascii: "\t") && isIndentation {
      let place = Place(line: line, column: column, fileNumber: fileNumber)
      mistakes.error(place, "", "a tab, write spaces: YAML allows no tab in an indentation")
      hadTabs = true
      result += [UInt8(ascii: " "), UInt8(ascii: " ")]
    } else {
      result.append(byte)
      if byte != UInt8(ascii: " ") { isIndentation = false }
    }
    column += 1
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
      isIndentation = true
    }
  }
  return (result, hadTabs)
}

/// Builds the tree from libyaml's events.
private struct YamlParser {
  private let mistakes: Mistakes
  private let fileNumber: Int
  private var nodes = 0
  private var isBroken = false

  init(_ mistakes: Mistakes, fileNumber: Int) {
    self.mistakes = mistakes
    self.fileNumber = fileNumber
  }

  /// Reads the whole text; `silently` when a syntax error was reported already.
  mutating func parse(_ bytes: [UInt8], silently: Bool) -> YamlNode? {
    // libyaml keeps a pointer to its own parts: the parser must not move.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    defer { parser.deallocate() }
    guard yaml_parser_initialize(parser) == 1 else { return nil }
    defer { yaml_parser_delete(parser) }
    return bytes.withUnsafeBufferPointer { buffer in
      yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
      let root = document(parser)
      if parser.pointee.error != YAML_NO_ERROR {
        if !silently { reportSyntax(parser.pointee, bytes) }
        return nil
      }
      if isBroken { return nil }
      return root
        ?? YamlNode(place: .start(ofFile: fileNumber), content: .scalar("", isQuoted: false))
    }
  }

  private mutating func document(_ parser: UnsafeMutablePointer<yaml_parser_t>) -> YamlNode? {
    var root: YamlNode?
    var documents = 0
    while let event = YamlEvent(parser, fileNumber) {
      switch event.kind {
      case .streamEnd: return root
      case .documentStart:
        documents += 1
        if documents == 2 { refuse(event.place, "a second document, write one per file") }
      case .other: break
      default:
        let node = self.node(event, parser, depth: 0)
        if documents == 1 { root = node }
      }
      if isBroken { return nil }
    }
    return nil
  }

  private mutating func node(
    _ event: YamlEvent,
    _ parser: UnsafeMutablePointer<yaml_parser_t>,
    depth: Int
  ) -> YamlNode? {
    nodes += 1
    if nodes > YamlBounds.nodes || depth > YamlBounds.depth {
      refuse(
        event.place,
        depth > YamlBounds.depth
          ? "nested deeper than \(YamlBounds.depth), nothing here needs that"
          : "more than \(YamlBounds.nodes) values, nothing here needs that"
      )
      return nil
    }
    if event.hasAnchor { mistakes.error(event.place, "", "an anchor (&), write the value itself") }
    if event.hasTag { mistakes.error(event.place, "", "a tag (!), write the value without it") }
    switch event.kind {
    case .alias:
      mistakes.error(event.place, "", "an alias (*), write the value itself")
      return YamlNode(
        place: event.place,
        content: .scalar("", isQuoted: false),
        isReported: true
      )
    case .scalar(let text, let isQuoted):
      return YamlNode(place: event.place, content: .scalar(text, isQuoted: isQuoted))
    case .sequenceStart:
      return sequence(event.place, parser, depth: depth)
    case .mappingStart:
      return mapping(event.place, parser, depth: depth)
    case .streamEnd, .documentStart, .sequenceEnd, .mappingEnd, .other:
      return nil
    }
  }

  private mutating func sequence(
    _ place: Place,
    _ parser: UnsafeMutablePointer<yaml_parser_t>,
    depth: Int
  ) -> YamlNode? {
    var items: [YamlNode] = []
    while let event = YamlEvent(parser, fileNumber) {
      if case .sequenceEnd = event.kind {
        return YamlNode(place: place, content: .sequence(items))
      }
      guard let item = node(event, parser, depth: depth + 1) else { return nil }
      items.append(item)
    }
    return nil
  }

  private mutating func mapping(
    _ place: Place,
    _ parser: UnsafeMutablePointer<yaml_parser_t>,
    depth: Int
  ) -> YamlNode? {
    var entries: [YamlEntry] = []
    while let event = YamlEvent(parser, fileNumber) {
      if case .mappingEnd = event.kind {
        return YamlNode(place: place, content: .mapping(entries))
      }
      guard let key = node(event, parser, depth: depth + 1),
        let following = YamlEvent(parser, fileNumber),
        let value = node(following, parser, depth: depth + 1)
      else { return nil }
      guard case .scalar(let name, _) = key.content else {
        mistakes.error(key.place, "", "a key that is no word, write one word before the colon")
        continue
      }
      if let first = entries.first(where: { $0.key == name }) {
        mistakes.error(
          key.place,
          name,
          "given twice (first in line \(first.place.line)), delete one"
        )
      } else {
        entries.append(YamlEntry(key: name, place: key.place, value: value))
      }
    }
    return nil
  }

  private mutating func refuse(_ place: Place, _ message: String) {
    if !isBroken { mistakes.error(place, "", message) }
    isBroken = true
  }

  private func reportSyntax(_ parser: yaml_parser_t, _ bytes: [UInt8]) {
    let problem = parser.problem.map { String(cString: $0) } ?? "cannot be read"
    guard parser.error != YAML_READER_ERROR else {
      let place = Place(of: Int(parser.problem_offset), in: bytes, fileNumber: fileNumber)
      mistakes.error(place, "", "not readable as text (\(problem)), save the file as UTF-8")
      return
    }
    mistakes.error(
      Place(parser.problem_mark, fileNumber),
      "",
      "\(problem), \(advice(for: problem))"
    )
  }

  private func advice(for problem: String) -> String {
    switch problem {
    case "mapping values are not allowed in this context":
      "write one key per line, and a text with a colon in quotes"
    case "found character that cannot start any token":
      "put the text in quotes, or write spaces for a tab"
    case "could not find expected ':'":
      "write a colon and a space after the key"
    case "did not find expected ',' or ']'":
      "close the list with ]"
    default:
      "check the indentation of this line and of the one before"
    }
  }
}

/// One of libyaml's events, copied.
private struct YamlEvent {
  enum Kind {
    case streamEnd, documentStart, alias, sequenceStart, sequenceEnd, mappingStart, mappingEnd,
      other
    case scalar(String, isQuoted: Bool)
  }

  let kind: Kind
  let place: Place
  let hasAnchor: Bool
  let hasTag: Bool

  /// The next one; nil after a syntax error.
  init?(_ parser: UnsafeMutablePointer<yaml_parser_t>, _ fileNumber: Int) {
    var event = yaml_event_t()
    // Once it has failed, libyaml goes on to answer "no event" with success.
    guard yaml_parser_parse(parser, &event) == 1, event.type != YAML_NO_EVENT else { return nil }
    defer { yaml_event_delete(&event) }
    place = Place(event.start_mark, fileNumber)
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
        as: UTF8.self
      )
      kind = .scalar(text, isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
      hasAnchor = scalar.anchor != nil
      hasTag = scalar.tag != nil
    case YAML_SEQUENCE_START_EVENT:
      kind = .sequenceStart
      hasAnchor = event.data.sequence_start.anchor != nil
      hasTag = event.data.sequence_start.tag != nil
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart
      hasAnchor = event.data.mapping_start.anchor != nil
      hasTag = event.data.mapping_start.tag != nil
    default:
      kind = Kind(event.type)
      hasAnchor = false
      hasTag = false
    }
  }
}

extension YamlEvent.Kind {
  init(_ type: yaml_event_type_t) {
    switch type {
    case YAML_STREAM_END_EVENT: self = .streamEnd
    case YAML_DOCUMENT_START_EVENT: self = .documentStart
    case YAML_ALIAS_EVENT: self = .alias
    case YAML_SEQUENCE_END_EVENT: self = .sequenceEnd
    case YAML_MAPPING_END_EVENT: self = .mappingEnd
    default: self = .other
    }
  }
}

extension Place {
  fileprivate init(_ mark: yaml_mark_t, _ fileNumber: Int) {
    self.init(line: mark.line + 1, column: mark.column + 1, fileNumber: fileNumber)
  }

  fileprivate init(of offset: Int, in bytes: [UInt8], fileNumber: Int) {
    let before = bytes.prefix(max(offset, 0))
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    self.init(line: line, column: before.count - start + 1, fileNumber: fileNumber)
  }
}
