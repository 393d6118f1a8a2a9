public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Status line and headers of a response.
///
/// Made either from headers, their order and repetitions kept, or from Foundation's `HTTPURLResponse`, which has lost
/// both; each is converted into the other only when somebody asks.
public struct HTTPResponseHead: Sendable {
    /// Three digits, such as 200.
    public let statusCode: Int
    /// The URL that answered; after redirects, the last one.
    public let url: URL
    /// Such as `HTTP/1.1`, where the transport knows it.
    public let httpVersion: String?
    /// What follows the status in the status line, such as `Not Found` (RFC 9112 §4); empty over HTTP/2, which has
    /// none. `nil` where the transport does not know it, as URLSession does not, and where the status line ends with
    /// the status.
    public let reasonPhrase: String?

    private let source: Source

    private enum Source: Sendable {
        case headers(HTTPHeaders)
        case response(HTTPURLResponse)
    }

    public init(
        statusCode: Int, url: URL, headers: HTTPHeaders = [:], httpVersion: String? = nil, reasonPhrase: String? = nil
    ) {
        self.statusCode = statusCode
        self.url = url
        self.httpVersion = httpVersion
        self.reasonPhrase = reasonPhrase
        source = .headers(headers)
    }

    /// A head as Foundation delivers it.
    public init(_ response: HTTPURLResponse, url: URL) {
        statusCode = response.statusCode
        self.url = url
        (httpVersion, reasonPhrase) = (nil, nil)
        source = .response(response)
    }

    /// Several headers of one name have become one, as Foundation has it; also `Set-Cookie`, which cannot be told apart
    /// for sure then.
    package var joinsRepeatedHeaders: Bool {
        if case .response = source { true } else { false }
    }

    /// In the order, the spelling and the lines in which they came; over URLSession, which keeps none of these, one of
    /// each name, sorted.
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

    /// The `Content-Type`, if there is a well-formed one; of several the last, as browsers have it (Fetch, "extract a
    /// MIME type").
    public var mediaType: MediaType? { value(for: "Content-Type").flatMap(MediaType.last) }

    /// Foundation's form of this head, for those who need it.
    public var urlResponse: HTTPURLResponse? {
        switch source {
        case .response(let response): return response
        case .headers(let headers):
            return HTTPURLResponse(
                url: url, statusCode: statusCode, httpVersion: httpVersion ?? "HTTP/1.1",
                headerFields: headers.joinedByName)
        }
    }
}

extension HTTPResponseHead: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description, "headers": headers]) }

    public var description: String { "\(statusCode) \(url.withoutSecrets)" }
}
