/// Downloads: requests whose response's body goes to a file.
extension Session {
    /// A download from a URL, with the arguments of ``request(_:method:parameters:encoder:headers:options:)-8tv95``.
    /// An invalid argument is the error of the awaited outcome.
    ///
    /// Without a `destination` the file has a unique name in the folder for temporary files, see
    /// ``DownloadDestination/temporary``. `segments` of the file, at most 64, are fetched at a time, each over a
    /// connection of its own. Small files, and files of a server without ranges or versions (`ETag`, `Last-Modified`),
    /// are not segmented. A file with another `checksum` ends the download with `.checksumMismatch` and is removed. A
    /// `Repr-Digest` or `Content-Digest` of the response (RFC 9530) is always checked.
    public nonisolated func download(
        _ url: some URLConvertible, to destination: DownloadDestination = .temporary, method: HTTPMethod = .get,
        parameters: (some Encodable & Sendable)? = JSON?.none, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], segments: Int = 1, checksum: Checksum? = nil,
        options: RequestOptions = RequestOptions()
    ) -> DownloadRequest {
        DownloadRequest(
            assembly.blueprint(url, method, headers, parameters, encoder), options,
            to: DownloadSink(destination, segments: segments, checksum: checksum), in: self)
    }

    /// A download with a `URLRequest` or a router.
    public nonisolated func download(
        _ request: some URLRequestConvertible, to destination: DownloadDestination = .temporary, segments: Int = 1,
        checksum: Checksum? = nil, options: RequestOptions = RequestOptions()
    ) -> DownloadRequest {
        DownloadRequest(
            assembly.blueprint(request), options,
            to: DownloadSink(destination, segments: segments, checksum: checksum), in: self)
    }

    /// Continues a download that did not finish. Only the missing bytes are requested; if the server has another
    /// version by now, the download starts over. Headers of the first request, such as credentials, must be given
    /// again.
    ///
    /// If `resumeData` is `nil`, as ``DownloadRequest/cancel(producingResumeData:)`` may return, the outcome is
    /// `.invalidRequest`.
    public nonisolated func download(
        resumingWith resumeData: ResumeData?, to destination: DownloadDestination = .temporary,
        headers: HTTPHeaders = [:], segments: Int = 1, checksum: Checksum? = nil,
        options: RequestOptions = RequestOptions()
    ) -> DownloadRequest {
        let blueprint = RequestBlueprint(.plain) { [assembly] in
            guard let resumeData else {
                throw AsyncNetError(.invalidRequest, "There is no resume data to continue; start a new download")
            }
            return try assembly.transportRequest(to: resumeData.url, .get, headers, modifier: $0, encode: nil)
        }
        return DownloadRequest(
            blueprint, options,
            to: DownloadSink(destination, resuming: resumeData, segments: segments, checksum: checksum), in: self)
    }
}
