public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The status line and headers of a response.
///
/// Made either of headers, with their order and repetitions, or of Foundation's `HTTPURLResponse`, which has neither;
/// converted to the other form on demand.
public struct HTTPResponseHead: Sendable {
    /// The status code, such as 200.
    public var statusCode: Int { values.value.statusCode }
    /// The URL of the response; after redirects, the URL of the last hop.
    public var url: URL { values.value.url }
    /// The version, such as `HTTP/1.1`; `nil` if the transport does not know it.
    public var httpVersion: String? { values.value.httpVersion }
    /// The text after the status in the status line, such as `Not Found` (RFC 9112 §4); empty over HTTP/2. `nil` if the
    /// status line has no such text, or the transport, such as URLSession, does not know it.
    public var reasonPhrase: String? { values.value.reasonPhrase }

    private struct Values: Sendable {
        var statusCode: Int
        var url: URL
        var httpVersion: String?
        var reasonPhrase: String?
        var source: Source
        var keepsContentCoding = false
        var isTruncatable = false
    }

    private var values: SharedValue<Values>
    private var source: Source { values.value.source }

    private enum Source: Sendable {
        case headers(HTTPHeaders)
        case response(HTTPURLResponse)
    }

    /// Creates a head of headers.
    public init(
        statusCode: Int, url: URL, headers: HTTPHeaders = [:], httpVersion: String? = nil, reasonPhrase: String? = nil
    ) {
        values = SharedValue(
            Values(
                statusCode: statusCode, url: url, httpVersion: httpVersion, reasonPhrase: reasonPhrase,
                source: .headers(headers)))
    }

    /// Creates a head of Foundation's response.
    public init(_ response: HTTPURLResponse, url: URL) {
        values = SharedValue(Values(statusCode: response.statusCode, url: url, source: .response(response)))
    }

    /// Whether repeated headers are joined, as by Foundation; joined `Set-Cookie` values cannot be separated reliably.
    var joinsRepeatedHeaders: Bool {
        if case .response = source { true } else { false }
    }

    /// Whether nothing but the connection's end marks the end of the body: there was neither a length nor a coding with
    /// an end. A body that was cut on the way then looks whole (RFC 9112 §9.8).
    ///
    /// Over TLS a server announces the connection's end. If it does not, a download or a stream of such a body ends
    /// with `.bodyEndedEarly`, a cache stores nothing, and a body read as a whole is delivered. Known over sockets.
    public internal(set) var isTruncatable: Bool {
        get { values.value.isTruncatable }
        set { values.change { $0.isTruncatable = newValue } }
    }

    /// Whether the body keeps the codings of `Content-Encoding`: nothing decodes it.
    var keepsContentCoding: Bool {
        get { values.value.keepsContentCoding }
        set { values.change { $0.keepsContentCoding = newValue } }
    }

    /// Whether `Content-Length`, `Content-Range` and digests describe the body as it is read: nothing was decoded.
    package var describesBody: Bool { keepsContentCoding || value(for: "Content-Encoding") == nil }

    /// The headers with each `Set-Cookie` in a line of its own, over URLSession too.
    package var separateHeaders: HTTPHeaders {
        guard joinsRepeatedHeaders else { return headers }
        return HTTPHeaders(
            headers.flatMap { header in
                guard header.hasName("Set-Cookie") else { return [header] }
                return SetCookie.split(header.value).map { HTTPHeader(name: header.name, value: $0) }
            })
    }

    /// The headers in the order, spelling and lines in which they were received; over URLSession, which does not keep
    /// these, joined by name and sorted.
    public var headers: HTTPHeaders {
        switch source {
        case .headers(let headers): headers
        case .response(let response):
            HTTPHeaders(
                Dictionary(
                    response.allHeaderFields.compactMap { name, value in (name as? String).map { ($0, "\(value)") } },
                    uniquingKeysWith: { "\($0), \($1)" }))
        }
    }

    /// All values of this name joined by `, `, or `nil`.
    public func value(for name: String) -> String? {
        switch source {
        case .headers(let headers): headers[name]
        case .response(let response): response.value(forHTTPHeaderField: name)
        }
    }

    /// The `Content-Type`, if it is valid; the last value of several, as in browsers (Fetch, "extract a MIME type").
    public var mediaType: MediaType? { value(for: "Content-Type").flatMap(MediaType.last) }

    /// This head as Foundation's type.
    public var urlResponse: HTTPURLResponse? {
        switch source {
        case .response(let response): return response
        case .headers(let headers):
            return HTTPURLResponse(
                url: url, statusCode: statusCode, httpVersion: httpVersion ?? "HTTP/1.1",
                headerFields: headers.dictionary)
        }
    }
}

extension HTTPResponseHead: CustomStringConvertible, CustomReflectable {
    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description, "headers": headers]) }

    public var description: String { "\(statusCode) \(url.withoutSecrets)" }
}
