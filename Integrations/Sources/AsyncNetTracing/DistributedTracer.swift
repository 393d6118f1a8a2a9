public import AsyncNet
import Foundation
public import Tracing

/// Makes the spans of requests with the tracer of swift-distributed-tracing.
///
///     InstrumentationSystem.bootstrap(tracer)
///     let session = Session(
///         configuration: .init(interceptors: [TracePropagation(tracer: DistributedTracer())]))
///
/// Each span is a child of `ServiceContext.current` in the task that starts the request; names, attributes, times and
/// status are those of AsyncNet's `TraceSpan`, which follow OpenTelemetry's semantic conventions for HTTP clients.
/// Spans end when the response's body has ended.
///
/// What the request sends is the span's context as the tracer's injector writes it, if that is W3C Trace Context:
/// `traceparent`, `tracestate`, and `baggage`. For tracers with other headers, such as B3, add a
/// ``ServiceContextPropagation``; these then have the context of the caller's span.
public final class DistributedTracer: AsyncNet.Tracer {
    /// Several spans may have one context, if the tracing system does not record them.
    private struct Key: Hashable {
        let requestID: RequestID
        let context: TraceContext.SpanID
        let start: Date
    }

    private let tracer: (any Tracing.Tracer)?
    private let open = LockedValue<[Key: [any Span]]>([:])

    /// Makes a tracer.
    ///
    /// - Parameter tracer: Makes the spans; `nil`, the default, is `InstrumentationSystem.tracer` in the task that
    ///   starts the request.
    public init(_ tracer: (any Tracing.Tracer)? = nil) { self.tracer = tracer }

    /// Begins a span of the tracing system, and returns its context.
    public func startSpan(_ span: TraceSpan) -> TraceContext {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let begun: any Span = tracer.startSpan(
            span.name, context: ServiceContext.current ?? .topLevel, ofKind: .client, at: span.begin)
        begun.attributes.merge(SpanAttributes(span.attributes))
        var headers = HTTPHeaders()
        tracer.inject(begun.context, into: &headers, using: HeaderInjector())
        let context = TraceContext(headers) ?? span.context
        let key = Key(requestID: span.requestID, context: context.spanID, start: span.start)
        open.withLock { $0[key, default: []].append(begun) }
        return context
    }

    /// Ends the span with the attributes, events and status that it has now.
    public func endSpan(_ span: TraceSpan) {
        let key = Key(requestID: span.requestID, context: span.context.spanID, start: span.start)
        let begun = open.withLock { open in
            let begun = open[key]?.popLast()
            if open[key]?.isEmpty == true { open[key] = nil }
            return begun
        }
        begun?.end(like: span)
    }
}

extension Span {
    fileprivate func end(like span: TraceSpan) {
        attributes.merge(SpanAttributes(span.attributes))
        for event in span.events { addEvent(SpanEvent(name: event.name, at: span.begin + event.time)) }
        if case .error(let message) = span.status { setStatus(SpanStatus(code: .error, message: message)) }
        end(at: span.begin + (span.duration ?? .zero))
    }
}

extension SpanAttributes {
    fileprivate init(_ attributes: [String: TraceSpan.Attribute]) {
        self.init(attributes.mapValues(SpanAttribute.init))
    }
}

extension SpanAttribute {
    fileprivate init(_ attribute: TraceSpan.Attribute) {
        switch attribute {
        case .string(let text): self = .string(text)
        case .int(let number): self = .int64(Int64(number))
        case .strings(let texts): self = .stringArray(texts)
        }
    }
}

extension TraceSpan {
    fileprivate var begin: DefaultTracerClock.Timestamp {
        DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(max(0, start.timeIntervalSince1970) * 1e9))
    }
}

extension DefaultTracerClock.Timestamp {
    fileprivate static func + (one: Self, time: Duration) -> Self {
        let (seconds, attoseconds) = max(time, .zero).components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        return Self(nanosecondsSinceEpoch: one.nanosecondsSinceEpoch + nanoseconds)
    }
}
