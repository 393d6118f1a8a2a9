import Foundation

/// Changes to bytes that know nothing of what the bytes mean.
enum ByteMutations {
    static func mutate(_ data: Data, _ random: inout Randomness, times: Int? = nil) -> Data {
        var bytes = Array(data)
        for _ in 0..<(times ?? 1 + random.size(upTo: 6)) { mutate(&bytes, &random) }
        return Data(bytes)
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout Randomness) {
        guard !bytes.isEmpty else {
            bytes = Array(random.bytes(random.size(upTo: 64)))
            return
        }
        let place = random.number(0...(bytes.count - 1))
        let run = min(bytes.count - place, 1 + random.size(upTo: 64))
        switch random.number(0...9) {
        case 0, 1: bytes[place] ^= 1 << UInt8(random.number(0...7))
        case 2: bytes[place] = random.pick(special)
        case 3: bytes.insert(random.pick(special), at: place)
        case 4: bytes.removeSubrange(place..<(place + run))
        case 5: bytes.insert(contentsOf: bytes[place..<(place + run)], at: place)
        case 6: bytes.removeSubrange(place...)
        case 7: bytes.insert(contentsOf: random.bytes(run), at: place)
        case 8: bytes.insert(contentsOf: Array(random.pick(tokens).utf8), at: place)
        default:
            let other = random.number(0...(bytes.count - 1))
            bytes.swapAt(place, other)
        }
    }

    private static let special: [UInt8] = [
        0, 1, 9, 10, 13, 32, 34, 35, 37, 44, 45, 47, 58, 59, 61, 63, 64, 92, 127, 128, 195, 254, 255,
    ]
    private static let tokens = [
        "\r\n", "\r\n\r\n", "\n\n", "\r\n ", ": ", "HTTP/1.1 200 OK\r\n", "0\r\n\r\n", "chunked",
        "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
        "gzip", "ffffffffffffffff", "-1", "9223372036854775808", "18446744073709551616", "\0\0\0\0",
        "Location: /\r\n", "\u{FEFF}", "%00", "%s%n",
    ]
}
