extension ArraySlice {
    /// Removes the first element of a queue. A slice keeps the memory of removed elements, so `empty` replaces the
    /// element.
    mutating func takeFirst(leaving empty: Element) -> Element? {
        guard let first else { return nil }
        self[startIndex] = empty
        removeFirst()
        if isEmpty { self = [] }
        return first
    }
}
