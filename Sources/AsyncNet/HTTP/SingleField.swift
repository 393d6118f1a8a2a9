/// A field with a single value, of which a server or an intermediary may send several lines (RFC 9110 §5.3).
///
/// Equal lines count as one value. How different values are handled depends on the caller of
/// ``HTTPResponseHead/values(of:)``.
///
/// Lines that were joined by commas are separated by the field's grammar: a comma inside a date, an entity tag or a
/// quoted string does not separate.
struct SingleField: Sendable {
    let name: String
    private let grammar: Grammar

    private enum Grammar {
        case plain
        /// A date: a comma after the weekday does not separate (RFC 9110 §5.6.7).
        case date
        /// Entity tags, in quotes without escapes (RFC 9110 §8.8.3).
        case entityTag
        /// File names may contain commas without quotes, so only a type of RFC 6266 begins another value.
        case disposition
        /// A URI may contain a comma, but no space: only a comma and a space before a slash or a scheme separate.
        case reference
    }

    private init(_ name: String, _ grammar: Grammar) { (self.name, self.grammar) = (name, grammar) }

    static let contentDisposition = SingleField("Content-Disposition", .disposition)
    static let contentRange = SingleField("Content-Range", .plain)
    static let date = SingleField("Date", .date)
    static let entityTag = SingleField("ETag", .entityTag)
    static let lastModified = SingleField("Last-Modified", .date)
    static let retryAfter = SingleField("Retry-After", .date)
    static let location = SingleField("Location", .reference)

    /// Whether a line can contain several values. A `Location` line is one value, since its URL may contain `, /`.
    fileprivate var isListable: Bool { grammar != .reference }

    /// The values in a text, without space around them and without empty values.
    func values(in text: String) -> [String] {
        guard text.utf8.contains(0x2C) else {
            let value = text.trimmedHTTPSpace
            return value.isEmpty ? [] : [value]
        }
        var found: [String] = []
        var (rest, start) = (text[...].unicodeScalars, text.startIndex)
        var quote = QuotedString(hasEscapes: grammar == .disposition)
        while let scalar = rest.popFirst() {
            let end = text.unicodeScalars.index(before: rest.startIndex)
            guard !quote.contains(scalar), scalar == ",", separates(text[start..<end], Substring(rest)) else {
                continue
            }
            found.append(String(text[start..<end]).trimmedHTTPSpace)
            start = rest.startIndex
        }
        found.append(String(text[start...]).trimmedHTTPSpace)
        return found.filter { !$0.isEmpty }
    }

    private func separates(_ before: Substring, _ after: Substring) -> Bool {
        switch grammar {
        case .plain, .entityTag: true
        case .date: !HTTPDateFields.isWeekday(String(before).trimmedHTTPSpace.lowercased())
        case .disposition: Self.beginsDisposition(after)
        case .reference: Self.beginsReference(after)
        }
    }

    private static func beginsDisposition(_ text: Substring) -> Bool {
        let type = text.drop { $0 == " " || $0 == "\t" }.prefix { $0.isLetter || $0.isNumber || "-._".contains($0) }
        return ["attachment", "inline"].contains(type.lowercased())
    }

    private static func beginsReference(_ text: Substring) -> Bool {
        guard text.hasPrefix(" ") else { return false }
        // A scheme has no comma, so the text after the next one need not be read.
        let reference = String(text.dropFirst().prefix { $0 != "," })
        return reference.hasPrefix("/") || URLReference(reference).scheme != nil
    }
}

/// Tracks whether successive scalars are inside a quoted string (RFC 9110 §5.6.4).
struct QuotedString {
    let hasEscapes: Bool
    private var (isOpen, isEscaped) = (false, false)

    init(hasEscapes: Bool = true) { self.hasEscapes = hasEscapes }

    /// Receives the next scalar, and returns whether it is in the string, quotes included.
    mutating func contains(_ scalar: Unicode.Scalar) -> Bool {
        if isEscaped {
            isEscaped = false
        } else if isOpen, hasEscapes, scalar == "\\" {
            isEscaped = true
        } else if scalar == "\"" {
            isOpen.toggle()
            return true
        }
        return isOpen
    }
}

extension HTTPHeaders {
    /// The different values of a field, in order. Bytes are compared, since `==` treats some different bytes as equal.
    func values(of field: SingleField, areJoined: Bool = false) -> [String] {
        var found: [String] = []
        var known: Set<[UInt8]> = []
        for header in self where header.hasName(field.name) {
            let values =
                areJoined || field.isListable ? field.values(in: header.value) : [header.value.trimmedHTTPSpace]
            for value in values where !value.isEmpty && known.insert(Array(value.utf8)).inserted { found.append(value) }
        }
        return found
    }
}

extension HTTPResponseHead {
    func values(of field: SingleField) -> [String] {
        guard joinsRepeatedHeaders else { return headers.values(of: field) }
        guard let joined = value(for: field.name) else { return [] }
        return HTTPHeaders([HTTPHeader(name: field.name, value: joined)]).values(of: field, areJoined: true)
    }
}

extension [String] {
    /// The value of a field; `nil` if there is none, or if there are different values.
    var only: String? { count == 1 ? first : nil }
}
