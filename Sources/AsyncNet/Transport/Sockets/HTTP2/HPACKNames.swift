import Foundation

/// Finds fields in the tables of an encoder, by hashes. Entries of the dynamic table are chained by their name's
/// hash, the newest first. An evicted entry needs no removal: its number is too low, and so are those behind it.
struct HPACKNames {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    struct Key {
        let name: Bytes
        let value: Bytes
        fileprivate let chain: Int
        fileprivate let valueHash: UInt32

        init(_ name: Bytes, _ value: Bytes) {
            (self.name, self.value) = (name, value)
            (chain, valueHash) = (HPACKNames.chain(name), HPACKNames.hash(value))
        }
    }

    struct Place {
        /// The index of the entry; 0 for a name that is in no table.
        private(set) var index = 0
        private(set) var isWhole = false

        /// Takes an entry with the name if none was found yet, or with the value as well; returns whether the entry has
        /// both.
        fileprivate mutating func take(_ field: HTTPHeader, at index: Int, for key: Key) -> Bool {
            guard HPACKNames.matches(field.name, key.name) else { return false }
            isWhole = HPACKNames.matches(field.value, key.value)
            if isWhole || self.index == 0 { self.index = index }
            return isWhole
        }
    }

    private struct Link {
        var valueHash: UInt32 = 0
        var previous = -1
    }

    private static let chains = 64
    /// The most entries of 32 bytes or more in a table of 4096.
    private static let mostEntries = 128

    private var newest = [Int](repeating: -1, count: chains)
    private var links = [Link](repeating: Link(), count: mostEntries)

    mutating func add(_ key: Key, number: Int) {
        links[number % Self.mostEntries] = Link(valueHash: key.valueHash, previous: newest[key.chain])
        newest[key.chain] = number
    }

    /// The entry with the name and the value, otherwise an entry with the name; the static table comes first.
    func find(_ key: Key, _ table: HPACKDynamicTable) -> Place {
        var place = Place()
        let fields = HPACKStaticTable.fields
        for index in Self.known[key.chain] where place.take(fields[index - 1], at: index, for: key) { return place }
        var number = newest[key.chain]
        while number >= table.inserted - table.count {
            let link = links[number % Self.mostEntries]
            let position = table.inserted - 1 - number
            if place.index == 0 || link.valueHash == key.valueHash,
                place.take(table[position].field, at: fields.count + 1 + position, for: key)
            {
                break
            }
            number = link.previous
        }
        return place
    }

    private static let known: [[Int]] = {
        var known = [[Int]](repeating: [], count: chains)
        for (place, field) in HPACKStaticTable.fields.enumerated() {
            var name = field.name
            known[name.withUTF8(chain)].append(place + 1)
        }
        return known
    }()

    private static func chain(_ name: Bytes) -> Int { Int(hash(name) % UInt32(chains)) }

    private static func matches(_ text: String, _ bytes: Bytes) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        let matches = text.utf8.withContiguousStorageIfAvailable { own in
            guard let one = own.baseAddress, let other = bytes.baseAddress else { return true }
            return memcmp(one, other, bytes.count) == 0
        }
        return matches ?? text.utf8.elementsEqual(bytes)
    }

    /// A hash of the length and of the first and the last 8 bytes. Names with equal hashes are compared.
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
