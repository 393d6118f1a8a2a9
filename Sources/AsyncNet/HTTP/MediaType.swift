/// A media type with its parameters, as in `Content-Type` (RFC 9110 §8.3.1).
public struct MediaType: Hashable, Sendable {
    /// In lower case, such as `text`.
    public let type: String
    /// In lower case, such as `html`.
    public let subtype: String
    /// Names in lower case; values unquoted, as they were sent.
    public let parameters: [String: String]

    /// Reads a type such as `text/html; charset="utf-8"`; `nil` if there are not two tokens around one slash.
    public init?(_ text: String) {
        let scalars = text[...].unicodeScalars
        let essence = Substring(scalars.prefix { $0 != ";" })
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false).map { String($0).trimmedHTTPSpace.lowercased() }
        guard parts.count == 2, parts.allSatisfy({ HTTPSyntax.isToken($0) }) else { return nil }
        (type, subtype) = (parts[0], parts[1])
        parameters = HTTPParameters.firstValues(scalars[essence.endIndex...])
    }

    /// The character set's name, as it was sent.
    public var charset: String? { parameters["charset"] }

    /// Whether this range, such as `*/*`, `text/*` or `application/json`, includes the other type; parameters are not compared.
    public func includes(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }
}

extension MediaType: CustomStringConvertible {
    public var description: String { "\(type)/\(subtype)" }
}

extension String {
    /// Without the spaces and tabs around it (OWS, RFC 9110 §5.6.3).
    package var trimmedHTTPSpace: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
        return String(rest)
    }
}
