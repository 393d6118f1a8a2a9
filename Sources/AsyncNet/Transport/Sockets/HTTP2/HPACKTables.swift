/// The fields that both sides know from the start (RFC 7541 appendix A); the first has the index 1.
enum HPACKStaticTable {
    static let fields: [HPACKEntry] = [
        field(":authority"), field(":method", "GET"), field(":method", "POST"), field(":path", "/"),
        field(":path", "/index.html"), field(":scheme", "http"), field(":scheme", "https"), field(":status", "200"),
        field(":status", "204"), field(":status", "206"), field(":status", "304"), field(":status", "400"),
        field(":status", "404"), field(":status", "500"), field("accept-charset"),
        field("accept-encoding", "gzip, deflate"), field("accept-language"), field("accept-ranges"), field("accept"),
        field("access-control-allow-origin"), field("age"), field("allow"), field("authorization"),
        field("cache-control"), field("content-disposition"), field("content-encoding"), field("content-language"),
        field("content-length"), field("content-location"), field("content-range"), field("content-type"),
        field("cookie"), field("date"), field("etag"), field("expect"), field("expires"), field("from"), field("host"),
        field("if-match"), field("if-modified-since"), field("if-none-match"), field("if-range"),
        field("if-unmodified-since"), field("last-modified"), field("link"), field("location"), field("max-forwards"),
        field("proxy-authenticate"), field("proxy-authorization"), field("range"), field("referer"), field("refresh"),
        field("retry-after"), field("server"), field("set-cookie"), field("strict-transport-security"),
        field("transfer-encoding"), field("user-agent"), field("vary"), field("via"), field("www-authenticate"),
    ]

    /// The index of the first field of each name; the fields of a name follow one another.
    static let indices = Dictionary(zip(fields.map(\.field.name), 1...), uniquingKeysWith: { first, _ in first })

    private static func field(_ name: String, _ value: String = "") -> HPACKEntry { HPACKEntry(name, value) }
}

/// A field of a table.
struct HPACKEntry {
    let field: HTTPHeader
    /// The name's length on the wire, from which the length of the text differs if the name was invalid UTF-8.
    let nameBytes: Int
    /// The entry's size, as RFC 7541 §4.1 counts it.
    let size: Int

    init(_ name: String, _ value: String, nameBytes: Int? = nil, valueBytes: Int? = nil) {
        field = HTTPHeader(name: name, value: value)
        self.nameBytes = nameBytes ?? name.utf8.count
        size = self.nameBytes + (valueBytes ?? value.utf8.count) + 32
    }
}

/// The fields that one side has told the other side to store (RFC 7541 §2.3.2, §4): the newest has the position 0.
struct HPACKDynamicTable {
    private var entries: [HPACKEntry] = []
    private(set) var size = 0
    var limit: Int { didSet { evict(to: limit) } }

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count }

    subscript(position: Int) -> HPACKEntry { entries[position] }

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
