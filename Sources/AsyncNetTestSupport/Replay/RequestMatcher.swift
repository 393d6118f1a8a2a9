/// What a request and a recorded request must have in common, so that the recorded exchange is used for the request.
///
///     ReplayTransport(recording, matching: [.method, .path, .query])
///     ReplayTransport(recording, matching: RequestMatcher.standard + [.headers("Accept")])
///
/// All matchers of a list must agree. Requests are compared in the form of ``RecordingFormat``, with their secrets
/// redacted, so requests that differ in a secret only are equal. The `Range` header is compared whatever the list is: a
/// part of a file is no response to a request for another part (RFC 9110 §14.2).
public struct RequestMatcher: Sendable {
    enum Kind: Sendable {
        case method, origin, host, path, query, body
        case headers([String])
        case custom(@Sendable (RecordedExchange.Request, RecordedExchange.Request) -> Bool)
    }

    let kind: Kind

    /// Method, origin, path, query and body.
    public static let standard: [RequestMatcher] = [.method, .origin, .path, .query, .body]

    /// The methods are equal, by case too (RFC 9110 §9.1).
    public static let method = RequestMatcher(kind: .method)

    /// Scheme, host and port are equal (RFC 6454 §4). A port that is left out is that of the scheme.
    public static let origin = RequestMatcher(kind: .origin)

    /// The hosts are equal, whatever the schemes and ports are: for servers on ports that the system picks.
    public static let host = RequestMatcher(kind: .host)

    /// The paths are equal, after normalization of their percent-encoding (RFC 3986 §6.2.2).
    public static let path = RequestMatcher(kind: .path)

    /// The queries have the same items. Items of different names may have any order, those of one name are compared in
    /// their order. An item without an equals sign has an empty value.
    public static let query = RequestMatcher(kind: .query)

    /// The bodies are equal by their media types: JSON by its value, a form by its fields, a multipart form by its
    /// parts, whatever the boundary is; other bodies by their bytes.
    ///
    /// JSON is compared as `JSON` compares: the order of members does not count, and `1` equals `1.0`. Fields
    /// and parts of different names may have any order. A body without `Content-Type` is JSON if it can be parsed as
    /// such. Compressed bodies are compared decoded. A recorded body that is truncated or missing equals any body.
    public static let body = RequestMatcher(kind: .body)

    /// The headers of these names are equal, or missing in both requests. A file has only the headers of
    /// ``RecordingFormat/requestHeaders``: to compare others, write them.
    public static func headers(_ names: String...) -> RequestMatcher { RequestMatcher(kind: .headers(names)) }

    /// The closure returns `true`. It is called after all other matchers have agreed, with secrets redacted in both
    /// requests; it may be called concurrently and several times for a request, and must not block.
    public static func custom(
        _ matches:
            @escaping @Sendable (
                _ request: RecordedExchange.Request, _ recorded: RecordedExchange.Request
            ) -> Bool
    ) -> RequestMatcher {
        RequestMatcher(kind: .custom(matches))
    }
}
