public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Method, URL and headers of a request.
public struct HTTPRequestHead: Sendable {
    public var method: HTTPMethod
    public var url: URL
    public var headers: HTTPHeaders

    /// How a URL is written that `URL` cannot hold as it was sent. On the heap: hardly any request has one.
    private final class Spelling: Sendable {
        let spelled: SpelledURL
        init(_ spelled: SpelledURL) { self.spelled = spelled }
    }

    private var spelling: Spelling?

    /// The URL as it is to be written on the wire.
    package var urlText: String {
        guard let spelled = spelling?.spelled, spelled.url == url else { return url.absoluteString }
        return spelled.text
    }

    /// Sets the URL with its text, which counts for as long as the URL is not set to another.
    package mutating func setURL(_ spelled: SpelledURL) {
        url = spelled.url
        spelling = spelled.text == spelled.url.absoluteString ? nil : Spelling(spelled)
    }

    /// What a caller's `URLRequest` says beyond method, URL and headers, kept for ``urlRequest``.
    private var template: URLRequest?

    public init(method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The head of a `URLRequest`; `nil` if that has no URL.
    public init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(
            method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url,
            headers: HTTPHeaders(request.allHTTPHeaderFields ?? [:]))
        template = request
        template?.httpBodyStream = nil
    }

    /// Foundation's form of this head, without a body. Several headers of one name are joined by `, `.
    public var urlRequest: URLRequest {
        var request = template ?? URLRequest(url: url)
        if template != nil {
            request.url = url
            request.httpBody = nil
        }
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = headers.joinedByName
        return request
    }

    /// Refuses what would break the message's framing or smuggle a second one in (RFC 9110 §5.5, §9.1).
    package func validate() throws(AsyncNetError) {
        guard HTTPSyntax.isToken(method.rawValue) else {
            throw AsyncNetError(.invalidRequest, "The method is not a token")
        }
        for header in headers {
            guard HTTPSyntax.isToken(header.name) else {
                throw AsyncNetError(.invalidRequest, "A header's name is not a token")
            }
            guard HTTPSyntax.isFieldValue(header.value) else {
                throw AsyncNetError(.invalidRequest, "The value of header \(header.name) holds a control character")
            }
        }
    }
}

extension Duration {
    /// A `URLRequest`'s; 60 seconds is what every one has that nobody gave a timeout, and so is none.
    package init?(timeoutInterval interval: TimeInterval) {
        guard interval.isFinite, interval > 0, interval < 1e9, interval != 60 else { return nil }
        self = .seconds(interval)
    }
}

extension HTTPRequestHead {
    /// Whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2), by its method or its
    /// `Idempotency-Key`.
    package var isIdempotent: Bool {
        HTTPMethod.idempotent.contains(method) || headers.contains(name: "Idempotency-Key")
    }
}

extension HTTPRequestHead: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description, "headers": headers]) }

    public var description: String { "\(method) \(url.withoutSecrets)" }
}
