#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// A parameter encoder that also encodes values that must not leave the caller's actor, such as types of a module whose
/// default isolation is the main actor.
///
/// Values that must not leave the caller's actor are encoded when the request is made, not when it starts. The encoders
/// of this library for JSON, forms and property lists are immediate.
public protocol ImmediateParameterEncoder: ParameterEncoder {
    /// Returns the request with the parameters; must not keep them.
    func encode(immediately parameters: some Encodable, into request: URLRequest) throws -> URLRequest
}

extension ImmediateParameterEncoder {
    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        try encode(immediately: parameters, into: request)
    }
}
