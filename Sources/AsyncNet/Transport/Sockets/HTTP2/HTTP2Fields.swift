import Foundation

/// The fields of a message over HTTP/2 (RFC 9113 §8).
package enum HTTP2Fields {
    /// Reads the head of a response: `:status` must be first, and names must be in lower case.
    static func head(_ fields: [HTTPHeader], _ url: URL) throws(HTTP2Violation) -> HTTPResponseHead {
        // A response cannot have the status 101 over HTTP/2 (RFC 9113 §8.6).
        guard let status = fields.first, status.name == ":status", status.value.utf8.count == 3,
            let code = Int(status.value), code >= 100, code != 101
        else {
            throw HTTP2Violation(.protocolError, "HEADERS that do not begin with a valid :status", "8.3.2")
        }
        return HTTPResponseHead(
            statusCode: code, url: url, headers: try headers(fields.dropFirst()), httpVersion: "HTTP/2",
            reasonPhrase: "")
    }

    package static func headers(_ fields: ArraySlice<HTTPHeader>) throws(HTTP2Violation) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count)
        for field in fields {
            try check(field)
            // Real servers send values with blanks at their ends, which RFC 9113 §8.2.1 forbids and which do no harm.
            headers.add(HTTPHeader(name: field.name, value: field.value.trimmedHTTPSpace))
        }
        return headers
    }

    private static func check(_ field: HTTPHeader) throws(HTTP2Violation) {
        let name = field.name.utf8
        try require(name.first != 0x3A, else: .protocolError, "HEADERS with a pseudo-header field out of place", "8.3")
        try require(
            !name.isEmpty && name.allSatisfy { HTTPSyntax.isTokenByte($0) && !(0x41...0x5A ~= $0) },
            else: .protocolError, "HEADERS with an invalid name", "8.2.1")
        try require(
            field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, else: .protocolError,
            "HEADERS with a control character in \(field.name)", "8.2.1")
        try require(
            !ofConnection.contains(field.name), else: .protocolError, "HEADERS with the field \(field.name)", "8.2.2")
    }

    /// The fields that are about an HTTP/1.1 connection, which HTTP/2 forbids (RFC 9113 §8.2.2).
    private static let ofConnection = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

    /// A request's fields (RFC 9113 §8.3.1), in the order in which they are sent. `length` is the body's length, if it
    /// is known.
    static func request(
        _ head: HTTPRequestHead, isTLS: Bool, target: String, authority: String, length: Int64?
    ) -> HTTPHeaders {
        var fields = HTTPHeaders()
        fields.reserveCapacity(head.headers.count + 7)
        fields.add(name: ":method", value: head.method.rawValue)
        // CONNECT has neither `:scheme` nor `:path` (RFC 9113 §8.5).
        if head.method != .connect { fields.add(name: ":scheme", value: isTLS ? "https" : "http") }
        fields.add(name: ":authority", value: head.host ?? authority)
        if head.method != .connect { fields.add(name: ":path", value: target) }
        let named = head.headers.values(for: "Connection").flatMap { $0.split(separator: ",") }
            .map { String($0).trimmedHTTPSpace }
        for header in head.headers where !header.isOmission && !isReplaced(header) {
            if !named.contains(where: header.hasName) { fields.add(header) }
        }
        if !head.headers.contains(name: "Accept") { fields.add(name: "accept", value: "*/*") }
        if !head.headers.contains(name: "Accept-Encoding") {
            fields.add(name: "accept-encoding", value: ContentDecoding.acceptEncoding)
        }
        if let length, length > 0 || head.method.expectsBody {
            fields.add(name: "content-length", value: String(length))
        }
        return fields
    }

    /// Whether the transport writes the field itself, the field is for a proxy, or HTTP/2 forbids it.
    private static func isReplaced(_ header: HTTPHeader) -> Bool {
        replaced.contains(where: header.hasName) || header.hasName("TE") && header.value.lowercased() != "trailers"
    }

    private static let replaced = ofConnection + ["content-length", "host", "http2-settings", "proxy-authorization"]
}
