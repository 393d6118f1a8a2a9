/// Encodes the field blocks of a connection, one after the other (RFC 7541 §3.1, §6).
struct HPACKEncoder {
    /// Whether a field is remembered for the next blocks.
    enum Indexing: Sendable {
        case indexed
        case literal
        /// Neither this side nor a proxy may store the field in a table: an attacker could then guess its value by the
        /// sizes of blocks (RFC 7541 §7.1.3).
        case never
    }

    private(set) var table = HPACKDynamicTable(limit: mostTableSize)
    /// The lowest and the last of the table sizes that the peer has allowed since the last block.
    private var limits: (lowest: Int, last: Int)?

    /// The largest table that is used, even if the peer allows a larger one: each connection needs the memory.
    private static let mostTableSize = 4096

    mutating func setTableLimit(_ size: UInt32) {
        let size = Int(min(size, UInt32(Self.mostTableSize)))
        limits = (min(limits?.lowest ?? size, size), size)
    }

    /// Begins a block, with the updates of the table's size that the peer must receive (RFC 7541 §4.2).
    mutating func begin(into output: inout [UInt8]) {
        guard let limits else { return }
        self.limits = nil
        for size in [limits.lowest, limits.last] where size != table.limit {
            table.limit = size
            Self.append(size, prefix: 5, flags: 0x20, to: &output)
        }
    }

    /// - Parameter indexing: By default that of the field's name.
    mutating func encode(_ name: String, _ value: String, _ indexing: Indexing? = nil, into output: inout [UInt8]) {
        let name = name.lowercased()
        let indexing = indexing ?? Self.indexing(of: name)
        let (index, isWhole) = find(name, value)
        if isWhole, indexing != .never { return Self.append(index, prefix: 7, flags: 0x80, to: &output) }
        let entry = HPACKEntry(name, value)
        let isIndexed = indexing == .indexed && entry.size <= table.limit / 4 * 3
        let flags: UInt8 = isIndexed ? 0x40 : indexing == .never ? 0x10 : 0
        Self.append(index, prefix: isIndexed ? 6 : 4, flags: flags, to: &output)
        if index == 0 { Self.append(name, to: &output) }
        Self.append(value, to: &output)
        if isIndexed { table.insert(entry) }
    }

    /// The index of the entry with the name and the value, otherwise of one with the name, or 0. The static table comes
    /// first.
    private func find(_ name: String, _ value: String) -> (index: Int, isWhole: Bool) {
        // As bytes: texts that are canonically equivalent are equal, but are not the same value.
        func hasValue(_ entry: HPACKEntry) -> Bool { entry.field.value.utf8.elementsEqual(value.utf8) }
        let known = HPACKStaticTable.fields
        var index = 0
        if let first = HPACKStaticTable.indices[name] {
            let fields = known[(first - 1)...].prefix { $0.field.name == name }
            if let place = fields.firstIndex(where: hasValue) { return (place + 1, true) }
            index = first
        }
        let count = name.utf8.count
        for (place, entry) in table.entries.enumerated() where entry.nameBytes == count && entry.field.name == name {
            if hasValue(entry) { return (known.count + 1 + place, true) }
            if index == 0 { index = known.count + 1 + place }
        }
        return (index, false)
    }

    private static func append(_ value: Int, prefix: Int, flags: UInt8, to output: inout [UInt8]) {
        let most = 1 << prefix - 1
        guard value >= most else { return output.append(flags | UInt8(value)) }
        output.append(flags | UInt8(most))
        var rest = value - most
        while rest >= 0x80 {
            output.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            let count = HPACKHuffman.code.encodedCount(bytes)
            let isCoded = count < bytes.count
            append(isCoded ? count : bytes.count, prefix: 7, flags: isCoded ? 0x80 : 0, to: &output)
            if isCoded { HPACKHuffman.code.encode(bytes, into: &output) } else { output.append(contentsOf: bytes) }
        }
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
