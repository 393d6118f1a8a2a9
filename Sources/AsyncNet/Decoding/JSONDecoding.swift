public import Foundation

extension DataDecoder where Self == StandardJSONDecoder {
    /// Decodes JSON as `JSONDecoder()` does; see ``StandardJSONDecoder``.
    public static var json: StandardJSONDecoder { StandardJSONDecoder() }
}

extension DataDecoder where Self == JSONDecoder {
    /// Decodes JSON with these names, dates and data.
    ///
    ///     Session(configuration: .init(decoder: .json(keys: .convertFromSnakeCase, dates: .iso8601)))
    ///
    /// - Parameters:
    ///   - keys: How the names of members become those of the type; unchanged by default.
    ///   - dates: How dates are read; by default as seconds since 2001. `.iso8601` accepts seconds with a fraction, too.
    ///   - data: How `Data` is read; as Base64 by default.
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
private enum ISO8601 {
    @Sendable
    static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let date = try? style.parse(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is not a date in ISO 8601, such as 2026-01-31T12:00:00Z")
        }
        return date
    }
}
