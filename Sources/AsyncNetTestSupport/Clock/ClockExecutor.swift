import AsyncNet
import Dispatch

/// Runs tasks on Dispatch threads, and reports to a clock how many jobs have not ended.
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
