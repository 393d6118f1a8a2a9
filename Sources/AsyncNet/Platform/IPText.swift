import Foundation

enum IPText {
    /// The canonical text of an address's bytes (RFC 5952); `nil` for another number of bytes.
    static func text(of bytes: [UInt8], family: Int32) -> String? {
        guard bytes.count == (family == AF_INET ? 4 : 16) else { return nil }
        var text = [CChar](repeating: 0, count: 64)
        guard inet_ntop(family, bytes, &text, 64) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The canonical text of an IPv6 address without brackets and zone; `nil` for other text.
    static func v6(_ text: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        return self.text(of: bytes, family: AF_INET6)
    }

    /// The canonical text of an IPv4 address in any of the forms that `inet_aton`, and so libcurl, takes, such as
    /// `127.1` for 127.0.0.1; `nil` for other text.
    static func v4(_ text: String) -> String? {
        var address = in_addr()
        guard text.utf8.allSatisfy({ $0 > 0x20 }), inet_aton(text, &address) != 0 else { return nil }
        return self.text(of: withUnsafeBytes(of: address) { Array($0) }, family: AF_INET)
    }
}
