/// Parameters after a header's value: `; name=token; name="quoted \" string"` (RFC 9110 §5.6.6).
///
/// Parsed by scalars, since a combining character after a quote or semicolon would form one character with it.
enum HTTPParameters {
    typealias Scalars = Substring.UnicodeScalarView

    /// The parameters in order, with names in lower case and values unquoted.
    ///
    /// Parameters without a name or an equals sign are skipped; an unclosed quoted string ends with the text; text
    /// between a closing quote and the next semicolon is skipped.
    static func read(_ text: Scalars) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var rest = text
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...]
            let name = String(take(&rest) { $0 != "=" && $0 != ";" }).trimmedHTTPSpace.lowercased()
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            let value = takeValue(&rest)
            if HTTPSyntax.isToken(name) { found.append((name, value)) }
        }
        return found
    }

    /// The first value of each name.
    static func firstValues(_ text: Scalars) -> [String: String] {
        Dictionary(read(text).map { ($0.name, $0.value) }) { first, _ in first }
    }

    private static func takeValue(_ rest: inout Scalars) -> String {
        _ = take(&rest) { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else { return String(take(&rest) { $0 != ";" }).trimmedHTTPSpace }
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            guard scalar == "\\", let escaped = rest.popFirst() else {
                value.append(scalar)
                continue
            }
            value.append(escaped)
        }
        return String(value)
    }

    private static func take(_ rest: inout Scalars, while belongs: (Unicode.Scalar) -> Bool) -> Scalars {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return taken
    }
}
