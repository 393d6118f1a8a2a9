#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Puts parameters into a request, as its body or its query.
///
/// It runs off every actor each time the request is made, so also before a retry. What it throws arrives at the awaited
/// outcome as `.encodingFailed`. The encoders of this library leave the request untouched if the parameters are `nil`,
/// set a `Content-Type` only where the request has none, and throw ``AsyncNetError`` with code `.malformedURL` for a
/// request without URL.
public protocol ParameterEncoder: Sendable {
    func encode(_ parameters: some Encodable & Sendable, into request: URLRequest) throws -> URLRequest
}

extension Encodable {
    /// Whether this is an `Optional` that holds no value, at whatever depth.
    var isNil: Bool { (self as? any OptionalParameters)?.holdsNothing ?? false }
}

private protocol OptionalParameters {
    var holdsNothing: Bool { get }
}

extension Optional: OptionalParameters where Wrapped: Encodable {
    fileprivate var holdsNothing: Bool { self?.isNil ?? true }
}

extension URLRequest {
    /// The URL, or an error. FoundationNetworking traps where a copy of a request without URL is changed.
    func checkedURL() throws(AsyncNetError) -> URL {
        guard let url else { throw AsyncNetError(.malformedURL, "The URLRequest has no URL") }
        return url
    }

    /// The request with this body, and with its type unless it has one.
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
