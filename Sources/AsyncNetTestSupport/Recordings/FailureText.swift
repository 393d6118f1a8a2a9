import AsyncNet

/// The text of a failure in a HAR file.
enum FailureText {
    /// Reads `code: message`, or the name of an error of Chrome's network stack.
    static func failure(_ text: String) -> RecordedExchange.Failure {
        let name = text.prefix { $0 != ":" }
        if let code = AsyncNetError.Code.allCases.first(where: { $0.rawValue == name }) {
            let message = text.dropFirst(name.count + 2)
            return message.isEmpty ? .init(code) : .init(code, String(message))
        }
        let known = chrome.first { text.contains($0.name) }?.code ?? .transportFailed
        return .init(known)
    }

    /// The codes of errors that can end a body after its head.
    static let codesOfBodies: Set<AsyncNetError.Code> = [
        .badContentEncoding, .badServerResponse, .bodyEndedEarly, .bodyTooLarge, .cancelled, .connectionLost, .timedOut,
        .tlsHandshakeFailed, .transportFailed,
    ]

    private static let chrome: [(name: String, code: AsyncNetError.Code)] = [
        ("ERR_NAME_NOT_RESOLVED", .hostNotFound), ("ERR_CONNECTION_REFUSED", .cannotConnect),
        ("ERR_ADDRESS_UNREACHABLE", .cannotConnect), ("ERR_INTERNET_DISCONNECTED", .cannotConnect),
        ("ERR_CONNECTION_FAILED", .cannotConnect), ("ERR_EMPTY_RESPONSE", .emptyReply),
        ("ERR_CONNECTION_RESET", .connectionLost), ("ERR_CONNECTION_CLOSED", .connectionLost),
        ("ERR_CONNECTION_ABORTED", .connectionLost), ("ERR_NETWORK_CHANGED", .connectionLost),
        ("ERR_CONTENT_LENGTH_MISMATCH", .bodyEndedEarly), ("ERR_INCOMPLETE_CHUNKED_ENCODING", .bodyEndedEarly),
        ("TIMED_OUT", .timedOut), ("ERR_ABORTED", .cancelled), ("ERR_CERT_DATE_INVALID", .certificateExpired),
        ("ERR_CERT_COMMON_NAME_INVALID", .certificateHostMismatch), ("ERR_CERT", .certificateNotTrusted),
        ("ERR_SSL", .tlsHandshakeFailed), ("ERR_CONTENT_DECODING_FAILED", .badContentEncoding),
        ("ERR_INVALID_HTTP_RESPONSE", .badServerResponse), ("ERR_TOO_MANY_REDIRECTS", .tooManyRedirects),
    ]
}
