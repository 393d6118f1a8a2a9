/// The actions that a loop's thread runs at an instant, in order of time.
struct LoopTimers {
    struct ID: Equatable {
        fileprivate let number: Int
        fileprivate let generation: Int
    }

    private var heap = IndexedHeap<ContinuousClock.Instant>()
    private var entries: [(action: (() -> Void)?, generation: Int)] = []
    private var free: [Int] = []

    mutating func schedule(at instant: ContinuousClock.Instant, _ action: @escaping () -> Void) -> ID {
        let number = free.popLast() ?? entries.count
        if number == entries.count { entries.append((nil, 0)) }
        entries[number].action = action
        heap.set(number, instant)
        return ID(number: number, generation: entries[number].generation)
    }

    /// Does nothing if the action has run.
    mutating func cancel(_ id: ID) {
        guard entries[id.number].generation == id.generation else { return }
        heap.remove(id.number)
        _ = release(id.number)
    }

    /// The actions that are due, which the caller runs.
    mutating func takeDue(_ now: ContinuousClock.Instant) -> [() -> Void] {
        var due: [() -> Void] = []
        while let least = heap.least, least.key <= now {
            heap.remove(least.number)
            if let action = release(least.number) { due.append(action) }
        }
        return due
    }

    /// When the first action is due.
    var next: ContinuousClock.Instant? { heap.least?.key }

    /// Whether an action is due before an instant; `nil` stands for no end.
    func isDue(before end: ContinuousClock.Instant?) -> Bool {
        guard let next, let end else { return next != nil }
        return next < end
    }

    /// How long to wait for the next action, at most an hour, rounded up, as rounding down would spin; -1 without one.
    func milliseconds(from now: ContinuousClock.Instant) -> Int32 {
        guard let least = heap.least else { return -1 }
        let wait = min(least.key - now, .seconds(3600))
        return wait <= .zero ? 0 : Int32((wait / .milliseconds(1)).rounded(.up))
    }

    private mutating func release(_ number: Int) -> (() -> Void)? {
        defer {
            entries[number] = (nil, entries[number].generation + 1)
            free.append(number)
        }
        return entries[number].action
    }
}
