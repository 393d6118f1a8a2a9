import Foundation

/// A URL as it is typed, before the library reads it.
enum URLText {
    /// With a scheme, and these queries before the fragment. `:8080/path` is a URL of this machine.
    static func complete(_ text: String, query: [String]) -> String {
        let text = hasScheme(text) ? text : "http://\(text.hasPrefix(":") ? local(text) : text)"
        guard !query.isEmpty else { return text }
        let hash = text.firstIndex(of: "#") ?? text.endIndex
        let base = text[..<hash]
        let separator = !base.contains("?") ? "?" : base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&"
        return base + separator + query.joined(separator: "&") + text[hash...]
    }

    private static func local(_ text: String) -> String {
        "localhost"
            + (text.dropFirst().first.map { $0.isASCII && $0.isNumber } == true ? text : String(text.dropFirst()))
    }

    /// The last component of the path; `nil` if that is empty or no name of a file.
    static func fileName(of text: String) -> String? {
        let path = (text.range(of: "://").map { text[$0.upperBound...] } ?? text[...]).prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let name = String(path[path.index(after: slash)...])
        return ["", ".", ".."].contains(name) ? nil : name
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
    static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), colon != text.startIndex else {
            return false
        }
        return text[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    static func encodedPair(_ argument: String) -> String {
        let equals = argument.firstIndex(of: "=") ?? argument.endIndex
        return "\(encoded(argument[..<equals]))=\(encoded(argument[equals...].dropFirst()))"
    }

    /// Everything but RFC 3986's unreserved characters is encoded, so that `&`, `=`, `+` and `%` mean themselves.
    private static func encoded(_ text: Substring) -> String { encoded(text.utf8) }

    /// The same of any bytes, with a plus for a space.
    static func formEncoded(_ bytes: Data) -> String { encoded(bytes).replacingOccurrences(of: "%20", with: "+") }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return bytes.reduce(into: "") { result, byte in
            let hex = String(byte, radix: 16, uppercase: true)
            result += unreserved.contains(byte) ? String(UnicodeScalar(byte)) : byte < 16 ? "%0\(hex)" : "%\(hex)"
        }
    }
}
