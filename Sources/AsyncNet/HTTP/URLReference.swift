import Foundation

/// The five components of a URI or relative reference, split and joined as text (RFC 3986).
///
/// Used in place of Foundation's `URL(string:)`, which encodes existing percent-encodings again if another character
/// needs encoding, and refuses URLs that browsers and servers use. Here only bytes that are invalid in their place are
/// encoded; `%2B` stays `%2B`.
package struct URLReference: Equatable, Sendable {
    var scheme: String?
    var authority: String?
    var path: String
    package var query: String?
    package var fragment: String?

    /// Splits any text (RFC 3986 Appendix B); never fails.
    package init(_ text: String) {
        var rest = text[...]
        fragment = Self.cut(&rest, after: "#")
        query = Self.cut(&rest, after: "?")
        if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            let named = rest.dropFirst(2)
            let end = named.firstIndex(of: "/") ?? named.endIndex
            authority = String(named[..<end])
            rest = named[end...]
        }
        path = String(rest)
    }

    /// This reference resolved against `base` (RFC 3986 §5.2.2), which needs a scheme.
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        target.path = Self.removingDotSegments(path)
        guard scheme == nil else { return target }
        target.scheme = base.scheme
        guard authority == nil else { return target }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if !path.hasPrefix("/") {
            target.path = Self.removingDotSegments(merged(with: base))
        }
        return target
    }

    package var text: String {
        var text = ""
        if let scheme { text += "\(scheme):" }
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    /// This reference as a `URL`, with invalid bytes encoded, and the host by IDNA; `nil` for an invalid host or port.
    var url: URL? {
        var encoded = self
        encoded.authority = authority.map(Self.encodingZone)
        encoded.path = PercentEncoding.encoded(path, keeping: Self.pathCharacters, percent: .keptBeforeDigits)
        encoded.query = query.map(Self.encodedQuery)
        encoded.fragment = fragment.map(Self.encodedQuery)
        let host = (authority ?? "").utf8
        guard !host.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }) else { return nil }
        let isASCII = host.allSatisfy { $0 < 0x80 }
        return URL(string: encoded.text, encodingInvalidCharacters: !isASCII)
    }

    /// Encodes the percent sign before a zone (RFC 6874 §2), which people write as it is: `[fe80::1%eth0]`.
    private static func encodingZone(_ authority: String) -> String {
        guard let bracket = authority.lastIndex(of: "["), let percent = authority[bracket...].firstIndex(of: "%"),
            !authority[percent...].hasPrefix("%25")
        else { return authority }
        return authority[..<percent] + "%25" + authority[percent...].dropFirst()
    }

    /// The URL with its text on the wire: a percent sign without two hex digits is kept there, as in browsers, while a
    /// `URL` can only contain `%25`.
    var spelledURL: SpelledURL? {
        guard let url else { return nil }
        var spelled = URLReference(url.absoluteString)
        spelled.path = PercentEncoding.encoded(path, keeping: Self.pathCharacters, percent: .kept)
        spelled.query = query.map { PercentEncoding.encoded($0, keeping: Self.queryCharacters, percent: .kept) }
        return SpelledURL(url: url, text: spelled.text)
    }

    /// Merges paths (RFC 3986 §5.2.3).
    private func merged(with base: URLReference) -> String {
        if base.authority != nil, base.path.isEmpty { return "/\(path)" }
        guard let slash = base.path.lastIndex(of: "/") else { return path }
        return base.path[...slash] + path
    }

    /// Removes dot segments (RFC 3986 §5.2.4): `.` is removed, `..` with the segment before it; a path that ends in
    /// either keeps its slash.
    static func removingDotSegments(_ path: String) -> String {
        guard path.contains(".") else { return path }
        let isAbsolute = path.hasPrefix("/")
        var kept: [Substring] = []
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        if isAbsolute { segments = segments.dropFirst() }
        for (index, segment) in zip(segments.indices, segments) {
            let isLast = index == segments.endIndex - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }

    private static func cut(_ rest: inout Substring, after mark: Character) -> String? {
        guard let index = rest.unicodeScalars.firstIndex(of: mark.unicodeScalars.first ?? "#") else { return nil }
        defer { rest = rest[..<index] }
        return String(rest[rest.unicodeScalars.index(after: index)...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.asciiLowercased &- 0x61 < 26 else { return false }
        return text.utf8.allSatisfy { HTTPSyntax.isAlphanumeric($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    private static let pathCharacters: StaticString = "/:@!$&'()*+,;=-._~"
    private static let queryCharacters: StaticString = "/?:@!$&'()*+,;=-._~"

    private static func encodedQuery(_ text: String) -> String {
        PercentEncoding.encoded(text, keeping: queryCharacters, percent: .keptBeforeDigits)
    }
}

struct SpelledURL: Equatable, Sendable {
    let url: URL
    let text: String
}
