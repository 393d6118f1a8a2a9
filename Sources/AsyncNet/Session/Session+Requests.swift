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
        DataRequest(register(blueprint(url, method, headers, modifier), options: options))
    }

    /// A request with parameters, which an encoder puts into the body or the query.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: Any method; GET by default.
    ///   - parameters: Encoded when the request starts, on no actor; `nil` changes nothing.
    ///   - encoder: With `nil`, a query for GET, HEAD and DELETE (``SessionConfiguration/formEncoder``), and
    ///     ``SessionConfiguration/encoder`` for other methods.
    ///   - headers: Replace the session's headers of the same names.
    ///   - options: Policies and limits of this request.
    ///   - modifier: Changes the request after URL, method and headers are set, before the parameters are encoded.
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable & Sendable,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        DataRequest(register(blueprint(url, method, headers, modifier, parameters, encoder), options: options))
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
        DataRequest(register(blueprint(request, modifier), options: options))
    }

    nonisolated func register(
        _ blueprint: RequestBlueprint, kind: RequestKind = .data, target: BodyTarget = .memory, options: RequestOptions,
        carrier: (any Transport)? = nil
    ) -> RequestEngine {
        RequestEngine(blueprint, kind: kind, target: target, options: options, carrier: carrier, host: self)
    }
}

// MARK: Blueprints

extension Session {
    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ modifier: RequestModifier?
    ) -> RequestBlueprint {
        let assembly = environment.assembly
        return RequestBlueprint(assembly.making(url, modifier)) {
            try assembly.transportRequest(to: url, method, headers, modifier: modifier, encode: nil)
        }
    }

    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ modifier: RequestModifier?,
        _ parameters: some Encodable & Sendable, _ encoder: (any ParameterEncoder)?
    ) -> RequestBlueprint {
        let assembly = environment.assembly
        let encoder = assembly.encoder(encoder, for: method)
        return RequestBlueprint(encoder is any NonBlocking ? .running(modifier) : .blocking) {
            try assembly.transportRequest(to: url, method, headers, modifier: modifier) {
                try encoder.encode(parameters, into: $0)
            }
        }
    }

    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ modifier: RequestModifier?,
        _ body: RequestBody
    ) -> RequestBlueprint {
        let assembly = environment.assembly
        return RequestBlueprint(body.isInMemory ? assembly.making(url, modifier) : .running(modifier)) {
            let request = try assembly.transportRequest(to: url, method, headers, modifier: modifier, encode: nil)
            return try assembly.uploading(body, with: request)
        }
    }

    nonisolated func blueprint(_ request: some URLRequestConvertible, _ modifier: RequestModifier?) -> RequestBlueprint
    {
        let assembly = environment.assembly
        return RequestBlueprint(.running(modifier)) {
            try assembly.transportRequest(from: request.asURLRequest(), modifier: modifier)
        }
    }

    /// Encodes the parameters now, since they must not leave the caller's actor.
    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ modifier: RequestModifier?,
        immediately parameters: some Encodable, _ encoder: (any ImmediateParameterEncoder)?
    ) -> RequestBlueprint {
        let made = Result { () throws(AsyncNetError) in
            try environment.assembly.transportRequest(
                to: url, method, headers, modifier: modifier, immediately: parameters, encoder)
        }
        return RequestBlueprint(.instant) { try made.get() }
    }
}
