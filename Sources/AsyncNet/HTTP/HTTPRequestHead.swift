public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The method, URL and headers of a request.
public struct HTTPRequestHead: Sendable {
    private struct Values: Sendable {
        var method: HTTPMethod
        var url: URL
        var headers: HTTPHeaders
        /// The URL's text on the wire, if a `URL` cannot represent it.
        var spelled: SpelledURL?
        /// The caller's `URLRequest`, whose other properties ``urlRequest`` keeps.
        var template: URLRequest?
    }

    /// Shared, since a request and each of its events have the same head.
    private var values: SharedValue<Values>

    /// The method; GET by default.
    public var method: HTTPMethod {
        get { values.value.method }
        set { values.change { $0.method = newValue } }
    }

    /// The absolute URL.
    public var url: URL {
        get { values.value.url }
        set { values.change { $0.url = newValue } }
    }

    /// The headers in order. A transport may send framing headers elsewhere; URLSession keeps no order.
    public var headers: HTTPHeaders {
        get { values.value.headers }
        set { values.change { $0.headers = newValue } }
    }

    package var urlText: String {
        guard let spelled = values.value.spelled, spelled.url == url else { return url.absoluteString }
        return spelled.text
    }

    /// Sets the URL with its text, which is used until the URL is changed.
    mutating func setURL(_ spelled: SpelledURL) {
        values.change { values in
            values.url = spelled.url
            values.spelled = spelled.text == spelled.url.absoluteString ? nil : spelled
        }
    }

    /// Creates a head.
    public init(method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:]) {
        values = SharedValue(Values(method: method, url: url, headers: headers))
    }

    /// Creates the head of a `URLRequest`; `nil` if that has no URL.
    public init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        var template = request
        template.httpBodyStream = nil
        values = SharedValue(
            Values(method: request.method, url: url, headers: request.headers, template: template))
    }

    /// This head as a `URLRequest` without a body. Repeated headers are joined by `, `.
    public var urlRequest: URLRequest {
        let template = values.value.template
        var request = template ?? URLRequest(url: url)
        if template != nil {
            request.url = url
            request.httpBody = nil
        }
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = headers.dictionary
        return request
    }

    /// Refuses names and values that would break the message's framing or inject another message (RFC 9110 §5.5, §9.1).
    func validate() throws(AsyncNetError) {
        guard HTTPSyntax.isToken(method.rawValue) else {
            throw AsyncNetError(.invalidRequest, "The method is not a token")
        }
        try headers.validate()
    }

    /// Whether the request may be repeated: its method is idempotent (RFC 9110 §9.2.2), or it has an `Idempotency-Key`.
    package var isIdempotent: Bool {
        HTTPMethod.idempotent.contains(method) || headers.contains(name: "Idempotency-Key")
    }

    /// Whether nothing more may be sent on the connection after this request (RFC 9112 §9.6).
    package var closesConnection: Bool { headers.lists("close", in: "Connection") }
}

extension HTTPHeaders {
    func validate() throws(AsyncNetError) {
        for header in self {
            guard HTTPSyntax.isToken(header.name) else {
                throw AsyncNetError(.invalidRequest, "A header's name is not a token")
            }
            guard HTTPSyntax.isFieldValue(header.value) else {
                throw AsyncNetError(.invalidRequest, "The value of header \(header.name) contains a control character")
            }
        }
    }
}

extension URLRequest {
    /// The method; GET if there is none.
    public var method: HTTPMethod {
        get { HTTPMethod(rawValue: httpMethod ?? "GET") }
        set { httpMethod = newValue.rawValue }
    }

    /// The headers. Foundation keeps one value for each name, in no order: repeated headers are joined by `, `.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(allHTTPHeaderFields ?? [:]) }
        set { allHTTPHeaderFields = newValue.dictionary }
    }
}

extension Duration {
    /// The timeout of a `URLRequest`; `nil` for 60 seconds, Foundation's default, and for an invalid timeout.
    init?(timeoutInterval interval: TimeInterval) {
        guard interval.isFinite, interval > 0, interval < 1e9, interval != 60 else { return nil }
        self = .seconds(interval)
    }
}

extension HTTPRequestHead: CustomStringConvertible, CustomReflectable {
    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description, "headers": headers]) }

    public var description: String { "\(method) \(url.withoutSecrets)" }
}
