extension Session {
    /// A stream from a URL. An invalid argument is the error of the first read; arguments are as for
    /// ``request(_:method:parameters:encoder:headers:options:)-8tv95``.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get,
        parameters: (some Encodable & Sendable)? = JSON?.none, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        stream(options, assembly.blueprint(url, method, headers, parameters, encoder))
    }

    /// A stream with a given body, sent with POST by default. The response may be read while the body is still being
    /// sent, if the server responds before its end: over sockets, and over HTTP/2.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .post, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        stream(options, assembly.blueprint(url, method, headers, body))
    }

    /// A stream from a `URLRequest` or a router.
    public nonisolated func stream(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        stream(options, assembly.blueprint(request))
    }

    nonisolated func stream(_ options: RequestOptions, _ blueprint: RequestBlueprint) -> StreamRequest {
        let sink = StreamSink()
        return StreamRequest(register(blueprint, kind: .stream, target: .stream(sink), options: options), sink)
    }
}
