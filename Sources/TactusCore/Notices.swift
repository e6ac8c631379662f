// SPDX-License-Identifier: Apache-2.0
//
// Notices are rare: equal ones within ten minutes are one, with a count (FBK-6).

/// The notices of the last ten minutes.
struct Notices: Plain {
  private struct Entry: Plain {
    var notice: Notice
    var index: UInt8
    var firstAt: Tick
    var count: UInt16
  }

  private var entries = List<16, Entry>(
    filler: Entry(notice: .stuck, index: 0, firstAt: 0, count: 0)
  )

  init() {}

  /// Takes a notice; answers how many equal ones there are now, this one included.
  ///
  /// Without a free place the oldest is forgotten, and would be news again.
  mutating func note(_ notice: Notice, _ index: UInt8, at now: Tick, windowTicks: Tick) -> UInt16 {
    var place = 0
    for position in entries.indices {
      if entries.elements[position].notice == notice, entries.elements[position].index == index,
        now - entries.elements[position].firstAt < windowTicks
      {
        entries.elements[position].count &+= 1
        return entries.elements[position].count
      }
      if entries.elements[position].firstAt < entries.elements[place].firstAt { place = position }
    }
    let entry = Entry(notice: notice, index: index, firstAt: now, count: 1)
    if !entries.append(entry) { entries.elements[place] = entry }
    return 1
  }
}

extension Policy {
  /// Tells of something that a person should know.
  ///
  /// What is news and says that the hardware does not do what it must is answered at the device,
  /// too.
  mutating func tell(_ notice: Notice, _ index: Int, _ effects: inout Effects) {
    let window = configuration.timing.noticeTicks
    let count = notices.note(notice, UInt8(index), at: now, windowTicks: window)
    effects.append(.notice(notice, UInt8(index), count: count))
    if count == 1, notice == .notSilent || notice == .writeFault { feedback.note(.fault) }
  }
}
