/// Requests with parameters that must not leave the caller's actor: values whose `Encodable` conformance is isolated,
/// as in a module whose default isolation is the main actor.
///
/// When the request is made, the parameters are encoded and the modifier of the options is called, both on the caller's
/// actor; a retry does not encode anew. Swift chooses these functions by the type of the parameters. For methods other
/// than POST, call `request` with the method.
extension Session {
    /// A request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable,
        encoder: (any ImmediateParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            assembly.blueprint(url, method, headers, options.modifier, immediately: parameters, encoder), options,
            in: self)
    }

    /// A POST request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func post(
        _ url: some URLConvertible, parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            assembly.blueprint(url, .post, headers, options.modifier, immediately: parameters, encoder), options,
            in: self)
    }

    /// A stream with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable,
        encoder: (any ImmediateParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> StreamRequest {
        StreamRequest(
            assembly.blueprint(url, method, headers, options.modifier, immediately: parameters, encoder), options,
            in: self)
    }

    /// A download with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func download(
        _ url: some URLConvertible, to destination: DownloadDestination = .temporary, method: HTTPMethod = .get,
        parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        segments: Int = 1, checksum: Checksum? = nil, options: RequestOptions = RequestOptions()
    ) -> DownloadRequest {
        DownloadRequest(
            assembly.blueprint(url, method, headers, options.modifier, immediately: parameters, encoder), options,
            to: DownloadSink(destination, segments: segments, checksum: checksum), in: self)
    }
}
