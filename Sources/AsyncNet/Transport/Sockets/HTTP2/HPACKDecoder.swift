package typealias HPACKField = HTTPHeader

package struct HPACKLimits: Equatable, Sendable {
    /// The largest size in bytes: names and values, and 32 for each field (RFC 9113 §6.5.2).
    var listBytes = 256 * 1024
    var fields = 1000

    package init(listBytes: Int = 256 * 1024, fields: Int = 1000) {
        (self.listBytes, self.fields) = (listBytes, fields)
    }
}

package struct HPACKFields {
    package fileprivate(set) var fields: [HPACKField] = []
    /// Whether the list was larger than a limit; the value then has only the first fields.
    package fileprivate(set) var exceedsLimits = false
    private var bytes = 0

    fileprivate init() { fields.reserveCapacity(16) }

    fileprivate mutating func add(_ entry: HPACKDynamicTable.Entry, _ limits: HPACKLimits) throws(HPACKError) {
        bytes += entry.size
        guard bytes <= 4 * limits.listBytes else { throw .listFarAboveLimit(4 * limits.listBytes) }
        exceedsLimits = bytes > limits.listBytes || fields.count == limits.fields
        if !exceedsLimits { fields.append(entry.field) }
    }
}

/// Decodes the field blocks of a connection, one after the other (RFC 7541 §3.2, §6). Texts are UTF-8 if valid, else
/// Latin-1; invalid UTF-8 in a URI is percent-encoded. Whether names and values are valid is not checked.
package struct HPACKDecoder {
    private(set) var table: HPACKDynamicTable
    private let tableSize: Int

    /// The most updates of the table's size in a block; a sender needs two.
    private static let sizeUpdates = 16
    /// The size of an encoder's table before its first update (RFC 9113 §6.5.2).
    private static let initialTableSize = 4096

    private static let known = HPACKStaticTable.fields.map {
        HPACKDynamicTable.Entry($0, nameBytes: $0.name.utf8.count, valueBytes: $0.value.utf8.count)
    }

    package init(tableSize: Int = 4096) {
        self.tableSize = tableSize
        table = HPACKDynamicTable(limit: min(tableSize, Self.initialTableSize))
    }

    package mutating func decode(_ block: UnsafeRawBufferPointer, _ limits: HPACKLimits) throws(HPACKError)
        -> HPACKFields
    {
        var input = HPACKInput(block)
        var fields = HPACKFields()
        try updateSize(&input)
        while let first = input.first {
            if first & 0x80 != 0 {
                try fields.add(entry(at: input.integer(prefix: 7)), limits)
            } else if first & 0x40 != 0 {
                let entry = try literal(&input, prefix: 6)
                table.insert(entry)
                try fields.add(entry, limits)
            } else if first & 0x20 != 0 {
                throw .sizeUpdateAfterField
            } else {
                try fields.add(literal(&input, prefix: 4), limits)
            }
        }
        return fields
    }

    private mutating func updateSize(_ input: inout HPACKInput) throws(HPACKError) {
        var updates = 0
        while let first = input.first, first & 0xE0 == 0x20 {
            updates += 1
            guard updates <= Self.sizeUpdates else { throw .tooManySizeUpdates }
            let size = try input.integer(prefix: 5)
            guard size <= tableSize else { throw .sizeUpdateAboveLimit(size) }
            table.limit = size
        }
    }

    private func entry(at index: Int) throws(HPACKError) -> HPACKDynamicTable.Entry {
        let known = Self.known
        guard index > 0 else { throw .indexZero }
        if index <= known.count { return known[index - 1] }
        guard index - known.count <= table.count else { throw .indexBeyondTables(index) }
        return table[index - known.count - 1]
    }

    private func literal(
        _ input: inout HPACKInput, prefix: Int
    ) throws(HPACKError) -> HPACKDynamicTable.Entry {
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
            HPACKField(name: name, value: value), nameBytes: nameBytes, valueBytes: valueBytes)
    }
}
