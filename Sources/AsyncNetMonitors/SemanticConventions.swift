public import AsyncNet
public import Foundation

/// The values of attributes and labels as OpenTelemetry's semantic conventions for HTTP define them. Spans, metrics and
/// logs use these functions, so that all of them have the same values for the same hop.
public enum SemanticConventions {
    /// The values of `http.request.method`: the methods of RFC 9110 §9, PATCH (RFC 5789) and QUERY. Other methods are
    /// user input, and would make any number of values.
    static let methods: Set<HTTPMethod> = [
        .connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace,
    ]

    /// The value for methods and addresses that are not shown.
    static let other = "_OTHER"

    // MARK: The server

    /// `server.address`: the URL's host in lowercase, an IPv6 address without brackets; `_OTHER` for a host of more
    /// than 255 bytes, which is no valid name (RFC 1035 §2.3.4).
    public static func address(of url: URL) -> String {
        var host = url.host ?? ""
        if host.hasPrefix("[") { host = String(host.dropFirst().prefix { $0 != "]" }) }
        return host.utf8.count > 255 ? other : host.lowercased()
    }

    /// `server.port`: the URL's port, or the default port of its scheme.
    static func port(of url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }

    /// `network.protocol.version`: `1.1` of `HTTP/1.1`, and `2` of `HTTP/2` and `HTTP/2.0`.
    public static func version(_ text: String) -> String {
        switch text {
        case "HTTP/1.1": return "1.1"
        case "HTTP/2": return "2"
        default:
            let number = text.split(separator: "/").last.map(String.init) ?? text
            return number.hasSuffix(".0") && number != "1.0" ? String(number.dropLast(2)) : number
        }
    }

    // MARK: Errors

    /// `error.type` of a hop: the code of the error that ended it, or else a status of 400 or more.
    ///
    /// A cancel is no error, nor is a validator's refusal of a response.
    ///
    /// - Returns: `nil` without an error.
    public static func errorType(of hop: HopSummary) -> String? {
        if case .failed(let error) = hop.ending { return error.code.rawValue }
        return errorType(ofStatus: hop.response?.statusCode)
    }

    /// `error.type` of an attempt or a request: the code of an error that is not about the status, such as a deadline
    /// that ended the retries of a 503, or else a status of 400 or more. A cancel is no error.
    public static func errorType(ofOutcomeWith status: Int?, _ error: AsyncNetError?) -> String? {
        guard let error, error.code != .unacceptableStatus else { return errorType(ofStatus: status) }
        return error.code == .cancelled ? nil : error.code.rawValue
    }

    /// A status of 400 or more as `error.type`.
    private static func errorType(ofStatus status: Int?) -> String? { status.flatMap { $0 >= 400 ? "\($0)" : nil } }
}
