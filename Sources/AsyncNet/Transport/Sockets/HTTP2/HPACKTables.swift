/// The fields that both sides know from the start (RFC 7541 appendix A); the first has the index 1.
enum HPACKStaticTable {
    static let fields: [HPACKEntry] = [
        .init(":authority"), .init(":method", "GET"), .init(":method", "POST"), .init(":path", "/"),
        .init(":path", "/index.html"), .init(":scheme", "http"), .init(":scheme", "https"), .init(":status", "200"),
        .init(":status", "204"), .init(":status", "206"), .init(":status", "304"), .init(":status", "400"),
        .init(":status", "404"), .init(":status", "500"), .init("accept-charset"),
        .init("accept-encoding", "gzip, deflate"), .init("accept-language"), .init("accept-ranges"), .init("accept"),
        .init("access-control-allow-origin"), .init("age"), .init("allow"), .init("authorization"),
        .init("cache-control"), .init("content-disposition"), .init("content-encoding"), .init("content-language"),
        .init("content-length"), .init("content-location"), .init("content-range"), .init("content-type"),
        .init("cookie"), .init("date"), .init("etag"), .init("expect"), .init("expires"), .init("from"), .init("host"),
        .init("if-match"), .init("if-modified-since"), .init("if-none-match"), .init("if-range"),
        .init("if-unmodified-since"), .init("last-modified"), .init("link"), .init("location"), .init("max-forwards"),
        .init("proxy-authenticate"), .init("proxy-authorization"), .init("range"), .init("referer"), .init("refresh"),
        .init("retry-after"), .init("server"), .init("set-cookie"), .init("strict-transport-security"),
        .init("transfer-encoding"), .init("user-agent"), .init("vary"), .init("via"), .init("www-authenticate"),
    ]

    /// The index of the first field of each name; the fields of a name follow one another.
    static let indices = Dictionary(zip(fields.map(\.field.name), 1...), uniquingKeysWith: { first, _ in first })
}

/// A field of a table.
struct HPACKEntry {
    let field: HTTPHeader
    /// The name's length on the wire, from which the length of the text differs if the name was invalid UTF-8.
    let nameBytes: Int
    /// The entry's size, as RFC 7541 §4.1 counts it.
    let size: Int

    init(_ name: String, _ value: String = "", nameBytes: Int? = nil, valueBytes: Int? = nil) {
        field = HTTPHeader(name: name, value: value)
        self.nameBytes = nameBytes ?? name.utf8.count
        size = self.nameBytes + (valueBytes ?? value.utf8.count) + 32
    }
}

/// The fields that one side has told the other side to store (RFC 7541 §2.3.2, §4): the newest has the position 0.
struct HPACKDynamicTable {
    private(set) var entries: [HPACKEntry] = []
    private(set) var size = 0
    var limit: Int { didSet { evict(to: limit) } }

    init(limit: Int) { self.limit = limit }

    /// Evicts the oldest entries until the new one fits. An entry larger than the table empties it (RFC 7541 §4.4).
    mutating func insert(_ entry: HPACKEntry) {
        evict(to: limit - entry.size)
        guard entry.size <= limit else { return }
        entries.insert(entry, at: 0)
        size += entry.size
    }

    private mutating func evict(to limit: Int) {
        while size > limit, let oldest = entries.popLast() { size -= oldest.size }
    }
}
