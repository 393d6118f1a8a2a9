#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Parameters put into the request by a closure, where a type of one's own is too much.
///
///     encoder: ClosureParameterEncoder { parameters, request in
///         request.httpBody = try MessagePackEncoder().encode(parameters)
///         request.setValue("application/msgpack", forHTTPHeaderField: "Content-Type")
///     }
///
/// The closure runs off every actor each time the request is made; not for parameters that are `nil`.
public struct ClosureParameterEncoder: ParameterEncoder {
    // No static member stands for it: for `some ParameterEncoder` Swift 6.3 refuses closures in implicit members that
    // are not marked `@Sendable` one by one.

    /// Changes the request so that it holds the parameters.
    public typealias Encode =
        @Sendable (_ parameters: any Encodable & Sendable, _ request: inout URLRequest) throws -> Void

    private let encode: Encode

    public init(_ encode: @escaping Encode) { self.encode = encode }

    /// - Throws: What the closure throws.
    public func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        _ = try request.checkedURL()
        var request = request
        try encode(parameters, &request)
        return request
    }
}
