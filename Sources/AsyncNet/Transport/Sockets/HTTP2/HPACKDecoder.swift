package struct HPACKFields {
    package fileprivate(set) var fields: [HTTPHeader] = []
    /// Whether the list was larger than a limit; the value then has only the first fields.
    fileprivate(set) var exceedsLimits = false
    fileprivate var bytes = 0
    private let mostBytes: Int
    private let mostFields: Int

    fileprivate init(mostBytes: Int, mostFields: Int) {
        self.mostBytes = mostBytes
        self.mostFields = mostFields
        fields.reserveCapacity(16)
    }

    fileprivate mutating func add(_ entry: HPACKDynamicTable.Entry) throws(HTTP2Violation) {
        bytes += entry.size
        // A small block may repeat a large entry thousands of times.
        guard bytes <= 4 * mostBytes else {
            throw .undecodable("a field list of more than \(4 * mostBytes) bytes (RFC 9113 §10.5.1)")
        }
        exceedsLimits = bytes > mostBytes || fields.count == mostFields
        if !exceedsLimits { fields.append(entry.field) }
    }
}

/// Decodes the field blocks of a connection, one after the other (RFC 7541 §3.2, §6). Texts are UTF-8 if valid, else
/// Latin-1; invalid UTF-8 in a URI is percent-encoded. Whether names and values are valid is not checked.
struct HPACKDecoder {
    private(set) var table: HPACKDynamicTable
    private let tableSize: Int

    /// The size of an encoder's table before its first update (RFC 9113 §6.5.2).
    private static let initialTableSize = 4096

    private static let known = HPACKStaticTable.fields.map {
        HPACKDynamicTable.Entry($0, nameBytes: $0.name.utf8.count, valueBytes: $0.value.utf8.count)
    }

    init(tableSize: Int = 4096) {
        self.tableSize = tableSize
        table = HPACKDynamicTable(limit: min(tableSize, Self.initialTableSize))
    }

    mutating func decode(
        _ block: UnsafeRawBufferPointer, listBytes: Int, fields mostFields: Int
    ) throws(HTTP2Violation) -> HPACKFields {
        var input = HPACKInput(block)
        var fields = HPACKFields(mostBytes: listBytes, mostFields: mostFields)
        while let first = input.first {
            if first & 0x80 != 0 {
                try fields.add(entry(at: input.integer(prefix: 7)))
            } else if first & 0x40 != 0 {
                let entry = try literal(&input, prefix: 6)
                table.insert(entry)
                try fields.add(entry)
            } else if first & 0x20 != 0 {
                guard fields.bytes == 0 else { throw .undecodable("a table size update after a field (RFC 7541 §4.2)") }
                try updateSize(&input)
            } else {
                try fields.add(literal(&input, prefix: 4))
            }
        }
        return fields
    }

    private mutating func updateSize(_ input: inout HPACKInput) throws(HTTP2Violation) {
        let size = try input.integer(prefix: 5)
        guard size <= tableSize else {
            throw .undecodable("the table size \(size), above its limit (RFC 7541 §6.3)")
        }
        table.limit = size
    }

    private func entry(at index: Int) throws(HTTP2Violation) -> HPACKDynamicTable.Entry {
        let known = Self.known
        guard index > 0 else { throw .undecodable("a field with the index 0 (RFC 7541 §6.1)") }
        if index <= known.count { return known[index - 1] }
        guard index - known.count <= table.count else {
            throw .undecodable("the index \(index), which no table has (RFC 7541 §2.3.3)")
        }
        return table[index - known.count - 1]
    }

    private func literal(_ input: inout HPACKInput, prefix: Int) throws(HTTP2Violation) -> HPACKDynamicTable.Entry {
        let index = try input.integer(prefix: prefix)
        let (name, nameBytes): (String, Int)
        if index > 0 {
            let entry = try entry(at: index)
            (name, nameBytes) = (entry.field.name, entry.nameBytes)
        } else {
            (name, nameBytes) = try input.string()
        }
        let (value, valueBytes) = try input.string(of: name)
        return HPACKDynamicTable.Entry(
            HTTPHeader(name: name, value: value), nameBytes: nameBytes, valueBytes: valueBytes)
    }
}
