import Foundation

/// How old a stored response is, and for how long it may be used (RFC 9111 §4.2).
struct Freshness {
    /// The seconds since the response was made or confirmed at its origin.
    let age: Double
    /// The age up to which the response is fresh.
    let lifetime: Double
    private let control: CacheControl
    /// Whether the clock was ahead when the response was stored, so that its age is not known.
    private let isFromFuture: Bool

    init(_ response: StoredResponse, at now: Date) {
        control = CacheControl(response.headers)
        age = Self.age(response, now)
        lifetime = Self.lifetime(response, control)
        isFromFuture = response.received > now.addingTimeInterval(60)
    }

    var isFresh: Bool { age < lifetime && !isFromFuture && !control.contains("no-cache") }

    /// Whether the server says that the response does not change while it is fresh (RFC 8246).
    var isImmutable: Bool { control.contains("immutable") }

    var wholeAge: Int { Int(min(max(0, age), Double(CacheControl.mostSeconds))) }

    var staleness: Double { age - lifetime }

    /// Whether a stale response must not be used, even if the request allows it (RFC 9111 §5.2.2.2).
    var forbidsStale: Bool { control.contains("must-revalidate") || control.contains("no-cache") }

    /// Whether the response may be used while it is revalidated (RFC 5861 §3).
    var allowsStaleWhileRevalidating: Bool { allowsStale(within: control.seconds("stale-while-revalidate")) }

    /// Whether the response may be used in place of an error, by its or the request's `stale-if-error` (RFC 5861 §4).
    func allowsStaleIfError(_ request: CacheControl) -> Bool {
        allowsStale(within: control.seconds("stale-if-error"))
            || allowsStale(within: request.seconds("stale-if-error"))
    }

    private func allowsStale(within seconds: Int?) -> Bool {
        guard let seconds, !forbidsStale else { return false }
        return staleness <= Double(seconds)
    }

    private static func age(_ response: StoredResponse, _ now: Date) -> Double {
        let sent = date("Date", response.headers) ?? response.received
        let apparent = max(0, response.received.timeIntervalSince(sent))
        let delay = max(0, response.received.timeIntervalSince(response.requested))
        // The first value of `Age` if it is valid, otherwise 0 (RFC 9111 §5.1).
        let value = response.headers["Age"]?.split(separator: ",").first.map { String($0).trimmedHTTPSpace }
        let corrected = Double(value.flatMap(CacheControl.seconds) ?? 0) + delay
        return max(apparent, corrected) + max(0, now.timeIntervalSince(response.received))
    }

    private static func lifetime(_ response: StoredResponse, _ control: CacheControl) -> Double {
        if let seconds = control.seconds("max-age") { return Double(seconds) }
        if response.headers.contains(name: "Expires") {
            // An invalid date, such as 0 or one without its comma, is a time in the past (RFC 9111 §5.3).
            guard let text = response.headers.values(for: "Expires").first, HTTPDate.isExact(text),
                let expires = date("Expires", response.headers)
            else { return 0 }
            return expires.timeIntervalSince(date("Date", response.headers) ?? response.received)
        }
        return heuristicLifetime(response, control)
    }

    /// A tenth of the time from `Last-Modified` to `Date`, at most a week (RFC 9111 §4.2.2).
    private static func heuristicLifetime(_ response: StoredResponse, _ control: CacheControl) -> Double {
        guard CacheRules.heuristicStatuses.contains(response.statusCode) || control.contains("public"),
            let modified = date("Last-Modified", response.headers)
        else { return 0 }
        let sent = date("Date", response.headers) ?? response.received
        return min(max(0, sent.timeIntervalSince(modified)) / 10, longestHeuristic)
    }

    private static let longestHeuristic = 7.0 * 24 * 3600

    private static func date(_ name: String, _ headers: HTTPHeaders) -> Date? {
        headers.values(for: name).first.flatMap { HTTPDate($0)?.date }
    }
}
