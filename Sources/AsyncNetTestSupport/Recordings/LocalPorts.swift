import AsyncNet

/// Ports that the system picks for servers of tests, such as `127.0.0.1:40123`, in URLs and in texts with URLs.
enum LocalPorts {
    /// The lowest port that Linux picks.
    private static let lowest = 32768
    private static let hosts = ["127.0.0.1", "localhost", "[::1]"].map { Array($0.utf8) }
    private static let colons = [":", "%3A", "%3a"].map { Array($0.utf8) }

    /// The bytes without the `:port` after each loopback host, if the system has picked the port.
    static func removed(from bytes: [UInt8]) -> [UInt8] {
        var (kept, copied): ([UInt8], Int) = ([], 0)
        // Searches for a colon (or the `%` of `%3A`) first: URLs have fewer of them than of the hosts' first letters.
        for index in bytes.indices where bytes[index] == 0x3A || bytes[index] == 0x25 {
            guard index >= copied, let end = portEnd(bytes, index), followsHost(bytes, index) else { continue }
            kept += bytes[copied..<index]
            copied = end
        }
        return copied == 0 ? bytes : kept + bytes[copied...]
    }

    /// The end of a port after the colon at this index; `nil` if there is none that the system has picked.
    private static func portEnd(_ bytes: [UInt8], _ index: Int) -> Int? {
        guard let colon = colons.first(where: { bytes[index...].starts(with: $0) }) else { return nil }
        let digits = bytes[(index + colon.count)...].prefix { $0 &- 0x30 < 10 }
        guard digits.count == 5, let port = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        return lowest...65535 ~= port ? digits.endIndex : nil
    }

    private static func followsHost(_ bytes: [UInt8], _ index: Int) -> Bool {
        hosts.contains { host in
            guard index >= host.count, bytes[(index - host.count)..<index].elementsEqual(host) else { return false }
            let before = index - host.count - 1
            guard before >= 0 else { return true }
            let isName = bytes[before] &- 0x30 < 10 || (bytes[before] | 0x20) &- 0x61 < 26
            // The `2F` of an encoded slash, as in `http%3A%2F%2F127.0.0.1`, is no part of a host name.
            return !isName && bytes[before] != 0x2E && bytes[before] != 0x2D || endsEscape(bytes, before)
        }
    }

    private static func endsEscape(_ bytes: [UInt8], _ last: Int) -> Bool {
        last >= 2 && bytes[last - 2] == 0x25
    }
}
