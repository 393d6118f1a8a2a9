/// A limited number of permits for transfers, granted in the order of the calls.
final class TransferSlots: Sendable {
    private struct State {
        var free: Int
        var nextID = 0
        /// The IDs of waiting calls in order. An ID that is not in `waiting` any more was cancelled.
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

    /// Waits for a permit, which `release` returns.
    ///
    /// - Throws: ``AsyncNetError`` with code `.cancelled`, at once, if the task is cancelled; it then has no permit.
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

    /// Checks again, under the lock that protects the queue, whether the task was cancelled or a permit was released
    /// meanwhile.
    private func enqueue(_ id: Int, _ continuation: CheckedContinuation<Bool, Never>) {
        let isAcquired = state.withLock { state -> Bool? in
            if Task.isCancelled { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.queue.append(id)
            state.waiting[id] = continuation
            return nil
        }
        if let isAcquired { continuation.resume(returning: isAcquired) }
    }

    /// Returns a permit, which the longest waiting call gets.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            let next = state.takeFirstWaiting()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: true)
    }
}
