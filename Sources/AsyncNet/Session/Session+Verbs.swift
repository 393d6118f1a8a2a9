/// Methods of HTTP, with URLs relative to the session's base URL; see
/// ``Session/request(_:method:parameters:encoder:headers:options:)-8tv95``.
extension Session {
    /// A GET request; parameters are put into the query, unless another encoder is given.
    public nonisolated func get(
        _ url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .get, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A HEAD request.
    public nonisolated func head(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .head, headers: headers, options: options)
    }

    /// An OPTIONS request.
    public nonisolated func options(
        _ url: some URLConvertible, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .options, headers: headers, options: options)
    }

    /// A DELETE request; parameters are put into the query, unless another encoder is given.
    public nonisolated func delete(
        _ url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .delete, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A POST request; parameters are put into the body by ``SessionConfiguration/encoder``, which is JSON by default,
    /// unless another encoder is given.
    public nonisolated func post(
        _ url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .post, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A PUT request; its parameters are encoded as in ``post(_:parameters:encoder:headers:options:)-93iw5``.
    public nonisolated func put(
        _ url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .put, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A PATCH request; its parameters are encoded as in ``post(_:parameters:encoder:headers:options:)-93iw5``.
    public nonisolated func patch(
        _ url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .patch, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A QUERY request (RFC 10008): safe and idempotent as GET, with the query in the body.
    ///
    ///     let rows = try await session.query("search", body: .json(filter)).serializing([Row].self).value
    ///
    /// The request needs a `Content-Type`: ``RequestBody/json(_:encoder:)`` and forms have one; for another body,
    /// `headers` must contain it. If the body is in memory, ``HTTPCache`` stores the response under the URL and the
    /// body. To send parameters that the session's ``SessionConfiguration/encoder`` encodes, call
    /// ``Session/request(_:method:parameters:encoder:headers:options:)-8tv95`` with the method `.query`.
    public nonisolated func query(
        _ url: some URLConvertible, body: RequestBody, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(assembly.blueprint(url, .query, headers, body), options, in: self)
    }
}
