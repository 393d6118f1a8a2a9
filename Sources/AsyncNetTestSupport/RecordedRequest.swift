public import AsyncNet
public import Foundation

/// A request as a ``MockServer`` or ``StubTransport`` received it.
public struct RecordedRequest: Sendable {
    /// The request's method.
    public let method: HTTPMethod
    /// The target of the request line, or `:path`: path and query.
    public let target: String
    /// The headers in order, with repetitions. Over HTTP/2 `Host` is `:authority`, and there is one `Cookie`.
    public let headers: HTTPHeaders
    /// The complete body; empty without a body.
    public internal(set) var body: Data
    /// The number of the request's connection, from 1; 0 for a stub.
    public let connection: Int
    /// The version: `HTTP/1.1`, or `HTTP/2`.
    public let httpVersion: String
    /// The decoded values of the route's named segments: of `/users/:id`, the value of `id`. Empty without a route.
    public internal(set) var parameters: [String: String] = [:]

    /// The target without its query, and without the origin of a request to a proxy; percent-encoded as sent.
    public var path: String {
        let path = target.prefix { $0 != "?" }
        guard path.hasPrefix("http"), let scheme = path.firstRange(of: "://") else { return String(path) }
        let rest = path[scheme.upperBound...].drop { $0 != "/" }
        return rest.isEmpty ? "/" : String(rest)
    }
    /// The text after the question mark, or `nil`.
    public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
    /// The decoded names and values of the query; empty without one.
    public var queryItems: [URLQueryItem] { URLComponents(string: target)?.queryItems ?? [] }
    /// The body as UTF-8 text.
    public var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON.
    public var json: JSON { get throws { try JSON(data: body) } }
}
