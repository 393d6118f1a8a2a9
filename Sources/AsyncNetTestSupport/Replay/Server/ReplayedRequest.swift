public import AsyncNet

/// What a ``MockServer`` that replays a recording did with a request.
public struct ReplayedRequest: Sendable {
    /// The request's method.
    public let method: HTTPMethod
    /// Path and query, with their secrets redacted.
    public let target: String
    /// The number of the exchange in the recording, from 1; `nil` if none matches.
    public let exchange: Int?
    /// The status of the response; `nil` for an exchange that failed before the response.
    public let statusCode: Int?
    /// Why the request has no exchange; `nil` if it has one.
    public let mismatch: ReplayMismatch?
}

extension ReplayedRequest: CustomStringConvertible {
    /// Such as `GET /users/1: 200, exchange 3`.
    public var description: String {
        let status = statusCode.map { "\($0)" } ?? "a failure"
        return "\(method) \(target): \(status), \(exchange.map { "exchange \($0)" } ?? "no exchange matches")"
    }
}
