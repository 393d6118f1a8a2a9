extension HPACKEncoder {
    /// Whether a field is remembered for the next blocks.
    enum Indexing: Sendable {
        case indexed
        case literal
        /// Neither this side nor a proxy may store the field in a table: an attacker could then guess its value by the
        /// sizes of blocks (RFC 7541 §7.1.3).
        case never
    }

    /// How a request's field of this name is indexed; the case of the name does not count. Values that hardly ever
    /// repeat are not stored, since they would evict others.
    static func indexing(of name: String) -> Indexing {
        let count = name.utf8.count
        guard count < byLength.count else { return .indexed }
        for (other, indexing) in byLength[count] where HTTPHeader(name: other, value: "").hasName(name) {
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
