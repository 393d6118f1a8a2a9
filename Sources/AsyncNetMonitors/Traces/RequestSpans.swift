import AsyncNet
import Foundation
import Synchronization

/// One run's part in a trace: adds headers to each hop, and makes the hop's span.
final class RequestSpans: RequestTrace {
    /// Counts how often a request was sent.
    private final class Sendings: Sendable {
        let count = Atomic(0)
    }

    private let propagation: TracePropagation
    private let requestID: RequestID
    /// The context of the task that has started the request.
    private let parent: TraceContext?
    /// The trace that the request begins; `nil` with a `parent`, or if new traces are switched off.
    private let root: TraceContext?
    private let sendings: Sendings
    /// The origin that the run's first hop was sent to.
    private let origin = Locked<String?>(nil)

    init(_ propagation: TracePropagation, _ requestID: RequestID) {
        self.propagation = propagation
        self.requestID = requestID
        parent = TraceContext.current
        root = parent == nil ? propagation.newTrace() : nil
        sendings = Sendings()
    }

    private init(_ other: RequestSpans, _ sendings: Sendings) {
        propagation = other.propagation
        requestID = other.requestID
        parent = other.parent
        root = other.root
        self.sendings = sendings
    }

    package func branch(_ kind: TraceBranch) -> any RequestTrace {
        switch kind {
        case .hedged, .shared: RequestSpans(self, sendings)
        case .part: RequestSpans(self, Sendings())
        }
    }

    // MARK: Hops

    package func beginHop(_ request: inout HTTPRequestHead, urlTemplate: String?, isRedirected: Bool) -> (
        any TracedHop
    )? {
        let isAllowed = isAllowed(request.url)
        let isOwn = request.headers.contains(name: "traceparent")
        let parent = isOwn ? TraceContext(request.headers) ?? parent : parent
        if isRedirected, !isAllowed, isElsewhere(request.url) { removeOwn(&request.headers) }
        guard let context = parent?.child() ?? root?.child() else { return nil }
        let span = propagation.tracer.map { begin(request, urlTemplate, context, parent, $0) }
        if !isOwn, isAllowed { propagation.add(span?.context ?? context, to: &request.headers) }
        return span
    }

    private func begin(
        _ request: HTTPRequestHead, _ urlTemplate: String?, _ context: TraceContext, _ parent: TraceContext?,
        _ tracer: any RequestTracer
    ) -> HopSpan {
        let template = urlTemplate.map(propagation.redaction.text(ofURL:))
        let attributes = SpanAttributes.ofRequest(
            request, template: template, resends: sendings.count.add(1, ordering: .relaxed).oldValue,
            headers: propagation.requestHeaders, propagation.redaction)
        let span = TraceSpan(
            requestID: requestID, name: SpanAttributes.name(request.method, template: template),
            context: context, parent: parent, attributes: attributes)
        return HopSpan(span, propagation, tracer)
    }

    /// Whether this URL's server may receive the headers. The request's own origin is that of the run's first hop.
    private func isAllowed(_ url: URL) -> Bool {
        let origin = url.origin
        let first = self.origin.withLock { first in
            first = first ?? origin
            return first
        }
        return propagation.destinations.allows(url, isOwnOrigin: origin == first)
    }

    /// Whether this URL is of another origin than the first hop's.
    private func isElsewhere(_ url: URL) -> Bool {
        let origin = url.origin
        return self.origin.withLock { $0 != origin }
    }

    /// Removes the trace headers that the caller has set for the request's first origin.
    private func removeOwn(_ headers: inout HTTPHeaders) {
        for name in ["traceparent", "tracestate", "baggage"] { headers.remove(name) }
    }
}
