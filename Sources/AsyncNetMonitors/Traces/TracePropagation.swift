public import AsyncNet
public import Foundation

/// Sends the trace that a request belongs to, as W3C Trace Context: the headers `traceparent`, `tracestate` and
/// `baggage`. Reports a span to a ``RequestTracer`` for each request head that is sent.
///
///     let session = Session(configuration: .init(interceptors: [TracePropagation()]))
///
/// The trace is ``TraceContext/current`` in the task that starts the request: the first task that awaits the request's
/// outcome or calls `resume()`. Without a context, the request begins a trace of its own. All heads that are sent for a
/// request have the trace's identifier, and a parent identifier of their own: each attempt, redirect, response to a
/// challenge, hedged transfer and segment. A transfer that several equal requests share belongs to the trace of the
/// first.
///
/// A request with a `traceparent` of its own sends it unchanged, and no headers are added. Its own headers follow
/// redirects to another origin only if ``Destinations`` allow it.
///
/// The trace that a request begins has the flag `sampled` by default, even without a tracer, so services may record
/// it: see ``NewTraces``. Baggage of the context, such as the baggage of a request which this server has received, goes
/// to every origin that the program makes requests to: see ``Destinations`` and `propagatesBaggage`.
///
/// The headers are added after all adapters, wherever this policy stands among the interceptors: an adapter that signs
/// headers does not sign them. If session and request have several of these policies, the last one counts.
public struct TracePropagation: RequestPolicy {
    /// Which servers receive the headers.
    public struct Destinations: Sendable {
        private let allows: @Sendable (_ url: URL, _ isOwnOrigin: Bool) -> Bool

        /// The origin that a request is made to; other origins that redirects lead to receive no headers.
        public static let requested = Destinations { $1 }
        /// All servers, also the ones that redirects lead to.
        public static let all = Destinations { _, _ in true }

        /// The hosts of these names, whether a request or a redirect leads to them: `example.com` is for that host
        /// alone, `*.example.com` for all hosts below it. Case and a trailing dot are ignored, and names that are not
        /// ASCII count in their ASCII form (RFC 5890). An IP address is below no name.
        public static func hosts(_ names: Set<String>) -> Destinations {
            let hosts = Set(names.compactMap { HostName($0) })
            let domains = names.filter { $0.hasPrefix("*.") }.compactMap { HostName($0.dropFirst(2)) }
            return Destinations { url, _ in
                // An address matches no `*.` name, even if its IPv6 zone, which is any text, ends like such a name.
                guard let host = url.host.flatMap({ HostName($0) }) else { return false }
                return hosts.contains(host)
                    || !host.isAddress && domains.contains { host.text.hasSuffix(".\($0.text)") }
            }
        }

        /// The servers of the URLs for which the closure returns true. The closure gets the URL of each hop, and must
        /// not block.
        public static func matching(_ allows: @escaping @Sendable (URL) -> Bool) -> Destinations {
            Destinations { url, _ in allows(url) }
        }

        private init(_ allows: @escaping @Sendable (URL, Bool) -> Bool) { self.allows = allows }

        func allows(_ url: URL, isOwnOrigin: Bool) -> Bool { allows(url, isOwnOrigin) }
    }

    /// What a request without a context does.
    public enum NewTraces: Sendable {
        /// The request begins a trace with the flag `sampled`: services that record what their callers record do so.
        case sampled
        /// The request begins a trace without the flag `sampled`. Many services then record nothing of the request.
        case unsampled
        /// The request sends no headers, and has no spans.
        case never
    }

    let tracer: (any RequestTracer)?
    let destinations: Destinations
    let newTraces: NewTraces
    let propagatesBaggage: Bool
    let requestHeaders: [String]
    let responseHeaders: [String]
    let redaction: RedactionRule

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - tracer: Receives the spans; `nil` for headers alone.
    ///   - destinations: Which servers receive the headers. Spans are made for all.
    ///   - newTraces: What a request without a context does.
    ///   - propagatesBaggage: Whether the context's baggage is sent. A `baggage` header of the request itself is sent
    ///     in any case.
    ///   - requestHeaders: The request headers that spans have as attributes, redacted.
    ///   - responseHeaders: The response headers that spans have as attributes, redacted.
    ///   - redaction: What is redacted in spans.
    public init(
        tracer: (any RequestTracer)? = nil, destinations: Destinations = .requested, newTraces: NewTraces = .sampled,
        propagatesBaggage: Bool = true, requestHeaders: [String] = [], responseHeaders: [String] = [],
        redaction: RedactionRule = .standard
    ) {
        self.tracer = tracer
        self.destinations = destinations
        self.newTraces = newTraces
        self.propagatesBaggage = propagatesBaggage
        self.requestHeaders = requestHeaders
        self.responseHeaders = responseHeaders
        self.redaction = redaction
    }

    /// The trace of a request without a context; `nil` if it has none.
    func newTrace() -> TraceContext? {
        switch newTraces {
        case .sampled: TraceContext(isSampled: true)
        case .unsampled: TraceContext(isSampled: false)
        case .never: nil
        }
    }

    /// Sets the context's headers. A `tracestate` of the request, which has no `traceparent`, is removed.
    func add(_ context: TraceContext, to headers: inout HTTPHeaders) {
        headers.remove("tracestate")
        for header in context.headers {
            if header.hasName("baggage"), !propagatesBaggage || headers.contains(name: "baggage") { continue }
            headers.update(header)
        }
    }
}

extension TracePropagation: TracingPolicy {
    package func makeTrace(_ id: RequestID) -> any RequestTrace { RequestSpans(self, id) }
}
