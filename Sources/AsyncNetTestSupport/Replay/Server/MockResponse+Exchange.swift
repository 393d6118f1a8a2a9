import AsyncNet
import Foundation

extension MockResponse {
    /// A recorded response, or its failure, as a server sends it.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - origins: The origins of the recording: a `Location` at one of these leads to the server.
    init(_ exchange: RecordedExchange, _ pace: ReplayPace, to method: HTTPMethod, of origins: Set<String>) {
        self.init()
        switch exchange.outcome {
        case .failure(let failure): fault = Self.fault(beforeHead: failure.code)
        case .response(let response): set(response, pace, method, origins)
        }
        delay = pace.delay(exchange.latency)
    }

    private mutating func set(
        _ response: RecordedExchange.Response, _ pace: ReplayPace, _ method: HTTPMethod, _ origins: Set<String>
    ) {
        (statusCode, reason, trailers) = (response.statusCode, response.reason, response.trailers)
        informational = response.informational.map { ($0.statusCode, $0.headers) }
        let hasNoBody = method == .head || [204, 304].contains(statusCode)
        headers = Self.sent(response.headers, keepsLength: hasNoBody, origins)
        body = response.body
        pauses = response.chunks.map { pace.delay($0.delay) }
        if isChunked(response, hasNoBody) { chunks = response.chunks.map(\.data) }
        if response.isBodyTruncated { fault = .truncate(after: .max) }
        if let failure = response.failure { fault = Self.fault(inBody: failure.code) }
    }

    /// Whether the head has `Transfer-Encoding: chunked`. A response to HEAD and a 304 have it if no `Content-Length`
    /// was recorded: otherwise the server would say `Content-Length: 0`, which is wrong.
    private func isChunked(_ response: RecordedExchange.Response, _ hasNoBody: Bool) -> Bool {
        if hasNoBody { return statusCode != 204 && !headers.contains(name: "Content-Length") }
        let isWhole = response.failure == nil && !response.isBodyTruncated && trailers.isEmpty
        return !isWhole || pauses.count > 1 || pauses.contains { $0 > .zero }
    }

    // MARK: Headers

    /// The headers that are not replayed: they describe the recorded connection, server or encoding of the body.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "trailer", "content-encoding",
        "content-length", "alt-svc", "strict-transport-security",
    ]

    private static func sent(_ headers: HTTPHeaders, keepsLength: Bool, _ origins: Set<String>) -> HTTPHeaders {
        HTTPHeaders(
            headers.compactMap { header in
                let name = header.name.lowercased()
                if name == "content-length", keepsLength { return header }
                // HTTP/2 as some browsers record it has the status among the headers.
                if dropped.contains(name) || name.hasPrefix(":") { return nil }
                guard name == "location" else { return header }
                return HTTPHeader(name: header.name, value: location(header.value, origins))
            })
    }

    /// The path, query and fragment of a URL of a recorded origin; any other text unchanged.
    private static func location(_ text: String, _ origins: Set<String>) -> String {
        guard let url = URL(string: text), url.scheme != nil, origins.contains(url.origin) else { return text }
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        let fragment = url.fragment(percentEncoded: true).map { "#\($0)" } ?? ""
        return (path.isEmpty ? "/" : path) + query + fragment
    }

    // MARK: Failures

    private static func fault(beforeHead code: AsyncNetError.Code) -> Fault {
        switch code {
        case .cancelled, .timedOut: .stall
        case .emptyReply: .closeBeforeHead
        case .badServerResponse: .garbage
        default: .resetBeforeHead
        }
    }

    private static func fault(inBody code: AsyncNetError.Code) -> Fault {
        switch code {
        case .cancelled, .timedOut: .stallMidBody(after: .max)
        case .bodyEndedEarly: .truncate(after: .max)
        default: .resetMidBody(after: .max)
        }
    }
}
