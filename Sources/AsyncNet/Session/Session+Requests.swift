extension Session {
    /// A request to a URL. An invalid argument is the error of the awaited outcome.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: Any method; GET by default.
    ///   - parameters: Encoded into the body or the query when the request starts, on no actor; `nil` changes nothing. A
    ///     literal of mixed values needs `as JSON`.
    ///   - encoder: `nil` stands for a query by ``SessionConfiguration/formEncoder`` with GET, HEAD and DELETE, and for
    ///     ``SessionConfiguration/encoder`` with other methods.
    ///   - headers: Replace the session's headers of the same names; an array or a dictionary literal.
    ///   - options: Policies and limits of this request.
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get,
        parameters: (some Encodable & Sendable)? = JSON?.none, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(assembly.blueprint(url, method, headers, parameters, encoder), options, in: self)
    }

    /// A request from a `URLRequest` or a router.
    ///
    /// The `URLRequest`'s `timeoutInterval` replaces the session's timeout, unless it is Foundation's default of 60
    /// seconds. Its `httpBody` is the body; an `httpBodyStream`, which could be sent only once, ends the request with
    /// `.invalidRequest`.
    public nonisolated func request(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        DataRequest(assembly.blueprint(request), options, in: self)
    }
}
