public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Encodes parameters as a JSON body, with `Content-Type: application/json` unless the request has a type.
///
/// A ``JSON`` value, also inside another value, keeps every digit of its numbers; of the encoder's options only
/// `.prettyPrinted` and `.sortedKeys` apply to it. A subclass of `JSONEncoder` encodes such inner values itself.
public struct JSONParameterEncoder: ImmediateParameterEncoder, NonBlocking {
    private let encoder: JSONEncoder

    /// Creates an encoder; the `JSONEncoder` must not be changed afterwards.
    public init(encoder: JSONEncoder = JSONEncoder()) { self.encoder = encoder }

    /// - Throws: The errors of `JSONEncoder`.
    public func encode(immediately parameters: some Encodable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        return try request.settingBody(JSONInsertions.data(parameters, encoder), type: "application/json")
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// A JSON body by a `JSONEncoder` with default settings.
    public static var json: JSONParameterEncoder { JSONParameterEncoder() }

    /// A JSON body by the given `JSONEncoder`.
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }

    /// A JSON body by a `JSONEncoder` with these strategies for names and dates, and this formatting. By default names
    /// are unchanged, and dates are seconds since 2001; `.iso8601` writes no fraction of a second.
    public static func json(
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys,
        dates: JSONEncoder.DateEncodingStrategy = .deferredToDate, formatting: JSONEncoder.OutputFormatting = []
    ) -> JSONParameterEncoder {
        let encoder = JSONEncoder()
        (encoder.keyEncodingStrategy, encoder.dateEncodingStrategy) = (keys, dates)
        encoder.outputFormatting = formatting
        return JSONParameterEncoder(encoder: encoder)
    }

    /// A JSON body with these options: `.json(.sortedKeys)`, `.json([.prettyPrinted, .sortedKeys])`.
    public static func json(_ formatting: JSONEncoder.OutputFormatting) -> JSONParameterEncoder {
        json(formatting: formatting)
    }
}
