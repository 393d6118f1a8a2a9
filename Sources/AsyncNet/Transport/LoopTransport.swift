/// A transport whose threads can run the tasks that await its transfers.
///
/// A task that prefers the executor of its transfer's thread continues there when the transfer ends: no other thread is
/// woken in between.
protocol LoopTransport: Transport {
    /// The executor of the thread that would carry this request now; `nil` if there is none. It runs its jobs one
    /// at a time, between the steps of other transfers, so code that takes long or blocks must not run there.
    func executor(for request: TransportRequest) -> (any LoopExecutor)?
}

/// The executor of a thread that works in rounds.
protocol LoopExecutor: TaskExecutor {
    /// Calls `target` when the thread has run the jobs of this round. Tasks that are resumed one right after the other
    /// wake fewer of Swift's threads than tasks with a job between them.
    func afterJobs(_ target: any LoopTarget)
}

/// What a thread calls after the jobs of a round.
protocol LoopTarget: Sendable {
    func jobsHaveRun()
}
