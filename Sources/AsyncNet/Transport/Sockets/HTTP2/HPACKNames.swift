import Foundation

/// Finds fields in the tables of an encoder, by hashes of name and value.
///
/// The entries of the dynamic table are chained by their name's hash, from the newest to the oldest. An evicted entry needs
/// no removal: its number is too low, and so are those behind it in its chain.
struct HPACKNames {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    struct Key {
        let name: Bytes
        let value: Bytes
        fileprivate let nameHash: UInt32
        fileprivate let valueHash: UInt32

        init(_ name: Bytes, _ value: Bytes) {
            (self.name, self.value) = (name, value)
            (nameHash, valueHash) = (HPACKNames.hash(name), HPACKNames.hash(value))
        }
    }

    /// Where a field stands in the tables.
    struct Place {
        /// 0 for a name that is in no table.
        var index = 0
        /// Whether the entry has the value as well.
        var isWhole = false
    }

    private struct Link {
        var nameHash: UInt32 = 0
        var valueHash: UInt32 = 0
        var previous = -1
    }

    /// The most entries of 32 bytes or more in a table of 4096.
    private static let mostEntries = 128

    private var newest = [Int](repeating: -1, count: 64)
    private var links = [Link](repeating: Link(), count: mostEntries)

    mutating func add(_ key: Key, number: Int) {
        let chain = Int(key.nameHash % 64)
        links[number % Self.mostEntries] = Link(
            nameHash: key.nameHash, valueHash: key.valueHash, previous: newest[chain])
        newest[chain] = number
    }

    /// The entry with name and value, else one with the name; the static table first.
    func find(_ key: Key, _ table: HPACKDynamicTable) -> Place {
        let known = Self.findKnown(key)
        guard !known.isWhole else { return known }
        let found = findDynamic(key, table)
        return found.isWhole || known.index == 0 ? found : known
    }

    private func findDynamic(_ key: Key, _ table: HPACKDynamicTable) -> Place {
        var place = Place()
        var number = newest[Int(key.nameHash % 64)]
        while number >= table.inserted - table.count {
            let link = links[number % Self.mostEntries]
            let position = table.inserted - 1 - number
            if link.nameHash == key.nameHash, place.index == 0 || link.valueHash == key.valueHash {
                let field = table[position].field
                if Self.matches(field.name, key.name) {
                    let isWhole = link.valueHash == key.valueHash && Self.matches(field.value, key.value)
                    if isWhole || place.index == 0 {
                        place = Place(index: HPACKStaticTable.fields.count + 1 + position, isWhole: isWhole)
                    }
                    if isWhole { break }
                }
            }
            number = link.previous
        }
        return place
    }

    // MARK: The static table

    /// By a name's hash, or behind it: the first index of the name.
    private static let known: [UInt8] = {
        var slots = [UInt8](repeating: 0, count: 256)
        for (place, field) in HPACKStaticTable.fields.enumerated() {
            var name = field.name
            var slot = name.withUTF8 { Int(hash($0) % 256) }
            while slots[slot] != 0, HPACKStaticTable.fields[Int(slots[slot]) - 1].name != name {
                slot = (slot + 1) % 256
            }
            if slots[slot] == 0 { slots[slot] = UInt8(place + 1) }
        }
        return slots
    }()

    private static func findKnown(_ key: Key) -> Place {
        let (known, fields) = (known, HPACKStaticTable.fields)
        var slot = Int(key.nameHash % 256)
        while known[slot] != 0 {
            let first = Int(known[slot])
            guard matches(fields[first - 1].name, key.name) else {
                slot = (slot + 1) % 256
                continue
            }
            // Entries of one name stand together.
            var index = first
            while index <= fields.count, matches(fields[index - 1].name, key.name) {
                if matches(fields[index - 1].value, key.value) { return Place(index: index, isWhole: true) }
                index += 1
            }
            return Place(index: first)
        }
        return Place()
    }

    // MARK: Bytes

    private static func matches(_ text: String, _ bytes: Bytes) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        let matches = text.utf8.withContiguousStorageIfAvailable { own in
            guard let one = own.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(one, other, bytes.count) == 0
        }
        return matches ?? text.utf8.elementsEqual(bytes)
    }

    /// Of the length, and the first and the last 8 bytes: what has the same costs a comparison.
    private static func hash(_ bytes: Bytes) -> UInt32 {
        let raw = UnsafeRawBufferPointer(bytes)
        var (first, last): (UInt64, UInt64) = (0, 0)
        if raw.count >= 8 {
            first = raw.loadUnaligned(as: UInt64.self)
            last = raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
        } else {
            for byte in raw { first = first << 8 | UInt64(byte) }
        }
        let mixed = (first &+ UInt64(raw.count)) &* 0x9E37_79B9_7F4A_7C15 ^ last &* 0xC2B2_AE3D_27D4_EB4F
        return UInt32(truncatingIfNeeded: (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9 >> 32)
    }
}
