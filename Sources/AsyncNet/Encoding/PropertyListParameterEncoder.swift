public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Encodes parameters as a property list body, with `Content-Type: application/x-plist` unless the request has a type.
///
/// Property lists have no `nil`: as in Foundation, a `nil` member is omitted if it is encoded with `encodeIfPresent`,
/// and is the text `$null` otherwise.
public struct PropertyListParameterEncoder: ImmediateParameterEncoder, NonBlocking {
    private let format: PropertyListSerialization.PropertyListFormat

    /// Creates an encoder.
    public init(format: PropertyListSerialization.PropertyListFormat = .xml) { self.format = format }

    /// - Throws: `EncodingError.invalidValue` for parameters that are no array or dictionary and for the format
    ///   `.openStep`, which can only be read, and the errors of their `encode(to:)`.
    public func encode(immediately parameters: some Encodable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        return try request.settingBody(encoder.encode(parameters), type: "application/x-plist")
    }
}

extension ParameterEncoder where Self == PropertyListParameterEncoder {
    /// An XML property list.
    public static var propertyList: PropertyListParameterEncoder { PropertyListParameterEncoder() }

    /// A property list in the given format.
    public static func propertyList(
        format: PropertyListSerialization.PropertyListFormat
    ) -> PropertyListParameterEncoder {
        PropertyListParameterEncoder(format: format)
    }
}
