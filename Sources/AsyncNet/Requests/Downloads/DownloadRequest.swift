public import Foundation

/// A request whose response's body goes to a file, whole or not at all.
///
///     let file = try await session.download(url, to: .file(target)).value
///
/// Made by ``Session/download(_:to:method:headers:segments:checksum:modifier:)``. It starts at the first awaited
/// outcome or at ``resume()`` and is sent once however many wait. The body is written as it comes, in constant memory,
/// to a file beside the target that is moved there at the end. After an error or a cancel nothing is left, unless
/// ``resumeData`` was asked for or the destination says `.continuePartialFile`.
///
/// A response of any status is downloaded, as every request takes any status, until it is told to `validate`;
/// validators run once the head is there, before a file is made. It is asked for unencoded, so that its length is known
/// and it can be gone on with.
public actor DownloadRequest: Request {
    public nonisolated var id: RequestID { transfer.id }
    public nonisolated var kind: RequestKind { .download }

    /// Makes the transfer; its body goes to the sink.
    package nonisolated let transfer: DataRequest
    package nonisolated let sink: DownloadSink

    package init(_ transfer: DataRequest, _ sink: DownloadSink) {
        self.transfer = transfer
        self.sink = sink
        transfer.facade.withLock { $0.request = self }
    }

    public var state: RequestState { get async { await transfer.state } }
    public var retryCount: Int { get async { await transfer.retryCount } }

    public func resume() async { await transfer.resume() }
    public func suspend() async { await transfer.suspend() }
    public func cancel() async { await transfer.cancel() }

    // MARK: The outcome

    /// Where the file is.
    ///
    /// - Throws: ``AsyncNetError``; `.fileNotWritable` with the system's error underneath if it could not be written or
    ///   moved.
    public nonisolated var value: URL {
        get async throws(AsyncNetError) { try await result.get() }
    }

    /// Where the file is, or the error.
    public nonisolated var result: Result<URL, AsyncNetError> {
        get async { await response.result }
    }

    /// Where the file is, or the error, with all that is known of the exchange; never throws. Its `data` is `nil`.
    public nonisolated var response: DataResponse<URL, AsyncNetError> {
        get async {
            let outcome = await transfer.transferOutcome()
            let result: Result<URL, AsyncNetError> =
                if let error = outcome.error {
                    .failure(error)
                } else {
                    sink.finishedFile.map { .success($0) }
                        ?? .failure(AsyncNetError(.badServerResponse).with(outcome.errorContext))
                }
            return DataResponse(result: result, metrics: outcome.metrics, outcome: outcome)
        }
    }

    // MARK: Going on later

    /// Ends the download, and keeps what has come to go on from there.
    ///
    /// - Returns: `nil` if there is nothing to go on from: nothing has come, all has come, or the server did not say
    ///   which version it is.
    @discardableResult
    public func cancel(producingResumeData: Bool) async -> ResumeData? {
        await transfer.cancel()
        return producingResumeData ? await resumeData : nil
    }

    /// What has come of a download that ended in an error or was cancelled, to go on from there; `nil` as above.
    ///
    /// It is there once the transfer has let go of the file, which a transport that ignores its cancellation can hold
    /// up. From then on it is yours: the file is kept until a download resumes with it, or you discard it.
    public nonisolated var resumeData: ResumeData? {
        get async {
            await transfer.drained()
            return sink.handOver()
        }
    }

    // MARK: What it tells

    /// How far the download has come, what was there before included; the latest value at once, then the newest after
    /// each step, until the end.
    public nonisolated var downloadProgress: some AsyncSequence<TransferProgress, Never> & Sendable {
        transfer.downloads.observe()
    }
    /// The request's life from now on, step by step, until the end.
    public nonisolated var events: some AsyncSequence<RequestEvent, Never> & Sendable { transfer.eventLog.observe() }

    /// The request as a `curl` command; see ``DataRequest/curlDescription(showsSecrets:)``.
    public nonisolated func curlDescription(showsSecrets: Bool = false) async -> String {
        await transfer.curlDescription(showsSecrets: showsSecrets)
    }
}
