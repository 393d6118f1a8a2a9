extension Session {
    /// A request to a URL. An invalid argument is the error of the awaited outcome.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: Any method; GET by default.
    ///   - parameters: Encoded into the body or the query when the request starts, on no actor; `nil` changes nothing. A
    ///     literal of mixed values needs `as JSON`.
    ///   - encoder: With `nil`, a query for GET, HEAD and DELETE (``SessionConfiguration/formEncoder``), and
    ///     ``SessionConfiguration/encoder`` for other methods.
    ///   - headers: Replace the session's headers of the same names; an array or a dictionary literal.
    ///   - options: Policies and limits of this request.
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get,
        parameters: (some Encodable & Sendable)? = JSON?.none, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(register(blueprint(url, method, headers, parameters, encoder), options: options))
    }

    /// A request from a `URLRequest` or a router.
    ///
    /// The `URLRequest`'s `timeoutInterval` replaces the session's timeout, unless it is Foundation's default of 60
    /// seconds. Its `httpBody` is the body; an `httpBodyStream`, which could be sent only once, ends the request with
    /// `.invalidRequest`.
    public nonisolated func request(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(register(blueprint(request), options: options))
    }

    nonisolated func register(
        _ blueprint: RequestBlueprint, kind: RequestKind = .data, target: BodyTarget = .memory, options: RequestOptions,
        carrier: (any Transport)? = nil
    ) -> RequestEngine {
        RequestEngine(blueprint, kind: kind, target: target, options: options, carrier: carrier, session: self)
    }
}

// MARK: Blueprints

extension Session {
    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders
    ) -> RequestBlueprint {
        let assembly = environment.assembly
        return RequestBlueprint(assembly.making(url)) {
            try assembly.transportRequest(to: url, method, headers, modifier: $0, encode: nil)
        }
    }

    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders,
        _ parameters: (some Encodable & Sendable)?, _ encoder: (any ParameterEncoder)?
    ) -> RequestBlueprint {
        guard let parameters else { return blueprint(url, method, headers) }
        let assembly = environment.assembly
        let encoder = assembly.encoder(encoder, for: method)
        return RequestBlueprint(encoder is any NonBlocking ? .plain : .blocking) {
            try assembly.transportRequest(to: url, method, headers, modifier: $0) {
                try encoder.encode(parameters, into: $0)
            }
        }
    }

    nonisolated func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ body: RequestBody
    ) -> RequestBlueprint {
        let assembly = environment.assembly
        return RequestBlueprint(body.isInMemory ? assembly.making(url) : .plain) {
            let request = try assembly.transportRequest(to: url, method, headers, modifier: $0, encode: nil)
            return try assembly.uploading(body, with: request)
        }
    }

    nonisolated func blueprint(_ request: some URLRequestConvertible) -> RequestBlueprint {
        let assembly = environment.assembly
        return RequestBlueprint(.plain) { try assembly.transportRequest(from: request.asURLRequest(), modifier: $0) }
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
        return RequestBlueprint(.instant) { _ in try made.get() }
    }
}
