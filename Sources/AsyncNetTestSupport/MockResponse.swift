public import AsyncNet
public import Foundation

/// A response of a ``MockServer`` or ``StubTransport``, or a fault.
public struct MockResponse: Sendable {
    /// The status code.
    public var statusCode: Int
    /// The reason phrase; `nil` sends the usual phrase, an empty string none. HTTP/2 has none.
    public var reason: String?
    /// The headers. Without `Content-Length` and `Transfer-Encoding`, the fitting one is added; over HTTP/2 and by a
    /// stub, only `Content-Length`.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Data
    /// The chunks to send with `Transfer-Encoding: chunked` instead of ``body``; over HTTP/2 in frames of their own.
    public var chunks: [Data]?
    /// The pauses before each of ``chunks``; chunks beyond the last pause have none.
    var pauses: [Duration] = []
    /// The async sequence of `stream(_:status:headers:trailers:)`, which makes the body.
    var streamed: TransportBody?
    /// The trailers after the last chunk.
    public var trailers: HTTPHeaders = [:]
    /// Interim responses (1xx) that are sent first.
    public var informational: [(statusCode: Int, headers: HTTPHeaders)] = []
    /// The delay before anything is sent.
    public var delay: Duration = .zero
    /// The fault of the response, if any.
    public var fault: Fault?
    /// Bytes to send instead of a response; over HTTP/2 instead of a frame.
    public var rawBytes: Data?
    /// Frames of HTTP/2 to send instead of a response.
    public var frames: [Frame]?
    /// The WebSocket that a response with status 101 opens.
    var upgrade: MockUpgrade?

    /// A fault of a server. A ``StubTransport`` does what a client would see: it throws the error, waits until the request
    /// is cancelled, or delivers the response.
    ///
    /// A fault after as many bytes as the body has, or more, comes at the body's end. A `Content-Length` that is added is
    /// then one byte larger than the body, so that the body is seen to be cut.
    public enum Fault: Hashable, Sendable {
        /// The next connection is reset when it is accepted; on an open connection, the next request resets it.
        case refuse
        /// The connection is closed without a response.
        case closeBeforeHead
        /// The connection is reset after the request has been read.
        case resetBeforeHead
        /// The connection is reset after the response's head.
        case resetAfterHead
        /// The connection is reset after this number of bytes of the body.
        case resetMidBody(after: Int)
        /// The connection is closed after this number of bytes of a body that should be longer.
        case truncate(after: Int)
        /// Nothing is sent, and the connection stays open.
        case stall
        /// Nothing is sent after this number of bytes of the body, and the connection stays open.
        case stallMidBody(after: Int)
        /// The body is sent in pieces of this number of bytes, with a pause between them.
        case drip(bytes: Int, every: Duration)
        /// Bytes that are not HTTP are sent.
        case garbage
        /// The response is sent before the request's body is read; if a route's closure makes it, after that.
        case earlyResponse
        /// Over HTTP/2 the stream is reset after this number of bytes of the body, without a number before the head.
        /// Over HTTP/1.1 the connection is reset.
        case resetStream(HTTP2Code, after: Int? = nil)
        /// Over HTTP/2 GOAWAY is sent before the response. Streams above `lastStream` get no response, and the
        /// connection is closed when the other streams have ended.
        ///
        /// `nil` is the request's own stream, so that the response follows; 0 says that no stream was processed. The
        /// largest number, 0x7FFFFFFF, only warns: the connection stays open. Over HTTP/1.1 the connection is closed:
        /// after the response with `nil`, else without one.
        case goAway(HTTP2Code = .noError, lastStream: UInt32? = nil)

        /// The number of bytes of the body before the fault, for faults in the body.
        var end: Int? {
            switch self {
            case .resetMidBody(let count), .truncate(let count), .stallMidBody(let count): count
            case .resetStream(_, let count): count
            default: nil
            }
        }

        /// Whether a connection over HTTP/1.1 is closed after the response.
        var isLast: Bool { self == .earlyResponse || isGoAway }

        private var isGoAway: Bool { if case .goAway = self { true } else { false } }
    }

