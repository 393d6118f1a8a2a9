/// The head of a request as it went over the wire: its request line and all headers, in their order (RFC 9112 §3).
///
/// Over HTTP/2 the request line stands for the pseudo-header fields (RFC 9113 §8.3.1).
public struct SentHead: Sendable {
    /// Bytes are parsed each time a property is read: most observers never read one.
    private enum Source: Sendable {
        case parts(String, HTTPHeaders)
        case bytes([UInt8])
    }

    private let source: Source

    /// Creates a head of its parts.
    public init(requestLine: String, headers: HTTPHeaders) { source = .parts(requestLine, headers) }

    /// Reads a head from its bytes; lines that are no headers are skipped.
    package init(_ bytes: UnsafeRawBufferPointer) { source = .bytes(Array(bytes)) }

    /// The method, the request target and the version, such as `GET /users?page=2 HTTP/1.1`.
    public var requestLine: String {
        switch source {
        case .parts(let line, _): line
        case .bytes(let bytes): Self.lines(bytes).first ?? ""
        }
    }

    /// The headers, also those that the transport has added, such as `Host` and `Content-Length`.
    public var headers: HTTPHeaders {
        switch source {
        case .parts(_, let headers): headers
        case .bytes(let bytes): HTTPHeaders(Self.lines(bytes).dropFirst().compactMap(Self.header))
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0A).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
    }

    private static func header(_ line: String) -> HTTPHeader? {
        guard let colon = line.utf8.firstIndex(of: 0x3A) else { return nil }
        let value = String(line[line.utf8.index(after: colon)...]).trimmedHTTPSpace
        return HTTPHeader(name: String(line[..<colon]), value: value)
    }
}

extension SentHead: ShownByDescription {
    /// The request line and the headers, a line each, without secrets and without the target's query and userinfo.
    public var description: String {
        ([Self.withoutSecrets(requestLine)] + headers.map(\.description)).joined(separator: "\n")
    }

    private static func withoutSecrets(_ line: String) -> String {
        var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // libcurl may report a long head in pieces, which may begin inside a secret value.
        guard words.count == 3, words[2].hasPrefix("HTTP/") else { return "<redacted>" }
        words[1] = URLReference(words[1]).redactedText()
        return words.joined(separator: " ")
    }
}
