public import AsyncNet
public import Foundation

/// A reply for ``MockServer`` and ``StubTransport``: a response, or a misbehaviour.
public struct MockResponse: Sendable {
    public var statusCode: Int
    /// `nil` sends the usual phrase; an empty one none.
    public var reason: String?
    public var headers: HTTPHeaders
    public var body: Data
    /// Sends the body in these pieces with `Transfer-Encoding: chunked`, instead of ``body``.
    public var chunks: [Data]?
    /// Sent after the last chunk.
    public var trailers: HTTPHeaders = [:]
    /// Interim responses (1xx) sent first.
    public var informational: [(statusCode: Int, headers: HTTPHeaders)] = []
    /// Waited before anything is sent.
    public var delay: Duration = .zero
    /// What goes wrong.
    public var fault: Fault?
    /// Sent instead of a response, byte for byte.
    public var rawBytes: Data?

    /// What a server can do wrong. Over a ``StubTransport`` each is the error that it ends in.
    public enum Fault: Hashable, Sendable {
        /// The connection is reset as soon as it is accepted; the reply is used up by a connection, not by a request.
        case refuse
        /// The connection is closed in good order without an answer.
        case closeBeforeHead
        /// The connection is reset after the request was read.
        case resetBeforeHead
        /// The connection is reset after the response's head.
        case resetAfterHead
        /// The connection is reset after so many bytes of the body.
        case resetMidBody(after: Int)
        /// The connection is closed in good order after so many bytes of a body announced as longer.
        case truncate(after: Int)
        /// Nothing is ever sent.
        case stall
        /// Nothing more is sent after so many bytes of the body.
        case stallMidBody(after: Int)
        /// The body comes in pieces of so many bytes, with a pause after each.
        case drip(bytes: Int, every: Duration)
        /// Bytes that are no HTTP.
        case garbage
        /// The response is sent before the request's body is read.
        case earlyResponse
    }

    public init(_ statusCode: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
    }
}

extension MockResponse {
    /// A status, with headers and text if need be.
    public static func status(_ statusCode: Int, headers: HTTPHeaders = [:], body: String = "") -> MockResponse {
        MockResponse(statusCode, headers: headers, body: Data(body.utf8))
    }

    /// JSON text as it stands, `application/json`.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: Data(text.utf8)).with(type: "application/json")
    }

    /// A JSON value, `application/json`.
    public static func json(_ value: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: value.data(options: .sortedKeys)).with(type: "application/json")
    }

    /// Text in UTF-8, `text/plain`.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: Data(text.utf8)).with(type: "text/plain; charset=utf-8")
    }

    /// Bytes, `application/octet-stream`.
    public static func data(_ data: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: data).with(type: "application/octet-stream")
    }

    /// A body sent in chunks.
    public static func chunked(_ chunks: [String], headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:])
        -> MockResponse
    {
        var response = MockResponse(200, headers: headers)
        response.chunks = chunks.map { Data($0.utf8) }
        response.trailers = trailers
        return response
    }

    /// A redirect.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status, headers: ["Location": location])
    }

    /// A misbehaviour, around a body of 1,000 bytes where the fault is in the body.
    public static func fault(_ fault: Fault) -> MockResponse {
        var response = MockResponse.data(Data(repeating: UInt8(ascii: "x"), count: 1000))
        response.fault = fault
        return response
    }

    /// Any bytes; then the connection is closed.
    public static func raw(_ text: String) -> MockResponse {
        var response = MockResponse()
        response.rawBytes = Data(text.utf8)
        return response
    }

    /// The same reply, sent only after a while.
    public func delayed(by delay: Duration) -> MockResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// The same reply with a fault.
    public func with(_ fault: Fault) -> MockResponse {
        var copy = self
        copy.fault = fault
        return copy
    }

    /// The same reply after a 1xx response.
    public func after(informational statusCode: Int, headers: HTTPHeaders = [:]) -> MockResponse {
        var copy = self
        copy.informational.append((statusCode, headers))
        return copy
    }

    private func with(type: String) -> MockResponse {
        var copy = self
        if !copy.headers.contains(name: "Content-Type") { copy.headers.add(.contentType(type)) }
        return copy
    }
}
