public import Foundation

/// `Foundation.Progress`, for those who have a UI.
///
///     let progress = Progress(totalUnitCount: -1)
///     progress.control(download)
///     async let file = download.value
///     await download.downloadProgress.report(to: progress)      // on the caller's actor, until the end
extension AsyncSequence where Element == TransferProgress {
    /// Sets `progress` to each value until the end: bytes as units, -1 in all while the total is unknown, `throughput`
    /// and `estimatedTimeRemaining` where they are known.
    ///
    /// It is set in the caller's isolation and nowhere else, since on Linux a `Progress` must not be used by two
    /// threads at a time.
    nonisolated(nonsending) public func report(to progress: Progress) async throws(Failure) {
        var steps = makeAsyncIterator()
        while let step = try await steps.next(isolation: #isolation) { progress.set(step) }
    }
}

extension Progress {
    /// Cancelling, pausing and resuming the progress cancels, suspends and resumes the request, which the progress does
    /// not keep alive.
    public func control(_ request: some Request) {
        (isCancellable, isPausable) = (true, true)
        let engine = request.engine
        cancellationHandler = { [weak engine] in engine?.cancelSoon() }
        pausingHandler = { [weak engine] in engine?.suspendSoon() }
        resumingHandler = { [weak engine] in engine?.resumeSoon() }
    }

    fileprivate func set(_ step: TransferProgress) {
        kind = .file
        totalUnitCount = step.totalBytes ?? -1
        completedUnitCount = step.completedBytes
        setUserInfoObject(Int(min(step.bytesPerSecond, 1e15)), forKey: .throughputKey)
        setUserInfoObject(step.remainingTime.map { $0 / .seconds(1) }, forKey: .estimatedTimeRemainingKey)
    }
}
