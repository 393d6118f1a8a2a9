import Foundation

/// The span of one hop, from its start to its end, which is sent to the tracer once.
final class HopSpan: Sendable {
    private let propagation: TracePropagation
    private let tracer: any Tracer
    private let time: TimeSource
    private let start: Duration
    /// `nil` after the end.
    private let span: Locked<TraceSpan?>
    /// The context that is sent to the server.
    let context: TraceContext

    init(_ span: TraceSpan, _ propagation: TracePropagation, _ tracer: any Tracer, _ time: TimeSource) {
        (self.propagation, self.tracer, self.time, start) = (propagation, tracer, time, time.now)
        var started = span
        started.context = tracer.startSpan(span)
        context = started.context.passingOn(span.context)
        self.span = Locked(started)
    }

    // MARK: What the span learns

    /// Called on the transport's threads.
    func receive(_ event: TransportEvent) {
        switch event {
        case .connected(let connection):
            learn(connection.httpVersion, connection.remoteAddress, connection.remotePort)
        case .metrics(let metrics): learn(metrics.httpVersion, metrics.remoteAddress, nil)
        case .receivedHead(let head): received(head)
        case .repeated: add("repeated")
        default: break
        }
    }

    private func learn(_ version: String?, _ address: String?, _ port: Int?) {
        merge(SpanAttributes.ofConnection(version: version, address: address, port: port))
    }

    func received(_ head: HTTPResponseHead) {
        merge(SpanAttributes.ofResponse(head, headers: propagation.responseHeaders, propagation.redaction))
    }

    private func merge(_ attributes: SpanAttributes.Attributes) {
        span.withLock { $0?.attributes.merge(attributes) { $1 } }
    }

    private func add(_ event: String) {
        let event = TraceSpan.Event(name: event, time: time.now - start)
        span.withLock { $0?.events.append(event) }
    }

    // MARK: The end

    /// Ends the span; the first call counts.
    func end(_ error: AsyncNetError?) {
        guard var span = span.withLock({ $0.take() }) else { return }
        let duration = time.now - start
        span.duration = duration
        if error?.code == .cancelled { span.events.append(TraceSpan.Event(name: "cancelled", time: duration)) }
        if let type = SpanErrors.type(error, of: span) {
            span.attributes["error.type"] = .string(type.name)
            span.status = .error(type.description)
        }
        tracer.endSpan(span)
    }
}

/// What counts as a span's error.
enum SpanErrors {
    /// - Returns: The value of `error.type`, and the description of the span's status; `nil` without an error.
    static func type(_ error: AsyncNetError?, of span: TraceSpan) -> (name: String, description: String?)? {
        let name = SemanticConventions.errorType(ofHopWith: status(of: span), error)
        return name.map { ($0, $0 == error?.code.rawValue ? error?.message : nil) }
    }

    private static func status(of span: TraceSpan) -> Int? {
        guard case .int(let status) = span.attributes["http.response.status_code"] else { return nil }
        return status
    }
}
