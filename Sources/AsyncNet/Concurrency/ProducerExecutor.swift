import Dispatch

/// Runs a task on a Dispatch thread, which it may block.
///
/// Swift has as many threads as processors: user code that sleeps or reads a pipe on them would block all requests.
final class ProducerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "AsyncNet.producer")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
