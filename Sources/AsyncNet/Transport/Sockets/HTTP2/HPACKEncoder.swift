/// Encodes the field blocks of a connection, one after the other (RFC 7541 §3.1, §6).
struct HPACKEncoder {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    private(set) var table = HPACKDynamicTable(limit: mostTableSize)
    private var names = HPACKNames()
    /// The lowest and the last of the table sizes that the peer has allowed since the last block.
    private var limits: (lowest: Int, last: Int)?

    /// The largest table that is used, even if the peer allows a larger one: each connection needs the memory.
    private static let mostTableSize = 4096

    init() {}

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

    mutating func encode(_ name: String, _ value: String, _ indexing: Indexing, into output: inout [UInt8]) {
        var (name, bytes) = (name, value)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.utf8.count) { lowercased in
            name.withUTF8 { for (place, byte) in $0.enumerated() { lowercased[place] = byte.asciiLowercased } }
            bytes.withUTF8 { encode(Bytes(lowercased), $0, value, indexing, into: &output) }
        }
    }

    private mutating func encode(
        _ name: Bytes, _ bytes: Bytes, _ value: String, _ indexing: Indexing, into output: inout [UInt8]
    ) {
        let key = HPACKNames.Key(name, bytes)
        let found = names.find(key, table)
        if found.isWhole, indexing != .never {
            return Self.append(found.index, prefix: 7, flags: 0x80, to: &output)
        }
        let size = name.count + bytes.count + HPACKDynamicTable.Entry.overhead
        let isIndexed = indexing == .indexed && size <= table.limit / 4 * 3
        let flags: UInt8 = isIndexed ? 0x40 : indexing == .never ? 0x10 : 0
        Self.append(found.index, prefix: isIndexed ? 6 : 4, flags: flags, to: &output)
        if found.index == 0 { Self.append(name, to: &output) }
        Self.append(bytes, to: &output)
        guard isIndexed else { return }
        let text = self.name(at: found.index) ?? String(decoding: name, as: UTF8.self)
        names.add(key, number: table.inserted)
        table.insert(
            HPACKDynamicTable.Entry(
                HTTPHeader(name: text, value: value), nameBytes: name.count, valueBytes: bytes.count))
    }

    private func name(at index: Int) -> String? {
        let known = HPACKStaticTable.fields
        guard index > 0 else { return nil }
        return index <= known.count ? known[index - 1].name : table[index - known.count - 1].field.name
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

    private static func append(_ text: Bytes, to output: inout [UInt8]) {
        let count = HPACKHuffman.code.encodedCount(text)
        if count < text.count {
            append(count, prefix: 7, flags: 0x80, to: &output)
            HPACKHuffman.code.encode(text, into: &output)
        } else {
            append(text.count, prefix: 7, flags: 0, to: &output)
            output.append(contentsOf: text)
        }
    }
}
