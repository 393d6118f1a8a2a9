#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Encodes parameters into a request, as its body or its query.
///
/// Runs on no actor, each time the request is made. An error ends the request with `.encodingFailed`. The encoders of
/// this library do not change the request if the parameters are `nil`, set a `Content-Type` only if the request has
/// none, and throw ``AsyncNetError`` with code `.malformedURL` for a request without URL.
public protocol ParameterEncoder: Sendable {
    /// Returns the request with the parameters.
    func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest
}

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

/// Encodes parameters with a closure.
///
///     encoder: ClosureParameterEncoder { parameters, request in
///         request.httpBody = try MessagePackEncoder().encode(parameters)
///         request.setValue("application/msgpack", forHTTPHeaderField: "Content-Type")
///     }
///
/// The closure runs on no actor, each time the request is made, but not if the parameters are `nil`.
public struct ClosureParameterEncoder: ParameterEncoder {
    // No static member: for `some ParameterEncoder` Swift 6.3 rejects closures in implicit members unless each is
    // marked `@Sendable`.

    /// Sets the parameters in the request.
    public typealias Encode =
        @Sendable (_ parameters: any Encodable & Sendable, _ request: inout URLRequest) throws -> Void

    private let encode: Encode

    /// Creates an encoder.
    public init(_ encode: @escaping Encode) { self.encode = encode }

    /// - Throws: The errors of the closure.
    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        _ = try request.checkedURL()
        var request = request
        try encode(parameters, &request)
        return request
    }
}

extension Encodable {
    /// Whether this is `nil`, or an optional of any depth that contains `nil`.
    var isNil: Bool { (self as? any OptionalParameters)?.holdsNothing ?? false }
}

private protocol OptionalParameters {
    var holdsNothing: Bool { get }
}

extension Optional: OptionalParameters where Wrapped: Encodable {
    fileprivate var holdsNothing: Bool { self?.isNil ?? true }
}

extension URLRequest {
    /// The URL, or an error, since FoundationNetworking traps if a copy of a request without URL is changed.
    func checkedURL() throws(AsyncNetError) -> URL {
        guard let url else { throw AsyncNetError(.malformedURL, "The URLRequest has no URL") }
        return url
    }

    /// The request with this body, and with this type unless it has one.
    func settingBody(_ body: Data, type: String) throws(AsyncNetError) -> URLRequest {
        _ = try checkedURL()
        var request = self
        request.httpBody = body
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        return request
    }
}
