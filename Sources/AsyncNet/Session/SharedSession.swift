/// A request on ``Session/shared``. In a type with a method `request`, write `AsyncNet.request(url)`.
public func request(
    _ url: some URLConvertible, method: HTTPMethod = .get, parameters: (some Encodable & Sendable)? = JSON?.none,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
) -> DataRequest {
    Session.shared.request(
        url, method: method, parameters: parameters, encoder: encoder, headers: headers, options: options)
}

/// An upload on ``Session/shared``. In a type with a method `upload`, write `AsyncNet.upload(body, to: url)`.
public func upload(
    _ body: RequestBody, to url: some URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders = [:],
    options: RequestOptions = RequestOptions()
) -> UploadRequest {
    Session.shared.upload(body, to: url, method: method, headers: headers, options: options)
}

/// A download on ``Session/shared``. In a type with a method `download`, write `AsyncNet.download(url, to: place)`.
public func download(
    _ url: some URLConvertible, to destination: DownloadDestination = .temporary, method: HTTPMethod = .get,
    parameters: (some Encodable & Sendable)? = JSON?.none, encoder: (any ParameterEncoder)? = nil,
    headers: HTTPHeaders = [:], segments: Int = 1, checksum: Checksum? = nil,
    options: RequestOptions = RequestOptions()
) -> DownloadRequest {
    Session.shared.download(
        url, to: destination, method: method, parameters: parameters, encoder: encoder, headers: headers,
        segments: segments, checksum: checksum, options: options)
}

/// A stream on ``Session/shared``. In a type with a method `stream`, write `AsyncNet.stream(url)`.
public func stream(
    _ url: some URLConvertible, method: HTTPMethod = .get, parameters: (some Encodable & Sendable)? = JSON?.none,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions()
) -> StreamRequest {
    Session.shared.stream(
        url, method: method, parameters: parameters, encoder: encoder, headers: headers, options: options)
}
