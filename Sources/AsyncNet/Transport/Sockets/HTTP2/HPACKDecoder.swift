package struct HPACKFields {
    package fileprivate(set) var fields: [HTTPHeader] = []
    /// Whether the list was larger than a limit; the value then has only the first fields.
    fileprivate(set) var exceedsLimits = false
    fileprivate var bytes = 0

    fileprivate init() { fields.reserveCapacity(16) }
}

/// Decodes the field blocks of a connection, one after the other (RFC 7541 §3.2, §6). Texts are UTF-8 if valid, else
/// Latin-1; invalid UTF-8 in a URI is percent-encoded. Whether names and values are valid is not checked.
struct HPACKDecoder {
    private(set) var table: HPACKDynamicTable
    private let tableSize: Int
    private let listBytes: Int
    private let mostFields: Int

    /// - Parameters:
    ///   - tableSize: That of an encoder before its first update (RFC 9113 §6.5.2).
    ///   - listBytes: The most bytes of all fields: names and values, and 32 for each field.
    init(tableSize: Int = 4096, listBytes: Int = 256 * 1024, fields: Int = 1000) {
        self.tableSize = tableSize
        self.listBytes = listBytes
        mostFields = fields
        table = HPACKDynamicTable(limit: tableSize)
    }

    mutating func decode(_ block: UnsafeRawBufferPointer) throws(HTTP2Violation) -> HPACKFields {
        var input = HPACKInput(block)
        var list = HPACKFields()
        while let first = input.first {
            let entry: HPACKEntry
            switch first {
            case 0x80...: entry = try self.entry(at: input.integer(prefix: 7))
            case 0x40...:
                entry = try literal(&input, prefix: 6)
                table.insert(entry)
            case 0x20...:
                guard list.bytes == 0 else { throw .undecodable("a table size update after a field (RFC 7541 §4.2)") }
                let size = try input.integer(prefix: 5)
                guard size <= tableSize else {
                    throw .undecodable("the table size \(size), above its limit (RFC 7541 §6.3)")
                }
                table.limit = size
                continue
            default: entry = try literal(&input, prefix: 4)
            }
            list.bytes += entry.size
            // A small block may repeat a large entry thousands of times.
            guard list.bytes <= 4 * listBytes else {
                throw .undecodable("a field list of more than \(4 * listBytes) bytes (RFC 9113 §10.5.1)")
            }
            list.exceedsLimits = list.bytes > listBytes || list.fields.count == mostFields
            if !list.exceedsLimits { list.fields.append(entry.field) }
        }
        return list
    }

    private func entry(at index: Int) throws(HTTP2Violation) -> HPACKEntry {
        let known = HPACKStaticTable.fields
        guard index > 0 else { throw .undecodable("a field with the index 0 (RFC 7541 §6.1)") }
        if index <= known.count { return known[index - 1] }
        guard index - known.count <= table.entries.count else {
            throw .undecodable("the index \(index), which no table has (RFC 7541 §2.3.3)")
        }
        return table.entries[index - known.count - 1]
    }

    private func literal(_ input: inout HPACKInput, prefix: Int) throws(HTTP2Violation) -> HPACKEntry {
        let index = try input.integer(prefix: prefix)
        let (name, nameBytes): (String, Int)
        if index > 0 {
            let entry = try entry(at: index)
            (name, nameBytes) = (entry.field.name, entry.nameBytes)
        } else {
            (name, nameBytes) = try input.string()
        }
        let (value, valueBytes) = try input.string(of: name)
        return HPACKEntry(name, value, nameBytes: nameBytes, valueBytes: valueBytes)
    }
}
