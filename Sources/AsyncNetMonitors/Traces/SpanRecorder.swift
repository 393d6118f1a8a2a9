import AsyncNet

/// Keeps the spans of requests in memory, for tests, debuggers and small programs.
///
///     let recorder = SpanRecorder()
///     let session = Session(configuration: .init(interceptors: [TracePropagation(tracer: recorder)]))
///     let users = try await session.get("https://example.com/users").serializing([User].self).value
///     print(recorder.spans.map(\.name))
///
/// When `await` returns a request's outcome, the request's spans have ended.
public final class SpanRecorder: RequestTracer {
    private struct State {
        var open: [TraceContext.SpanID: TraceSpan] = [:]
        var ended: [TraceSpan] = []
    }

    private let state = Locked(State())
    private let limit: Int

    /// Creates a recorder.
    ///
    /// - Parameter limit: How many ended spans are kept, 10,000 by default; beyond that, the oldest are dropped.
    public init(limit: Int = 10_000) { self.limit = max(limit, 1) }

    /// The spans that have ended, in the order of their ends.
    public var spans: [TraceSpan] { state.withLock { $0.ended.suffix(limit) } }

    /// The spans that have begun and not ended.
    public var openSpans: [TraceSpan] { state.withLock { Array($0.open.values) } }

    /// Forgets all ended spans.
    public func removeAll() { state.withLock { $0.ended = [] } }

    public func startSpan(_ span: TraceSpan) -> TraceContext {
        state.withLock { $0.open[span.context.spanID] = span }
        return span.context
    }

    public func endSpan(_ span: TraceSpan) {
        state.withLock { [limit] state in
            state.open[span.context.spanID] = nil
            state.ended.append(span)
            // Removes the oldest spans in batches: a removal for each span would move the array each time.
            if state.ended.count / 2 >= limit { state.ended.removeFirst(state.ended.count - limit) }
        }
    }
}
