public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Parameters as a JSON body; sets `Content-Type: application/json` unless the request has one.
///
/// A ``JSON`` value, also one inside another value, is written by itself, with every digit of its numbers; of the
/// encoder's options only `.prettyPrinted` and `.sortedKeys` apply to it. (An encoder of a subclass of `JSONEncoder`
/// writes those inside other values as it likes.)
public struct JSONParameterEncoder: ParameterEncoder, NonBlocking {
    private let encoder: JSONEncoder

    public init(encoder: JSONEncoder = JSONEncoder()) { self.encoder = encoder }

    /// - Throws: What `JSONEncoder` throws.
    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        return try request.settingBody(JSONInsertions.data(parameters, encoder), type: "application/json")
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// A JSON body from a default `JSONEncoder`.
    public static var json: JSONParameterEncoder { JSONParameterEncoder() }

    /// A JSON body from an encoder of one's own.
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }

    /// A JSON body written as told: `.json(.sortedKeys)`, `.json([.prettyPrinted, .sortedKeys])`.
    public static func json(_ formatting: JSONEncoder.OutputFormatting) -> JSONParameterEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return JSONParameterEncoder(encoder: encoder)
    }
}
