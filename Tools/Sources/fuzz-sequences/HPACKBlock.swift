import Foundation

/// Header blocks of HTTP/2 (RFC 7541), without Huffman code, in order and not.
enum HPACKBlock {
    /// A valid one: a status, then literals that a client may add to its table.
    static func valid(status: Int = 200, _ fields: [(String, String)], _ random: inout Randomness) -> Data {
        var block = status == 200 ? Data([0x88]) : literal(":status", String(status), 0x00)
        for (name, value) in fields { block += literal(name, value, random.pick([0x00, 0x10, 0x40])) }
        return block
    }

    static func literal(_ name: String, _ value: String, _ kind: UInt8) -> Data {
        Data([kind]) + string(Data(name.utf8)) + string(Data(value.utf8))
    }

    static func string(_ bytes: Data) -> Data { integer(bytes.count, 7, 0) + bytes }

    /// RFC 7541 §5.1.
    static func integer(_ value: Int, _ bits: Int, _ flags: UInt8) -> Data {
        let most = (1 << bits) - 1
        guard value >= most else { return Data([flags | UInt8(value)]) }
        var (data, rest) = (Data([flags | UInt8(most)]), value - most)
        while rest >= 128 {
            data.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return data + Data([UInt8(rest)])
    }

    // MARK: Not in order

    static func hostile(_ random: inout Randomness) -> Data {
        var block = valid(fields(&random), &random)
        for _ in 0...random.size(upTo: 3) {
            let odd = oddField(&random)
            block = random.chance(0.5) ? block + odd : odd + block
        }
        return random.chance(0.3) ? ByteMutations.mutate(block, &random) : block
    }

    static func fields(_ random: inout Randomness) -> [(String, String)] {
        [("content-type", "text/plain"), ("x-\(random.word(4).lowercased())", random.word(random.size(upTo: 200)))]
    }

    private static func oddField(_ random: inout Randomness) -> Data {
        switch random.number(0...9) {
        case 0: integer(random.pick([0, 61, 62, 63, 100, 1 << 20, 1 << 40]), 7, 0x80)
        case 1: integer(random.pick([0, 1, 4096, 4097, 65536, 1 << 30]), 5, 0x20)
        case 2: random.pick([0x80, 0x40, 0x00, 0x20]).bytes + Data(repeating: 0xFF, count: random.number(1...12))
        case 3: Data([0x40, 0x83]) + random.bytes(3) + Data([0xFF, 0x80])
        case 4: literal("x-large", random.word(random.size(upTo: 70_000)), 0x40)
        case 5:
            (0..<random.size(upTo: 300)).reduce(Data()) { block, _ in block + literal("x-many", random.word(60), 0x40)
            }
        default: odd(random.pick(names), &random)
        }
    }

    private static func odd(_ name: String, _ random: inout Randomness) -> Data {
        literal(name, random.pick(values), random.pick([0x00, 0x10, 0x40]))
    }

    private static let names = [
        ":status", ":status", ":path", ":unknown", "", " ", "X-Upper", "na me", "na\0me", "connection",
        "transfer-encoding", "content-length", "content-length", "upgrade", "te",
        "content-encoding", "location", "set-cookie", "x:y", "\u{fc}", "cookie", "host", "proxy-connection",
        "keep-alive", "trailer", "www-authenticate",
    ]
    private static let values = [
        "200", "100", "101", "103", "204", "304", "000", "99999", "2 0", "", " x ", "a\0b", "a\r\nb: c", "chunked",
        "gzip", "br", "-1", "5", "18446744073709551616", "/", "close", "\u{fc}",
    ]
}

extension Int {
    /// The lowest byte.
    fileprivate var bytes: Data { Data([UInt8(truncatingIfNeeded: self)]) }
}
