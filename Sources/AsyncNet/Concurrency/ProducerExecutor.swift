import Dispatch

/// Runs a task's code on a thread that it may block: one of Dispatch's, made when there are too few.
///
/// Swift's own threads are as many as processors. Users' code that sleeps or reads from a pipe on two of them would
/// hold up every request of a small machine.
final class ProducerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "AsyncNet.producer")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
