#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Changes a request after URL, method and headers are set and before parameters are encoded; runs on no actor, on a
/// thread that it may block.
public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void

extension Session {
    /// A request to a URL. An invalid argument is the error of the awaited outcome.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: Any method; GET by default.
    ///   - headers: Replace the session's headers of the same names; an array or a dictionary literal.
    ///   - options: Policies and limits of this request.
    ///   - modifier: Changes the request after URL, method and headers are set.
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> DataRequest {
        make(url, method, headers, options, modifier, encode: nil)
    }

    /// A request with parameters, which an encoder puts into the body or the query.
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable & Sendable,
        encoder: some ParameterEncoder, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        make(url, method, headers, options, modifier, isForeign: !(encoder is any NonBlocking)) {
            try encoder.encode(parameters, into: $0)
        }
    }

    /// A request from a `URLRequest` or a router.
    ///
    /// The `URLRequest`'s `timeoutInterval` replaces the session's timeout, unless it is Foundation's default of 60
    /// seconds. Its `httpBody` is the body; an `httpBodyStream`, which could be sent only once, ends the request with
    /// `.invalidRequest`.
    public nonisolated func request(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let configuration = configuration
        let blueprint = RequestBlueprint(mayBlock: modifier != nil) {
            try RequestAssembly(configuration).transportRequest(from: request.asURLRequest(), modifier: modifier)
        }
        return DataRequest(register(blueprint, options: options))
    }

    private nonisolated func make(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ options: RequestOptions,
        _ modifier: RequestModifier?, isForeign: Bool = false, encode: (@Sendable (URLRequest) throws -> URLRequest)?
    ) -> DataRequest {
        let assembly = RequestAssembly(configuration)
        let isQuick = modifier == nil && encode == nil && assembly.isQuick(with: url)
        let blueprint = RequestBlueprint(mayBlock: modifier != nil || isForeign, isQuick: isQuick) {
            try assembly.transportRequest(to: url, method, headers, modifier: modifier, encode: encode)
        }
        return DataRequest(register(blueprint, options: options))
    }

    nonisolated func register(
        _ blueprint: RequestBlueprint, kind: RequestKind = .data, target: BodyTarget = .memory, options: RequestOptions
    ) -> RequestEngine {
        let engine = RequestEngine(blueprint, kind: kind, target: target, options: options, host: self)
        if configuration.startsRequestsImmediately {
            environment.mailbox.post(RefreshScope.keeping { await engine.resume() })
        }
        return engine
    }
}

/// Methods of HTTP, with URLs relative to the session's base URL.
extension Session {
    /// A GET request, relative to the session's base URL.
    public nonisolated func get(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .get, headers: headers)
    }

    /// A HEAD request, relative to the session's base URL.
    public nonisolated func head(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .head, headers: headers)
    }

    /// A DELETE request, relative to the session's base URL.
    public nonisolated func delete(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .delete, headers: headers)
    }

    /// An OPTIONS request, relative to the session's base URL.
    public nonisolated func options(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .options, headers: headers)
    }

    /// A POST request, relative to the session's base URL.
    public nonisolated func post(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .post, headers: headers)
    }

    /// A PUT request, relative to the session's base URL.
    public nonisolated func put(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .put, headers: headers)
    }

    /// A PATCH request, relative to the session's base URL.
    public nonisolated func patch(_ url: some URLConvertible, headers: HTTPHeaders = [:]) -> DataRequest {
        request(url, method: .patch, headers: headers)
    }

    /// A GET request with parameters, in the query unless another encoder is given.
    public nonisolated func get(
        _ url: some URLConvertible, parameters: some Encodable & Sendable,
        encoder: some ParameterEncoder = URLEncodedFormParameterEncoder(), headers: HTTPHeaders = [:]
    ) -> DataRequest {
        request(url, method: .get, parameters: parameters, encoder: encoder, headers: headers)
    }

    /// A DELETE request with parameters, in the query unless another encoder is given.
    public nonisolated func delete(
        _ url: some URLConvertible, parameters: some Encodable & Sendable,
        encoder: some ParameterEncoder = URLEncodedFormParameterEncoder(), headers: HTTPHeaders = [:]
    ) -> DataRequest {
        request(url, method: .delete, parameters: parameters, encoder: encoder, headers: headers)
    }

    /// A POST request with parameters, which an encoder puts into the body or the query.
    public nonisolated func post(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: some ParameterEncoder,
        headers: HTTPHeaders = [:]
    ) -> DataRequest {
        request(url, method: .post, parameters: parameters, encoder: encoder, headers: headers)
    }

    /// A PUT request with parameters, which an encoder puts into the body or the query.
    public nonisolated func put(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: some ParameterEncoder,
        headers: HTTPHeaders = [:]
    ) -> DataRequest {
        request(url, method: .put, parameters: parameters, encoder: encoder, headers: headers)
    }

    /// A PATCH request with parameters, which an encoder puts into the body or the query.
    public nonisolated func patch(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: some ParameterEncoder,
        headers: HTTPHeaders = [:]
    ) -> DataRequest {
        request(url, method: .patch, parameters: parameters, encoder: encoder, headers: headers)
    }
}

