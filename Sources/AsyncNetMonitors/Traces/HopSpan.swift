import AsyncNet

/// The span of one hop, from its start to its end, which is sent to the tracer once.
final class HopSpan: TracedHop {
    private let propagation: TracePropagation
    private let tracer: any RequestTracer
    private let span: Locked<TraceSpan>
    /// The context that is sent to the server.
    let context: TraceContext

    init(_ span: TraceSpan, _ propagation: TracePropagation, _ tracer: any RequestTracer) {
        self.propagation = propagation
        self.tracer = tracer
        var started = span
        started.context = tracer.startSpan(span)
        context = started.context.passingOn(span.context)
        self.span = Locked(started)
    }

    package func repeated(after time: Duration) {
        span.withLock { $0.events.append(TraceSpan.Event(name: "repeated", time: time)) }
    }

    package func ended(_ summary: HopSummary) {
        var span = span.withLock { $0 }
        span.duration = summary.duration
        span.attributes.merge(attributes(of: summary)) { $1 }
        if case .cancelled = summary.ending {
            span.events.append(TraceSpan.Event(name: "cancelled", time: summary.duration))
        }
        if let type = SemanticConventions.errorType(of: summary) {
            span.attributes["error.type"] = .string(type)
            span.status = .error(type == summary.error?.code.rawValue ? summary.error?.message : nil)
        }
        tracer.endSpan(span)
    }

    private func attributes(of summary: HopSummary) -> SpanAttributes.Attributes {
        let (connection, transport) = (summary.connection, summary.metrics.transport)
        var attributes = SpanAttributes.ofConnection(
            version: transport.httpVersion ?? connection?.httpVersion,
            address: transport.remoteAddress ?? connection?.remoteAddress, port: connection?.remotePort)
        if let head = summary.response {
            attributes.merge(
                SpanAttributes.ofResponse(head, headers: propagation.responseHeaders, propagation.redaction)
            ) { $1 }
        }
        return attributes
    }
}
