#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

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
