/// A number of slots, given out in the order they were asked for.
final class TransferSlots: Sendable {
    private struct State {
        var free: Int
        var nextID = 0
        /// IDs in order; those no longer in `waiting` were cancelled and are passed over.
        var queue: [Int] = []
        var queueStart = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]

        mutating func takeFirstWaiting() -> CheckedContinuation<Bool, Never>? {
            while queueStart < queue.count {
                let id = queue[queueStart]
                queueStart += 1
                if let continuation = waiting.removeValue(forKey: id) { return continuation }
            }
            queue.removeAll(keepingCapacity: true)
            queueStart = 0
            return nil
        }
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    /// Waits for a slot. A cancelled wait ends at once and takes none.
    func acquire() async throws(AsyncNetError) {
        let id = state.withLock { state -> Int? in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        let isAcquired = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in enqueue(id, continuation) }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
        }
        guard isAcquired else { throw AsyncNetError(.cancelled) }
    }

    /// A cancel may have come before there was anything to resume, and a slot may have become free meanwhile.
    private func enqueue(_ id: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        let answer = state.withLock { state -> Bool? in
            if Task.isCancelled { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.queue.append(id)
            state.waiting[id] = continuation
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            let next = state.takeFirstWaiting()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: true)
    }
}
