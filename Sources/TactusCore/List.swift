// SPDX-License-Identifier: Apache-2.0
//
// A list that never allocates: a fixed number of places and a count. What happens when it is full
// is the caller's rule, so `append` says whether there was room.

/// An ordered collection of at most `capacity` elements, stored in place.
public struct List<let capacity: Int, Element: Plain>: Plain {
  /// All places, used or not.
  ///
  /// The tick reads them here: the subscript of a list would copy the list to reach one element.
  @usableFromInline var elements: InlineArray<capacity, Element>
  /// How many elements there are, 0…`capacity`.
  public internal(set) var count = 0

  /// An empty list.
  ///
  /// `filler` stands in the unused places and is never seen.
  public init(filler: Element) {
    elements = InlineArray(repeating: filler)
  }

  /// Whether there is no element.
  public var isEmpty: Bool { count == 0 }

  /// Whether `append` would refuse.
  public var isFull: Bool { count == capacity }

  /// The positions in use.
  public var indices: Range<Int> { 0..<count }

  /// The element at a position below `count`; anything else traps.
  @inlinable
  public subscript(position: Int) -> Element {
    get {
      precondition(position >= 0 && position < count, "position outside the list")
      return elements[position]
    }
    set {
      precondition(position >= 0 && position < count, "position outside the list")
      elements[position] = newValue
    }
  }

  /// Adds an element at the end, or answers false when the list is full.
  @discardableResult
  public mutating func append(_ element: Element) -> Bool {
    guard count < capacity else { return false }
    elements[count] = element
    count += 1
    return true
  }

  /// Puts an element at any position of the capacity; places before it that were not in use keep
  /// what stands there.
  mutating func place(_ element: Element, at position: Int) {
    elements[position] = element
    count = max(count, position + 1)
  }

  /// Forgets the last element.
  mutating func removeLast() {
    precondition(count > 0, "an empty list")
    count -= 1
  }

  /// Forgets the elements from a position on.
  public mutating func removeAll(from position: Int) { count = min(count, position) }

  /// Forgets all elements.
  public mutating func removeAll() { count = 0 }
}
