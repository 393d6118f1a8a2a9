/// A media type with its parameters, as in `Content-Type` (RFC 9110 §8.3.1).
public struct MediaType: Hashable, Sendable {
    /// The type in lower case, such as `text`.
    public let type: String
    /// The subtype in lower case, such as `html`.
    public let subtype: String
    /// The parameters; names in lower case, values unquoted, otherwise as sent.
    public let parameters: [String: String]

    /// Parses a type such as `text/html; charset="utf-8"`; `nil` unless there are two tokens around a slash.
    public init?(_ text: String) {
        let essence = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        let parts = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0.trimmedHTTPSpace)).lowercased()
        }
        guard parts.count == 2, parts.allSatisfy({ HTTPSyntax.isToken($0) }) else { return nil }
        (type, subtype) = (parts[0], parts[1])
        parameters = HTTPParameters.firstValues(text.utf8[essence.endIndex...])
    }

    private init(_ type: MediaType, charset: String) {
        (self.type, subtype) = (type.type, type.subtype)
        parameters = type.parameters.merging(["charset": charset]) { own, _ in own }
    }

    /// The last valid type of a list (Fetch, "extract a MIME type"): `*/*` is not valid, and a repeated type without a
    /// charset keeps the earlier charset.
    package static func last(in text: String) -> MediaType? {
        guard text.utf8.contains(0x2C) else { return MediaType(text).flatMap { $0.isAny ? nil : $0 } }
        var found: MediaType?
        var rest = text[...].unicodeScalars
        var start = text.startIndex
        var quote = QuotedString()
        while true {
            let scalar = rest.popFirst()
            let end = scalar.map { _ in text.unicodeScalars.index(before: rest.startIndex) } ?? text.endIndex
            if let scalar, quote.contains(scalar) || scalar != "," { continue }
            if let type = MediaType(String(text[start..<end])), !type.isAny { found = type.following(found) }
            guard scalar != nil else { return found }
            start = rest.startIndex
        }
    }

    private var isAny: Bool { type == "*" && subtype == "*" }

    private func following(_ previous: MediaType?) -> MediaType {
        guard let previous, previous.description == description, charset == nil, let charset = previous.charset else {
            return self
        }
        return MediaType(self, charset: charset)
    }

    /// The value of `charset`, as sent.
    public var charset: String? { parameters["charset"] }

    /// Whether a list of media ranges includes a type; a missing type only if the list has `*/*`.
    static func list(_ ranges: [String], includes type: MediaType?) -> Bool {
        ranges.compactMap(MediaType.init).contains { range in type.map(range.includes) ?? range.isAny }
    }

    /// Whether this media range, such as `*/*` or `text/*`, includes the other type; parameters are ignored.
    public func includes(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }
}

extension MediaType: CustomStringConvertible {
    public var description: String { "\(type)/\(subtype)" }
}

extension String {
    package var trimmedHTTPSpace: String {
        let trimmed = self[...].utf8.trimmedHTTPSpace
        return trimmed.count == utf8.count ? self : String(Substring(trimmed))
    }
}

extension Substring.UTF8View {
    /// Without spaces and tabs at both ends (OWS, RFC 9110 §5.6.3).
    package var trimmedHTTPSpace: Substring.UTF8View {
        func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
        var rest = self
        while isSpace(rest.first) { rest.removeFirst() }
        while isSpace(rest.last) { rest.removeLast() }
        return rest
    }
}
