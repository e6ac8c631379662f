// SPDX-License-Identifier: Apache-2.0
//
// What the kernel drives for a signal, as it is found from outside.

import TactusCore

/// A lamp of the LED class, or an input device that is to vibrate.
public struct SignalDevice: Equatable, Sendable {
  /// As the kernel has it.
  public let name: String
  /// The file that tactusd writes.
  public let path: String
  /// Whether it can do what the signal is for.
  public let isAble: Bool
}

extension BoardSignal {
  /// The devices that are there and fit, the one that is used first; none for a line.
  public var presentDevices: [SignalDevice] {
    guard case .device(let pattern) = means else { return [] }
    guard role == .haptic else {
      return LampDevice.present(pattern).map {
        SignalDevice(
          name: $0,
          path: "\(LampDevice.classFolder)/\($0)/brightness",
          isAble: true
        )
      }
    }
    return BoardInputDevice(selector: .name, pattern: pattern, isGrabbed: false).present.map {
      SignalDevice(name: $0.name, path: $0.path, isAble: $0.vibrates)
    }
  }
}
