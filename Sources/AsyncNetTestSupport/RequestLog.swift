import AsyncNet

/// The requests that a stub has received, and the tasks that wait for more of them.
final class RequestLog: Sendable {
    private struct State {
        var requests: [RecordedRequest] = []
        var watchers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    var requests: [RecordedRequest] { state.withLock { $0.requests } }

    func append(_ request: RecordedRequest) {
        let satisfied = state.withLock { state in
            state.requests.append(request)
            let satisfied = state.watchers.filter { $0.value.count <= state.requests.count }
            for id in satisfied.keys { state.watchers[id] = nil }
            return satisfied.values.map(\.continuation)
        }
        for watcher in satisfied { watcher.resume() }
    }

    /// Waits until there are this many requests, or the task is cancelled.
    func requests(atLeast count: Int) async -> [RecordedRequest] {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.requests.count >= count || Task.isCancelled { return true }
                    state.watchers[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
        return requests
    }
}
