extension DataRequest {
    /// How far the response's body has come: the latest value at once, then the newest after each step, until the end.
    ///
    /// Observing does not start the request; any number may observe.
    public nonisolated var downloadProgress: some AsyncSequence<TransferProgress, Never> & Sendable { downloads.observe() }

    /// How far the request's body has been sent, in the same way.
    public nonisolated var uploadProgress: some AsyncSequence<TransferProgress, Never> & Sendable { uploads.observe() }

    /// The request's life from now on, step by step, until the end.
    ///
    /// Observing begins when this property is read and does not start the request; any number may observe.
    public nonisolated var events: some AsyncSequence<RequestEvent, Never> & Sendable { eventLog.observe() }
}
