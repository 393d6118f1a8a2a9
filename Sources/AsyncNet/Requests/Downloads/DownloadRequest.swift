public import Foundation

/// A request whose response's body goes to a file.
///
///     let file = try await session.download(url, to: .file(target)).value
///
/// Made by ``Session/download(_:to:method:parameters:encoder:headers:segments:checksum:options:)-6tq1j``. A download
/// starts when its outcome is first awaited, or at ``resume()``, and is sent once, however many tasks await it. Its
/// chunks are written as they arrive to a partial file beside the place, which is moved to the place when it is
/// complete. After an error or a cancel the partial file is removed when the request is released, unless ``resumeData``
/// is read or the destination has the option `.continuePartialFile`.
///
/// `serializing` makes a value of the file's content, as of the body of a ``DataRequest``:
///
///     let report = try await session.download(url).serializing(Report.self).value
///
/// A file at a place that was not given (``DownloadDestination/temporary``) is then removed when the request is
/// released, unless its URL was read from ``value``, ``result`` or ``response``.
///
/// A response of any status but 304 is downloaded, unless a validator refuses it; validators run on the head, before a
/// file is made. The request has `Accept-Encoding: identity`, so that the length is known and the download can be
/// continued; if the response has a `Content-Encoding` all the same, the file has the coded bytes.
public struct DownloadRequest: SerializableRequest, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let reference: RequestReference
    let sink: DownloadSink

    init(_ engine: RequestEngine, _ sink: DownloadSink) {
        reference = RequestReference(engine: engine)
        self.sink = sink
    }

    init(
        _ blueprint: RequestBlueprint, _ options: RequestOptions, to sink: DownloadSink, in session: any RequestSession
    ) {
        self.init(
            RequestEngine(blueprint, kind: .download, target: .file(sink), options: options, session: session), sink)
    }

    /// The URL of the complete file.
    ///
    /// - Throws: ``AsyncNetError``; `.fileNotWritable`, with the system's error underneath, if the file could not be
    ///   written or moved.
    public var value: URL {
        get async throws(AsyncNetError) { try await result.get() }
    }

    /// The URL of the complete file, or the error.
    public var result: Result<URL, AsyncNetError> {
        get async { await response.result }
    }

    /// The URL of the file or the error, with everything known of request and response; never throws. Its `data` is
    /// `nil`, unless a validator has refused the response.
    public var response: DataResponse<URL, AsyncNetError> {
        get async {
            let outcome = await engine.transferOutcome()
            let result: Result<URL, AsyncNetError> =
                if let error = outcome.error {
                    .failure(error)
                } else {
                    sink.claimFile().map { .success($0) }
                        ?? .failure(AsyncNetError(.badServerResponse).with(outcome.errorContext))
                }
            return DataResponse(result: result, metrics: outcome.metrics, outcome: outcome)
        }
    }

    /// Cancels the download, and keeps the partial file so that another download can continue it.
    ///
    /// - Returns: `nil` if there is nothing to continue: no byte has arrived, the file is complete, or the response did
    ///   not identify its version.
    @discardableResult
    public func cancel(producingResumeData: Bool) async -> ResumeData? {
        await cancel()
        return producingResumeData ? await resumeData : nil
    }

    /// What another download needs to continue this download, after an error or a cancel; `nil` if there is nothing to
    /// continue.
    ///
    /// Waits until the transfer has closed the partial file, which may take long with a transport that ignores a
    /// cancel. The caller then owns the file: it is kept until a download continues it, or until
    /// ``ResumeData/discard()``.
    public var resumeData: ResumeData? {
        get async {
            await engine.drained()
            return sink.handOver()
        }
    }
}
