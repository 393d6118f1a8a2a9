/// Requests whose parameters are a literal of mixed values: `session.post("users", parameters: ["id": 1, "name": "Ada"])`.
///
/// Swift makes a ``JSON`` of such a literal. For other values see
/// ``Session/request(_:method:parameters:encoder:headers:options:modifier:)``.
extension Session {
    /// A request with parameters as JSON.
    public nonisolated func request(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: JSON,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        DataRequest(register(blueprint(url, method, headers, modifier, parameters, encoder), options: options))
    }

    /// A GET request with parameters as JSON.
    public nonisolated func get(
        _ url: some URLConvertible, parameters: JSON, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .get, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A DELETE request with parameters as JSON.
    public nonisolated func delete(
        _ url: some URLConvertible, parameters: JSON, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .delete, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A POST request with parameters as JSON.
    public nonisolated func post(
        _ url: some URLConvertible, parameters: JSON, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .post, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A PUT request with parameters as JSON.
    public nonisolated func put(
        _ url: some URLConvertible, parameters: JSON, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .put, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }

    /// A PATCH request with parameters as JSON.
    public nonisolated func patch(
        _ url: some URLConvertible, parameters: JSON, encoder: (any ParameterEncoder)? = nil,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
    ) -> DataRequest {
        request(url, method: .patch, parameters: parameters, encoder: encoder, headers: headers, options: options)
    }
}
