/// A request whose response's body is read as it arrives.
///
///     for try await line in session.stream(url).lines { print(line) }
///
/// Made by ``Session/stream(_:method:parameters:encoder:headers:options:)-712md``. A stream starts at the first read,
/// or when its ``head`` is awaited. While the loop does not read, the transport pauses, if it can, and no timeout runs.
/// Leaving the loop cancels the request, except in top-level code, where Swift never releases a loop's iterator. The
/// body can be read once: as chunks, bytes, lines, values or events.
///
/// Validators run on the head, before the first byte is read, and get an empty body.
public struct StreamRequest: Request, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public let reference: RequestReference
    let sink: StreamSink
    /// Cancels the request when the last copy of this value is released before the body is read.
    private let lease: StreamLease

    init(_ engine: RequestEngine, _ sink: StreamSink) {
        reference = RequestReference(engine: engine)
        self.sink = sink
        lease = sink.lease(of: engine)
    }

    init(_ blueprint: RequestBlueprint, _ options: RequestOptions, in session: any RequestSession) {
        let sink = StreamSink()
        self.init(
            RequestEngine(blueprint, kind: .stream, target: .stream(sink), options: options, session: session), sink)
    }

    /// The head of the final response. Starts the request unless it has started, and waits for the head. The body can
    /// be read afterwards.
    ///
    /// - Throws: ``AsyncNetError`` if the request ended without a response.
    public var head: HTTPResponseHead {
        get async throws(AsyncNetError) {
            await engine.startIfNeeded()
            return try await sink.head.value()
        }
    }
}

/// Held by all copies of a stream until its body is read; cancels the request when it is released.
final class StreamLease: Sendable {
    private let engine: RequestEngine
    private let sink: StreamSink

    fileprivate init(_ engine: RequestEngine, _ sink: StreamSink) { (self.engine, self.sink) = (engine, sink) }

    deinit {
        guard !sink.isRead else { return }
        sink.close()
        engine.soon { await $0.cancel() }
    }
}

extension StreamSink {
    fileprivate func lease(of engine: RequestEngine) -> StreamLease {
        currentLease.withLock { current in
            if let lease = current.lease { return lease }
            let lease = StreamLease(engine, self)
            current.lease = lease
            return lease
        }
    }
}
