public import Foundation

extension DataDecoder where Self == StandardJSONDecoder {
    /// Decodes JSON as `JSONDecoder()` does; see ``StandardJSONDecoder``.
    public static var json: StandardJSONDecoder { StandardJSONDecoder() }
}

extension DataDecoder where Self == JSONDecoder {
    /// Decodes JSON by a `JSONDecoder` with these strategies for names, dates and data. The numbers of a ``JSON``
    /// inside a type are then those of `JSONDecoder`, and do not keep every digit as with ``DataDecoder/json``.
    ///
    ///     Session(configuration: .init(decoder: .json(keys: .convertFromSnakeCase, dates: .iso8601)))
    ///
    /// By default names are used unchanged, dates are seconds since 2001, and `Data` is Base64. `.iso8601` also accepts
    /// seconds with a fraction.
    public static func json(
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys,
        dates: JSONDecoder.DateDecodingStrategy = .deferredToDate,
        data: JSONDecoder.DataDecodingStrategy = .base64
    ) -> JSONDecoder {
        let decoder = JSONDecoder()
        (decoder.keyDecodingStrategy, decoder.dataDecodingStrategy) = (keys, data)
        decoder.dateDecodingStrategy = if case .iso8601 = dates { .custom(ISO8601.date) } else { dates }
        return decoder
    }
}

/// Dates of RFC 3339, with and without a fraction of a second.
enum ISO8601 {
    @Sendable
    static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        guard let date = date(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is not a date in ISO 8601, such as 2026-01-31T12:00:00Z")
        }
        return date
    }

    /// The date of a text. Foundation alone would ignore text after it, and refuse a fraction of more than nine digits.
    static func date(_ text: String) -> Date? {
        let rest = text.dropFirst(wholeSeconds)
        let fraction = rest.prefix { $0 == "." || isDigit($0) }
        let zone = rest.dropFirst(fraction.count)
        guard isZone(zone) else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: !fraction.isEmpty)
        return try? style.parse("\(text.prefix(wholeSeconds))\(fraction.prefix(1 + 9))\(zone)")
    }

    /// The length of `2026-01-31T12:00:00`.
    private static let wholeSeconds = 19

    private static func isZone(_ text: Substring) -> Bool {
        guard let sign = text.first, sign == "+" || sign == "-" else { return text == "Z" || text == "z" }
        // The colon may be missing, as in ISO 8601 but not in RFC 3339.
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        let lengths = parts.map(\.count)
        return [[2, 2], [4], [2]].contains(lengths) && parts.joined().allSatisfy(isDigit)
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
