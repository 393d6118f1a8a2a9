#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Encodes parameters as a property list body, with `Content-Type: application/x-plist` unless the request has a type.
///
/// Property lists have no `nil`: as in Foundation, a `nil` member is omitted if it is encoded with `encodeIfPresent`,
/// and is the text `$null` otherwise.
public struct PropertyListParameterEncoder: ImmediateParameterEncoder, NonBlocking {
    /// The format of a property list.
    public enum Format: Hashable, Sendable {
        /// XML text.
        case xml
        /// Apple's binary format.
        case binary
    }

    /// The format of the body; `.xml` by default.
    public let format: Format

    /// Creates an encoder.
    public init(format: Format = .xml) { self.format = format }

    /// - Throws: `EncodingError.invalidValue` for parameters that are no array or dictionary, and the errors of their
    ///   `encode(to:)`.
    public func encode(immediately parameters: some Encodable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        return try request.settingBody(encoder.encode(parameters), type: "application/x-plist")
    }
}

extension ParameterEncoder where Self == PropertyListParameterEncoder {
    /// An XML property list.
    public static var propertyList: PropertyListParameterEncoder { PropertyListParameterEncoder() }

    /// A property list in the given format.
    public static func propertyList(format: PropertyListParameterEncoder.Format) -> PropertyListParameterEncoder {
        PropertyListParameterEncoder(format: format)
    }
}
