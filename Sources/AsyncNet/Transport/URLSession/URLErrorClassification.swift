import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tells URLSession's errors apart.
///
/// On Linux nearly every cause is `URLError.unknown` (-1) and only libcurl's text, in the underlying error, says
/// which; on Apple platforms the code does.
enum URLErrorClassification {
    static func error(for error: any Error) -> AsyncNetError {
        if let error = error as? AsyncNetError { return error }
        let nsError = error as NSError
        let underlying = nsError.userInfo[NSUnderlyingErrorKey] as? NSError
        let text = underlying?.localizedDescription ?? nsError.localizedDescription
        let code = code(for: nsError.code, text: text)
        let shown = underlying == nil ? nil : URLErrorRedaction.text(text)
        return AsyncNetError(code, message(code, text: shown), underlyingError: URLErrorRedaction.error(error))
    }

    /// libcurl's words name hosts and ports but never headers or credentials, so they may be shown.
    private static func message(_ code: AsyncNetError.Code, text: String?) -> String? {
        text.map { "\(code.summary) (\($0))" }
    }

    static func code(for code: Int, text: String) -> AsyncNetError.Code {
        switch code {
        case NSURLErrorCancelled: .cancelled
        case NSURLErrorTimedOut: .timedOut
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: .hostNotFound
        case NSURLErrorCannotConnectToHost where text.contains("trust anchors"): .invalidConfiguration
        case NSURLErrorCannotConnectToHost, NSURLErrorNotConnectedToInternet: .cannotConnect
        case NSURLErrorNetworkConnectionLost: .connectionLost
        case NSURLErrorBadURL: .malformedURL
        case NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateNotYetValid: .certificateExpired
        case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot: .certificateNotTrusted
        case NSURLErrorSecureConnectionFailed, NSURLErrorClientCertificateRejected, NSURLErrorClientCertificateRequired:
            .tlsHandshakeFailed
        case NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData: .badContentEncoding
        case NSURLErrorCannotParseResponse: .badServerResponse
        default: byText(text, code: code)
        }
    }

    private static func byText(_ text: String, code: Int) -> AsyncNetError.Code {
        if let (_, known) = texts.first(where: { text.contains($0.0) }) { return known }
        switch code {
        case NSURLErrorBadServerResponse: return .badServerResponse
        case NSURLErrorUnsupportedURL: return .unsupportedScheme
        default: return .transportFailed
        }
    }

    /// The first fragment that occurs decides.
    private static let texts: [(String, AsyncNetError.Code)] = [
        ("Empty reply from server", .emptyReply),
        ("certificate has expired", .certificateExpired),
        ("certificate is not yet valid", .certificateExpired),
        ("subject name matches", .certificateHostMismatch),
        ("does not match target host name", .certificateHostMismatch),
        ("SSL certificate problem", .certificateNotTrusted),
        ("Recv failure", .connectionLost),
        ("Send failure", .connectionLost),
        ("Could not resolve", .hostNotFound),
        ("Failed to connect", .cannotConnect),
        ("outstanding read data remaining", .bodyEndedEarly),
        ("bytes remaining to read", .bodyEndedEarly),
        ("bytes missing", .bodyEndedEarly),
        ("hexadecimal", .badServerResponse),
        ("chunk", .badServerResponse),
        ("Invalid Content-Length", .badServerResponse),
        ("content encoding", .badContentEncoding),
        ("content unencoding", .badContentEncoding),
        ("Failed writing received data", .badContentEncoding),
        ("Failed writing header", .badServerResponse),
        ("Header without colon", .badServerResponse),
        ("Nul byte in header", .badServerResponse),
        ("NUL byte in header", .badServerResponse),
        // libcurl 8: what FoundationNetworking's own parser refused, or a line that is too long.
        ("Failure writing output", .badServerResponse),
        ("grew larger than allowed", .badServerResponse),
        ("Too many response headers", .badServerResponse),
        ("Invalid response header", .badServerResponse),
        ("Multiple Location headers", .badServerResponse),
        ("Reject response", .badContentEncoding),
        // A header line that begins with a space, or without a valid name.
        ("given a bad argument", .badServerResponse),
        ("Carriage return found in header", .badServerResponse),
        ("Out of memory", .badServerResponse),
        ("Too large response headers", .badServerResponse),
        ("Unsupported response code", .badServerResponse),
        ("Unsupported HTTP version", .badServerResponse),
        ("HTTP/0.9", .badServerResponse),
        ("Unsupported HTTP/1 subversion", .badServerResponse),
        ("HTTP/2 stream", .connectionLost),
        ("SSL", .tlsHandshakeFailed),
        ("TLS", .tlsHandshakeFailed),
    ]
}
