public import AsyncNet
import AsyncNetMonitors
public import Hummingbird
public import HummingbirdCore

/// Hands the trace and the deadline of an incoming request on to the requests that its handler sends with AsyncNet.
///
///     router.add(middleware: OutgoingRequestsMiddleware { request in
///         request.headers[.init("X-Timeout-Ms")!].flatMap(Int.init).map { .milliseconds($0) }
///     })
///
/// The headers `traceparent`, `tracestate` and `baggage` become `TraceContext.current`, which a session with
/// `TracePropagation` sends. Programs with swift-distributed-tracing use Hummingbird's `TracingMiddleware` for that, and
/// `DistributedTracer`.
///
/// Both hold for the handler, its child tasks, and the closure that writes the response's body.
public struct OutgoingRequestsMiddleware<Context: Hummingbird.RequestContext>: RouterMiddleware {
    private let deadline: @Sendable (HummingbirdCore.Request) -> Duration?

    /// A middleware.
    ///
    /// - Parameter deadline: How long the incoming request may take from now on; `nil`, the default, is no limit. See
    ///   `Session.withinIncomingDeadline(_:)`. The handler itself is not ended by it.
    public init(deadline: @escaping @Sendable (HummingbirdCore.Request) -> Duration? = { _ in nil }) {
        self.deadline = deadline
    }

    /// Calls the next middleware or the handler, with the values of the request.
    @concurrent
    public func handle(
        _ request: HummingbirdCore.Request, context: Context,
        next: @concurrent (HummingbirdCore.Request, Context) async throws -> Response
    ) async throws -> Response {
        let incoming = IncomingRequest(trace: TraceContext(request.headers), limit: deadline(request))
        var response = try await incoming.run { try await next(request, context) }
        guard response.body.contentLength != 0 else { return response }
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            let writer = writer
            try await incoming.run { try await body.write(writer) }
        }
        return response
    }
}

extension Session {
    /// Options with which a request has no later deadline than the incoming request that the current task responds to,
    /// see ``OutgoingRequestsMiddleware``.
    ///
    ///     try await session.get(url, options: session.withinIncomingDeadline()).serializing(User.self).value
    ///
    /// - Parameter options: Their deadline, or that of the session, stays if it is earlier.
    public nonisolated func withinIncomingDeadline(_ options: RequestOptions = RequestOptions()) -> RequestOptions {
        guard let remaining = IncomingRequest.deadline.map({ max(.zero, ContinuousClock.now.duration(to: $0)) }) else {
            return options
        }
        var options = options
        options.deadline = min(remaining, options.deadline ?? configuration.deadline ?? remaining)
        return options
    }
}
