/// Requests with parameters that must not leave the caller's actor: values whose `Encodable` conformance is isolated, as
/// in a module whose default isolation is the main actor.
///
/// The parameters are encoded, and a modifier is called, by the caller, when the request is made. A body is then sent
/// again as it is: a retry does not encode anew. Swift chooses these functions by the type of the parameters.
extension Session {
    /// A request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable,
        encoder: (any ImmediateParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> DataRequest {
        DataRequest(
            register(blueprint(url, method, headers, modifier, immediately: parameters, encoder), options: options))
    }

    /// A GET request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func get(
        _ url: some URLConvertible, parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            register(blueprint(url, .get, headers, nil, immediately: parameters, encoder), options: options))
    }

    /// A DELETE request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func delete(
        _ url: some URLConvertible, parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            register(blueprint(url, .delete, headers, nil, immediately: parameters, encoder), options: options))
    }

    /// A POST request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func post(
        _ url: some URLConvertible, parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            register(blueprint(url, .post, headers, nil, immediately: parameters, encoder), options: options))
    }

    /// A PUT request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func put(
        _ url: some URLConvertible, parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            register(blueprint(url, .put, headers, nil, immediately: parameters, encoder), options: options))
    }

    /// A PATCH request with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func patch(
        _ url: some URLConvertible, parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(
            register(blueprint(url, .patch, headers, nil, immediately: parameters, encoder), options: options))
    }

    /// A stream with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable,
        encoder: (any ImmediateParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> StreamRequest {
        stream(options, blueprint(url, method, headers, modifier, immediately: parameters, encoder))
    }

    /// A download with parameters that are encoded at once, on the caller's actor.
    @_disfavoredOverload
    public nonisolated func download(
        _ url: some URLConvertible, to destination: DownloadDestination = .temporary, method: HTTPMethod = .get,
        parameters: some Encodable, encoder: (any ImmediateParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        segments: Int = 1, checksum: Checksum? = nil, options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        download(
            DownloadSink(destination, segments: segments, checksum: checksum), options,
            blueprint(url, method, headers, modifier, immediately: parameters, encoder))
    }
}
