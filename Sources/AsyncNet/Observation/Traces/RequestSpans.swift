import Foundation
import Synchronization

/// The part of one run in a trace: adds the headers of each hop, and has the span of the hop that is being sent.
final class RequestSpans: RequestTrace {
    /// The spans of a request that have not ended, of all its runs.
    private final class OpenSpans: Sendable {
        private struct State {
            var spans: [ObjectIdentifier: HopSpan] = [:]
            var isOver = false
            /// The error of the request, once it has ended.
            var failure: AsyncNetError?
        }

        private let state = Locked(State())
        /// Held while a span begins or ends, so that none does after the request. A tracer may end its request meanwhile.
        private let turn = NSRecursiveLock()
        /// The spans of the request that a shared transfer was made for.
        let maker: OpenSpans?

        init(maker: OpenSpans? = nil) { self.maker = maker }

        var failure: AsyncNetError? { state.withLock { $0.failure } }

        /// - Returns: `nil` if the request is over.
        func begin(_ make: () -> HopSpan) -> HopSpan? {
            turn.withLock {
                guard state.withLock({ !$0.isOver }) else { return nil }
                let span = make()
                let isOver = state.withLock { state in
                    if !state.isOver { state.spans[ObjectIdentifier(span)] = span }
                    return state.isOver
                }
                guard isOver else { return span }
                span.end(failure ?? AsyncNetError(.cancelled))
                return nil
            }
        }

        func end(_ span: HopSpan, _ error: AsyncNetError?) {
            turn.withLock {
                state.withLock { _ = $0.spans.removeValue(forKey: ObjectIdentifier(span)) }
                span.end(error)
            }
        }

        func endAll(_ error: AsyncNetError?) {
            turn.withLock {
                let spans = state.withLock { state in
                    (state.isOver, state.failure) = (true, error)
                    defer { state.spans = [:] }
                    return state.spans
                }
                for span in spans.values { span.end(error ?? AsyncNetError(.cancelled)) }
            }
        }
    }

    /// How often a request was sent.
    private final class Sendings: Sendable {
        let count = Atomic(0)
    }

    private struct State {
        /// Where the run's first hop was sent to.
        var origin: String?
        var span: HopSpan?
    }

    private let propagation: TracePropagation
    private let requestID: RequestID
    private let time: TimeSource
    /// The context of the task that has started the request.
    private let parent: TraceContext?
    /// The trace that begins with the request, if there is no other.
    private let root: TraceContext?
    private let open: OpenSpans
    private let sendings: Sendings
    private let state = Locked(State())

    init(_ propagation: TracePropagation, _ requestID: RequestID, _ time: TimeSource) {
        (self.propagation, self.requestID, self.time) = (propagation, requestID, time)
        parent = TraceContext.current
        root = parent == nil ? propagation.newTrace() : nil
        (open, sendings) = (OpenSpans(), Sendings())
    }

    private init(_ other: RequestSpans, _ open: OpenSpans, _ sendings: Sendings) {
        (propagation, requestID, time) = (other.propagation, other.requestID, other.time)
        (parent, root, self.open, self.sendings) = (other.parent, other.root, open, sendings)
    }

    func branch(_ kind: TraceBranch) -> any RequestTrace {
        switch kind {
        case .hedged: RequestSpans(self, open, sendings)
        case .shared: RequestSpans(self, OpenSpans(maker: open), sendings)
        case .part: RequestSpans(self, open, Sendings())
        }
    }

    // MARK: Hops

    func beginHop(_ request: inout TransportRequest, isRedirected: Bool) {
        endHop(nil)
        let isAllowed = isAllowed(request.head.url)
        let isOwn = request.head.headers.contains(name: "traceparent")
        let parent = isOwn ? TraceContext(request.head.headers) ?? parent : parent
        if isRedirected, !isAllowed, isElsewhere(request.head.url) { removeOwn(&request) }
        guard let context = parent?.child() ?? root?.child() else { return }
        let span = propagation.tracer.flatMap { begin(request, context, parent, $0, isRedirected) }
        let sent = isOwn || !isAllowed ? nil : span?.context ?? context
        request.change { request in
            if let sent { propagation.add(sent, to: &request.head.headers) }
            if let span { observe(&request, span) }
        }
    }

    private func begin(
        _ request: TransportRequest, _ context: TraceContext, _ parent: TraceContext?, _ tracer: any Tracer,
        _ isRedirected: Bool
    ) -> HopSpan? {
        let template = isRedirected ? nil : request.urlTemplate.map(propagation.redaction.text(ofURL:))
        let attributes = SpanAttributes.ofRequest(
            request.head, template: template, resends: sendings.count.add(1, ordering: .relaxed).oldValue,
            headers: propagation.requestHeaders, propagation.redaction)
        let made = TraceSpan(
            requestID: requestID, name: SpanAttributes.name(request.head.method, template: template),
            context: context, parent: parent, attributes: attributes)
        let span = open.begin { HopSpan(made, propagation, tracer, time) }
        state.withLock { $0.span = span }
        return span
    }

    /// Transports report connections only to those who observe them.
    private func observe(_ request: inout TransportRequest.Values, _ span: HopSpan) {
        let onEvent = request.onEvent
        request.onEvent = { event in
            span.receive(event)
            onEvent?(event)
        }
        var interests = request.interests ?? .minimal
        interests.connections = true
        request.interests = interests
    }

    /// Whether this URL's server may receive the headers. The first hop decides which origin is the request's own.
    private func isAllowed(_ url: URL) -> Bool {
        let origin = url.origin
        let first = state.withLock { state in
            state.origin = state.origin ?? origin
            return state.origin
        }
        return propagation.destinations.allows(url, isOwnOrigin: origin == first)
    }

    /// Whether this URL is of another origin than the first hop's.
    private func isElsewhere(_ url: URL) -> Bool {
        let origin = url.origin
        return state.withLock { $0.origin != origin }
    }

    /// Removes what the request's maker has set for its first origin.
    private func removeOwn(_ request: inout TransportRequest) {
        for name in ["traceparent", "tracestate", "baggage"] where request.head.headers.contains(name: name) {
            request.change { $0.head.headers.remove(name) }
        }
    }

    func received(_ head: HTTPResponseHead) { state.withLock { $0.span }?.received(head) }

    // MARK: Ends

    func endHop(_ error: (any Error)?) {
        guard let span = state.withLock({ $0.span.take() }) else { return }
        open.end(span, error.map(reason))
    }

    /// A shared transfer that no request waits for any more is cancelled, whatever has ended the request.
    private func reason(_ error: any Error) -> AsyncNetError {
        let error = AsyncNetError(wrapping: error, as: .transportFailed)
        guard error.code == .cancelled, let failure = open.maker?.failure else { return error }
        return failure
    }

    func end(_ error: AsyncNetError?) { open.endAll(error) }
}
