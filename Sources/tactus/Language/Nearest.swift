// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean …?": the known word that was probably meant.

/// The known word nearest to a wrong one, or nil when none is near.
///
/// Near is the beginning of a word, or at most a third of its letters mistyped.
func nearest(to word: String, among known: [String]) -> String? {
  var best: String?
  var bestDistance = Int.max
  for candidate in known {
    let isBeginning = word.utf8.count >= 2 && candidate.hasPrefix(word)
    let distance = isBeginning ? 1 : editDistance(Array(word.utf8), Array(candidate.utf8))
    let allowed = max(1, candidate.utf8.count / 3)
    if distance <= allowed, distance < bestDistance {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/// The advice for a wrong word: the nearest right one, or else where to look.
func advice(for word: String, among known: [String], otherwise: String) -> String {
  guard let near = nearest(to: word, among: known) else { return otherwise }
  return "did you mean \(near)?"
}

/// How many letters must be inserted, deleted, replaced or exchanged with their neighbour
/// (optimal string alignment).
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 0..<left.count {
    var current = [row + 1]
    for column in 0..<right.count {
      let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
      var distance = min(replaced, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        distance = min(distance, beforeLast[column - 1] + 1)
      }
      current.append(distance)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
