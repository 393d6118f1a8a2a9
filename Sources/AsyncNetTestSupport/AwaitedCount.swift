import AsyncNet

/// A count that only grows, and the tasks that wait for it.
final class AwaitedCount: Sendable {
    private struct State {
        var count = 0
        var watchers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var nextID = 0

        mutating func takeSatisfied() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.value.count <= count }
            for id in satisfied.keys { watchers[id] = nil }
            return satisfied.values.map(\.continuation)
        }
    }

    private let state = Locked(State())

    var value: Int { state.withLock { $0.count } }

    func add(_ count: Int) {
        guard count > 0 else { return }
        let satisfied = state.withLock { state in
            state.count += count
            return state.takeSatisfied()
        }
        for watcher in satisfied { watcher.resume() }
    }

    /// Waits until the count is at least this, or the task is cancelled.
    func reaches(_ count: Int) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count >= count || Task.isCancelled { return true }
                    state.watchers[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
