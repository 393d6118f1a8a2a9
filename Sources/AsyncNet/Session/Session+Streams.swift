/// Streams: requests whose response's body is read as it arrives.
extension Session {
    /// A stream from a URL, with the arguments of ``request(_:method:parameters:encoder:headers:options:)-8tv95``. An
    /// invalid argument is the error of the first read.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get,
        parameters: (some Encodable & Sendable)? = JSON?.none, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        StreamRequest(assembly.blueprint(url, method, headers, parameters, encoder), options, in: self)
    }

    /// A stream with a given body. If the server responds before it has the whole body, the response can be read while
    /// the body is still being sent: over sockets, and over HTTP/2.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .post, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        StreamRequest(assembly.blueprint(url, method, headers, body), options, in: self)
    }

    /// A stream from a `URLRequest` or a router.
    public nonisolated func stream(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        StreamRequest(assembly.blueprint(request), options, in: self)
    }
}
