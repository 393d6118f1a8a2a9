import AsyncNet
public import AsyncNetMonitors
import Foundation
public import Tracing

/// Makes the spans of requests with the tracer of swift-distributed-tracing.
///
///     InstrumentationSystem.bootstrap(tracer)
///     let session = Session(
///         configuration: .init(interceptors: [TracePropagation(tracer: DistributedTracer())]))
///
/// Each span is a child of `ServiceContext.current` in the task that starts the request. Without it, the parent is that
/// of AsyncNet's span, a `TraceContext.current` or the request's own `traceparent`, as the tracer's extractor reads it.
/// With `newTraces: .never`, a request without one of those two has no span, whatever `ServiceContext.current` is. Names, attributes, times and
/// status are those of AsyncNet's `TraceSpan`, which follow OpenTelemetry's semantic conventions for HTTP clients.
/// Spans end when the response's body has ended.
///
/// What the request sends is the span's context as the tracer's injector writes it, if that is W3C Trace Context:
/// `traceparent`, `tracestate`, and `baggage`. For tracers with other headers, such as B3, add a
/// ``ServiceContextPropagation``; these then have the context of the caller's span.
public final class DistributedTracer: RequestTracer {
    /// Several spans may have one context, if the tracing system does not record them.
    private struct Key: Hashable {
        let requestID: RequestID
        let context: TraceContext.SpanID
        let start: Date
    }

    private let tracer: (any Tracer)?
    private let open = LockedValue<[Key: [any Span]]>([:])

    /// Makes a tracer.
    ///
    /// - Parameter tracer: Makes the spans; `nil`, the default, is `InstrumentationSystem.tracer` in the task that
    ///   starts the request.
    public init(_ tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Begins a span of the tracing system, and returns its context.
    public func startSpan(_ span: TraceSpan) -> TraceContext {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let begun: any Span = tracer.startSpan(
            span.name, context: ServiceContext.current ?? Self.context(of: span.parent, tracer), ofKind: .client,
            at: span.begin)
        begun.attributes.merge(SpanAttributes(span.attributes))
        var headers = HTTPHeaders()
        tracer.inject(begun.context, into: &headers, using: HeaderInjector())
        let context = TraceContext(headers) ?? span.context
        let key = Key(requestID: span.requestID, context: context.spanID, start: span.start)
        open.withLock { $0[key, default: []].append(begun) }
        return context
    }

    private static func context(of parent: TraceContext?, _ tracer: any Tracer) -> ServiceContext {
        var context = ServiceContext.topLevel
        if let parent { tracer.extract(parent.headers, into: &context, using: HeaderExtractor()) }
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
        let nanoseconds = max(0, start.timeIntervalSince1970) * 1e9
        return DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(exactly: nanoseconds.rounded(.down)) ?? .max)
    }
}

extension DefaultTracerClock.Timestamp {
    fileprivate static func + (one: Self, time: Duration) -> Self {
        let (seconds, attoseconds) = max(time, .zero).components
        let (whole, isLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (time, isLonger) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        let (end, isTooLate) = one.nanosecondsSinceEpoch.addingReportingOverflow(time)
        return Self(nanosecondsSinceEpoch: isLong || isLonger || isTooLate ? .max : end)
    }
}

/// Reads headers as a tracer wants them.
private struct HeaderExtractor: Extractor {
    func extract(key: String, from carrier: HTTPHeaders) -> String? { carrier[key] }
}
