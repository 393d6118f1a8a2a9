/// How a response's body is delimited over HTTP/1.1 (RFC 9112 §6.3).
enum HTTP1Framing: Equatable {
    case none
    case length(Int64)
    case chunked
    case untilClose

    /// A head that two readers could frame differently is refused: one would take a part of the body for the next
    /// response (RFC 9112 §11.2).
    init(_ head: HTTPResponseHead, answering method: HTTPMethod) throws(AsyncNetError) {
        if head.isBodyless(answering: method) || method == .connect && 200..<300 ~= head.statusCode {
            self = .none
        } else if head.headers.contains(name: "Transfer-Encoding") {
            self = try Self.coded(head)
        } else if let length = head.contentLength {
            self = .length(length)
        } else {
            try head.checkLength(answering: method)
            self = .untilClose
        }
    }

    private static func coded(_ head: HTTPResponseHead) throws(AsyncNetError) -> HTTP1Framing {
        guard head.httpVersion != "HTTP/1.0" else {
            throw AsyncNetError(.badServerResponse, "The server sent a Transfer-Encoding over HTTP/1.0")
        }
        let codings = (head.headers["Transfer-Encoding"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0).trimmedHTTPSpace.lowercased() }
        guard codings == ["chunked"] else {
            throw AsyncNetError(
                .badServerResponse, "The server sent a Transfer-Encoding other than chunked, which was not asked for")
        }
        guard !head.headers.contains(name: "Content-Length") else {
            throw AsyncNetError(.badServerResponse, "The server sent both a Transfer-Encoding and a Content-Length")
        }
        return .chunked
    }
}

extension HTTPResponseHead {
    /// Whether the server keeps the connection open after this response (RFC 9112 §9.3); old proxies say so in
    /// `Proxy-Connection`.
    func keepsConnection(isOfProxy: Bool = false) -> Bool {
        func has(_ option: String) -> Bool {
            headers.lists(option, in: "Connection") || isOfProxy && headers.lists(option, in: "Proxy-Connection")
        }
        return !has("close") && (httpVersion != "HTTP/1.0" || has("keep-alive"))
    }

    /// The seconds in `Keep-Alive: timeout=…`, 0 after the server's last request (`max=0`); `nil` without such a
    /// hint.
    var keepAliveSeconds: Int? {
        guard let text = value(for: "Keep-Alive") else { return nil }
        var seconds: Int?
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { String($0).trimmedHTTPSpace.lowercased() }
            guard pair.count == 2, let number = Int(pair[1]), number >= 0 else { continue }
            if pair[0] == "timeout" { seconds = min(seconds ?? number, number) }
            if pair[0] == "max", number == 0 { seconds = 0 }
        }
        return seconds
    }
}
