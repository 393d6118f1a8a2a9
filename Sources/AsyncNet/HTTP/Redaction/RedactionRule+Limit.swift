extension RedactionRule {
    /// How many levels of texts within texts are read: URLs, forms and JSON in values of URLs, of forms and of JSON.
    static let depth = 3

    /// Whether a text that is nested too deeply to be read may have a secret: it has userinfo, a name of a secret, or a
    /// character that is still encoded.
    func mayHoldSecret(_ text: [UInt8]) -> Bool {
        if readsValues || text.contains(0x40) && text.contains(0x3A) || Self.hasEscape(text) { return true }
        let words = text.split { $0 < 0x80 && !HTTPSyntax.isAlphanumeric($0) && $0 != 0x2D && $0 != 0x5F }
        return words.contains { isSecret(String(decoding: $0, as: UTF8.self), in: .formField) }
    }

    private static func hasEscape(_ text: [UInt8]) -> Bool {
        text.indices.contains { index in
            let (mark, next) = (text[index], text[index...].dropFirst().prefix(2))
            if mark == 0x5C { return next.first == UInt8(ascii: "u") && next.last?.hexValue != nil }
            return mark == 0x25 && next.count == 2 && next.allSatisfy { $0.hexValue != nil }
        }
    }
}
