// SPDX-License-Identifier: Apache-2.0
//
// The rules by their ids, as far as they decide about sessions: what `tactus why` and
// `tactus policy run` name.

/// A rule of the policy.
public enum Rule: Plain, CaseIterable {
  case t7
  case sil1, sil4, sil7, sil11
  case vol2a, vol10, vol16
  case rte1, rte2, rte3, rte6, rte7
  case ses1, ses2, ses3, ses4, ses5, ses6, ses7, ses8, ses9, ses10, ses11, ses12, ses13, ses14
  case ses15, ses17, ses18
  case ctl2, ctl3
  case fbk2, fbk6, fbk8
}

extension SilenceReasons {
  /// The rule behind the first of the reasons; nil when there is none.
  ///
  /// `interrupted` is explained by `SourceState.rule`.
  public var rule: Rule? {
    if contains(.fault) { return .sil11 }
    if contains(.starting) { return .t7 }
    if contains(.routeSettling) { return .rte2 }
    if contains(.interrupted) { return .ses2 }
    if contains(.background) { return .ses11 }
    if contains(.awaitingPause) { return .rte2 }
    if contains(.silencedByPerson) { return .vol2a }
    if contains(.silentSwitch) { return .sil1 }
    if contains(.softMute) { return .sil4 }
    if contains(.levelZero) { return .sil7 }
    return nil
  }
}
