package import AsyncNet
package import Foundation

/// The secrets in the headers and the URL of an exchange, which other parts of the exchange may repeat: a path, a body,
/// a message.
package struct KnownSecrets {
    /// The secrets, longer ones first, since a secret may be a part of another.
    private let texts: [[UInt8]]

    package init(_ url: URL, _ headers: [HTTPHeader], _ rule: RedactionRule) {
        let texts = Self.texts(url, rule) + headers.flatMap { Self.texts($0, rule) }
        self.texts = Set(texts.filter(Self.isDistinct)).map { Array($0.utf8) }.sorted {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count
        }
    }

    /// Whether a text has 12 bytes or more and a digit, so that it hardly occurs by chance.
    private static func isDistinct(_ text: String) -> Bool {
        text.utf8.count >= shortest && text.utf8.contains { $0 &- 0x30 < 10 } && !text.contains(RedactionRule.mark)
    }

    /// The bytes with `REDACTED` in the place of each secret, and of the beginning of a secret that the end cuts off.
    package func redacted(_ bytes: [UInt8]) -> [UInt8] {
        texts.reduce(bytes) { bytes, secret in
            var (result, copied): ([UInt8], Int) = ([], 0)
            for index in bytes.indices where index >= copied && bytes[index] == secret[0] {
                let count = Self.commonBytes(bytes[index...].prefix(Self.compared), secret)
                let isCutOff = count >= Self.shortest && index + count == bytes.count
                guard isCutOff || count == min(Self.compared, secret.count) else { continue }
                result += bytes[copied..<index] + Array(RedactionRule.mark.utf8)
                copied = index + Self.commonBytes(bytes[index...], secret)
            }
            return copied == 0 ? bytes : result + bytes[copied...]
        }
    }

    /// How many bytes of a secret are compared: all bytes of secrets that servers choose would take too long.
    private static let compared = 256
    private static let shortest = 12

    private static func commonBytes(_ bytes: ArraySlice<UInt8>, _ secret: [UInt8]) -> Int {
        zip(bytes, secret).prefix { $0 == $1 }.count
    }

    // MARK: Where they stand

    private static func texts(_ url: URL, _ rule: RedactionRule) -> [String] {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let items = (components?.queryItems ?? []) + (components?.percentEncodedQueryItems ?? [])
        let secrets = items.filter { rule.isSecret($0.name, in: .queryItem) }.compactMap(\.value)
        let userinfo = [components?.password, components?.percentEncodedPassword].compactMap(\.self)
        return secrets + userinfo
    }

    private static func texts(_ header: HTTPHeader, _ rule: RedactionRule) -> [String] {
        let value = header.value
        if header.hasName("Cookie") { return value.split(separator: ";").flatMap { values(ofPair: $0) } }
        if header.hasName("Set-Cookie") { return values(ofPair: value.prefix { $0 != ";" }) }
        guard rule.isSecret(header.name, in: .header) else { return [] }
        // The credentials after a scheme (RFC 9110 §11.4), and the password of `Basic`.
        let credentials = value.split(separator: " ").last.map(String.init) ?? value
        let basic = Data(base64Encoded: credentials).flatMap { String(validating: $0, as: UTF8.self) }
        return [value, credentials] + (basic?.split(separator: ":", maxSplits: 1).dropFirst().map(String.init) ?? [])
    }

    private static func values(ofPair pair: Substring) -> [String] {
        pair.firstIndex(of: "=").map { [String(pair[pair.index(after: $0)...])] } ?? []
    }
}
