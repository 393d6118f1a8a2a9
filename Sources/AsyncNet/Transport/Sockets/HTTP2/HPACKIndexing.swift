extension HPACKEncoder {
    /// Whether a field is remembered for the next blocks.
    enum Indexing: Sendable {
        case indexed
        case literal
        /// Neither this side nor a proxy may store the field in a table: an attacker could then guess its value by the
        /// sizes of blocks (RFC 7541 §7.1.3).
        case never
    }

    /// How a field of this name, in lower case, is indexed. Values that hardly ever repeat are not stored, since they
    /// would evict others.
    static func indexing(of name: String) -> Indexing { exceptions[name] ?? .indexed }

    private static let exceptions: [String: Indexing] = [
        "authorization": .never, "cookie": .never, "proxy-authorization": .never, "set-cookie": .never,
        ":path": .literal, "age": .literal, "content-length": .literal, "content-range": .literal, "date": .literal,
        "etag": .literal, "idempotency-key": .literal, "if-modified-since": .literal, "if-none-match": .literal,
        "if-range": .literal, "last-modified": .literal, "location": .literal, "range": .literal,
        "traceparent": .literal, "tracestate": .literal, "x-request-id": .literal,
    ]
}
