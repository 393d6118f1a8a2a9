#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// An element of a session's or a request's list of interceptors: an adapter, a retrier, or both.
public protocol RequestPolicy: Sendable {}

/// Several policies in one value, which keep their order in a list of interceptors.
public struct Interceptor: RequestPolicy {
    let policies: [any RequestPolicy]

    /// Combines policies of any kind, in this order.
    public init(_ policies: [any RequestPolicy]) { self.policies = policies }
}

/// Changes a request before it is sent.
///
///     struct Tracing: RequestAdapter {
///         func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
///             var request = request
///             request.setValue("\(context.id)", forHTTPHeaderField: "X-Trace")
///             return request
///         }
///     }
///
/// Adapters run before each attempt in the order of their lists, the session's before the request's, each on the result
/// of the one before; they do not run for redirects. They run on no actor, on a thread that they may block. Userinfo in
/// a URL that an adapter sets becomes credentials, sent only in response to a 401 from that origin. If an adapter
/// throws, no other adapter runs, and the request ends with `.adaptationFailed`, or with the thrown `AsyncNetError`.
public protocol RequestAdapter: RequestPolicy {
    /// Returns the request to send in place of `request`.
    ///
    /// `httpBody` is set only if the body is in memory. The body of a file, a stream or a form is kept unless
    /// `httpBody` is set.
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest

    /// Returns the request to send, with a body of any kind. Only this method is called; by default it calls the method
    /// for a `URLRequest`.
    func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest
}

extension RequestAdapter {
    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        try await request.changed { try await adapt($0, context: context) } ?? request
    }
}

/// An adapter made of a closure.
public struct Adapter: RequestAdapter {
    private let change: @Sendable (URLRequest, RequestContext) async throws -> URLRequest

    /// Creates an adapter from a closure, which may throw as ``RequestAdapter`` describes.
    public init(_ change: @escaping @Sendable (URLRequest, RequestContext) async throws -> URLRequest) {
        self.change = change
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        try await change(request, context)
    }
}

extension TransportRequest {
    /// This request as a `URLRequest`, with its body if that is in memory.
    var urlRequest: URLRequest {
        var urlRequest = head.urlRequest
        urlRequest.httpBody = body.data
        return urlRequest
    }

    /// This request with the changes that the closure makes to it as a `URLRequest`; `nil` if that returns `nil`.
    func changed(by change: (URLRequest) async throws -> URLRequest?) async throws -> TransportRequest? {
        let before = urlRequest
        guard let after = try await change(before) else { return nil }
        guard let head = HTTPRequestHead(after) else {
            throw AsyncNetError(.malformedURL, "The URLRequest that an adapter or modifier returned has no URL")
        }
        guard after.httpBodyStream == nil else {
            throw AsyncNetError(
                .invalidRequest, "A URLRequest's httpBodyStream can be read only once and is not sent; set httpBody")
        }
        var changed = self
        changed.head.method = head.method
        changed.head.url = head.url
        if after.timeoutInterval != before.timeoutInterval {
            changed.timeout = Duration(timeoutInterval: after.timeoutInterval)
        }
        // A URLRequest loses the order of headers and repeated names, so headers are copied only if they changed.
        if after.allHTTPHeaderFields != before.allHTTPHeaderFields { changed.head.headers = head.headers }
        if after.httpBody != before.httpBody { changed.body = after.httpBody.map { .data($0) } ?? .none }
        return changed
    }
}
