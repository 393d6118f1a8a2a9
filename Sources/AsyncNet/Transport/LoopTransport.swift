/// A transport whose threads can run the tasks that await its transfers.
///
/// A task that prefers the executor of its transfer's thread continues there when the transfer ends: no other thread is
/// woken in between.
protocol LoopTransport: Transport {
    /// The executor of the thread that would carry this request; `nil` if there is none. It runs its jobs one at a time,
    /// between the steps of other transfers, so code that takes long or blocks must not run there.
    func executor(for request: TransportRequest) -> (any TaskExecutor)?
}
