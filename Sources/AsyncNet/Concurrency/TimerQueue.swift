/// Many timers that share one sleeping task.
///
/// A timer is an entry in a heap, added and removed in a few hundred nanoseconds. One task sleeps until the earliest
/// timer is due. It is replaced when an earlier timer is added, but not when the earliest is removed, since an unneeded
/// wake is cheaper than a new task for every request. The queue owns the task, and cancels it when it is deallocated.
final class TimerQueue: Sendable {
    /// Runs when the timer is due; must not block. Returns the time at which it is due again, or `nil`.
    typealias Action = @Sendable () -> Duration?

    struct Timer: Sendable {
        fileprivate let id: Int
        fileprivate let slot: Int
    }

    let time: TimeSource
    private let state = Locked(State())

    private struct State {
        var heap = TimerHeap()
        var wakesAt: Duration?
        var sleeper: Task<Void, Never>?
        /// Counts the tasks, so that one that was replaced while it woke does not clear its successor's state.
        var generation = 0
    }

    init(_ time: TimeSource) { self.time = time }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    func schedule(at due: Duration, _ action: @escaping Action) -> Timer {
        state.withLock { state in
            let timer = state.heap.insert(due, action)
            wake(at: due, &state)
            return timer
        }
    }

    /// Removes the timer; its action may be running.
    func cancel(_ timer: Timer) {
        state.withLock { $0.heap.remove(timer) }
    }

    /// The number of timers.
    var count: Int { state.withLock { $0.heap.count } }

    private func wake(at due: Duration, _ state: inout State) {
        if let wakesAt = state.wakesAt, wakesAt <= due { return }
        state.sleeper?.cancel()
        state.wakesAt = due
        state.generation += 1
        state.sleeper = Task { [time, weak self, generation = state.generation] in
            guard (try? await time.sleep(until: due)) != nil else { return }
            self?.fire(generation)
        }
    }

    /// Actions run outside the lock; a timer cancelled meanwhile is not added again.
    private func fire(_ generation: Int) {
        let due = state.withLock { state in
            if generation == state.generation { (state.wakesAt, state.sleeper) = (nil, nil) }
            return state.heap.takeAll(dueBy: time.now)
        }
        let rescheduled = due.map { ($0.timer, $0.action()) }
        state.withLock { state in
            for (timer, next) in rescheduled { state.heap.putBack(timer, due: next) }
            if let next = state.heap.earliest { wake(at: next, &state) }
        }
    }
}

/// A binary heap with removal by handle: an entry stores its position, a handle its entry.
struct TimerHeap {
    private struct Entry {
        let id: Int
        var due: Duration
        let action: TimerQueue.Action
        /// `nil` while the action runs.
        var position: Int?
    }

    private var entries: [Entry?] = []
    private var freeSlots: [Int] = []
    private var order: [Int] = []
    private var nextID = 0

    var count: Int { order.count }
    var earliest: Duration? { order.first.map(due) }

    mutating func insert(_ due: Duration, _ action: @escaping TimerQueue.Action) -> TimerQueue.Timer {
        nextID += 1
        let entry = Entry(id: nextID, due: due, action: action, position: order.count)
        let slot = freeSlots.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        order.append(slot)
        siftUp(order.count - 1)
        return TimerQueue.Timer(id: nextID, slot: slot)
    }

    mutating func remove(_ timer: TimerQueue.Timer) {
        guard let entry = entries[timer.slot], entry.id == timer.id else { return }
        if let position = entry.position { removeFromOrder(position) }
        entries[timer.slot] = nil
        freeSlots.append(timer.slot)
    }

    /// Removes the due timers from the order; their entries stay until they are put back or removed.
    mutating func takeAll(dueBy now: Duration) -> [(timer: TimerQueue.Timer, action: TimerQueue.Action)] {
        var taken: [(TimerQueue.Timer, TimerQueue.Action)] = []
        while let slot = order.first, let entry = entries[slot], entry.due <= now {
            taken.append((TimerQueue.Timer(id: entry.id, slot: slot), entry.action))
            removeFromOrder(0)
            entries[slot]?.position = nil
        }
        return taken
    }

    /// Orders a taken timer again, or removes it if it is not due again. Does nothing if it was removed meanwhile.
    mutating func putBack(_ timer: TimerQueue.Timer, due: Duration?) {
        guard entries[timer.slot]?.id == timer.id else { return }
        guard let due else { return remove(timer) }
        entries[timer.slot]?.due = due
        entries[timer.slot]?.position = order.count
        order.append(timer.slot)
        siftUp(order.count - 1)
    }

    private mutating func removeFromOrder(_ position: Int) {
        swap(position, order.count - 1)
        order.removeLast()
        guard position < order.count else { return }
        siftUp(position)
        siftDown(position)
    }

    private func due(_ slot: Int) -> Duration { entries[slot]?.due ?? .zero }

    private mutating func swap(_ one: Int, _ other: Int) {
        order.swapAt(one, other)
        entries[order[one]]?.position = one
        entries[order[other]]?.position = other
    }

    private mutating func siftUp(_ start: Int) {
        var position = start
        while position > 0, due(order[position]) < due(order[(position - 1) / 2]) {
            swap(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        while true {
            var smaller = 2 * position + 1
            guard smaller < order.count else { return }
            if smaller + 1 < order.count, due(order[smaller + 1]) < due(order[smaller]) { smaller += 1 }
            guard due(order[smaller]) < due(order[position]) else { return }
            swap(position, smaller)
            position = smaller
        }
    }
}
