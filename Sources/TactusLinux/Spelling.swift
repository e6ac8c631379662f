// SPDX-License-Identifier: Apache-2.0
//
// The word that somebody most likely meant.

/// The word that was most likely meant, nil where none is near.
public func nearest(to word: String, among words: [String]) -> String? {
  let wanted = plainSpelling(word)
  var best: String?
  var bestDistance = Int.max
  for candidate in words {
    let spelled = plainSpelling(candidate)
    let distance = editDistance(wanted, spelled)
    if distance < bestDistance, distance <= max(1, spelled.count * 2 / 5) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/// Small letters without the marks between words, so that `volUp`, `vol_up` and `vol-up` are one.
func plainSpelling(_ word: String) -> [UInt8] {
  word.utf8.compactMap { byte in
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
    default: byte
    }
  }
}

/// How many letters must be changed, added, left out or exchanged with their neighbour.
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in left.indices {
    var current = [row + 1]
    for column in right.indices {
      var least = min(
        last[column] + (left[row] == right[column] ? 0 : 1),
        min(last[column + 1], current[column]) + 1
      )
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        least = min(least, beforeLast[column - 1] + 1)
      }
      current.append(least)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
