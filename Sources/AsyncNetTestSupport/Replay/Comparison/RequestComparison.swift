import AsyncNet
import Foundation

/// What of requests is compared, and which of their values are secret.
struct RequestComparison: Sendable {
    typealias Request = RecordedExchange.Request

    let redaction: RedactionRule
    private(set) var comparesMethod = false
    private(set) var comparesOrigin = false
    private(set) var comparesHost = false
    private(set) var comparesPath = false
    private(set) var comparesQuery = false
    private(set) var comparesBody = false
    private(set) var headers: [String] = ["Range"]
    private(set) var closures: [@Sendable (Request, Request) -> Bool] = []

    init(_ matchers: [RequestMatcher], _ redaction: RedactionRule) {
        self.redaction = redaction
        for matcher in matchers {
            switch matcher.kind {
            case .method: comparesMethod = true
            case .origin: comparesOrigin = true
            case .host: comparesHost = true
            case .path: comparesPath = true
            case .query: comparesQuery = true
            case .body: comparesBody = true
            case .headers(let names): headers += names
            case .custom(let closure): closures.append(closure)
            }
        }
    }

    /// Whether the bytes of bodies decide.
    var needsBody: Bool { comparesBody || !closures.isEmpty }

    /// A server on loopback has another origin than that which was recorded.
    var withoutOrigin: RequestComparison {
        var copy = self
        (copy.comparesOrigin, copy.comparesHost) = (false, false)
        return copy
    }

    func closuresAccept(_ request: Request, _ recorded: Request) -> Bool {
        closures.allSatisfy { $0(request, recorded) }
    }

    // MARK: Redaction

    func redacted(_ request: Request) -> Request {
        var copy = request
        copy.url = redacted(request.url)
        copy.headers = HTTPHeaders(
            request.headers.map { HTTPHeader(name: $0.name, value: redaction.value(of: $0)) })
        copy.body = redaction.body(request.body, contentType: request.headers["Content-Type"])
        return copy
    }

    private func redacted(_ url: URL) -> URL {
        let text = redaction.text(of: url)
        if text == url.absoluteString { return url }
        return (try? text.asURL()) ?? Self.withoutSecretPlaces(url)
    }

    /// For a rule whose replacements are no text of a URL.
    private static func withoutSecretPlaces(_ url: URL) -> URL {
        var bare = URLComponents()
        (bare.scheme, bare.host, bare.port) = (url.scheme, url.host, url.port)
        return bare.url ?? URL(filePath: "/")
    }
}
