public import AsyncNet
public import Foundation

extension RecordedExchange {
    /// The response of an exchange.
    ///
    /// The body is decoded: a `Content-Encoding` that the transport or the session has decoded is not among the
    /// headers, nor is the `Content-Length` of the encoded body (RFC 9110 §8.4, §8.6).
    public struct Response: Sendable, Hashable {
        /// The status code.
        public var statusCode: Int
        /// The text after the status in the status line; `nil` if it is not known.
        public var reason: String?
        /// The version, such as `HTTP/1.1`; `nil` if it is not known.
        public var httpVersion: String?
        /// The headers in their order.
        public var headers: HTTPHeaders
        /// The pieces of the body, as they were read.
        public var chunks: [Chunk]
        /// The trailers after the body (RFC 9110 §6.5).
        public var trailers: HTTPHeaders = [:]
        /// The interim responses before this one (RFC 9110 §15.2).
        public var informational: [Informational] = []
        /// What ended the body after the chunks; `nil` if the body is complete.
        public var failure: Failure?
        /// Whether ``chunks`` are only the first part of the body, which was longer than the recording's limit.
        public var isBodyTruncated = false

        /// Creates a response.
        public init(_ statusCode: Int, headers: HTTPHeaders = [:], chunks: [Chunk] = []) {
            (self.statusCode, self.headers, self.chunks) = (statusCode, headers, chunks)
        }

        /// Creates a response with a body in one piece.
        public init(_ statusCode: Int, headers: HTTPHeaders = [:], body: Data) {
            self.init(statusCode, headers: headers, chunks: body.isEmpty ? [] : [Chunk(body)])
        }

        /// All chunks together.
        public var body: Data {
            chunks.count == 1 ? chunks[0].data : chunks.reduce(into: Data()) { $0 += $1.data }
        }
    }

    /// A piece of a body.
    public struct Chunk: Sendable, Hashable {
        /// The bytes.
        public var data: Data
        /// The time since the chunk before, or since the head.
        public var delay: Duration

        /// Creates a chunk.
        public init(_ data: Data, delay: Duration = .zero) { (self.data, self.delay) = (data, delay) }
    }

    /// An interim response (RFC 9110 §15.2).
    public struct Informational: Sendable, Hashable {
        /// The status code, from 100 to 199.
        public var statusCode: Int
        /// The headers.
        public var headers: HTTPHeaders

        /// Creates an interim response.
        public init(_ statusCode: Int, headers: HTTPHeaders = [:]) {
            (self.statusCode, self.headers) = (statusCode, headers)
        }
    }
}

extension RecordedExchange.Response: CustomStringConvertible, CustomReflectable {
    /// The status, and the code of the body's failure.
    public var description: String { "\(statusCode)\(failure.map { ", \($0)" } ?? "")" }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror {
        let size = chunks.reduce(0) { $0 + $1.data.count }
        return Mirror(self, children: ["description": description, "headers": headers, "body": "\(size) bytes"])
    }
}
