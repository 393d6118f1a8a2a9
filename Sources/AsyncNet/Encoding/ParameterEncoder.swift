public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Puts parameters into a request, as its body or its query.
///
/// It runs off every actor each time the request is made, so also before a retry. What it throws arrives at the
/// awaited outcome as `.encodingFailed`.
public protocol ParameterEncoder: Sendable {
    func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest
}

/// Parameters as a JSON body; sets `Content-Type: application/json` unless the request has one.
public struct JSONParameterEncoder: ParameterEncoder {
    private let encoder: JSONEncoder

    public init(encoder: JSONEncoder = JSONEncoder()) { self.encoder = encoder }

    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        var request = request
        request.httpBody = try (parameters as? JSON)?.data() ?? encoder.encode(parameters)
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// A JSON body from a default `JSONEncoder`.
    public static var json: JSONParameterEncoder { JSONParameterEncoder() }

    /// A JSON body from an encoder of one's own.
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}
