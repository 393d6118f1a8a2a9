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
        // libcurl's text contains hosts and ports but neither headers nor credentials, so it may be shown.
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
        return texts.first { text.contains($0.0) }?.1
    }

    /// Fragments of the texts of libcurl 7.66 to 8.23 that a server or the network can cause; the first one that
    /// occurs decides.
    private static let texts: [(String, AsyncNetError.Code)] = [
        ("certificate has expired", .certificateExpired),
        ("not yet valid", .certificateExpired),
        ("subject name matches", .certificateHostMismatch),
        ("does not match target host", .certificateHostMismatch),
        ("common name from peer", .certificateHostMismatch),
        ("ssl certificate problem", .certificateNotTrusted),
        ("certificate openssl verify result", .certificateNotTrusted),
        ("peer certificate or ssh", .certificateNotTrusted),
        ("resolve proxy", .proxyNotFound),
        ("resolve host", .hostNotFound),
        ("could not resolve", .hostNotFound),
        ("connect tunnel failed", .proxyFailed),
        ("proxy connect", .proxyFailed),
        ("from proxy after connect", .proxyFailed),
        ("proxy syntax", .invalidConfiguration),
        ("proxy scheme", .invalidConfiguration),
        ("connect response too large", .proxyFailed),
        ("proxy handshake", .proxyFailed),
        ("failed to connect", .cannotConnect),
        ("connect to server", .cannotConnect),
        ("timed out", .timedOut),
        ("time-out", .timedOut),
        ("empty reply", .emptyReply),
        ("server returned nothing", .emptyReply),
        ("connection died", .connectionLost),
        // TLS. A connection that ends inside the handshake is a failed handshake; later it is a lost connection.
        ("ssl_connect", .tlsHandshakeFailed),
        ("ssl connect", .tlsHandshakeFailed),
        ("tls connect", .tlsHandshakeFailed),
        ("unexpected eof", .connectionLost),
        ("closed abruptly", .connectionLost),
        ("recv failure", .connectionLost),
        ("send failure", .connectionLost),
        ("connection reset", .connectionLost),
        ("read data remaining", .bodyEndedEarly),
        ("bytes remaining to read", .bodyEndedEarly),
        ("bytes missing", .bodyEndedEarly),
        ("partial file", .bodyEndedEarly),
        // Content codings, then other texts about codings and chunks.
        ("content-encoding found", .badContentEncoding),
        ("content or transfer-encoding", .badContentEncoding),
        ("content encoding", .badContentEncoding),
        ("content unencoding", .badContentEncoding),
        ("writing received data", .badContentEncoding),
        ("gzip response", .badContentEncoding),
        ("hexadecimal", .badServerResponse),
        ("chunk", .badServerResponse),
        ("transfer-encoding", .badServerResponse),
        ("transfer encoding", .badServerResponse),
        // HTTP/2: first malformed messages, then connections and streams that ended.
        ("header field", .badServerResponse),
        ("http2 framing layer", .badServerResponse),
        ("mem_recv", .badServerResponse),
        ("http/2 stream", .connectionLost),
        ("http/2 framing layer", .connectionLost),
        ("http/2: no new requests", .connectionLost),
        ("http2 data", .connectionLost),
        ("refused by server", .connectionLost),
        ("when receiving data", .connectionLost),
        ("failed sending", .connectionLost),
        // Heads. In 7.x "out of memory" means a line that is too long, and "bad argument" a folded first line or a CR
        // in a name.
        ("header", .badServerResponse),
        ("content-length", .badServerResponse),
        ("status line", .badServerResponse),
        ("response code", .badServerResponse),
        ("http version", .badServerResponse),
        ("version mismatch", .badServerResponse),
        ("http/0.9", .badServerResponse),
        ("http/1 subversion", .badServerResponse),
        ("lying server", .badServerResponse),
        ("101 response", .badServerResponse),
        ("weird server reply", .badServerResponse),
        ("out of memory", .badServerResponse),
        ("bad argument", .badServerResponse),
        ("grew larger than allowed", .badServerResponse),
        ("writing output to destination", .badServerResponse),
        ("ssl", .tlsHandshakeFailed),
        ("tls", .tlsHandshakeFailed),
    ]
}
