import AsyncNet

/// Receives the spans of requests: a tracing system, an exporter, a log.
///
///     struct SpanLog: RequestTracer {
///         func endSpan(_ span: TraceSpan) { print(span.name, span.duration ?? .zero, span.status) }
///     }
///     let session = Session(configuration: .init(interceptors: [TracePropagation(tracer: SpanLog())]))
///
/// There is one span for each request head that is sent: for each attempt, each redirect that is followed, each
/// challenge that is responded to, each hedged transfer and each segment, and no span around them (OpenTelemetry
/// semantic conventions, HTTP client spans). All are of the kind CLIENT. A request that fails before anything is given
/// to the transport has no span.
///
/// A span ends once, when the response's body has ended, been refused or been given up; at the latest when the request
/// ends. Both functions are called on the thread that carries the request, which they must not block. They may be
/// called for different requests at the same time.
public protocol RequestTracer: Sendable {
    /// Begins a span, in the task that sends the request.
    ///
    /// - Returns: The context of the span, which is sent to the server. By default ``TraceSpan/context``, which has the
    ///   trace of ``TraceSpan/parent`` and a new identifier. A tracing system that has identifiers of its own, or that
    ///   decides what is sampled, returns its own context. If the returned context has no baggage or, in the same
    ///   trace, no `tracestate`, the values of ``TraceSpan/context`` are sent.
    func startSpan(_ span: TraceSpan) -> TraceContext

    /// Ends a span, which is complete now: ``TraceSpan/context`` is what ``startSpan(_:)`` returned.
    func endSpan(_ span: TraceSpan)
}

extension RequestTracer {
    /// Returns the context that was made for the span.
    public func startSpan(_ span: TraceSpan) -> TraceContext { span.context }
}
