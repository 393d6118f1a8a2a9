public import Foundation

/// A request whose response's body goes to a file, whole or not at all.
///
///     let file = try await session.download(url, to: .file(target)).value
///
/// Made by ``Session/download(_:to:method:headers:segments:checksum:options:modifier:)``. It starts at the first awaited
/// outcome or at ``resume()`` and is sent once however many wait. The body is written as it comes, in constant memory,
/// to a file beside the target that is moved there at the end. After an error or a cancel nothing is left, unless
/// ``resumeData`` was asked for or the destination says `.continuePartialFile`.
///
/// A response of any status is downloaded, as every request takes any status, until it is told to `validate`;
/// validators run once the head is there, before a file is made. It is asked for unencoded, so that its length is known
/// and it can be gone on with.
public struct DownloadRequest: Request, CustomReflectable {
    public let engine: RequestEngine
    let sink: DownloadSink

    init(_ engine: RequestEngine, _ sink: DownloadSink) { (self.engine, self.sink) = (engine, sink) }

    // MARK: The outcome

    /// Where the file is.
    ///
    /// - Throws: ``AsyncNetError``; `.fileNotWritable` with the system's error underneath if it could not be written or
    ///   moved.
    public var value: URL {
        get async throws(AsyncNetError) { try await result.get() }
    }

    /// Where the file is, or the error.
    public var result: Result<URL, AsyncNetError> {
        get async { await response.result }
    }

    /// Where the file is, or the error, with all that is known of the exchange; never throws. Its `data` is `nil`.
    public var response: DataResponse<URL, AsyncNetError> {
        get async {
            let outcome = await engine.transferOutcome()
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
        await cancel()
        return producingResumeData ? await resumeData : nil
    }

    /// What has come of a download that ended in an error or was cancelled, to go on from there; `nil` as above.
    ///
    /// It is there once the transfer has let go of the file, which a transport that ignores its cancellation can hold
    /// up. From then on it is yours: the file is kept until a download resumes with it, or you discard it.
    public var resumeData: ResumeData? {
        get async {
            await engine.drained()
            return sink.handOver()
        }
    }
}
