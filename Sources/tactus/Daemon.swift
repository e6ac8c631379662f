// SPDX-License-Identifier: Apache-2.0
//
// The daemon as the verbs meet it: what fails is said as the command line says things.

import TactusCore
import TactusLinux

/// A connection to the daemon.
struct Daemon: ~Copyable {
  private var client: BusClient
  /// Where it is, for people: "system bus".
  let place: String

  /// Connects to the bus that `--bus` names.
  /// - Throws: `unavailable`.
  init(_ invocation: Invocation) throws(Failure) {
    let address = BusAddress(argument: invocation.value(of: "--bus") ?? "system")
    place =
      switch address {
      case .system, .session: "\(address.name) bus"
      case .address: "private bus"
      }
    do throws(BusClientError) {
      client = try BusClient(address)
    } catch {
      throw Failure(error)
    }
  }

  /// Asks for something.
  /// - Returns: The outcome: a reply's name, or what `Describe` and `Trace` return.
  @discardableResult
  func ask(_ method: BusMethod, _ arguments: [BusValue] = []) throws(Failure) -> String {
    do throws(BusClientError) {
      return try client.call(method, arguments)
    } catch {
      throw Failure(error)
    }
  }

  /// Resident memory of the daemon; nil where that cannot be told.
  var memoryBytes: Int? { client.memoryBytes }

  /// The whole device, as JSON.
  func describe() throws(Failure) -> String { try ask(.describe) }

  /// Lets `takeNews` tell of changes from now on.
  mutating func subscribe() throws(Failure) {
    do throws(BusClientError) {
      try client.subscribe()
    } catch {
      throw Failure(error)
    }
  }

  /// Readable when `takeNews` may have something.
  var descriptor: Int32 { client.descriptor }

  /// Waits until the daemon tells of something, at most so long; many at once are one.
  mutating func waitForNews(atMost milliseconds: UInt64) throws(Failure) {
    do throws(BusClientError) {
      guard try client.next(waiting: milliseconds) != nil else { return }
      let end = MonotonicClock.now() + 50_000_000
      while MonotonicClock.now() < end { _ = try client.next(waiting: 10) }
    } catch {
      throw Failure(error)
    }
  }

  /// Takes all that the daemon has told, without waiting.
  /// - Returns: Whether anything changed.
  mutating func takeNews() throws(Failure) -> Bool {
    var isNew = false
    do throws(BusClientError) {
      while try client.next(waiting: 0) != nil { isNew = true }
    } catch {
      throw Failure(error)
    }
    return isNew
  }
}

extension Failure {
  /// Why the daemon did not do what it was asked.
  init(_ error: BusClientError) {
    let code: ExitCode =
      switch error {
      case .unreachable, .forbidden, .failed: .unavailable
      case .refused(let refusal): Failure.code(for: refusal.kind)
      }
    if case .unreachable(let reason) = error {
      self.init(
        code,
        "tactusd",
        "cannot be reached",
        value: reason,
        next: "start it with systemctl start tactusd, or name its bus with --bus"
      )
    } else {
      self.init(code, saying: error.description)
    }
  }

  /// A name that the device does not know is a mistake on the command line.
  private static func code(for kind: BusRefusal.Kind) -> ExitCode {
    switch kind {
    case .invalidArgument, .noSuchRoute, .noSuchSource, .noSuchControl, .noSuchSound,
      .notAllowed, .gainAboveZero:
      .usage
    case .refusedByHardwareSwitch, .notOnThisDevice, .nameInUse, .noSuchSession, .notYourSession,
      .tooManySessions, .tooManyCalls, .busy, .inBackground, .microphoneMuted,
      .notActive:
      .checkFailed
    }
  }
}
