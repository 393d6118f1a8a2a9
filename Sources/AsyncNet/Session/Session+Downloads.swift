import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads: requests whose body goes to a file.
extension Session {
    /// A download from a URL. Errors in what is given arrive at the awaited outcome.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative ones need a session with a base URL.
    ///   - destination: Where the file is put.
    ///   - method: GET by default.
    ///   - headers: Sent over the session's own.
    ///   - segments: How many parts are fetched at a time, each over a connection of its own, if the server can send
    ///     parts and says which version they are of; otherwise, and for small files, it is one. At most 64.
    ///   - checksum: What the file must be; another one ends the download with `.checksumMismatch` and is removed. What
    ///     the server itself says in `Repr-Digest` or `Content-Digest` (RFC 9530) is always checked.
    ///   - modifier: Changes the request after URL, method and headers are set.
    public nonisolated func download(
        _ url: some URLConvertible, to destination: DownloadDestination, method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        segments: Int = 1, checksum: Checksum? = nil, modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let assembly = RequestAssembly(configuration)
        return download(
            DownloadSink(destination, segments: segments, checksum: checksum),
            RequestBlueprint(mayBlock: modifier != nil) {
                try assembly.transportRequest(to: url, method, headers, modifier: modifier, encode: nil)
            })
    }

    /// A download with a `URLRequest` or a router.
    public nonisolated func download(
        _ request: some URLRequestConvertible, to destination: DownloadDestination, segments: Int = 1,
        checksum: Checksum? = nil,
        modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let assembly = RequestAssembly(configuration)
        return download(
            DownloadSink(destination, segments: segments, checksum: checksum),
            RequestBlueprint(mayBlock: modifier != nil) {
                try assembly.transportRequest(from: request.asURLRequest(), modifier: modifier)
            })
    }

    /// Goes on with a download that did not reach its end: only what is missing is asked for, if the server still has
    /// the same version; otherwise it starts over. Headers that the first request had, such as credentials, are to be
    /// given again.
    ///
    /// Where there is none to go on with, as ``DownloadRequest/cancel(producingResumeData:)`` may say, the outcome is
    /// `.invalidRequest`.
    public nonisolated func download(
        resumingWith resumeData: ResumeData?, to destination: DownloadDestination, headers: HTTPHeaders = [:],
        segments: Int = 1,
        checksum: Checksum? = nil, modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let assembly = RequestAssembly(configuration)
        let sink = DownloadSink(destination, resuming: resumeData, segments: segments, checksum: checksum)
        return download(
            sink,
            RequestBlueprint(mayBlock: modifier != nil) {
                guard let resumeData else {
                    throw AsyncNetError(.invalidRequest, "There is no resume data to go on with; download it anew")
                }
                return try assembly.transportRequest(to: resumeData.url, .get, headers, modifier: modifier, encode: nil)
            })
    }

    private nonisolated func download(_ sink: DownloadSink, _ blueprint: RequestBlueprint) -> DownloadRequest {
        let transfer = register(blueprint, kind: .download, sink: sink)
        sink.fetch.withLock {
            $0 = { [self, weak transfer] range, validator in await part(range, validator, blueprint, of: transfer) }
        }
        return DownloadRequest(transfer, sink)
    }

    /// A part of a download: a request like it, under the same policies, that nobody else sees.
    private nonisolated func part(
        _ range: ByteRange, _ validator: String, _ blueprint: RequestBlueprint, of download: DataRequest?
    ) async -> StreamRequest {
        let partial = RequestBlueprint(mayBlock: blueprint.mayBlock) {
            var request = try blueprint.make()
            request.head.headers.set(.acceptEncoding(request.head.headers["Accept-Encoding"] ?? "identity"))
            request.head.headers.set(HTTPHeader(name: "Range", value: range.headerValue))
            request.head.headers.set(HTTPHeader(name: "If-Range", value: validator))
            return request
        }
        let sink = StreamSink()
        let part = StreamRequest(DataRequest(partial, kind: .stream, sink: sink, host: PartHost(self)), sink)
        if let download {
            var options = await download.options
            // What is left of the download's; the limit is the download's to watch.
            options.deadline = (options.deadline ?? configuration.deadline).map { $0 - download.record.elapsed }
            options.bodyLimit = .own(nil)
            await part.transfer.set { [options] in $0 = options }
        }
        return part
    }
}

/// A download on ``Session/shared``.
public func download(
    _ url: some URLConvertible, to destination: DownloadDestination, method: HTTPMethod = .get,
    headers: HTTPHeaders = [:],
    modifier: RequestModifier? = nil
) -> DownloadRequest {
    Session.shared.download(url, to: destination, method: method, headers: headers, modifier: modifier)
}
