#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// What may stand in a list of interceptors, of a session or of a request.
public protocol RequestPolicy: Sendable {}

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
/// Adapters run in the order of their list before each attempt, the session's before the request's, each on what the
/// one before made; redirects are not adapted again. User information in a URL that they make is said only when its
/// server asks. They run on no actor, on a thread that they may block. What one throws ends the request as
/// `.adaptationFailed`, an `AsyncNetError` as it is; none after it is asked.
public protocol RequestAdapter: RequestPolicy {
    /// The request to send in place of `request`.
    ///
    /// Its body is there only if it is in memory; one from a file, a stream or a form is kept unless `httpBody` is set.
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest

    /// The same with a body of any kind; asked in place of the other, which it asks unless an adapter has its own.
    func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest
}

extension RequestAdapter {
    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        try await request.changed { try await adapt($0, context: context) } ?? request
    }
}

extension TransportRequest {
    /// Foundation's form of this request, with its body if that is in memory.
    package var urlRequest: URLRequest {
        var urlRequest = head.urlRequest
        urlRequest.httpBody = body.data
        return urlRequest
    }

    /// What a closure makes of this request in Foundation's form: what it leaves alone stays as it is here. `nil` if it
    /// makes nothing of it.
    package func changed(by change: (URLRequest) async throws -> URLRequest?) async throws -> TransportRequest? {
        let before = urlRequest
        guard let after = try await change(before) else { return nil }
        guard let head = HTTPRequestHead(after) else {
            throw AsyncNetError(.malformedURL, "The changed URLRequest has no URL")
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
        // A URLRequest keeps neither the order of headers nor several of one name: only if they are other ones do they
        // count.
        if after.allHTTPHeaderFields != before.allHTTPHeaderFields { changed.head.headers = head.headers }
        if after.httpBody != before.httpBody { changed.body = after.httpBody.map { .data($0) } ?? .none }
        return changed
    }
}
