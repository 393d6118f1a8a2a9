import AsyncNet
import CAsyncNetLibcurl

/// Maps libcurl's results to error codes: by their number, and where a number has several causes, by libcurl's text.
enum LibcurlErrors {
    /// What libcurl reported about a failed transfer, and the parts of the configuration that its text may name.
    struct Circumstances {
        var text = ""
        /// OpenSSL's verification result, 0 if there is none.
        var verifyResult = 0
        /// A proxy's response to CONNECT that refuses the tunnel; `nil` if there was none.
        var refusal: HTTPResponseHead?
        /// The `errno` of the last failed attempt to connect; 0 if it is not known.
        var systemError: Int32 = 0
        /// The configured proxy's host.
        var proxyHost: String?
        var unixSocket: String?

        var hasFailedToConnect: Bool { text.hasPrefix("Failed to connect") }
        /// libcurl's text; `nil` if it names the host, which may contain a word that `byText` looks for.
        var textWithoutHost: String? { hasFailedToConnect ? nil : text }
    }

    static func error(for result: Int32, _ circumstances: Circumstances) -> AsyncNetError {
        var circumstances = circumstances
        if circumstances.text.isEmpty { circumstances.text = String(cString: lc_error_text(result)) }
        let code = code(for: result, circumstances)
        if code == .cannotConnect {
            let failure = ConnectFailure(circumstances.systemError, isUnixSocket: circumstances.unixSocket != nil)
            let error = AsyncNetError(code, message(code, circumstances, failure?.reason.map { ": \($0)" } ?? ""))
            return failure.map { error.with(advice: $0.advice) } ?? error
        }
        let error = AsyncNetError(code, message(code, circumstances))
        guard code == .proxyFailed else { return error }
        if socksRefusals.contains(where: circumstances.text.contains) { return error.asLasting }
        guard let refusal = circumstances.refusal else { return error }
        return error.with(proxy: .init(statusCode: refusal.statusCode) { refusal.urlResponse })
    }

    /// libcurl's texts for a SOCKS5 proxy that does not accept the user, the password, or a client without them (RFC
    /// 1928 §3, RFC 1929 §2).
    private static let socksRefusals = ["rejected by the SOCKS5 server", "No authentication method was acceptable"]

    /// The error for a result while a response's head was received, for which libcurl's own texts, such as "out of
    /// memory", are wrong; `nil` if the result has its usual meaning.
    static func headError(for result: Int32, _ text: String) -> AsyncNetError? {
        switch result {
        // A status line or header is longer than libcurl's own limit, 100 KiB.
        case 27, 100:
            AsyncNetError(
                .badServerResponse,
                "The server sent a status line or a header that is too large: libcurl reads no line above 100 KiB")
        // libcurl 8 also has this result for a client's private key that it cannot use; its text then names the key.
        case 43 where byText(text) == nil:
            AsyncNetError(
                .badServerResponse, "The server sent a header line that begins with a space, or without a valid name")
        default: nil
        }
    }

    /// libcurl's text names hosts and ports. A text with a URL, such as a proxy's, is omitted: it may contain a
    /// password.
    private static func message(
        _ code: AsyncNetError.Code, _ circumstances: Circumstances, _ reason: String = ""
    ) -> String {
        let text = circumstances.text
        if code == .invalidConfiguration, text.hasPrefix(unsupportedProxyScheme) { return ProxyConfiguration.schemes }
        let cause = text.contains("@") || text.contains("://") ? "" : " (\(text))"
        guard code == .cannotConnect else { return code.summary + cause }
        if let path = circumstances.unixSocket { return "The unix socket \(path) could not be connected to\(reason)" }
        if let proxy = circumstances.proxyHost, text.contains(proxy) {
            return "The proxy could not be connected to\(reason)\(cause)"
        }
        return code.summary + reason + cause
    }

