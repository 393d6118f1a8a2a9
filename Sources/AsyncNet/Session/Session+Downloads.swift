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
    ///   - options: Policies and limits of this request.
    ///   - modifier: Changes the request after URL, method and headers are set.
    public nonisolated func download(
        _ url: some URLConvertible, to destination: DownloadDestination, method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        segments: Int = 1, checksum: Checksum? = nil, options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let assembly = RequestAssembly(configuration)
        return download(
            DownloadSink(destination, segments: segments, checksum: checksum), options,
            RequestBlueprint(mayBlock: modifier != nil) {
                try assembly.transportRequest(to: url, method, headers, modifier: modifier, encode: nil)
            })
    }

    /// A download with a `URLRequest` or a router.
    public nonisolated func download(
        _ request: some URLRequestConvertible, to destination: DownloadDestination, segments: Int = 1,
        checksum: Checksum? = nil, options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let assembly = RequestAssembly(configuration)
        return download(
            DownloadSink(destination, segments: segments, checksum: checksum), options,
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
        checksum: Checksum? = nil, options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let assembly = RequestAssembly(configuration)
        let sink = DownloadSink(destination, resuming: resumeData, segments: segments, checksum: checksum)
        return download(
            sink, options,
            RequestBlueprint(mayBlock: modifier != nil) {
                guard let resumeData else {
                    throw AsyncNetError(.invalidRequest, "There is no resume data to go on with; download it anew")
                }
                return try assembly.transportRequest(to: resumeData.url, .get, headers, modifier: modifier, encode: nil)
            })
    }

    private nonisolated func download(_ sink: DownloadSink, _ options: RequestOptions, _ blueprint: RequestBlueprint)
        -> DownloadRequest
    {
        DownloadRequest(register(blueprint, kind: .download, target: .file(sink), options: options), sink)
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
