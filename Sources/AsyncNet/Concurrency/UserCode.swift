import Dispatch
import Synchronization

/// Runs code of users', which may block its thread, where that holds up nobody else.
///
/// Swift's own threads are as many as processors. Code that sleeps, reads from a pipe or waits for a lock on two of
/// them would hold up every request of a small machine.
enum UserCode {
    /// Of fewer bytes than this, work of this library's own is done where it is: it takes less than a millisecond.
    static let small = 64 * 1024

    /// Runs the code as part of this task, and waits for its end.
    static func run<Value: Sendable, Failure: Error>(
        _ code: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(Failure) -> Value in
            try await enter(code)
        }
    }

    private static let entries = Atomic(0)

    /// Changes the thread. The compiler leaves that to the first asynchronous call, unless something is done before it;
    /// and a function that runs where its caller does would not change it either.
    @concurrent
    private static func enter<Value: Sendable, Failure: Error>(
        _ code: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        entries.add(1, ordering: .relaxed)
        return try await code()
    }

    /// Runs the code in a task of its own, which cancelling this one cancels; the wait for it ends at once then, with
    /// `.cancelled`.
    ///
    /// From then on that task belongs to nobody: it ends when the code does, and what it makes is dropped.
    static func runAbandonably<Value: Sendable>(_ code: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try Task.checkCancellation()
        let end = Promise<Result<Value, any Error>>()
        let task = Task(executorPreference: BlockingExecutor.shared) {
            do { end.fulfil(.success(.success(try await code()))) } catch { end.fulfil(.success(.failure(error))) }
        }
        return try await withTaskCancellationHandler {
            try await end.value().get()
        } onCancel: {
            task.cancel()
        }
    }
}

/// Runs each job on a thread of Dispatch's that is made if there is none free, up to 255 of them.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A queue for each job: Dispatch gives a serial queue a thread at once, but a concurrent one only as many as
        // there are processors.
        DispatchQueue(label: "AsyncNet.user").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A type of this library's whose code does not block its thread.
package protocol NonBlocking: Sendable {}
