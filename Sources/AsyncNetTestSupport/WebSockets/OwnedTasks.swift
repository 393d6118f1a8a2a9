import AsyncNet

/// Tasks that end, at the latest, when their owner cancels them.
final class OwnedTasks: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastID = 0
        var isCancelled = false
    }

    private let state = Locked(State())

    /// How many tasks have not ended.
    var count: Int { state.withLock { $0.tasks.count } }

    func start(_ body: @escaping @Sendable () async -> Void) {
        let cancelled = state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let task = Task {
                await body()
                self.remove(id)
            }
            state.tasks[id] = task
            return state.isCancelled ? task : nil
        }
        cancelled?.cancel()
    }

    private func remove(_ id: Int) { state.withLock { $0.tasks[id] = nil } }

    /// Cancels all tasks, and those that are started later.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
    }
}

/// A task that a mailbox starts, so that the task has the task-local values of the mailbox.
final class PostedTask: Sendable {
    private let state = Locked((task: Task<Void, Never>?.none, isCancelled: false))

    /// - Parameter mailbox: Starts the task; with `nil` no task is started.
    init(_ mailbox: Mailbox?, _ body: @escaping @Sendable () async -> Void) {
        mailbox?.post { [self] in
            let task = Task { await body() }
            let isCancelled = state.withLock { state in
                state.task = task
                return state.isCancelled
            }
            if isCancelled { task.cancel() }
        }
    }

    /// Cancels the task, also one that the mailbox has not started yet.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
