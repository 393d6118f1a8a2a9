import Foundation

/// A host in the form in which hosts are compared: in lower case, without brackets, zone and trailing dot, names in
/// ASCII (RFC 5890), IP addresses in their canonical text.
package struct HostName: Hashable, Sendable {
    package let text: String
    package let isAddress: Bool

    /// - Parameter host: A name or address, also in brackets or percent-encoded; `nil` for others, as with a port.
    package init?(_ host: some StringProtocol) {
        // A zone may be percent-encoded or not, and is dropped.
        let host = host.withoutZone
        let isEncoded = host.utf8.contains(UInt8(ascii: "%"))
        if isEncoded, let decoded = host.removingPercentEncoding {
            self.init(decoded: decoded)
        } else {
            self.init(decoded: host)
        }
    }

    private init?(decoded host: String) {
        if let address = Self.address(host) {
            (text, isAddress) = (address, true)
        } else if let name = Self.name(host) {
            (text, isAddress) = (name, false)
        } else {
            return nil
        }
    }

    /// The host in a URL's text, as libcurl reads it; `nil` if there is none.
    package init?(ofURL url: String) {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = url.utf8[colon...].dropFirst()
        guard rest.starts(with: "//".utf8) else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority
        let isBracketed = host.first == UInt8(ascii: "[")
        let bracket = isBracketed ? host.lastIndex(of: UInt8(ascii: "]")).map(host.index(after:)) : nil
        self.init(Substring(host[..<(bracket ?? host.lastIndex(of: UInt8(ascii: ":")) ?? host.endIndex)]))
    }

    /// The name without its first label; `nil` for an address, and for a name of one label.
    var parent: HostName? {
        guard !isAddress, let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return HostName(text: String(text[text.utf8.index(after: dot)...]))
    }

    private init(text: String) { (self.text, isAddress) = (text, false) }

    private static func address(_ host: String) -> String? {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = isBracketed ? host.dropFirst().dropLast() : host[...]
        if inner.utf8.contains(UInt8(ascii: ":")) { return IPText.v6(String(inner)) }
        guard !isBracketed, let first = inner.utf8.first, first &- 0x30 < 10 else { return nil }
        return IPText.v4(String(withoutTrailingDot(inner)))
    }

    private static func name(_ host: String) -> String? {
        let isASCII = host.utf8.allSatisfy { $0 < 0x80 }
        guard let name = isASCII ? host : URLReference("http://\(host)/").url?.host else { return nil }
        let bytes = withoutTrailingDot(name[...]).utf8.map(\.asciiLowercased)
        return isName(bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether these are labels of 1 to 63 bytes, separated by dots, and 253 bytes at most (RFC 1035 §2.3.4).
    private static func isName(_ bytes: [UInt8]) -> Bool {
        var length = 0
        for byte in bytes {
            // Names of services, such as `_http._tcp`, contain `_`.
            let isOfLabel = HTTPSyntax.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            guard byte == UInt8(ascii: ".") ? 1...63 ~= length : isOfLabel else { return false }
            length = byte == UInt8(ascii: ".") ? 0 : length + 1
        }
        return 1...63 ~= length && bytes.count <= 253
    }

    private static func withoutTrailingDot(_ host: Substring) -> Substring {
        host.hasSuffix(".") ? host.dropLast() : host
    }
}

/// An IPv6 address with the zone of an interface of this machine, as in `fe80::1%eth0` (RFC 4007 §11).
enum ZonedAddress {
    /// The longest name of an interface, also the longest zone that libcurl takes.
    private static let longestZone = 15

    /// Whether the text, with or without brackets, is an address with a zone of unreserved characters (RFC 6874 §2).
    static func isValid(_ host: String) -> Bool {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = isBracketed ? host.dropFirst().dropLast() : host[...]
        guard let percent = inner.firstIndex(of: "%"), IPText.v6(String(inner[..<percent])) != nil else { return false }
        let zone = inner[percent...].dropFirst().utf8
        return 1...longestZone ~= zone.count
            && zone.allSatisfy { HTTPSyntax.isAlphanumeric($0) || "-._~".utf8.contains($0) }
    }
}

extension StringProtocol {
    /// A URL's host, with or without brackets and a port, without the zone of an IPv6 address, which must not be sent
    /// to another machine (RFC 6874 §4).
    package var withoutZone: String {
        guard let percent = firstIndex(of: "%"), self[..<percent].contains(":") else { return String(self) }
        let end = self[percent...].firstIndex(of: "]") ?? endIndex
        return String(self[..<percent]) + String(self[end...])
    }
}
