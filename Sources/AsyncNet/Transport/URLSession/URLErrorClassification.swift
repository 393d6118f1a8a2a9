import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Maps URLSession's errors to error codes. On Linux nearly every error is `URLError.unknown` (-1), and only
/// libcurl's text in the underlying error has the cause.
enum URLErrorClassification {
    static func error(for error: any Error) -> AsyncNetError {
        if let error = error as? AsyncNetError { return error }
        let nsError = error as NSError
        let underlying = nsError.userInfo[NSUnderlyingErrorKey] as? NSError
        let text = underlying?.localizedDescription ?? nsError.localizedDescription
        let code = code(for: nsError.code, text: text)
        // libcurl's text contains a proxy's URL that it cannot parse, with the password.
        guard code != .invalidConfiguration || !text.lowercased().contains("proxy") else { return AsyncNetError(code) }
        // libcurl's other texts contain hosts and ports but neither headers nor credentials, so they may be shown.
        let message = underlying == nil ? nil : "\(code.summary) (\(URLErrorRedaction.text(text)))"
        let known = AsyncNetError(code, message, underlyingError: URLErrorRedaction.error(error))
        guard code == .proxyFailed, let status = tunnelStatus(in: text) else { return known }
        return known.with(proxy: .init(statusCode: status) { nil })
    }

    /// The status of a proxy's response to CONNECT, which only libcurl's text has: `CONNECT tunnel failed, response
    /// 407`, or before 7.87 `Received HTTP code 407 from proxy after CONNECT`.
    private static func tunnelStatus(in text: String) -> Int? {
        guard text.contains("CONNECT") else { return nil }
        return text.split { !$0.isNumber }.lazy.compactMap { Int($0) }.first { 100...999 ~= $0 }
    }

    static func code(for code: Int, text: String) -> AsyncNetError.Code {
        switch code {
        case NSURLErrorCancelled: .cancelled
        case NSURLErrorTimedOut: .timedOut
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: .hostNotFound
        case NSURLErrorCannotConnectToHost where text.contains("trust anchors"): .invalidConfiguration
        // FoundationNetworking with libcurl 8 reports TLS errors with this code too.
        case NSURLErrorCannotConnectToHost: byText(text) ?? .cannotConnect
        case NSURLErrorNotConnectedToInternet: .cannotConnect
        case NSURLErrorNetworkConnectionLost: .connectionLost
        case NSURLErrorBadURL: .malformedURL
        case NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateNotYetValid: .certificateExpired
        case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot: .certificateNotTrusted
        case NSURLErrorSecureConnectionFailed, NSURLErrorClientCertificateRejected, NSURLErrorClientCertificateRequired:
            .tlsHandshakeFailed
        case NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData: .badContentEncoding
        case NSURLErrorCannotParseResponse: .badServerResponse
        case NSURLErrorBadServerResponse: byText(text) ?? .badServerResponse
        case NSURLErrorUnsupportedURL: byText(text) ?? .unsupportedScheme
        default: byText(text) ?? .transportFailed
        }
    }

    private static func byText(_ text: String) -> AsyncNetError.Code? {
        let text = text.lowercased()
        return texts.first { $0.1.contains { text.contains($0) } }?.0
    }

    /// Fragments of the texts of libcurl 7.66 to 8.23 that a server or the network can cause; the first one that
    /// occurs decides.
    private static let texts: [(AsyncNetError.Code, [String])] = [
        (.certificateExpired, ["certificate has expired", "not yet valid"]),
        (.certificateHostMismatch, ["subject name matches", "does not match target host", "common name from peer"]),
        (.certificateNotTrusted, ["ssl certificate problem", "certificate openssl verify result"]),
        (.certificateNotTrusted, ["peer certificate or ssh"]),
        (.proxyNotFound, ["resolve proxy"]),
        (.hostNotFound, ["resolve host", "could not resolve"]),
        (.proxyFailed, ["connect tunnel failed", "proxy connect", "from proxy after connect"]),
        (.invalidConfiguration, ["proxy syntax", "proxy scheme"]),
        (.proxyFailed, ["connect response too large", "proxy handshake"]),
        (.cannotConnect, ["failed to connect", "connect to server"]),
        (.timedOut, ["timed out", "time-out"]),
        (.emptyReply, ["empty reply", "server returned nothing"]),
        (.connectionLost, ["connection died"]),
        // TLS. A connection that ends inside the handshake is a failed handshake; later it is a lost connection.
        (.tlsHandshakeFailed, ["ssl_connect", "ssl connect", "tls connect"]),
        (.connectionLost, ["unexpected eof", "closed abruptly", "recv failure", "send failure", "connection reset"]),
        (.bodyEndedEarly, ["read data remaining", "bytes remaining to read", "bytes missing", "partial file"]),
        // Content codings come first: `content or transfer-encoding` contains `transfer-encoding`.
        (.badContentEncoding, ["content-encoding found", "content or transfer-encoding", "content encoding"]),
        (.badContentEncoding, ["content unencoding", "writing received data", "gzip response"]),
        (.badServerResponse, ["hexadecimal", "chunk", "transfer-encoding", "transfer encoding"]),
        // HTTP/2: first malformed messages, then connections and streams that ended.
        (.badServerResponse, ["header field", "http2 framing layer", "mem_recv"]),
        (.connectionLost, ["http/2 stream", "http/2 framing layer", "http/2: no new requests", "http2 data"]),
        (.connectionLost, ["refused by server", "when receiving data", "failed sending"]),
        // Heads. In 7.x "out of memory" means a line that is too long, and "bad argument" a folded first line or a CR
        // in a name.
        (.badServerResponse, ["header", "content-length", "status line", "response code", "http version"]),
        (.badServerResponse, ["version mismatch", "http/0.9", "http/1 subversion", "lying server", "101 response"]),
        (.badServerResponse, ["weird server reply", "out of memory", "bad argument", "grew larger than allowed"]),
        (.badServerResponse, ["writing output to destination"]),
        (.tlsHandshakeFailed, ["ssl", "tls"]),
    ]
}
