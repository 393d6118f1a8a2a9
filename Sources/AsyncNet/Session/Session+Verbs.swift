/// Methods of HTTP, with URLs relative to the session's base URL.
extension Session {
    /// A GET request, relative to the session's base URL.
    public nonisolated func get(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .get, headers: headers, options: options)
    }

    /// A HEAD request, relative to the session's base URL.
    public nonisolated func head(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .head, headers: headers, options: options)
    }

    /// A DELETE request, relative to the session's base URL.
    public nonisolated func delete(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .delete, headers: headers, options: options)
    }

    /// An OPTIONS request, relative to the session's base URL.
    public nonisolated func options(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .options, headers: headers, options: options)
    }

    /// A POST request, relative to the session's base URL.
    public nonisolated func post(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .post, headers: headers, options: options)
    }

    /// A PUT request, relative to the session's base URL.
    public nonisolated func put(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .put, headers: headers, options: options)
    }

    /// A PATCH request, relative to the session's base URL.
    public nonisolated func patch(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .patch, headers: headers, options: options)
    }
}

/// Methods with parameters, see ``Session/request(_:method:parameters:encoder:headers:options:modifier:)``.
extension Session {
    /// A GET request with parameters, in the query, unless another encoder is given.
    public nonisolated func get(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .get, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A DELETE request with parameters, in the query, unless another encoder is given.
    public nonisolated func delete(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .delete, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A POST request with parameters, in a body by ``SessionConfiguration/encoder``, which is JSON by default, unless another encoder is given.
    public nonisolated func post(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .post, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A PUT request with parameters, in a body by ``SessionConfiguration/encoder``, which is JSON by default, unless another encoder is given.
    public nonisolated func put(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .put, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A PATCH request with parameters, in a body by ``SessionConfiguration/encoder``, which is JSON by default, unless another encoder is given.
    public nonisolated func patch(
        _ url: some URLConvertible, parameters: some Encodable & Sendable, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .patch, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }
}

/// Methods with a given body, see ``Session/upload(_:to:method:headers:options:modifier:)``.
extension Session {
    /// An upload by POST, relative to the session's base URL.
    public nonisolated func post(
        _ url: some URLConvertible, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> UploadRequest {
        upload(body, to: url, method: .post, headers: headers, options: options)
    }

    /// An upload by PUT, relative to the session's base URL.
    public nonisolated func put(
        _ url: some URLConvertible, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> UploadRequest {
        upload(body, to: url, method: .put, headers: headers, options: options)
    }

    /// An upload by PATCH, relative to the session's base URL.
    public nonisolated func patch(
        _ url: some URLConvertible, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> UploadRequest {
        upload(body, to: url, method: .patch, headers: headers, options: options)
    }
}
