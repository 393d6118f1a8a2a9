import Foundation

/// Which responses a private cache stores, and which it removes (RFC 9111 §3, §4.4).
enum CacheRules {
    /// The statuses of responses that may be stored without a lifetime of their own (RFC 9110 §15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The statuses whose caching rules are known (RFC 9111 §5.2.2.3).
    private static let understood: Set<Int> = heuristicStatuses.union([
        201, 202, 205, 302, 303, 305, 307, 400, 401, 402, 403, 406, 407, 408, 409, 411, 412, 413, 415, 416, 417,
        422, 426, 428, 429, 431, 451, 500, 502, 503, 504, 505, 511,
    ])

    /// Challenges, which the next hop responds to, 304, which is no response by itself, 416, which is for one range,
    /// and 421 and 425, which are for one connection.
    private static let neverStored: Set<Int> = [304, 401, 407, 416, 421, 425]

    static func mayBeStored(_ status: Int) -> Bool { status >= 200 && !neverStored.contains(status) }

    /// Whether a response to GET with this status and these headers is stored, unless the request has `no-store`.
    static func mayStore(_ status: Int, _ headers: HTTPHeaders) -> Bool {
        guard mayBeStored(status) else { return false }
        let control = CacheControl(headers)
        if control.contains("must-understand") {
            guard understood.contains(status) else { return false }
        } else if control.contains("no-store") {
            return false
        }
        return heuristicStatuses.contains(status) || control.contains("max-age") || control.contains("public")
            || control.contains("private") || headers.contains(name: "Expires")
    }

    /// The URLs of which stored responses are removed after this response: an unsafe method has changed them (RFC 9111
    /// §4.4). `Location` and `Content-Location` count only within the same origin.
    static func invalidated(by head: HTTPResponseHead, to request: CacheRequest) -> [URL] {
        guard !safe.contains(request.method), 200..<400 ~= head.statusCode else { return [] }
        let others = ["Location", "Content-Location"].compactMap { name in
            head.value(for: name).flatMap { URL(string: $0, relativeTo: request.url)?.absoluteURL }
        }
        return [request.url] + others.filter { $0.origin == request.url.origin }
    }

    private static let safe: Set<HTTPMethod> = [.get, .head, .options, .query, .trace]
}
