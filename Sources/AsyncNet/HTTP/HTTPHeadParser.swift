package import Foundation

/// Parses a response's head, or the trailers after its body, line by line (RFC 9112 §4, §5).
///
/// Keeps order, spelling and repetitions of headers. Refuses names that are not tokens, values with control characters,
/// and heads above the size limit. Values are read as UTF-8 if valid, else as Latin-1; invalid UTF-8 in a URI is
/// percent-encoded, so that its bytes are kept. A continued line (obs-fold, RFC 9112 §5.2) is joined to the value
/// before by a space.
package struct HTTPHeadParser {
    package typealias Line = UnsafeBufferPointer<UInt8>

    package private(set) var statusCode = 0
    private(set) var httpVersion: String?
    private(set) var reasonPhrase: String?
    package private(set) var headers = HTTPHeaders()
    private var bytes = 0
    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    package func head(url: URL) -> HTTPResponseHead {
        HTTPResponseHead(
            statusCode: statusCode, url: url, headers: headers, httpVersion: httpVersion, reasonPhrase: reasonPhrase)
    }

    /// Starts another head, or the trailers; the size limit applies to all of them together.
    package mutating func beginBlock() {
        statusCode = 0
        httpVersion = nil
        reasonPhrase = nil
        headers = HTTPHeaders()
    }

    /// Takes a line with its line break; returns whether it is the empty line that ends the block.
    package mutating func receive(_ line: Line) throws(AsyncNetError) -> Bool {
        bytes += line.count
        guard bytes <= limit else {
            throw AsyncNetError(
                .badServerResponse,
                "The server's head is larger than the limit of \(limit) bytes; raise the transport's maximumHeaderBytes (fixed for WebSockets)"
            )
        }
        let line = Self.withoutLineBreak(line)
        guard let first = line.first else { return true }
        if Self.isStatusLine(line) {
            try receiveStatus(line)
        } else if first == 0x20 || first == 0x09 {
            try continueValue(line)
        } else {
            try receiveHeader(line)
        }
        return false
    }

    /// Distinguishes a status line from a header line by the slash of `HTTP/`, which no header's name can contain.
    package static func isStatusLine(_ line: Line) -> Bool {
        line.count >= 5 && line[0] == 0x48 && line[1] == 0x54 && line[2] == 0x54 && line[3] == 0x50 && line[4] == 0x2F
    }

    private mutating func receiveStatus(_ line: Line) throws(AsyncNetError) {
        beginBlock()
        let version = Line(rebasing: line[..<(line.firstIndex(of: 0x20) ?? line.count)])
        let rest = line[version.count...].drop { $0 == 0x20 }
        let digits = rest.prefix { $0 != 0x20 }
        guard digits.count == 3, digits.allSatisfy({ 0x30...0x39 ~= $0 }), digits.first != 0x30 else {
            throw AsyncNetError(.badServerResponse, "The server's status line has no three-digit status")
        }
        statusCode = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        httpVersion = try Self.text(version)
        // A client should ignore the phrase (RFC 9112 §4), so an invalid phrase is no error.
        reasonPhrase =
            rest[digits.endIndex...].isEmpty ? nil : try? Self.text(Line(rebasing: rest[(digits.endIndex + 1)...]))
        headers.reserveCapacity(12)
    }

    private mutating func receiveHeader(_ line: Line) throws(AsyncNetError) {
        guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(HTTPSyntax.isTokenByte) else {
            throw AsyncNetError(.badServerResponse, "The server sent a header line without a valid name")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = Self.trimmed(Line(rebasing: line[(colon + 1)...]))
        headers.add(HTTPHeader(name: name, value: try Self.text(value, of: name)))
    }

    private mutating func continueValue(_ line: Line) throws(AsyncNetError) {
        let more = try Self.text(Self.trimmed(line), of: headers.last?.name ?? "")
        guard headers.continueLast(with: more) else {
            throw AsyncNetError(.badServerResponse, "The server's first header line begins with white space")
        }
    }

    private static func text(_ bytes: Line, of name: String = "") throws(AsyncNetError) -> String {
        var isASCII = true
        for byte in bytes where byte < 0x20 || byte >= 0x7F {
            if byte >= 0x80 {
                isASCII = false
            } else if byte != 0x09 {
                throw AsyncNetError(.badServerResponse, "The server sent a header with a control character")
            }
        }
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        return decoded(bytes, of: name)
    }

    /// A value as UTF-8 if valid, else as Latin-1; invalid UTF-8 in a URI is percent-encoded.
    static func decoded(_ bytes: some Collection<UInt8>, of name: String) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard ["location", "content-location"].contains(name.lowercased()) else {
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        let encoded = bytes.reduce(into: [UInt8]()) { encoded, byte in
            if byte < 0x80 { encoded.append(byte) } else { PercentEncoding.append(byte, to: &encoded) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func withoutLineBreak(_ line: Line) -> Line {
        var count = line.count
        if count > 0, line[count - 1] == 0x0A { count -= 1 }
        if count > 0, line[count - 1] == 0x0D { count -= 1 }
        return Line(rebasing: line[..<count])
    }

    private static func trimmed(_ bytes: Line) -> Line {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return Line(rebasing: bytes[start..<end])
    }
}
