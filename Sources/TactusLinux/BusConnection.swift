// SPDX-License-Identifier: Apache-2.0
//
// A connection to a message bus, for the service and for its clients alike.

import CTactus
import TactusCore

/// Which message bus.
public enum BusAddress: Equatable, Sendable {
  case system
  case session
  /// A D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`.
  case address(String)

  /// From the command line: `system`, `session` or a D-Bus address.
  public init(argument: String) {
    switch argument {
    case "system": self = .system
    case "session": self = .session
    default: self = .address(argument)
    }
  }

  /// As the command line has it.
  public var name: String {
    switch self {
    case .system: "system"
    case .session: "session"
    case .address(let address): address
    }
  }

  /// The D-Bus address: where the environment says, else where it always is.
  var resolved: String {
    switch self {
    case .system:
      environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
    case .session:
      environment("DBUS_SESSION_BUS_ADDRESS")
        ?? "unix:path=\(environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus"
    case .address(let address):
      address
    }
  }
}

private func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}

/// Why there is no service on the bus.
public enum BusError: Error, Equatable, CustomStringConvertible {
  /// The bus cannot be reached.
  case unreachable(BusAddress, code: Int32)
  /// The bus has not answered yet; nothing to do but to wait.
  case silent(BusAddress)
  /// The connection ended.
  case lost(BusAddress, code: Int32)
  /// Somebody else has the name.
  case nameTaken
  /// The bus does not let us have the name: its words.
  case nameRefused(String)

  public var description: String {
    switch self {
    case .unreachable(let address, let code):
      "bus \(address.name): cannot connect (\(reason(of: code))), trying again"
    case .silent(let address):
      "bus \(address.name): does not answer, waiting"
    case .lost(let address, let code):
      "bus \(address.name): connection lost (\(reason(of: code))), trying again"
    case .nameTaken:
      "\(TACTUS_BUS_NAME): another program has this name, is a second tactusd running?"
    case .nameRefused(let words):
      "\(TACTUS_BUS_NAME): the bus refuses the name (\(words)), install"
        + " /usr/share/dbus-1/system.d/org.tactus1.conf and run as user tactus"
    }
  }
}

/// Owns a connection of sd-bus.
struct BusConnection: ~Copyable {
  let bus: OpaquePointer

  /// Connects without waiting for the bus to answer.
  /// - Parameters:
  ///   - address: Which bus.
  ///   - awaitsSocket: A socket that is not there, or at which nobody listens, is waited for.
  /// - Throws: `unreachable`.
  init(_ address: BusAddress, awaitsSocket: Bool) throws(BusError) {
    var created: OpaquePointer?
    let result = sd_bus_new(&created)
    guard let created else { throw .unreachable(address, code: -result) }
    for step in [
      sd_bus_set_address(created, address.resolved),
      sd_bus_set_bus_client(created, 1),
      sd_bus_set_watch_bind(created, awaitsSocket ? 1 : 0),
      sd_bus_start(created),
    ] where step < 0 {
      sd_bus_unref(created)
      throw .unreachable(address, code: -step)
    }
    bus = created
  }

  deinit { sd_bus_close_unref(bus) }
}
