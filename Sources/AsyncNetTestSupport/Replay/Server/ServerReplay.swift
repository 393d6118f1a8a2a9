import AsyncNet
import Foundation

/// Makes a server's responses from a recording.
struct ServerReplay: Sendable {
    private let source: ReplaySource
    private let pace: ReplayPace
    private let isTLS: Bool
    private let onReplay: (@Sendable (ReplayedRequest) -> Void)?
    /// The origins of the recorded requests.
    private let origins: Set<String>
    /// `false` if the recording has failures before a head. Clients repeat a request by themselves if a kept connection
    /// is closed before the response (RFC 9110 §9.2.2): such a failure would be used up before the user sees it.
    private let keepsConnections: Bool

    init(
        source: ReplaySource, pace: ReplayPace, isTLS: Bool, onReplay: (@Sendable (ReplayedRequest) -> Void)?
    ) {
        (self.source, self.pace, self.isTLS, self.onReplay) = (source, pace, isTLS, onReplay)
        let exchanges = source.plan.exchanges
        origins = Set(exchanges.map(\.request.url.origin))
        keepsConnections = exchanges.allSatisfy { $0.response != nil }
    }

    func response(to received: RecordedRequest) -> MockResponse {
        let request = request(of: received)
        let found = source.take(request)
        var (response, report) = result(of: found, received.method)
        if !keepsConnections { response.headers.update(HTTPHeader(name: "Connection", value: "close")) }
        let url = source.plan.comparison.written(request).url
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        onReplay?(
            ReplayedRequest(
                method: received.method, target: url.path(percentEncoded: true) + query, exchange: report.exchange,
                statusCode: response.fault?.isBeforeHead == true ? nil : response.statusCode,
                mismatch: report.mismatch))
        return response
    }

    private func result(of found: ReplaySource.Found, _ method: HTTPMethod) -> (
        MockResponse, (exchange: Int?, mismatch: ReplayMismatch?)
    ) {
        switch found {
        case .exchange(let index):
            let exchange = source.plan.exchanges[index]
            return (MockResponse(exchange, pace, to: method, of: origins), (index + 1, nil))
        case .none(let mismatch): return (.text("\(mismatch)\n", status: 501), (nil, mismatch))
        }
    }

    /// A target may be a whole URL, as from the client of a proxy (RFC 9112 §3.2.2).
    private func request(of received: RecordedRequest) -> RecordedExchange.Request {
        let isWhole = received.target.hasPrefix("http://") || received.target.hasPrefix("https://")
        let base = "\(isTLS ? "https" : "http")://\(received.headers["Host"] ?? "localhost")"
        let text = isWhole ? received.target : base + (received.target.hasPrefix("/") ? received.target : "/")
        let url = (try? text.asURL()) ?? (try? base.asURL()) ?? URL(filePath: received.path)
        return .init(method: received.method, url: url, headers: received.headers, body: received.body)
    }
}

extension MockResponse.Fault {
    fileprivate var isBeforeHead: Bool {
        switch self {
        case .refuse, .closeBeforeHead, .resetBeforeHead, .stall, .garbage: true
        default: false
        }
    }
}
