#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Changes a request after URL, method and headers are set and before parameters are encoded, see
/// ``RequestOptions/modifier``; runs on no actor, on a thread that it may block.
public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void

/// Makes a request out of the caller's arguments. A `URLRequest`, which costs several microseconds on Linux, is made
/// only for a modifier or an encoder.
final class RequestAssembly: Sendable {
    private let baseURL: (any URLConvertible)?
    private let headers: HTTPHeaders
    private let encoder: any ParameterEncoder
    private let formEncoder: URLEncodedFormEncoder

    init(_ configuration: SessionConfiguration) {
        baseURL = configuration.baseURL
        var headers = configuration.defaultHeaders
        headers.merge(configuration.headers)
        self.headers = headers
        (encoder, formEncoder) = (configuration.encoder, configuration.formEncoder)
    }

    func encoder(_ own: (any ParameterEncoder)?, for method: HTTPMethod) -> any ParameterEncoder {
        let encoder = own ?? (method.hasParametersInQuery ? URLEncodedFormParameterEncoder() : encoder)
        return (encoder as? URLEncodedFormParameterEncoder)?.settled(formEncoder) ?? encoder
    }

    /// How a request without parameters is made to this URL: not `.instant` if code of the user's converts it to a URL.
    func making(_ url: some URLConvertible) -> RequestBlueprint.Making {
        Self.isStandard(url) && baseURL.map { Self.isStandard($0) } != false ? .instant : .plain
    }

    /// Whether the type's conversion is this library's. Compares types, since a cast takes ten times as long.
    private static func isStandard<Value: URLConvertible>(_ url: Value) -> Bool {
        Value.self == URL.self || Value.self == String.self || Value.self == URLComponents.self
    }

    func transportRequest(
        to url: some URLConvertible, _ method: HTTPMethod, _ ownHeaders: HTTPHeaders, modifier: RequestModifier?,
        encode: ((URLRequest) throws -> URLRequest)?
    ) throws(AsyncNetError) -> TransportRequest {
        let head = HTTPRequestHead(method: method, url: try resolved(url), headers: merged(ownHeaders))
        var request =
            modifier == nil && encode == nil
            ? TransportRequest(head: head) : try transportRequest(from: head.urlRequest, modifier, encode)
        if !Self.isStandard(url), let template = Self.unwrapped(url) as? URLTemplate {
            request.urlTemplate = template.text
        }
        return try checked(request)
    }

    /// The request, with the parameters encoded by this call on the caller's actor.
    func transportRequest(
        to url: some URLConvertible, _ method: HTTPMethod, _ ownHeaders: HTTPHeaders, modifier: RequestModifier?,
        immediately parameters: some Encodable, _ own: (any ImmediateParameterEncoder)?
    ) throws(AsyncNetError) -> TransportRequest {
        let encoder = encoder(own, for: method)
        guard let encoder = encoder as? any ImmediateParameterEncoder else {
            throw AsyncNetError(
                .encodingFailed,
                "The parameters must not leave their actor, and \(type(of: encoder)) is no ImmediateParameterEncoder")
        }
        return try transportRequest(to: url, method, ownHeaders, modifier: modifier) {
            try encoder.encode(immediately: parameters, into: $0)
        }
    }

    func transportRequest(
        from urlRequest: URLRequest, modifier: RequestModifier?
    ) throws(AsyncNetError) -> TransportRequest {
        guard let url = urlRequest.url else { throw AsyncNetError(.malformedURL, "The URLRequest has no URL") }
        var urlRequest = urlRequest
        urlRequest.url = try resolved(url)
        var request = try transportRequest(from: urlRequest, modifier, nil)
        request.head.headers = merged(request.head.headers)
        return try checked(request)
    }

    /// The request with this body and the headers that describe it. A `Content-Type` that the caller has set stays; for a
    /// form it must contain the form's boundary.
    func uploading(_ body: RequestBody, with request: TransportRequest) throws(AsyncNetError) -> TransportRequest {
        guard request.body.isNone else {
            throw AsyncNetError(.invalidRequest, "The URLRequest of an upload must not have a body of its own")
        }
        try body.check()
        var request = request
        request.body = body
        return try request.settled()
    }

    private func transportRequest(
        from urlRequest: URLRequest, _ modifier: RequestModifier?, _ encode: ((URLRequest) throws -> URLRequest)?
    ) throws(AsyncNetError) -> TransportRequest {
        var urlRequest = urlRequest
        do {
            try modifier?(&urlRequest)
            if let encode { urlRequest = try encode(urlRequest) }
        } catch {
            throw AsyncNetError(encoding: error)
        }
        guard urlRequest.httpBodyStream == nil else {
            throw AsyncNetError(
                .invalidRequest, "A URLRequest's httpBodyStream can be read only once and is not sent; set httpBody")
        }
        guard let head = HTTPRequestHead(urlRequest) else {
            throw AsyncNetError(.malformedURL, "The URLRequest has no URL")
        }
        var request = TransportRequest(head: head, body: urlRequest.httpBody.map { .data($0) } ?? .none)
        request.timeout = Duration(timeoutInterval: urlRequest.timeoutInterval)
        request.cacheMode = CacheMode(urlRequest.cachePolicy)
        return request
    }

    private func checked(_ request: TransportRequest) throws(AsyncNetError) -> TransportRequest {
        try request.check()
        return request
    }

    private func merged(_ own: HTTPHeaders) -> HTTPHeaders {
        var headers = headers
        headers.merge(own)
        return headers
    }

    private func resolved(_ url: some URLConvertible) throws(AsyncNetError) -> URL {
        guard let baseURL else { return try converted(url) }
        if Self.isEmpty(url) { return try Self.resolved(URLReference(""), try converted(baseURL)) }
        let url = try converted(url)
        guard url.scheme == nil || url.host == nil else { return url }
        return try Self.resolved(URLReference(url.relativeString), try converted(baseURL))
    }

    private static func resolved(_ reference: URLReference, _ base: URL) throws(AsyncNetError) -> URL {
        guard let resolved = reference.resolved(against: URLReference(base.absoluteString)).url else {
            throw AsyncNetError(.malformedURL, "The URL cannot be resolved against the session's base URL")
        }
        return resolved
    }

    /// An empty reference stands for the base URL itself (RFC 3986 §5.2.2); Foundation makes no URL of it.
    private static func isEmpty(_ url: some URLConvertible) -> Bool {
        let url = unwrapped(url)
        return (url as? String)?.isEmpty ?? (url as? URLComponents)?.string?.isEmpty ?? false
    }

    private static func unwrapped(_ url: any URLConvertible) -> any URLConvertible {
        (url as? any URLWrapper)?.url ?? url
    }

    private func converted(_ url: any URLConvertible) throws(AsyncNetError) -> URL {
        do { return try url.asURL() } catch { throw AsyncNetError(wrapping: error, as: .malformedURL) }
    }
}

/// A URL that wraps another and changes it, such as its scheme.
protocol URLWrapper: URLConvertible {
    var url: any URLConvertible { get }
}
