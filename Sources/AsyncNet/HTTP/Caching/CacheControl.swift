/// The directives of `Cache-Control` (RFC 9111 §5.2), with names in lower case and arguments unquoted. Of repeated
/// names the first counts (§4.2.1); text that is no directive is skipped.
struct CacheControl: Sendable, Hashable {
    /// Arguments by the directive's name; empty for a directive without an argument.
    private var directives: [String: String] = [:]

    /// The largest number of seconds, which stands for all larger ones (RFC 9111 §1.2.2).
    static let mostSeconds = 1 << 31

    init(_ headers: HTTPHeaders) {
        for value in headers.values(for: "Cache-Control") { add(value) }
    }

    init(_ value: String) { add(value) }

    var isEmpty: Bool { directives.isEmpty }

    func contains(_ name: String) -> Bool { directives[name] != nil }

    /// The seconds of a directive; `nil` without it, 0 for an invalid argument, so that the response is stale.
    func seconds(_ name: String) -> Int? { directives[name].map { Self.seconds($0) ?? 0 } }

    /// The seconds of a directive such as `max-stale`, which without an argument allows any number of seconds.
    func optionalSeconds(_ name: String) -> Int? {
        directives[name].map { $0.isEmpty ? Self.mostSeconds : Self.seconds($0) ?? 0 }
    }

    static func seconds(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return min(Int(text) ?? mostSeconds, mostSeconds)
    }

    private mutating func add(_ value: String) {
        var scanner = CacheControlScanner(rest: value[...].utf8)
        while let (name, argument) = scanner.directive() {
            if directives[name] == nil { directives[name] = argument }
        }
    }
}

private struct CacheControlScanner: ByteScanner {
    var rest: Substring.UTF8View

    mutating func directive() -> (name: String, argument: String)? {
        while !rest.isEmpty {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            let name = skip(while: HTTPSyntax.isTokenByte)
            let argument = take("=") ? argument() : ""
            skip { $0 != UInt8(ascii: ",") }
            if !name.isEmpty { return (String(decoding: name, as: UTF8.self).lowercased(), argument) }
        }
        return nil
    }

    private mutating func argument() -> String {
        guard take("\"") else {
            let text = skip { $0 != UInt8(ascii: ",") }
            return String(decoding: text, as: UTF8.self).trimmedHTTPSpace
        }
        let start = rest
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        // A quote that is not closed must not hide the directives after it.
        rest = start
        return ""
    }
}
