/// A URL as it is typed, before the library reads it.
enum URLText {
    /// With a scheme, and the `--query` arguments before the fragment.
    static func complete(_ text: String, query: [String]) -> String {
        let text = hasScheme(text) ? text : "http://\(text)"
        guard !query.isEmpty else { return text }
        let hash = text.firstIndex(of: "#") ?? text.endIndex
        let base = text[..<hash]
        let separator = !base.contains("?") ? "?" : base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&"
        return base + separator + query.map(encodedPair).joined(separator: "&") + text[hash...]
    }

    /// A URL without a path, or whose path ends in a slash, with a file's name behind it.
    static func appending(fileName: String, to text: String) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        let hasPath =
            path.drop { $0 != ":" }.hasPrefix("://")
            ? path.split(separator: "/", omittingEmptySubsequences: false).count > 3 : path.contains("/")
        guard path.hasSuffix("/") || !hasPath else { return text }
        return path + (hasPath ? "" : "/") + encoded(fileName[...]) + text[path.endIndex...]
    }

    /// `localhost:8080` has no scheme although it has a colon: only `name://` counts, as curl guesses too.
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), colon != text.startIndex else {
            return false
        }
        return text[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    private static func encodedPair(_ argument: String) -> String {
        let equals = argument.firstIndex(of: "=") ?? argument.endIndex
        return "\(encoded(argument[..<equals]))=\(encoded(argument[equals...].dropFirst()))"
    }

    /// Everything but RFC 3986's unreserved characters is encoded, so that `&`, `=`, `+` and `%` mean themselves.
    private static func encoded(_ text: Substring) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return text.utf8.reduce(into: "") { result, byte in
            let hex = String(byte, radix: 16, uppercase: true)
            result += unreserved.contains(byte) ? String(UnicodeScalar(byte)) : byte < 16 ? "%0\(hex)" : "%\(hex)"
        }
    }
}
