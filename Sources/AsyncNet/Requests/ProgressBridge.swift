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
    /// Cancelling, pausing and resuming the progress does so with the request, which it does not keep alive.
    public func control(_ request: DataRequest) { control { [weak request] in request } }
    /// Cancelling, pausing and resuming the progress does so with the download, which it does not keep alive.
    public func control(_ request: DownloadRequest) { control { [weak request] in request?.transfer } }
    /// Cancelling, pausing and resuming the progress does so with the stream, which it does not keep alive.
    public func control(_ request: StreamRequest) { control { [weak request] in request?.transfer } }

    private func control(_ request: @escaping @Sendable () -> DataRequest?) {
        (isCancellable, isPausable) = (true, true)
        cancellationHandler = { request()?.cancelSoon() }
        pausingHandler = { request()?.suspendSoon() }
        resumingHandler = { request()?.resumeSoon() }
    }

    fileprivate func set(_ step: TransferProgress) {
        kind = .file
        totalUnitCount = step.totalBytes ?? -1
        completedUnitCount = step.completedBytes
        setUserInfoObject(Int(min(step.bytesPerSecond, 1e15)), forKey: .throughputKey)
        setUserInfoObject(step.remainingTime.map { $0 / .seconds(1) }, forKey: .estimatedTimeRemainingKey)
    }
}
