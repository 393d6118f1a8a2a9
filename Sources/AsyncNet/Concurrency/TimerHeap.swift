/// Actions in the order in which they are due, with removal by handle.
struct TimerHeap<Time: Comparable, Action> {
    struct ID: Equatable, Sendable {
        fileprivate let number: Int
        fileprivate let slot: Int
    }

    private struct Entry {
        let number: Int
        let action: Action
    }

    /// The entries by slot. An action that was taken has an entry, but no place in the order.
    private var entries: [Entry?] = []
    private var freeSlots: [Int] = []
    private var order = IndexedHeap<Time>()
    private var lastNumber = 0

    var count: Int { order.count }
    var earliest: Time? { order.least?.key }

    mutating func insert(_ due: Time, _ action: Action) -> ID {
        lastNumber += 1
        let entry = Entry(number: lastNumber, action: action)
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        order.set(slot, due)
        return ID(number: lastNumber, slot: slot)
    }

    /// - Returns: Whether the action was there.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        guard entries[id.slot]?.number == id.number else { return false }
        order.remove(id.slot)
        entries[id.slot] = nil
        freeSlots.append(id.slot)
        return true
    }

    /// Removes the due actions from the order; their entries stay until they are put back or removed.
    mutating func takeAll(dueBy now: Time) -> [(id: ID, action: Action)] {
        var taken: [(ID, Action)] = []
        while let (due, slot) = order.least, due <= now {
            order.remove(slot)
            if let entry = entries[slot] { taken.append((ID(number: entry.number, slot: slot), entry.action)) }
        }
        return taken
    }

    /// Puts a taken action back into the order, or removes the action if `due` is `nil`. Does nothing if the action was
    /// removed meanwhile.
    mutating func putBack(_ id: ID, due: Time?) {
        guard entries[id.slot]?.number == id.number else { return }
        if let due { order.set(id.slot, due) } else { remove(id) }
    }
}
