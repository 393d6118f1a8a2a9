public import AsyncNet

extension SemanticConventions {
    /// `url.template`: the path and query of a `URLTemplate`, with `/` in front and secrets redacted, such as
    /// `/users/{id}` of `users/{id}` and of `https://example.com/users/{id}`.
    public static func template(_ text: String, redaction: RedactionRule = .standard) -> String {
        path(ofTemplate: redaction.text(ofURL: text))
    }

    /// The path and the query of a template, as an absolute path reference (RFC 3986 §4.2).
    static func path(ofTemplate text: String) -> String {
        let bytes = Array(text.utf8)
        let start = originLength(bytes)
        var path = bytes[start..<(bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count)]
        // The expression {#name} is a fragment too.
        if path.endIndex < bytes.count, path.last == UInt8(ascii: "{") { path.removeLast() }
        let isAbsolute = path.starts(with: "/".utf8) || path.starts(with: "{/".utf8)
        return (isAbsolute ? "" : "/") + String(decoding: path, as: UTF8.self)
    }

    /// The length of the scheme and the authority; 0 in a relative reference.
    private static func originLength(_ bytes: [UInt8]) -> Int {
        let slashes = pathStart(bytes, from: 0)
        guard bytes[slashes...].starts(with: "//".utf8), slashes == 0 || bytes[slashes - 1] == UInt8(ascii: ":")
        else { return 0 }
        return pathStart(bytes, from: slashes + 2)
    }

    /// The first `/`, `?` or `#` outside of expressions, or the first expression that makes one of them or `&` or `;`.
    private static func pathStart(_ bytes: [UInt8], from start: Int) -> Int {
        var isInExpression = false
        for position in start..<bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"):
                let operation = bytes[(position + 1)...].prefix(1)
                if "/?#&;".utf8.contains(where: operation.contains) { return position }
                isInExpression = true
            case UInt8(ascii: "}"): isInExpression = false
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): if !isInExpression { return position }
            default: break
            }
        }
        return bytes.count
    }
}
