#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Parameters as a property list body; sets `Content-Type: application/x-plist` unless the request has one.
///
/// A property list holds no `nil`: members that are `nil` are left out where they are encoded if present, and are
/// written as the text `$null` elsewhere, as Foundation does.
public struct PropertyListParameterEncoder: ParameterEncoder, NonBlocking {
    public enum Format: Hashable, Sendable {
        case xml
        case binary
    }

    /// `.xml` by default.
    public let format: Format

    public init(format: Format = .xml) { self.format = format }

    /// - Throws: `EncodingError.invalidValue` for text, a number or a date that is no member or element, and what the
    ///   parameters' own `encode(to:)` throws.
    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        return try request.settingBody(encoder.encode(parameters), type: "application/x-plist")
    }
}

extension ParameterEncoder where Self == PropertyListParameterEncoder {
    /// An XML property list.
    public static var propertyList: PropertyListParameterEncoder { PropertyListParameterEncoder() }

    /// A property list in a format of choice.
    public static func propertyList(format: PropertyListParameterEncoder.Format) -> PropertyListParameterEncoder {
        PropertyListParameterEncoder(format: format)
    }
}
