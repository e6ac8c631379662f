// SPDX-License-Identifier: Apache-2.0
//
// The daemon: gather, tick, apply, publish. One thread, one loop, one place where the policy is
// stepped.
//
//   grid     the moments at which ticks fall, one period apart; an idle device's grid begins anew
//   with the event
//            that wakes it, so that it answers at once (T-5)
//   due      a tick may be run: at least one period since the last one

import TactusCore
import TactusLinux

/// Everything of a running daemon.
// A class, since a structure that cannot be copied is moved whole when a part of it is lent.
final class Daemon {
  /// The token of our own requests, which nobody waits for; the bus never counts so far.
  private static let ownToken = UInt16.max
  /// What the watchdog is fed with while nothing happens, when systemd does not say (T-6).
  private static let idleWatchNanoseconds: UInt64 = 60_000_000_000

  private let options: Options
  /// Of the hardware that it was started for.
  private let fingerprint: UInt64
  private let timing: Timing
  private var policy: Policy
  private let hardware: any Hardware
  private let loop: EventLoop
  private var signals: Signals
  private var bus: Bus
  private var players: Players
  private var trace: TraceRing?
  private var keeper: Keeper
  private var paused: PausedSources
  /// Reads the configuration again (SIGHUP).
  private var compiler: BoardCompiler?
  /// It has changed once more since.
  private var isReloadDue = false
  private let journal: Journal
  private let announcer = Announcer()
  private var inputs = Inputs(filler: .level(control: 0, state: 0))
  private var effects = Effects(filler: .readLevels)
  private var requests: [Input] = []
  /// When the policy's present tick fell, in ns of `MonotonicClock`.
  private var tickNanoseconds: UInt64
  private let periodNanoseconds: UInt64
  private let watchNanoseconds: UInt64
  private var watchedAt: UInt64
  private var snapshot = Snapshot()
  /// The last tick did something that has not been told yet.
  private var isUntold = false
  private var isReady = false
  private var isBusReady = true
  private var arePlayersReady = true
  private var exitCode: Int32?

  init(
    _ options: Options,
    board: Board,
    fingerprint: UInt64,
    journal: Journal
  ) throws(SystemError) {
    // What may fail comes first, in variables of its own, so that a failure leaves nothing half
    // made.
    let signals = try Signals()
    let loop = try EventLoop()
    let keeper = try Keeper(folder: options.stateFolder, board: board, journal: journal)
    let configuration = options.configuration(of: board)
    let names = board.deviceNames(isSimulated: options.isSimulated)
    var paused = PausedSources(folder: options.runtimeFolder, sources: board.sources)
    let policy = Policy(
      configuration: configuration,
      saved: keeper.read(),
      paused: paused.read()
    )
    let tracePath = "\(options.runtimeFolder)/trace"
    let bus = try Bus(
      address: options.bus,
      description: Description(names: names, configuration: configuration),
      tracePath: tracePath
    )
    let players = try Players(sources: board.sources, on: board.playersBus ?? options.bus)
    let hardware: any Hardware =
      options.isSimulated
      ? SimulatedHardware(configuration: configuration)
      : try BoardHardware(board: board, runtimeFolder: options.runtimeFolder)
    try loop.add(signals.descriptor, token: Token.signals)
    try loop.add(players.descriptor, token: Token.players)
    try loop.add(bus.descriptor, token: Token.bus)
    try loop.add(keeper.descriptor, token: Token.writer)
    self.options = options
    self.journal = journal
    self.signals = signals
    self.loop = loop
    self.keeper = keeper
    self.paused = paused
    self.fingerprint = fingerprint
    timing = configuration.timing
    self.policy = policy
    self.bus = bus
    self.players = players
    self.hardware = hardware
    trace = Daemon.openTrace(tracePath, policy, names, journal)
    periodNanoseconds = UInt64(configuration.timing.tickMicroseconds) * 1_000
    watchNanoseconds = (Service.watchdogNanoseconds ?? 2 * Daemon.idleWatchNanoseconds) / 2
    tickNanoseconds = MonotonicClock.now()
    watchedAt = tickNanoseconds
  }

