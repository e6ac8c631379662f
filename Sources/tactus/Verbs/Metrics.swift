// SPDX-License-Identifier: Apache-2.0
//
// `tactus metrics`: what the daemon counts and measures, as OpenMetrics text, which node_exporter's
// textfile collector reads too: only counters and gauges.
//
//   family   a metric with its kind, its unit and what it means; the man page lists them from here
//   sample   one value of a family, with its labels

import TactusCore
import TactusLinux

/// Runs `metrics`.
func showMetrics(_ invocation: Invocation, _ output: StandardOutput) throws(Failure) -> ExitCode {
  var failure: Failure?
  var device = Json.null
  do throws(Failure) {
    let daemon = try Daemon(invocation)
    device = try describe(daemon)
  } catch {
    // A fleet must see who does not answer.
    failure = error
  }
  let text = metrics(of: device)
  if let path = invocation.value(of: "--write") {
    do throws(SystemError) {
      try writeFile(text, to: path)
    } catch {
      throw Failure(.checkFailed, saying: error.description)
    }
  } else {
    output.write(text)
  }
  if let failure { throw failure }
  return .success
}

/// What the daemon describes, with the memory that it uses.
private func describe(_ daemon: borrowing Daemon) throws(Failure) -> Json {
  let text = try daemon.describe()
  guard let described = try? Json(parsing: text), case .object(let members) = described else {
    throw Failure(
      .unavailable,
      "tactusd",
      "its description is not JSON",
      next: "are both of one version?"
    )
  }
  guard let bytes = daemon.memoryBytes else { return described }
  return .object(members + [Json.Member("memoryBytes", .integer(Int64(bytes)))])
}

/// All metrics as text: of what `Describe` answers, of null where the daemon does not.
func metrics(of device: Json) -> String {
  var text = ""
  for family in MetricFamily.all {
    let samples = family.samples(device)
    guard !samples.isEmpty else { continue }
    let kind = family.isCounter ? "counter" : "gauge"
    text += "# TYPE \(family.name) \(kind)\n"
    if !family.unit.isEmpty { text += "# UNIT \(family.name) \(family.unit)\n" }
    text += "# HELP \(family.name) \(family.about)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0)=\"\(escaped($1))\"" }
      let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
      text += "\(family.sampleName)\(list) \(sample.value)\n"
    }
  }
  return text + "# EOF\n"
}

private func escaped(_ text: String) -> String {
  var result = ""
  for character in text.unicodeScalars {
    switch character {
    case "\\": result += "\\\\"
    case "\"": result += "\\\""
    case "\n": result += "\\n"
    default: result.unicodeScalars.append(character)
    }
  }
  return result
}

/// One metric.
struct MetricFamily {
  let name: String
  let isCounter: Bool
  /// As OpenMetrics has it, the end of the name; empty for a plain number.
  let unit: String
  /// What its labels tell apart; empty for none.
  let labels: String
  let about: String
  let samples: (Json) -> [MetricSample]

  /// The name that its values have.
  var sampleName: String { isCounter ? "\(name)_total" : name }

  fileprivate static func counter(
    _ name: String,
    _ labels: String = "",
    _ about: String,
    _ samples: @escaping (Json) -> [MetricSample]
  ) -> MetricFamily {
    MetricFamily(
      name: "tactus_\(name)",
      isCounter: true,
      unit: "",
      labels: labels,
      about: about,
      samples: samples
    )
  }

  fileprivate static func gauge(
    _ name: String,
    unit: String = "",
    _ labels: String = "",
    _ about: String,
    _ samples: @escaping (Json) -> [MetricSample]
  ) -> MetricFamily {
    MetricFamily(
      name: "tactus_\(name)",
      isCounter: false,
      unit: unit,
      labels: labels,
      about: about,
      samples: samples
    )
  }
}

/// One value.
struct MetricSample {
  let labels: [(String, String)]
  let value: String

  fileprivate init(_ value: Int64, _ labels: (String, String)...) {
    self.value = "\(Int(value))"
    self.labels = labels
  }

  fileprivate init(real value: Double, _ labels: (String, String)...) {
    // ALSA's mark for silence is no amplification.
    self.value = value <= Gain.silence.decibels ? "-Inf" : "\(value)"
    self.labels = labels
  }
}

