/// The place of a request in a distributed trace: the trace, the current span, and the values that are passed on with
/// them (W3C Trace Context, W3C Baggage).
///
///     await TraceContext.$current.withValue(context) {
///         try await session.get("https://example.com/users").serializing([User].self).value    // sends the context
///     }
///
/// A session with ``TracePropagation`` sends the context of the task that starts a request: the first task that awaits
/// its outcome or calls `resume()`. Child tasks and `Task {}` inherit the context, `Task.detached` does not.
public struct TraceContext: Hashable, Sendable {
    /// The trace.
    public var traceID: TraceID
    /// The current span, which is the parent of the requests' spans.
    public var spanID: SpanID
    /// Whether the trace is recorded, and whether its identifier is random.
    public var flags: Flags
    /// What tracing systems pass on with the trace, as the value of the header `tracestate`; empty by default. An
    /// invalid list is not sent.
    public var tracestate: String
    /// What the application passes on with the trace (W3C Baggage), as the value of the header `baggage`, in which
    /// values are percent-encoded; empty by default. Every service that receives a request can read it. A text with
    /// line ends or other bytes that no header may have (RFC 9110 §5.5) is not sent.
    public var baggage: String

    /// The context of the current task; `nil` by default.
    @TaskLocal public static var current: TraceContext?

    /// Makes a context of its parts.
    public init(
        traceID: TraceID, spanID: SpanID, flags: Flags = .sampled, tracestate: String = "", baggage: String = ""
    ) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
        self.tracestate = tracestate
        self.baggage = baggage
    }

    /// Begins a trace, with random identifiers.
    public init(isSampled: Bool = true) {
        self.init(traceID: .random(), spanID: .random(), flags: isSampled ? [.sampled, .random] : .random)
    }

    /// Whether the trace is recorded.
    public var isSampled: Bool { flags.contains(.sampled) }

    /// The context of a new span of the same trace: only ``spanID`` differs.
    public func child() -> TraceContext {
        var child = self
        child.spanID = .random()
        return child
    }

    /// This context, with the baggage of `other` if it has no baggage, and with the tracestate of `other` if it has
    /// none and both are of one trace. A tracing system may return a context of identifiers alone.
    func passingOn(_ other: TraceContext) -> TraceContext {
        var context = self
        if baggage.isEmpty { context.baggage = other.baggage }
        if tracestate.isEmpty, traceID == other.traceID { context.tracestate = other.tracestate }
        return context
    }
}

extension TraceContext: CustomStringConvertible, CustomReflectable {
    /// The ``traceparent``, without the baggage, which may be secret.
    public var description: String { traceparent }

    /// What `dump` shows: the ``traceparent``, without the baggage.
    public var customMirror: Mirror { Mirror(self, children: ["traceparent": traceparent]) }
}