  /// The trace, or none where there is no place for it.
  private static func openTrace(
    _ path: String,
    _ policy: Policy,
    _ names: DeviceNames,
    _ journal: Journal
  ) -> TraceRing? {
    do throws(SystemError) {
      return try TraceRing(path: path, policy: policy, names: names)
    } catch {
      journal.log(.warning, "trace: \(error.description), going on without")
      return nil
    }
  }

  /// Runs until the device has ended; answers the exit code.
  func run() throws(SystemError) -> Int32 {
    hardware.start(loop)
    report()
    while exitCode == nil {
      // What only the next tick can use, such as a card's echo of what was written, wakes nobody
      // when that tick is one period away: others may wait for the processor.
      let isBusy = isBusy
      let count = try loop.wait(until: wakeNanoseconds, for: isBusy ? .urgent : .all)
      takeLateAnswers()
      for index in 0..<count { take(loop[index]) }
      let now = MonotonicClock.now()
      hardware.retry(loop, at: now)
      report()
      takeBus(at: now)
      takePlayers(at: now)
      if isDue(at: now) {
        if isBusy { hardware.takeDeferred(loop) }
        runTick(at: now)
      }
      report()
    }
    hardware.finish()
    bus.flush()
    keeper.finish()
    return exitCode ?? 0
  }

  // MARK: When

  private func nanoseconds(of tick: Tick) -> UInt64 {
    tickNanoseconds + UInt64(max(tick - policy.now, 0)) * periodNanoseconds
  }

  private func tick(at now: UInt64) -> Tick {
    policy.now + Tick((now &- tickNanoseconds) / periodNanoseconds)
  }

  /// Something waits to be taken into a tick.
  private var hasWork: Bool { hardware.hasAnswers || !requests.isEmpty || players.hasEvents }

  /// The tick at which the next one must be run; nil while only an event can bring it.
  private var nextTick: Tick? {
    var next = policy.deadline
    if hasWork { next = policy.now + 1 }
    if let event = hardware.nextTick { next = min(next ?? event, max(event, policy.now + 1)) }
    return next
  }

  /// Something is to be done one period from now.
  private var isBusy: Bool { nextTick == policy.now + 1 }

  private var wakeNanoseconds: UInt64? {
    var wake = watchedAt + watchNanoseconds
    if let nextTick { wake = min(wake, nanoseconds(of: nextTick)) }
    if let deadline = bus.deadlineNanoseconds { wake = min(wake, deadline) }
    if let deadline = players.deadlineNanoseconds { wake = min(wake, deadline) }
    if let deadline = hardware.retryNanoseconds { wake = min(wake, deadline) }
    return wake
  }

  private func isDue(at now: UInt64) -> Bool {
    guard now >= nanoseconds(of: policy.now + 1) else { return false }
    if now >= watchedAt + watchNanoseconds { return true }
    guard let nextTick else { return false }
    return tick(at: now) >= nextTick
  }

  // MARK: Gather

  private func take(_ ready: EventLoop.Ready) {
    switch ready.token {
    case Token.signals: while let signal = signals.next() { take(signal) }
    case Token.bus: isBusReady = true
    case Token.players: arePlayersReady = true
    case Token.writer: keeper.takeOutcome()
    case Token.configuration: takeConfiguration()
    default: hardware.take(ready, loop)
    }
  }

  private func take(_ signal: Signal) {
    switch signal {
    case .terminate, .interrupt:
      Service.stopping()
      requests.append(.request(token: Daemon.ownToken, .shutDown))
    case .hangUp: reload()
    case .user1: keepTrace("request")
    }
  }

  private func takeBus(at now: UInt64) {
    guard isBusReady || bus.deadlineNanoseconds.map({ now >= $0 }) ?? false else { return }
    isBusReady = false
    // Who asks is answered by what is, not by what was told last.
    publish()
    describeFacts()
    switch bus.process(at: now) {
    case .connected: journal.log(.info, "bus: connected")
    case .unavailable(let error):
      journal.log(.warning, "bus: \(error.description), going on without")
    case nil: break
    }
    for call in bus.takeCalls() { take(call, at: now) }
  }

