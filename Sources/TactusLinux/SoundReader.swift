// SPDX-License-Identifier: Apache-2.0
//
// What the listener's settings say of answers and sounds: how strong each channel answers, and
// files in place of the built-in sounds, or beside them. What a type means, nobody can set (FBK-2).

import TactusCore

/// How strong each channel answers.
func readFeedback(_ field: Field?) -> FeedbackSettings {
  var settings = FeedbackSettings()
  guard let field, var fields = field.fields() else { return settings }
  readPercent(&fields, "led", &settings.ledPercent)
  readPercent(&fields, "haptic", &settings.hapticPercent)
  readPercent(&fields, "sound", &settings.soundPercent)
  fields.finish { Explanations.ofFeedback($0) }
  return settings
}

private func readPercent(_ fields: inout Fields, _ key: String, _ percent: inout UInt8) {
  guard let parts = fields.take(key)?.percent(0...100) else { return }
  // Only 0 is off.
  percent = parts == 0 ? 0 : UInt8(max((parts + 50) / 100, 1))
}

/// The listener's sounds: all of a folder, and single files, which go before.
///
/// A file that cannot be played is told and left out; everything else works.
func readSounds(_ field: Field?) -> [BoardSound] {
  guard let field, var fields = field.fields() else { return [] }
  var sounds: [BoardSound] = []
  let folder = fields.take("folder")
  for file in fields.all() where file.key != "folder" {
    guard isSoundName(file.key) else {
      file.mistakes.error(file.keyPlace, file.key, notAName(file.key))
      continue
    }
    guard let path = readPath(file, such: "/etc/tactus/\(file.key).wav") else { continue }
    if isPlayable(path, file.key, file) { sounds.append(BoardSound(name: file.key, path: path)) }
  }
  if let folder, let path = readPath(folder, such: "/etc/tactus/sounds") {
    for sound in soundsOf(folder, path)
    where !sounds.contains(where: { $0.name == sound.name }) && isPlayable(sound, folder) {
      sounds.append(sound)
    }
  }
  let own = sounds.count { sound in !Feedback.words.contains(sound.name) }
  let most = BoardSound.countMaximum - Feedback.allCases.count
  if own > most { field.error("more than \(most) sounds of your own, delete some") }
  return sounds
}

/// The sounds of a folder, by the names of its files.
private func soundsOf(_ field: Field, _ folder: String) -> [BoardSound] {
  var sounds: [BoardSound] = []
  do throws(SystemError) {
    for file in try names(in: folder, beginning: "").sorted(by: <) where file.hasSuffix(".wav") {
      let name = String(decoding: file.utf8.dropLast(4), as: UTF8.self)
      if isSoundName(name) {
        sounds.append(BoardSound(name: name, path: "\(folder)/\(file)"))
      } else {
        field.warning("\(folder)/\(file): \(notAName(name)), leaving it out")
      }
    }
  } catch {
    field.warning("\(error.description), write a folder of WAV files or delete this")
  }
  return sounds
}

private func readPath(_ field: Field, such example: String) -> String? {
  guard let path = field.text(such: example) else { return nil }
  if path.hasPrefix("/") { return path }
  field.error("no whole path (\(path)), write one from the root on, such as \(example)")
  return nil
}

private func isPlayable(_ sound: BoardSound, _ field: Field) -> Bool {
  isPlayable(sound.path, sound.name, field)
}

private func isPlayable(_ path: String, _ name: String, _ field: Field) -> Bool {
  do throws(WaveError) {
    _ = try WaveFile(path: path)
    return true
  } catch {
    let instead =
      Feedback.words.contains(name)
      ? "until then the built-in \(name) is played" : "until then there is no \(name)"
    field.warning("\(path) \(error.description), \(error.advice(for: path)); \(instead)")
    return false
  }
}

private func isSoundName(_ text: String) -> Bool {
  let isName = text.utf8.allSatisfy { byte in
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
  }
  return isName && (1...20).contains(text.utf8.count)
}

private func notAName(_ text: String) -> String {
  "not a name (\(text)), write 1 to 20 small letters, digits and hyphens, such as doorbell"
}
