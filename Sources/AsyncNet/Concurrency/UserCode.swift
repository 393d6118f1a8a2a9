import Dispatch
import Synchronization

/// Runs user code where it may block its thread. Swift has as many threads as processors: code that sleeps, reads a
/// pipe or waits for a lock on these threads would block all requests.
package enum UserCode {
    /// The executor of a supervised clock. User code runs on it, so that the clock knows when the code has ended.
    @TaskLocal static var supervisedExecutor: (any TaskExecutor)?

    private static var executor: any TaskExecutor { supervisedExecutor ?? threads }

    package static var threads: any TaskExecutor { BlockingExecutor.shared }

    /// Runs the code as part of this task, and waits for its end.
    package static func run<Value: Sendable, Failure: Error>(
        _ code: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(executor) { () async throws(Failure) -> Value in
            try await change(to: code)
        }
    }

    private static let entries = Atomic(0)

    /// Runs the code on the executor that the task has begun to prefer: the compiler defers that change to the first
    /// asynchronous call unless other code precedes it.
    @concurrent
    private static func change<Value: Sendable, Failure: Error>(
        to code: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        entries.add(1, ordering: .relaxed)
        return try await code()
    }

    /// Runs the code in a task of its own. Cancelling the current task ends the wait at once with `.cancelled`, and
    /// cancels the code's task, whose result is dropped when the code returns.
    static func runAbandonably<Value: Sendable>(_ code: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try Task.checkCancellation()
        let end = Promise<Result<Value, any Error>>()
        // ConcurrencyGuarantees.md lists these tasks: user code, resuming
        let task = Task(executorPreference: executor) {
            do { end.fulfil(.success(.success(try await code()))) } catch { end.fulfil(.success(.failure(error))) }
        }
        return try await withTaskCancellationHandler {
            try await end.value().get()
        } onCancel: {
            task.cancel()
        }
    }
}

/// Runs each job on a Dispatch thread, which is created if none is free, up to 255.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A queue for each job: Dispatch creates a thread for a serial queue at once, but limits the threads of a
        // concurrent queue to the number of processors.
        DispatchQueue(label: "AsyncNet.user").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A type of this library whose code does not block its thread: it runs without a change of threads.
protocol NonBlocking: Sendable {}
