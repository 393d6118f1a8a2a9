/// A request whose response's body is read as it arrives.
///
///     for try await line in session.stream(url).lines { print(line) }
///
/// Made by ``Session/stream(_:method:headers:modifier:)``. It starts at the first read, or when its ``head`` is asked
/// for, and reads no faster than the loop does: the transport pauses while nobody reads, where it can, and a reader may
/// take as long as it likes. Leaving the loop cancels the request. The body can be read once, in one of the forms
/// below.
///
/// Validators run once the head is there, before the first byte is read; they see no body.
public actor StreamRequest: Request {
    public nonisolated var id: RequestID { transfer.id }
    public nonisolated var kind: RequestKind { .stream }

    /// Makes the transfer; its body goes to the sink.
    package nonisolated let transfer: DataRequest
    package nonisolated let sink: StreamSink

    package init(_ transfer: DataRequest, _ sink: StreamSink) {
        self.transfer = transfer
        self.sink = sink
        transfer.facade.withLock { $0.request = self }
    }

    /// Nobody can read it any more, so it must not run on.
    deinit {
        guard sink.beginReading(as: .chunks) else { return }
        sink.close()
        transfer.cancelSoon()
    }

    public var state: RequestState { get async { await transfer.state } }
    public var retryCount: Int { get async { await transfer.retryCount } }

    public func resume() async { await transfer.resume() }
    public func suspend() async { await transfer.suspend() }
    public func cancel() async { await transfer.cancel() }

    // MARK: What it tells

    /// The head of the final response; starts the request if nobody has yet, and waits for it. The body can be read
    /// afterwards.
    ///
    /// - Throws: ``AsyncNetError`` if the request ended without one.
    public nonisolated var head: HTTPResponseHead {
        get async throws(AsyncNetError) {
            await transfer.startIfNeeded()
            return try await sink.head.value()
        }
    }

    /// How far the body has come; the latest value at once, then the newest after each step, until the end.
    public nonisolated var downloadProgress: some AsyncSequence<TransferProgress, Never> & Sendable {
        transfer.downloads.observe()
    }
    /// The request's life from now on, step by step, until the end.
    public nonisolated var events: some AsyncSequence<RequestEvent, Never> & Sendable { transfer.eventLog.observe() }

    /// The request as a `curl` command; see ``DataRequest/curlDescription(showsSecrets:)``.
    public nonisolated func curlDescription(showsSecrets: Bool = false) async -> String {
        await transfer.curlDescription(showsSecrets: showsSecrets)
    }

    /// What was measured so far.
    public nonisolated var metrics: RequestMetrics { transfer.record.outcome(nil).metrics }
}
