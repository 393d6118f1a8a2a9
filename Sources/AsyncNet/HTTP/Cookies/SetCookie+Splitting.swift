extension SetCookie {
    private typealias Text = Substring.UTF8View

    /// Splits `Set-Cookie` headers that FoundationNetworking joined by `, `.
    ///
    /// A comma and a space begin another cookie if a name and an equals sign follow: `Expires=Wed, 21 Oct 2015 07:28:00
    /// GMT` and `a=1, 2` are not split, nor is quoted text after an equals sign. Some texts are ambiguous: `a=1, b=2`
    /// may be one cookie, and `a=1, b` two.
    ///
    /// So a server that puts unescaped user input into a value lets users set cookies. Transports that keep headers
    /// separate do not need this function.
    static func split(_ joined: String) -> [String] {
        var values: [String] = []
        var rest = joined.utf8[...]
        while let joint = firstJoint(rest) {
            values.append(text(rest[..<joint]))
            rest = rest[joint...].dropFirst(2)
        }
        values.append(text(rest))
        let kept = values.filter { !$0.isEmpty }
        return kept.isEmpty ? [joined] : kept
    }

    /// The position of a comma that begins another cookie.
    private static func firstJoint(_ text: Text) -> Text.Index? {
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case 0x3D: index = afterQuoted(text[index...].dropFirst())
            case 0x2C where beginsCookie(text[index...].dropFirst()): return index
            default: index = text.index(after: index)
            }
        }
        return nil
    }

    private static func beginsCookie(_ text: Text) -> Bool {
        guard text.first == 0x20 else { return false }
        let name = text.dropFirst().prefix { HTTPSyntax.isTokenByte($0) || $0 == 0x5B || $0 == 0x5D }
        return !name.isEmpty && text[name.endIndex...].first == 0x3D
    }

    /// The index after a quoted string at the start, if a semicolon, another cookie or the end follows; else the start.
    private static func afterQuoted(_ text: Text) -> Text.Index {
        guard text.first == 0x22, let close = text.dropFirst().firstIndex(where: { $0 == 0x22 || $0 == 0x3B }),
            text[close] == 0x22
        else {
            return text.startIndex
        }
        let after = text[close...].dropFirst()
        let next = after.first { $0 != 0x20 }
        return next == nil || next == 0x3B || after.starts(with: ", ".utf8) ? after.startIndex : text.startIndex
    }

    /// The text without the `, ` of empty values at its ends.
    private static func text(_ value: Text) -> String {
        var rest = value
        while rest.starts(with: ", ".utf8) { rest = rest.dropFirst(2) }
        while rest.count >= 2, rest.suffix(2).elementsEqual(", ".utf8) { rest = rest.dropLast(2) }
        return String(Substring(rest))
    }
}
