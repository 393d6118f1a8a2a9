/// Parses challenges and their parameters (RFC 9110 §11.2 to §11.4). Commas separate both; only an equals sign after a
/// word shows that a parameter follows.
struct AuthenticationScanner: ByteScanner {
    var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func challenges() -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        skipCommas()
        while let scheme = token()?.lowercased() {
            guard isAtEnd || takeSpaces() else { break }
            if let token68 = token68() {
                found.append(AuthenticationChallenge(scheme: scheme, token68: token68))
            } else {
                found.append(AuthenticationChallenge(scheme: scheme, parameters: parameters()))
            }
            guard isAtEnd else { break }
            skipCommas()
        }
        return found
    }

    /// Reads parameters up to the next word without an equals sign, or to a malformed parameter.
    mutating func parameters() -> [String: String] {
        var found: [String: String] = [:]
        var ahead = self
        ahead.skipCommas()
        while let (name, value) = ahead.parameter(), ahead.isAtEnd {
            if found[name] == nil { found[name] = value }
            self = ahead
            ahead.skipCommas()
        }
        return found
    }

    private mutating func parameter() -> (name: String, value: String)? {
        guard let name = token()?.lowercased() else { return nil }
        takeSpaces()
        guard take("=") else { return nil }
        takeSpaces()
        guard let value = rest.first == UInt8(ascii: "\"") ? strictQuotedString() : token() else { return nil }
        takeSpaces()
        return (name, value)
    }

    /// A token68 (RFC 9110 §11.2); `nil` unless a comma or the end follows, since the text is a parameter otherwise.
    private mutating func token68() -> String? {
        var ahead = self
        let body = ahead.skip {
            0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 && $0 < 0x80 || "-._~+/".utf8.contains($0)
        }
        let padding = ahead.skip { $0 == UInt8(ascii: "=") }
        ahead.takeSpaces()
        guard !body.isEmpty, ahead.isAtEnd else { return nil }
        self = ahead
        return String(decoding: body, as: UTF8.self) + String(decoding: padding, as: UTF8.self)
    }

    private var isAtEnd: Bool { rest.isEmpty || rest.first == UInt8(ascii: ",") }

    private mutating func skipCommas() {
        skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
    }

    @discardableResult
    private mutating func takeSpaces() -> Bool {
        !skip { $0 == 0x20 || $0 == 0x09 }.isEmpty
    }
}