  private func describeFacts() {
    var facts = hardware.facts
    facts.stateFolder = options.stateFolder
    facts.stateFault = keeper.fault
    bus.describe(facts)
  }

  private func takePlayers(at now: UInt64) {
    guard arePlayersReady || players.deadlineNanoseconds.map({ now >= $0 }) ?? false else { return }
    arePlayersReady = false
    if let error = players.process(at: now) {
      journal.log(.warning, "players: \(error.description)")
    }
    if let names = players.takeNames() { bus.describe(players: names) }
  }

  private func take(_ call: BusCall, at now: UInt64) {
    let touch: Touch
    switch call.kind {
    case .request(let request):
      requests.append(.request(token: call.token, request))
      return
    case .press(let control, let hold):
      let milliseconds = hold == 0 ? 50 : Int64(hold)
      touch = .press(
        control: Int(control),
        ticks: timing.ticks(milliseconds: milliseconds)
      )
    case .turn(let control, let detents):
      touch = .turn(control: Int(control), detents: Int(detents))
    case .contact(let control, let isOn): touch = .put(control: Int(control), isOn: isOn)
    case .ended(let place): return end(place)
    case .edges(let number):
      guard let edges = hardware.edges(after: number) else {
        return bus.refuse(call.token, BusRefusal(.notOnThisDevice, "edges: simulated, no lines"))
      }
      return bus.reply(call.token, text: edges)
    }
    // The hand moves now: in the tick that is about to be run.
    if let refusal = hardware.touch(touch, at: max(tick(at: now), policy.now + 1)) {
      bus.refuse(call.token, refusal)
    } else {
      bus.reply(call.token, .done)
    }
  }

  // MARK: Sessions

  /// Sessions get what they need in ALSA before anything is written for them, and before their
  /// programs know (VOL-8a).
  private func openSessions() {
    for index in effects.indices {
      guard case .opened(let token, let place) = effects[index] else { continue }
      guard let name = bus.nameOfOpening(token) else {
        end(place)
        continue
      }
      if let refusal = hardware.open(source: Int(place), named: name) {
        bus.refuse(token, refusal)
        end(place)
      } else if bus.opened(token, place) {
        trace?.name(source: place, name, at: policy.now)
      } else {
        end(place)
      }
    }
  }

  private func end(_ place: UInt8) {
    hardware.close(source: Int(place), at: policy.now)
    requests.append(.request(token: Daemon.ownToken, .session(place, .died)))
  }

  // MARK: Tick

  private func runTick(at now: UInt64) {
    publish()
    let next = max(tick(at: now), policy.now + 1)
    let wasIdle = policy.deadline.map { $0 > next } ?? true
    // The edge that wakes an idle device begins the grid anew (T-5).
    tickNanoseconds = wasIdle ? now : nanoseconds(of: next)
    inputs.removeAll()
    hardware.gather(at: next, into: &inputs)
    players.gather(into: &inputs)
    var taken = 0
    while taken < requests.count, inputs.append(requests[taken]) { taken += 1 }
    requests.removeFirst(taken)
    let isQuiet = inputs.isEmpty && policy.deadline.map { next < $0 } ?? true
    if !isQuiet { trace?.prepare(policy, bus.names) }
    policy.tick(at: next, &inputs, &effects)
    openSessions()
    hardware.apply(effects, at: next)
    if !isQuiet {
      trace?.append(at: next, inputs, effects)
      bus.count(inputs, effects)
      isUntold = true
    }
    // What was written is read back in the next tick, and told with it: those who wait for the
    // hardware come before those who are told. But a program waits for its answer.
    if !hasWork || isAnswering { publish() }
    if now >= watchedAt + watchNanoseconds / 2 {
      watchedAt = now
      Service.feedWatchdog()
    }
  }

  /// What was read back before a late wake-up belongs to the tick after the one that asked, not to
  /// those slept over: the silence that it confirms was in time (SIL-11).
  private func takeLateAnswers() {
    guard hardware.hasAnswers, tick(at: MonotonicClock.now()) > policy.now + 1 else { return }
    runTick(at: nanoseconds(of: policy.now + 1))
  }

