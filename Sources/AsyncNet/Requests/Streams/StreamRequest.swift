/// A request whose response's body is read as it arrives.
///
///     for try await line in session.stream(url).lines { print(line) }
///
/// Made by ``Session/stream(_:method:headers:options:modifier:)``. It starts at the first read, or when its ``head`` is asked
/// for, and reads no faster than the loop does: the transport pauses while nobody reads, where it can, and a reader may
/// take as long as it likes. Leaving the loop cancels the request. The body can be read once, in one of the forms
/// below.
///
/// Validators run once the head is there, before the first byte is read; they see no body.
public struct StreamRequest: Request, CustomReflectable {
    public let engine: RequestEngine
    let sink: StreamSink
    /// Cancels the request when the last copy of this value goes away before the body is read.
    private let lease: StreamLease

    init(_ engine: RequestEngine, _ sink: StreamSink) {
        (self.engine, self.sink) = (engine, sink)
        lease = sink.lease(of: engine)
    }

    /// The head of the final response; starts the request if it has not started, and waits for the head. The body can be
    /// read afterwards.
    ///
    /// - Throws: ``AsyncNetError`` if the request ended without a response.
    public var head: HTTPResponseHead {
        get async throws(AsyncNetError) {
            await engine.startIfNeeded()
            return try await sink.head.value()
        }
    }
}

/// Held by all copies of a stream that nobody reads yet.
final class StreamLease: Sendable {
    private let engine: RequestEngine
    private let sink: StreamSink

    fileprivate init(_ engine: RequestEngine, _ sink: StreamSink) { (self.engine, self.sink) = (engine, sink) }

    deinit {
        guard !sink.isRead else { return }
        sink.close()
        engine.cancelSoon()
    }
}

extension StreamSink {
    /// The lease that all handles of the request share.
    fileprivate func lease(of engine: RequestEngine) -> StreamLease {
        currentLease.withLock { current in
            if let lease = current.lease { return lease }
            let lease = StreamLease(engine, self)
            current.lease = lease
            return lease
        }
    }
}
