// SPDX-License-Identifier: Apache-2.0
//
// A word that is read across the room: letters of five pixels, two in a character.

/// A word in three rows; nil where a letter is missing or the terminal has no half blocks.
func bigWord(_ word: String, _ glyphs: Glyphs) -> [String]? {
  guard glyphs.pixels.count == 4 else { return nil }
  var lines = [String](repeating: "", count: 5)
  for letter in word {
    guard let shape = shape(of: letter) else { return nil }
    for line in 0..<5 { lines[line] += (lines[line].isEmpty ? "" : ".") + shape[line] }
  }
  return stride(from: 0, to: 6, by: 2).map { top in
    let upper = Array(lines[top].utf8)
    let lower = top + 1 < 5 ? Array(lines[top + 1].utf8) : []
    var row = ""
    for column in upper.indices {
      let isUpper = upper[column] == UInt8(ascii: "#")
      let isLower = column < lower.count && lower[column] == UInt8(ascii: "#")
      row += glyphs.pixels[(isUpper ? 1 : 0) + (isLower ? 2 : 0)]
    }
    return row
  }
}

private func shape(of letter: Character) -> [String]? {
  switch letter {
  case "D": ["###.", "#..#", "#..#", "#..#", "###."]
  case "E": ["####", "#...", "###.", "#...", "####"]
  case "I": ["#", "#", "#", "#", "#"]
  case "L": ["#...", "#...", "#...", "#...", "####"]
  case "N": ["#...#", "##..#", "#.#.#", "#..##", "#...#"]
  case "O": [".##.", "#..#", "#..#", "#..#", ".##."]
  case "S": [".###", "#...", ".##.", "...#", "###."]
  case "T": ["#####", "..#..", "..#..", "..#..", "..#.."]
  case "U": ["#..#", "#..#", "#..#", "#..#", ".##."]
  case " ": ["..", "..", "..", "..", ".."]
  default: nil
  }
}
