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
