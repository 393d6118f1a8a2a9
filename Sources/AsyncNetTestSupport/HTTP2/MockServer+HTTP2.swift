import AsyncNet
public import Foundation

extension MockServer {
    /// The versions of HTTP that a server speaks.
    public enum Versions: Hashable, Sendable {
        /// HTTP/1.1; a TLS server ignores what a client offers by ALPN.
        case http1
        /// HTTP/2: with TLS by ALPN (RFC 7301), without TLS by prior knowledge (RFC 9113 §3.3).
        ///
        /// What only HTTP/1.1 has is left out of responses: headers of the connection and the chunked coding.
        /// `Connection: close` becomes a GOAWAY after the response. A WebSocket is refused with `HTTP_1_1_REQUIRED`.
        case http2
        /// Both: HTTP/2 with clients that offer it by ALPN or begin with its preface, HTTP/1.1 with others.
        case both
    }

    /// What a server allows over HTTP/2.
    public struct HTTP2: Hashable, Sendable {
        /// How many requests of a connection may be open at once; others are refused with `REFUSED_STREAM`.
        public var concurrentStreams: Int
        /// How many bytes of a request's body a client may send before the server allows more. With 0 it may send none.
        ///
        /// Until a client has received this setting, it may send 65,535 bytes (RFC 9113 §6.9.2).
        public var initialWindow: Int
        /// Whether the server answers PING. A client may take a connection without answers for dead.
        public var answersPings: Bool

        /// Creates settings.
        public init(concurrentStreams: Int = 100, initialWindow: Int = 1024 * 1024, answersPings: Bool = true) {
            self.concurrentStreams = concurrentStreams
            self.initialWindow = initialWindow
            self.answersPings = answersPings
        }
    }

    /// Changes the settings of HTTP/2; open connections get a SETTINGS frame.
    public func update(_ settings: HTTP2) { core.http2.update(settings) }

    /// Sends GOAWAY on each connection over HTTP/2; see ``MockResponse/Fault/goAway(_:lastStream:)``.
    public func goAway(_ code: MockResponse.HTTP2Code = .noError, lastStream: UInt32? = nil) {
        core.http2.send(.step(.goAway(code, lastStream)))
    }
}

extension MockResponse {
    /// Why a stream or a connection over HTTP/2 ends (RFC 9113 §7).
    public struct HTTP2Code: RawRepresentable, Hashable, Sendable {
        /// The number in the frame.
        public let rawValue: UInt32

        /// Any code.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// `NO_ERROR`.
        public static let noError = HTTP2Code(rawValue: 0)
        /// `PROTOCOL_ERROR`.
        public static let protocolError = HTTP2Code(rawValue: 1)
        /// `INTERNAL_ERROR`.
        public static let internalError = HTTP2Code(rawValue: 2)
        /// `REFUSED_STREAM`: the request was not processed, and may be sent again.
        public static let refusedStream = HTTP2Code(rawValue: 7)
        /// `CANCEL`.
        public static let cancel = HTTP2Code(rawValue: 8)
        /// `ENHANCE_YOUR_CALM`.
        public static let enhanceYourCalm = HTTP2Code(rawValue: 11)
        /// `HTTP_1_1_REQUIRED`: the request was not processed, and may be sent again over HTTP/1.1.
        public static let http11Required = HTTP2Code(rawValue: 13)
    }

    /// A frame of HTTP/2 (RFC 9113 §4.1), valid or not.
    public struct Frame: Hashable, Sendable {
        /// The frame's type, such as 0 for DATA and 1 for HEADERS.
        public var kind: UInt8
        /// The flags, such as 1 for END_STREAM and 4 for END_HEADERS.
        public var flags: UInt8
        /// The stream's number; `nil` for the stream of the request.
        public var stream: UInt32?
        /// The bytes after the frame's header.
        public var payload: Data

        /// Creates a frame. A payload of HEADERS is compressed (RFC 7541): `[0x88]` is the status 200.
        public init(_ kind: UInt8, flags: UInt8 = 0, on stream: UInt32? = nil, _ payload: Data = Data()) {
            (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
        }
    }

    /// Frames of HTTP/2 that are sent instead of a response; the connection stays open. Over HTTP/1.1 a 500 is sent.
    public static func frames(_ frames: [Frame]) -> MockResponse {
        var response = MockResponse.status(500, body: "Frames can be sent over HTTP/2 only\n")
        response.frames = frames
        return response
    }
}
