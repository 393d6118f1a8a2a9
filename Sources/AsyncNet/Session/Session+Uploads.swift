/// Uploads: requests with a given body, which is streamed unless it is in memory.
///
///     try await session.upload(.data(bytes), to: url).serializing(Receipt.self).value
///     try await session.upload(.file(fileURL), to: url, method: .put).serializing(Receipt.self).value
///     try await session.upload(.stream(chunks, length: nil), to: url).serializing(Receipt.self).value
///
/// A response may arrive while the body is still being sent. After an error status, such as 413, the rest of the body
/// is not sent; after a 2xx status it is. A redirect that requires the body again (307, 308) ends the upload of a body
/// that can be sent only once with `.redirectFailed`.
extension Session {
    /// An upload to a URL, with the arguments of ``request(_:method:parameters:encoder:headers:options:)-8tv95``. An
    /// invalid argument is the error of the awaited outcome. A form sets its `Content-Type`; other bodies have none
    /// unless `headers` contain it.
    public nonisolated func upload(
        _ body: RequestBody, to url: some URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions()
    ) -> UploadRequest {
        DataRequest(assembly.blueprint(url, method, headers, body), kind: .upload, options, in: self)
    }

    /// An upload with a `URLRequest` or a router, which must have no body of its own.
    public nonisolated func upload(
        _ body: RequestBody, with request: some URLRequestConvertible, options: RequestOptions = RequestOptions()
    ) -> UploadRequest {
        DataRequest(assembly.blueprint(body, with: request), kind: .upload, options, in: self)
    }
}
