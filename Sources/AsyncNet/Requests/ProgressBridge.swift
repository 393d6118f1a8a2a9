public import Foundation

/// Connects a request with a `Foundation.Progress`, as user interfaces need.
///
///     let progress = Progress(totalUnitCount: -1)
///     progress.control(download)
///     async let file = download.value
///     await download.downloadProgress.report(to: progress)      // on the caller's actor, until the end
extension AsyncSequence where Element == TransferProgress {
    /// Updates `progress` until the end of the sequence: bytes are its units, its total is -1 while the total is
    /// unknown; `throughput` and `estimatedTimeRemaining` are set when they are known.
    ///
    /// The updates happen on the caller's actor, since on Linux two threads must not use a `Progress` at a time.
    nonisolated(nonsending) public func report(to progress: Progress) async throws(Failure) {
        var steps = makeAsyncIterator()
        while let step = try await steps.next(isolation: #isolation) { progress.set(step) }
    }
}

extension Progress {
    /// Cancelling, pausing and resuming the progress cancels, suspends and resumes the request. The progress does not
    /// keep the request alive.
    public func control(_ request: some Request) {
        (isCancellable, isPausable) = (true, true)
        let engine = request.engine
        cancellationHandler = { [weak engine] in engine?.soon { await $0.cancel() } }
        pausingHandler = { [weak engine] in engine?.soon { await $0.suspend() } }
        resumingHandler = { [weak engine] in engine?.soon { await $0.resume() } }
    }

    fileprivate func set(_ step: TransferProgress) {
        kind = .file
        totalUnitCount = step.totalBytes ?? -1
        completedUnitCount = step.completedBytes
        setUserInfoObject(Int(min(step.bytesPerSecond, 1e15)), forKey: .throughputKey)
        setUserInfoObject(step.remainingTime.map { $0 / .seconds(1) }, forKey: .estimatedTimeRemainingKey)
    }
}
