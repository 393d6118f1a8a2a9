import Foundation

/// The addresses of one family whose first bits are the same (RFC 4632, RFC 4291 §2.3).
struct IPNetwork: Hashable, Sendable {
    let bytes: [UInt8]
    let bits: Int

    init?(_ bytes: [UInt8], bits: Int) {
        guard 0...(bytes.count * 8) ~= bits else { return nil }
        (self.bytes, self.bits) = (bytes, bits)
    }

    /// - Parameter text: An address, or an address with a number of bits: `10.0.0.0/8`, `fd00::/8`.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Self.bytes(ofAddress: String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(bytes, bits: bytes.count * 8)
            return
        }
        guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let bits = Int(parts[1]) else { return nil }
        self.init(bytes, bits: bits)
    }

    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count, address.prefix(bits / 8) == bytes.prefix(bits / 8) else { return false }
        guard bits % 8 != 0 else { return true }
        return (address[bits / 8] ^ bytes[bits / 8]) >> (8 - bits % 8) == 0
    }

    /// The 4 or 16 bytes of an address without brackets and zone; `nil` for a name.
    static func bytes(ofAddress address: String) -> [UInt8]? {
        let isV6 = address.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
        return inet_pton(isV6 ? AF_INET6 : AF_INET, address, &bytes) == 1 ? bytes : nil
    }
}
