// SPDX-License-Identifier: Apache-2.0
//
// Whether two values look the same from outside, member by member: their bytes would also differ
// by what lies unused between them.

import TactusCore

extension List where Element: Equatable {
  func isSame(as other: List<capacity, Element>) -> Bool {
    guard count == other.count else { return false }
    for position in indices where self[position] != other[position] { return false }
    return true
  }
}

extension Snapshot {
  func isSame(as other: Snapshot) -> Bool {
    let isDeviceSame =
      tick == other.tick && level == other.level && ringer == other.ringer
      && keysSet == other.keysSet && isMuted == other.isMuted
      && isSilentSwitchOn == other.isSilentSwitchOn && route == other.route
      && balance == other.balance && isLimitArmed == other.isLimitArmed
      && reasons == other.reasons && isSilent == other.isSilent && lateTicks == other.lateTicks
      && outputs.count == other.outputs.count && sources.count == other.sources.count
      && controls.count == other.controls.count
    guard isDeviceSame else { return false }
    for index in outputs.indices where !outputs[index].isSame(as: other.outputs[index]) {
      return false
    }
    for index in sources.indices where !sources[index].isSame(as: other.sources[index]) {
      return false
    }
    for index in controls.indices where !controls[index].isSame(as: other.controls[index]) {
      return false
    }
    return true
  }
}

extension Saved {
  func isSame(as other: Saved) -> Bool {
    for index in levels.indices where levels[index] != other.levels[index] { return false }
    return ringer == other.ringer && isMuted == other.isMuted && chosenRoute == other.chosenRoute
      && balance == other.balance
  }
}

extension OutputState {
  func isSame(as other: OutputState) -> Bool {
    isPresent == other.isPresent && isAvailable == other.isAvailable && level == other.level
      && appliedGain == other.appliedGain && appliedOn == other.appliedOn
      && amplifierOn == other.amplifierOn && isFaulty == other.isFaulty
  }
}

extension SourceState {
  func isSame(as other: SourceState) -> Bool {
    isActive == other.isActive && isPlaying == other.isPlaying && reasons == other.reasons
      && appliedGain == other.appliedGain && isFaulty == other.isFaulty
  }
}

extension ControlState {
  func isSame(as other: ControlState) -> Bool {
    isPresent == other.isPresent && state == other.state && glitches == other.glitches
      && lostEdges == other.lostEdges && illegalJumps == other.illegalJumps
      && isStuck == other.isStuck && isNoisy == other.isNoisy && changes == other.changes
  }
}
