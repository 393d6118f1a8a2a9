import Foundation

// Requests on `Session.shared`, for programs that need no session of their own. In a type that has a method of the same
// name, such as `request`, Swift finds that method first: write `AsyncNet.request(url)` there.

/// A request on ``Session/shared``. In a type with a method `request`, write `AsyncNet.request(url)`.
public func request(
    _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
    options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> DataRequest {
    Session.shared.request(url, method: method, headers: headers, options: options, modifier: modifier)
}

/// A request with parameters on ``Session/shared``; JSON in the body, or a query for GET, HEAD and DELETE, unless an
/// encoder is given.
public func request(
    _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable & Sendable,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions(),
    modifier: RequestModifier? = nil
) -> DataRequest {
    Session.shared.request(
        url, method: method, parameters: parameters, encoder: encoder, headers: headers, options: options,
        modifier: modifier)
}

/// A request from a `URLRequest` or a router on ``Session/shared``.
public func request(
    _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> DataRequest {
    Session.shared.request(request, options: options, modifier: modifier)
}

/// An upload on ``Session/shared``. In a type with a method `upload`, write `AsyncNet.upload(body, to: url)`.
public func upload(
    _ body: RequestBody, to url: some URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders = [:],
    options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> UploadRequest {
    Session.shared.upload(body, to: url, method: method, headers: headers, options: options, modifier: modifier)
}

/// An upload with a `URLRequest` or a router on ``Session/shared``.
public func upload(
    _ body: RequestBody, with request: some URLRequestConvertible, options: RequestOptions = RequestOptions(),
    modifier: RequestModifier? = nil
) -> UploadRequest {
    Session.shared.upload(body, with: request, options: options, modifier: modifier)
}

/// A download on ``Session/shared``. In a type with a method `download`, write `AsyncNet.download(url, to: place)`.
public func download(
    _ url: some URLConvertible, to destination: DownloadDestination = .temporary, method: HTTPMethod = .get,
    headers: HTTPHeaders = [:], segments: Int = 1, checksum: Checksum? = nil,
    options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> DownloadRequest {
    Session.shared.download(
        url, to: destination, method: method, headers: headers, segments: segments, checksum: checksum,
        options: options, modifier: modifier)
}

/// A download with a `URLRequest` or a router on ``Session/shared``.
public func download(
    _ request: some URLRequestConvertible, to destination: DownloadDestination = .temporary,
    options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> DownloadRequest {
    Session.shared.download(request, to: destination, options: options, modifier: modifier)
}

/// Continues a download that did not finish, on ``Session/shared``.
public func download(
    resumingWith resumeData: ResumeData?, to destination: DownloadDestination = .temporary, headers: HTTPHeaders = [:],
    options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> DownloadRequest {
    Session.shared.download(
        resumingWith: resumeData, to: destination, headers: headers, options: options, modifier: modifier)
}

/// A stream on ``Session/shared``. In a type with a method `stream`, write `AsyncNet.stream(url)`.
public func stream(
    _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
    options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> StreamRequest {
    Session.shared.stream(url, method: method, headers: headers, options: options, modifier: modifier)
}

/// A stream from a `URLRequest` or a router on ``Session/shared``.
public func stream(
    _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
) -> StreamRequest {
    Session.shared.stream(request, options: options, modifier: modifier)
}
