// SPDX-License-Identifier: Apache-2.0
//
// The daemon's command line.

import TactusCore
import TactusLinux

/// What the daemon was started with.
struct Options {
  /// Which board and settings; its `tick` is over the settings'.
  var files = BoardRequest()
  var isSimulated = false
  var bus = BusAddress.system
  var stateFolder = "/var/lib/tactus"
  var runtimeFolder = "/run/tactus"

  /// What the command line asks for.
  enum Request {
    case run(Options)
    case help
    case version
    case mistake(String)
  }

  static let help = """
    usage: tactusd [OPTION]...
      --board NAME|FILE   the device's board, instead of the settings' one
      --simulate          a speaker in memory instead of lines and cards
      --bus BUS           system (default), session, or a D-Bus address
      --state DIR         where volumes are kept, instead of /var/lib/tactus
      --runtime DIR       for the trace and the players' configuration, instead of /run/tactus
      --settings FILE     instead of /etc/tactus/tactus.yaml
      --boards DIR        where boards are found first
      --tick MS           length of a tick, 1 to 20
      --lenient           leave out what is wrong in the board file, and start the rest
      --version           print the version
      --help              print this

    """

  static func parse(_ arguments: [String]) -> Request {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      var name = argument
      var attached: String?
      if let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), argument.hasPrefix("--") {
        name = String(argument[..<equals])
        attached = String(argument[argument.utf8.index(after: equals)...])
      }
      switch name {
      case "--help", "-h": return .help
      case "--version": return .version
      case "--simulate": options.isSimulated = true
      case "--lenient": options.files.isLenient = true
      case "--board", "--bus", "--state", "--runtime", "--settings", "--boards", "--tick":
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
          return .mistake("\(name): its value is missing")
        }
        if let mistake = options.set(name, value) { return .mistake(mistake) }
      default:
        return .mistake("\(argument): no such option, --help lists them")
      }
    }
    if options.isSimulated && options.files.board == nil { options.files.board = "simulated" }
    return .run(options)
  }

  private mutating func set(_ name: String, _ value: String) -> String? {
    switch name {
    case "--board": files.board = value
    case "--bus": bus = BusAddress(argument: value)
    case "--state": stateFolder = value
    case "--runtime": runtimeFolder = value
    case "--settings": files.settingsPath = value
    case "--boards": files.boardFolders.append(value)
    default:
      guard let milliseconds = wholeNumber(value), (1...20).contains(milliseconds) else {
        return "--tick: not a whole number of milliseconds from 1 to 20 (\(value))"
      }
      files.tickMilliseconds = Int32(milliseconds)
    }
    return nil
  }
}
