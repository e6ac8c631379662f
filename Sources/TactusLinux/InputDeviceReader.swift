// SPDX-License-Identifier: Apache-2.0
//
// Input devices, which a board file or the listener's settings may list.

import TactusCore

/// The input devices of a list; those with a mistake are left out.
func readInputDevices(_ field: Field?) -> [BoardInputDevice] {
  (field?.items(such: "- name: *Headset*") ?? []).compactMap { readInputDevice($0) }
}

private func readInputDevice(_ item: Field) -> BoardInputDevice? {
  guard var fields = item.fields() else { return nil }
  var found: [(BoardInputDevice.Selector, Field)] = []
  for selector in BoardInputDevice.Selector.allCases {
    if let field = fields.take(selector.name) { found.append((selector, field)) }
  }
  let isGrabbed = fields.take("grab")?.flag() ?? false
  fields.finish { Explanations.ofInputDevice($0) }
  guard let (selector, field) = found.first else {
    item.error("no device, write name, link or tag")
    return nil
  }
  for (_, field) in found.dropFirst() {
    field.error("one of name, link and tag is enough, delete this line or make it an item")
  }
  guard let pattern = field.text(such: selector.example) else { return nil }
  return BoardInputDevice(selector: selector, pattern: pattern, isGrabbed: isGrabbed)
}

extension BoardInputDevice.Selector: Named {
  public var name: String {
    switch self {
    case .name: "name"
    case .link: "link"
    case .tag: "tag"
    }
  }

  fileprivate var example: String {
    switch self {
    case .name: "*Headset*"
    case .link: "by-id/usb-*-event-kbd"
    case .tag: "tactus"
    }
  }
}
