/// Parses the links of a field value (RFC 8288 Appendix B.2 to B.4).
///
/// Text that is not a link is skipped up to the next comma, where the appendix would stop parsing: a malformed link
/// does not hide the links after it.
struct LinkScanner: ByteScanner {
    typealias Sent = (target: String, parameters: [(name: String, value: String)])

    var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func links() -> [Sent] {
        var found: [Sent] = []
        while !rest.isEmpty {
            skipSpaces()
            if let link = link() { found.append(link) }
            skipToComma()
        }
        return found
    }

    private mutating func link() -> Sent? {
        guard take("<") else { return nil }
        let target = skip { $0 != UInt8(ascii: ">") }
        guard take(">") else { return nil }
        var parameters: [(name: String, value: String)] = []
        skipSpaces()
        while take(";") {
            if let parameter = parameter() { parameters.append(parameter) }
            skipSpaces()
        }
        return (String(decoding: target, as: UTF8.self), parameters)
    }

    /// A name and its value, which is empty without an equals sign; `nil` without a valid name.
    private mutating func parameter() -> (name: String, value: String)? {
        skipSpaces()
        let text = skip { !"=;, \t\"".utf8.contains($0) }
        let name = String(decoding: text, as: UTF8.self).lowercased()
        skipSpaces()
        let value = take("=") ? value(endingAt: ";,") : ""
        return HTTPSyntax.isToken(name) ? (name, value) : nil
    }

    /// Skips the rest of a link and the comma after it; a comma in quotes or in angle brackets does not count.
    private mutating func skipToComma() {
        while let byte = rest.popFirst(), byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quotedString() }
            if byte == UInt8(ascii: "<") { skip { $0 != UInt8(ascii: ">") } }
        }
    }
}
