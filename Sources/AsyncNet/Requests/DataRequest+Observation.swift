extension DataRequest {
    /// How far the response's body has come: the latest value at once, then the newest after each step, until the end.
    ///
    /// Observing does not start the request; any number may observe.
    public nonisolated var downloadProgress: some AsyncSequence<TransferProgress, Never> & Sendable {
        downloads.observe()
    }

    /// How far the request's body has been sent, in the same way.
    public nonisolated var uploadProgress: some AsyncSequence<TransferProgress, Never> & Sendable { uploads.observe() }

    /// The request's life from now on, step by step, until the end.
    ///
    /// Observing begins when this property is read and does not start the request; any number may observe.
    public nonisolated var events: some AsyncSequence<RequestEvent, Never> & Sendable { eventLog.observe() }

    /// The request as a `curl` command for a POSIX shell: as last sent, or as it would be sent first.
    ///
    /// - Parameter showsSecrets: Shows user information, query and secret headers, which are redacted otherwise. The
    ///   body is always shown.
    /// - Returns: The command; if no request can be made, a shell comment that says why.
    public nonisolated func curlDescription(showsSecrets: Bool = false) async -> String {
        do {
            return CurlDescription(showsSecrets: showsSecrets).text(try await currentRequest())
        } catch {
            return "# \(AsyncNetError(wrapping: error, as: .encodingFailed))"
        }
    }

    @concurrent
    private nonisolated func currentRequest() async throws -> TransportRequest {
        if let request = record.request { return request }
        return try await blueprint.makeApart()
    }
}
