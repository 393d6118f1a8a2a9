public import AsyncNet
public import Foundation

/// A request as a ``MockServer`` or ``StubTransport`` received it.
public struct RecordedRequest: Sendable {
    public let method: HTTPMethod
    /// As it stood in the request line: path and query.
    public let target: String
    /// In the order in which they came, repetitions kept.
    public let headers: HTTPHeaders
    public let body: Data
    /// Which connection it came on, counted from 1; 0 for a stub.
    public let connection: Int
    /// Such as `HTTP/1.1`.
    public let httpVersion: String

    /// The target without its query, percent-encoded as it was sent.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// What follows the question mark, or `nil`.
    public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON.
    public var json: JSON { get throws { try JSON(data: body) } }
}
