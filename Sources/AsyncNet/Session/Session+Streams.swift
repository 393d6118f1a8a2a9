/// Streams: requests whose response's body is read as it arrives.
extension Session {
    /// A stream from a URL. An invalid argument is the error of the first read.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: GET by default.
    ///   - headers: Replace the session's headers of the same names.
    ///   - options: Policies and limits of this request.
    ///   - modifier: Changes the request after URL, method and headers are set.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> StreamRequest {
        stream(options, blueprint(url, method, headers, modifier))
    }

    /// A stream with parameters, which an encoder puts into the request's body or query; see
    /// ``request(_:method:parameters:encoder:headers:options:modifier:)``.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable & Sendable,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> StreamRequest {
        stream(options, blueprint(url, method, headers, modifier, parameters, encoder))
    }

    /// A stream with a given body. The response may be read while the body is still being sent, if the server responds
    /// before its end: over sockets, and over HTTP/2.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: POST by default.
    ///   - body: The request's body.
    ///   - headers: Replace the session's headers of the same names.
    ///   - options: Policies and limits of this request.
    ///   - modifier: Changes the request after URL, method and headers are set.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .post, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> StreamRequest {
        stream(options, blueprint(url, method, headers, modifier, body))
    }

    /// A stream from a `URLRequest` or a router.
    public nonisolated func stream(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> StreamRequest {
        stream(options, blueprint(request, modifier))
    }

    nonisolated func stream(_ options: RequestOptions, _ blueprint: RequestBlueprint) -> StreamRequest {
        let sink = StreamSink()
        return StreamRequest(register(blueprint, kind: .stream, target: .stream(sink), options: options), sink)
    }
}
