/// Parameters after a header's value: `; name=token; name="quoted \" string"` (RFC 9110 §5.6.6).
struct HTTPParameters: ByteScanner {
    var rest: Substring.UTF8View

    /// The first value of each name, with names in lower case and values unquoted.
    ///
    /// Parameters without a name or an equals sign are skipped; an unclosed quoted string ends with the text; text
    /// between a closing quote and the next semicolon is skipped.
    static func firstValues(_ text: Substring.UTF8View) -> [String: String] {
        var (scanner, found) = (HTTPParameters(rest: text), [String: String]())
        while true {
            scanner.skip { $0 != UInt8(ascii: ";") }
            guard scanner.take(";") else { return found }
            let text = scanner.skip { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            guard scanner.take("=") else { continue }
            let (name, value) = (String(Substring(text.trimmedHTTPSpace)).lowercased(), scanner.value(endingAt: ";"))
            if HTTPSyntax.isToken(name), found[name] == nil { found[name] = value }
        }
    }
}