extension MetricFamily {
  /// All of them, in the order in which they are written.
  static var all: [MetricFamily] {
    [
      gauge("up", "", "1 when tactusd answers, 0 when it does not.") { device in
        [MetricSample(device == .null ? 0 : 1)]
      },
      gauge("build_info", "version, board", "Always 1; its labels name the version and the board.")
      {
        device in
        guard let version = device["version"]?.text, let board = device["board"]?.text else {
          return []
        }
        return [MetricSample(1, ("version", version), ("board", board))]
      },
      counter("ticks", "", "Ticks since tactusd began, slept ones included.") { one($0["tick"]) },
      counter("busy_ticks", "", "Ticks that did something.") { one($0["counters"]?["ticks"]) },
      counter("late_ticks", "", "Ticks by which the loop woke too late.") { one($0["late"]) },
      counter("control_changes", "control", "Accepted changes of a contact, or detents of a knob.")
      {
        controls($0, "changes")
      },
      counter("control_edges", "control", "Raw edges of a control.") { controls($0, "edges") },
      counter("control_lost_edges", "control", "Edges that the kernel lost.") {
        controls($0, "lostEdges")
      },
      counter("control_glitches", "control", "Edges that were gone again when the tick ran.") {
        controls($0, "glitches")
      },
      counter("control_illegal_steps", "control", "Jumps of a knob that skip a state.") { device in
        (device["controls"]?.elements ?? []).compactMap { control in
          guard control["role"]?.text == Role.knob.name, let name = control["name"]?.text,
            let count = control["illegalJumps"]?.integer
          else { return nil }
          return MetricSample(count, ("control", name))
        }
      },
      counter("writes", "part, route", "Writes to the sound card and to amplifier lines.") {
        device in
        writes(device)
      },
      counter("failed_writes", "part", "Writes that the hardware or a lock refused.") { device in
        let counts = device["counters"]?["failures"]?.elements ?? []
        return zip(Part.allCases, counts).map { part, count in
          MetricSample(count.integer ?? 0, ("part", part.name))
        }
      },
      counter("foreign_moves", "route", "Times another program moved a route's controls.") {
        device in
        routes(device) { $0["foreignMoves"]?.integer.map { .whole($0) } }
      },
      counter("notices", "notice", "Things that a person should know, by their kind.") { device in
        let counts = device["counters"]?["notices"]?.elements ?? []
        return zip(Notice.allCases, counts).map { notice, count in
          MetricSample(count.integer ?? 0, ("notice", notice.name))
        }
      },
      counter("sessions_opened", "", "Sessions that programs opened.") {
        one($0["counters"]?["sessionsOpened"])
      },
      counter("session_refusals", "", "Openings and activations of sessions that were refused.") {
        one($0["counters"]?["sessionsRefused"])
      },
      counter("interruptions", "", "Interruptions of sessions that began.") {
        one($0["counters"]?["interruptions"])
      },
      gauge("faults", "", "What does not work now: controls, lines and outputs.") { device in
        guard let faults = device["faults"] else { return [] }
        return [MetricSample(Int64(faults.elements.count))]
      },
      gauge("level_ratio", unit: "ratio", "route", "The system level of each route, 0 to 1.") {
        device in
        routes(device) { $0["level"]?.number.map { .real($0) } }
      },
      gauge("ringer_ratio", unit: "ratio", "", "The ringer level, 0 to 1.") { device in
        device["ringer"]?.number.map { [MetricSample(real: $0)] } ?? []
      },
      gauge(
        "gain_decibels",
        unit: "decibels",
        "route",
        "The gain of each route as read back; -Inf is silence, absent what is not known."
      ) { device in
        routes(device) { $0["gainDecibels"]?.number.map { .real($0) } }
      },
      gauge("route", "route", "1 for the route in use, 0 for the others.") { device in
        routes(device) { .whole($0["name"] == device["route"] ? 1 : 0) }
      },
      gauge("muted", "", "1 while the soft mute is on.") { flag($0["muted"]) },
      gauge("silent_switch", "", "1 while the silent switch is on.") {
        flag($0["silentSwitch"]?["on"])
      },
      gauge("silent", "", "1 while nothing can be heard, as read back.") { flag($0["silent"]) },
      gauge("silence_reason", "reason", "1 while it silences the device or something that plays.") {
        device in
        guard device != .null else { return [] }
        let reasons = reasons(device)
        return SilenceReason.allCases.map { reason in
          MetricSample(reasons.contains(reason.name) ? 1 : 0, ("reason", reason.name))
        }
      },
      gauge("sessions", "state", "Sessions and configured sources by what they do.") { device in
        guard device != .null else { return [] }
        let states = (device["sources"]?.elements ?? []).map { $0["state"]?.text ?? "" }
        return ["playing", "active", "held", "interrupted", "inactive"].map { state in
          MetricSample(Int64(states.filter { $0 == state }.count), ("state", state))
        }
      },
      gauge("memory_bytes", unit: "bytes", "", "Resident memory of tactusd.") {
        one($0["memoryBytes"])
      },
    ]
  }

  private static func one(_ json: Json?) -> [MetricSample] {
    json?.integer.map { [MetricSample($0)] } ?? []
  }

  private static func flag(_ json: Json?) -> [MetricSample] {
    json?.bool.map { [MetricSample($0 ? 1 : 0)] } ?? []
  }

  private static func controls(_ device: Json, _ member: String) -> [MetricSample] {
    (device["controls"]?.elements ?? []).compactMap { control in
      guard let name = control["name"]?.text, let count = control[member]?.integer else {
        return nil
      }
      return MetricSample(count, ("control", name))
    }
  }

  private enum Value {
    case whole(Int64)
    case real(Double)
  }

  private static func routes(_ device: Json, _ value: (Json) -> Value?) -> [MetricSample] {
    (device["routes"]?.elements ?? []).compactMap { route in
      guard let name = route["name"]?.text, let value = value(route) else { return nil }
      return switch value {
      case .whole(let number): MetricSample(number, ("route", name))
      case .real(let number): MetricSample(real: number, ("route", name))
      }
    }
  }

  private static func writes(_ device: Json) -> [MetricSample] {
    let counts = device["counters"]?["writes"]?.elements ?? []
    let routes = (device["routes"]?.elements ?? []).map { $0["name"]?.text ?? "" }
    guard counts.count == Part.allCases.count * Configuration.maximumOutputs else { return [] }
    var samples: [MetricSample] = []
    for (row, part) in Part.allCases.enumerated() {
      let names = part == .source || part == .capture ? [""] : routes
      for (column, name) in names.enumerated() {
        let count = counts[row * Configuration.maximumOutputs + column].integer ?? 0
        samples.append(MetricSample(count, ("part", part.name), ("route", name)))
      }
    }
    return samples
  }

  private static func reasons(_ device: Json) -> [String] {
    var reasons = (device["reasons"]?.elements ?? []).compactMap { $0.text }
    for source in device["sources"]?.elements ?? [] where source["playing"]?.bool == true {
      reasons += (source["reasons"]?.elements ?? []).compactMap { $0.text }
    }
    return reasons
  }
}
