import AsyncNet
import Dispatch

/// Runs tasks on Dispatch threads, and tells a clock when each job is enqueued and when it has ended.
final class ClockExecutor: TaskExecutor {
    private let core: ClockCore
    private let queue = DispatchQueue(label: "AsyncNetTestSupport.TestClock", attributes: .concurrent)

    init(_ core: ClockCore) { self.core = core }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        core.beginJob()
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            core.endJob()
        }
    }
}