/// A request on ``Session/shared``.
public func request(
    _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:], modifier: RequestModifier? = nil
) -> DataRequest {
    Session.shared.request(url, method: method, headers: headers, modifier: modifier)
}

/// A request with parameters on ``Session/shared``.
public func request(
    _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable & Sendable,
    encoder: some ParameterEncoder, headers: HTTPHeaders = [:], modifier: RequestModifier? = nil
) -> DataRequest {
    Session.shared.request(
        url, method: method, parameters: parameters, encoder: encoder, headers: headers, modifier: modifier)
}

/// A request from a `URLRequest` or a router on ``Session/shared``.
public func request(_ request: some URLRequestConvertible, modifier: RequestModifier? = nil) -> DataRequest {
    Session.shared.request(request, modifier: modifier)
}

/// Makes the request that is sent from the caller's arguments: URL, method, headers, modifier, encoder, checks.
///
/// Without a modifier or encoder that needs a `URLRequest`, none is made: on Linux that costs several microseconds.
struct RequestAssembly: Sendable {
    private let baseURL: (any URLConvertible)?
    private let headers: HTTPHeaders

    init(_ configuration: SessionConfiguration) {
        baseURL = configuration.baseURL
        headers = configuration.headers
    }

    /// Whether no conversion of the user's makes the URL.
    func isQuick(with url: some URLConvertible) -> Bool {
        guard url is URL || url is String || url is URLComponents else { return false }
        return baseURL.map { $0 is URL || $0 is String || $0 is URLComponents } ?? true
    }

    func transportRequest(
        to url: some URLConvertible, _ method: HTTPMethod, _ ownHeaders: HTTPHeaders, modifier: RequestModifier?,
        encode: ((URLRequest) throws -> URLRequest)?
    ) throws(AsyncNetError) -> TransportRequest {
        let head = HTTPRequestHead(method: method, url: try resolved(url), headers: merged(ownHeaders))
        guard modifier != nil || encode != nil else { return try checked(TransportRequest(head: head)) }
        return try checked(transportRequest(from: head.urlRequest, modifier, encode))
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

    /// The request with this body, and with the headers that describe the body.
    ///
    /// A `Content-Type` that the caller has set stays; for a form it must contain the form's boundary.
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
        (url as? String)?.isEmpty ?? (url as? URLComponents)?.string?.isEmpty ?? false
    }

    private func converted(_ url: any URLConvertible) throws(AsyncNetError) -> URL {
        do { return try url.asURL() } catch { throw AsyncNetError(wrapping: error, as: .malformedURL) }
    }
}