    /// Creates a response.
    public init(_ statusCode: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
    }
}

extension MockResponse {
    /// A response with a status, headers and text.
    public static func status(_ statusCode: Int, headers: HTTPHeaders = [:], body: String = "") -> MockResponse {
        MockResponse(statusCode, headers: headers, body: Data(body.utf8))
    }

    /// JSON text, sent unchanged as `application/json`.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: Data(text.utf8)).with(type: "application/json")
    }

    /// A JSON value, sent as `application/json` with sorted members.
    public static func json(_ value: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: value.data(options: .sortedKeys)).with(type: "application/json")
    }

    /// A value that is encoded as JSON, sent as `application/json`.
    ///
    /// JSON literals and strings use the overloads for these: `.json(["id": 1])`, `.json(#"{"id":1}"#)`. If encoding
    /// fails, the response is a 500 whose body describes the error.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: The encoder; by default one that sorts members.
    ///   - status: The status code.
    ///   - headers: The headers; a `Content-Type` replaces the usual one.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder? = nil, status: Int = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        do {
            let body = try (encoder ?? sortingEncoder()).encode(value)
            return MockResponse(status, headers: headers, body: body).with(type: "application/json")
        } catch {
            return .status(500, body: "\(type(of: value)) cannot be encoded: \(error)\n")
        }
    }

    private static func sortingEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// Text in UTF-8, sent as `text/plain`.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status, headers: headers, body: Data(text.utf8)).with(type: "text/plain; charset=utf-8")
    }

    /// Bytes, sent as `application/octet-stream`.
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

    /// A body that a sequence makes while it is sent, such as an `AsyncStream` whose continuation a test holds.
    ///
    ///     let (chunks, model) = AsyncStream.makeStream(of: Data.self)
    ///     server.on(.post, "/answers") { _ in .stream(chunks) }
    ///     model.yield(Data("Hel".utf8))
    ///
    /// Each chunk is sent at once; meanwhile the next one is read, but no more. The task that reads is cancelled when
    /// the client leaves or the server stops: an `AsyncStream` then calls its `onTermination` with `.cancelled`. If the
    /// sequence throws, a server resets the connection, over HTTP/2 the stream, and a stub's transfer ends with the
    /// error. A fault in the body comes after its number of bytes. Each use of the response reads the sequence anew.
    ///
    /// - Parameters:
    ///   - chunks: The body. Over HTTP/1.1 it is sent with `Transfer-Encoding: chunked`, unless the headers have a
    ///     `Content-Length`.
    ///   - status: The status code.
    ///   - headers: The headers.
    ///   - trailers: The trailers after the last chunk.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, status: Int = 200, headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:]
    ) -> MockResponse where Chunks.Element == Data {
        var response = MockResponse(status, headers: headers)
        response.streamed = TransportBody(chunks)
        response.trailers = trailers
        return response
    }

    /// A body of texts that a sequence makes while it is sent; see
    /// ``stream(_:status:headers:trailers:)-(Chunks,_,_,_)``.
    public static func stream<Texts: AsyncSequence & Sendable>(
        _ texts: Texts, status: Int = 200, headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:]
    ) -> MockResponse where Texts.Element == String {
        stream(texts.map { Data($0.utf8) }, status: status, headers: headers, trailers: trailers)
    }

    /// A redirect.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse(status, headers: ["Location": location])
    }

    /// A fault; faults in a body have a body of 1,000 bytes.
    public static func fault(_ fault: Fault) -> MockResponse {
        var response = MockResponse.data(Data(repeating: UInt8(ascii: "x"), count: 1000))
        response.fault = fault
        return response
    }

    /// Any bytes, after which the connection is closed.
    public static func raw(_ text: String) -> MockResponse {
        var response = MockResponse()
        response.rawBytes = Data(text.utf8)
        return response
    }

    /// This response after a delay.
    public func delayed(by delay: Duration) -> MockResponse {
        var copy = self
        copy.delay = delay
        return copy
    }

    /// This response with a fault.
    public func with(_ fault: Fault) -> MockResponse {
        var copy = self
        copy.fault = fault
        return copy
    }

    /// This response after an interim (1xx) response.
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
