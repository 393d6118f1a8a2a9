extension HPACKEncoder {
    /// Whether a field is remembered for the next blocks.
    package enum Indexing: Sendable {
        case indexed
        case literal
        /// Never in a table, here or behind a proxy, where sizes would betray guesses (RFC 7541 §7.1.3).
        case never
    }

    /// What a request's field gets by its name, in any case: values that hardly repeat would only evict others.
    package static func indexing(of name: String) -> Indexing {
        let count = name.utf8.count
        guard count < byLength.count else { return .indexed }
        for (other, indexing) in byLength[count] where HPACKField(name: other, value: "").hasName(name) {
            return indexing
        }
        return .indexed
    }

    private static let secrets = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
    private static let changing = [
        ":path", "age", "content-length", "content-range", "date", "etag", "idempotency-key", "if-modified-since",
        "if-none-match", "if-range", "last-modified", "location", "range", "traceparent", "tracestate", "x-request-id",
    ]

    private static let byLength: [[(String, Indexing)]] = {
        let all = secrets.map { ($0, Indexing.never) } + changing.map { ($0, Indexing.literal) }
        let longest = all.map(\.0.utf8.count).max() ?? 0
        return (0...longest).map { length in all.filter { $0.0.utf8.count == length } }
    }()
}
