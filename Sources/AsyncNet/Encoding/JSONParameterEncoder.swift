public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Parameters as a JSON body; sets `Content-Type: application/json` unless the request has one.
///
/// A ``JSON`` value is written by itself, with every digit of its numbers; of the encoder's options only `.prettyPrinted`
/// and `.sortedKeys` apply to it.
public struct JSONParameterEncoder: ParameterEncoder {
    private let encoder: JSONEncoder

    public init(encoder: JSONEncoder = JSONEncoder()) { self.encoder = encoder }

    /// - Throws: What `JSONEncoder` throws.
    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        let body = try (parameters as? JSON)?.data(options: writingOptions) ?? encoder.encode(parameters)
        return try request.settingBody(body, type: "application/json")
    }

    private var writingOptions: JSON.WritingOptions {
        var options: JSON.WritingOptions = []
        if encoder.outputFormatting.contains(.prettyPrinted) { options.insert(.prettyPrinted) }
        if encoder.outputFormatting.contains(.sortedKeys) { options.insert(.sortedKeys) }
        return options
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