  private var isAnswering: Bool {
    effects.indices.contains { index in
      if case .reply = effects[index] { true } else { false }
    }
  }

  private func publish() {
    guard isUntold else { return }
    isUntold = false
    for index in effects.indices { carryOut(effects[index]) }
    keepPaused()
    policy.takeSnapshot(into: &snapshot)
    hardware.show(snapshot)
    bus.publish(snapshot, isAtRest: !isBusy)
    if !isReady, policy.now > 1 {
      isReady = true
      Service.ready(status: "board \(bus.names.board)")
    }
  }

  /// Keeps whom Tactus has paused; without a place for it they stay paused after a restart.
  private func keepPaused() {
    do throws(SystemError) {
      try paused.keep(policy.pausedSources)
    } catch {
      journal.log(.warning, "paused: \(error.description), going on without")
    }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .reply(let token, let reply):
      if token != Daemon.ownToken { bus.reply(token, reply) }
    case .persist: keeper.keep(policy.saved)
    case .finished(let powerOff):
      if powerOff { switchOff() }
      exitCode = 0
    case .notice(.writeFault, _, count: 1), .notice(.notSilent, _, count: 1): keepTrace("fault")
    default: break
    }
    players.carryOut(effect)
    bus.tell(effect)
    guard let event = DeviceEvent(effect, at: policy.now, names: bus.names) else { return }
    bus.emit(event)
    if announcer.isForJournal(effect) {
      journal.log(announcer.priority(effect), announcer.sentence(event))
    }
  }

  // MARK: The rest

  /// Has the machine switched off.
  private func switchOff() {
    do throws(BusClientError) {
      try BusClient(options.bus).powerOffMachine()
    } catch {
      journal.log(.error, "power: \(error.description)")
    }
  }

  private func report() {
    for message in hardware.takeMessages() { journal.log(.notice, message) }
  }

  /// Copies the ring, so that what led here is kept.
  private func keepTrace(_ occasion: String) {
    let target = "\(options.stateFolder)/trace-\(occasion)"
    do throws(SystemError) {
      try copyFile("\(options.runtimeFolder)/trace", to: target)
      journal.log(.notice, "trace: kept in \(target)")
    } catch {
      journal.log(.warning, "trace: \(error.description), ignoring")
    }
  }

  // MARK: The configuration, read again

  /// Begins to read the configuration again, beside everything else.
  private func reload() {
    isReloadDue = compiler != nil
    guard compiler == nil else { return }
    Service.reloading()
    do throws(SystemError) {
      let compiler = try BoardCompiler(options.files)
      try loop.add(compiler.descriptor, token: Token.configuration)
      self.compiler = consume compiler
    } catch {
      endReload(error.description)
    }
  }

  private func takeConfiguration() {
    guard let outcome = compiler?.take() else { return }
    compiler = nil
    switch outcome {
    case .success(let compiled): endReload(reconfigure(compiled))
    case .failure(let error): endReload(error.description)
    }
    if isReloadDue { reload() }
  }

  /// Tells why everything stays as it is, if it does.
  private func endReload(_ mistake: String?) {
    if let mistake {
      journal.log(.error, mistake)
    } else {
      journal.log(.info, "configuration: read again")
    }
    Service.ready(status: "board \(bus.names.board)")
  }

  /// Takes what was read; answers why not.
  private func reconfigure(_ compiled: CompiledBoard) -> String? {
    journal.log(compiled.messages)
    guard let board = compiled.board else {
      return "configuration: wrong, keeping the last good one"
    }
    guard compiled.hardware == fingerprint else {
      return "configuration: other lines, controls or sources, restart tactusd to take them"
    }
    let configuration = options.configuration(of: board)
    policy.reconfigure(configuration)
    hardware.set(configuration.settings.feedback, sounds: board.sounds)
    bus.redescribe(
      names: board.deviceNames(isSimulated: options.isSimulated),
      configuration: configuration
    )
    trace?.restart(policy, bus.names)
    return nil
  }
}
