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
        let blueprint = RequestBlueprint(mayBlock: modifier != nil || isForeign) {
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