    /// Whether the connection failed before a response was understood: libcurl's results for bytes that are not HTTP
    /// (1, 8), invalid HTTP/2 (16), no bytes (52), and failed sending and receiving (55, 56, 65).
    static func isConnectionFailure(_ result: Int32) -> Bool { [1, 8, 16, 52, 55, 56, 65].contains(result) }

    static func code(for result: Int32, _ circumstances: Circumstances) -> AsyncNetError.Code {
        switch result {
        case 1: byText(circumstances.text) ?? .unsupportedScheme
        case 3: circumstances.text.hasPrefix("HTTP/3 ") ? .unsupportedByTransport : .malformedURL
        case 4, 48: .unsupportedByTransport
        case 5: circumstances.text.contains("proxy syntax") ? .invalidConfiguration : .proxyNotFound
        case 6: circumstances.proxyHost.map(circumstances.text.contains) == true ? .proxyNotFound : .hostNotFound
        case 7, 45:
            circumstances.refusal != nil
                ? .proxyFailed : circumstances.textWithoutHost.flatMap(byText) ?? .cannotConnect
        // 27 and 100: a header line that is too long.
        case 8, 16, 27, 63, 100: .badServerResponse
        case 18: .bodyEndedEarly
        case 28: .timedOut
        case 52: .emptyReply
        // Over QUIC libcurl sends while it connects.
        case _ where [55, 56, 96].contains(result) && circumstances.hasFailedToConnect: .cannotConnect
        case 55, 56, 65, 92:
            circumstances.refusal != nil ? .proxyFailed : byText(circumstances.text) ?? .connectionLost
        case 23, 61: .badContentEncoding
        case 35, 59, 66, 83, 98: .tlsHandshakeFailed
        case 51: .certificateHostMismatch
        case 58: .clientCertificateInvalid
        case 60: untrusted(circumstances)
        case 77, 82: .invalidConfiguration
        case 90: .certificatePinMismatch
        case 91: .certificateRevoked
        case 97: .proxyFailed
        default: byText(circumstances.text) ?? .transportFailed
        }
    }

    private static func untrusted(_ circumstances: Circumstances) -> AsyncNetError.Code {
        switch circumstances.verifyResult {
        case 9, 10: .certificateExpired
        case 62: .certificateHostMismatch
        // Over QUIC libcurl's text names no cause. libcurl checks the host name, then reads OpenSSL's verify result,
        // which is 1 until then: so 1 means that the host name did not match.
        case 1 where circumstances.hasFailedToConnect: .certificateHostMismatch
        default: circumstances.textWithoutHost.flatMap(byText) ?? .certificateNotTrusted
        }
    }

    /// libcurl's text for a proxy in the environment. A proxy in the configuration is checked before the request is
    /// sent.
    private static let unsupportedProxyScheme = "Unsupported proxy scheme"

    private static func byText(_ text: String) -> AsyncNetError.Code? {
        texts.first { $0.1.contains(where: text.contains) }?.0
    }

    /// Fragments of libcurl's texts. The first fragment that occurs in a text decides.
    private static let texts: [(AsyncNetError.Code, [String])] = [
        (.invalidConfiguration, [unsupportedProxyScheme]),
        (.certificateExpired, ["certificate has expired", "not yet valid"]),
        (.certificateHostMismatch, ["subject name"]),
        (.clientCertificateInvalid, ["set private key", "load private key", "Private key does not match"]),
        (.proxyFailed, ["CONNECT tunnel failed", "Proxy CONNECT aborted"]),
        (.badServerResponse, ["hexadecimal", "chunk", "HTTP version", "HTTP/0.9", "HTTP/1 subversion"]),
        (.badServerResponse, ["Lying server", "Version mismatch"]),
        (.connectionLost, ["no filter connected", "Recv failure", "Send failure"]),
        (.badServerResponse, ["response code", "response headers", "header"]),
        // The peer closed the connection without TLS's close_notify.
        (.connectionLost, ["unexpected eof"]),
        (.tlsHandshakeFailed, ["alert", "SSL routines"]),
    ]
}
