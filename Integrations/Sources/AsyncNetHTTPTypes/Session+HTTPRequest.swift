public import AsyncNet
public import HTTPTypes

extension Session {
    /// Sends a request of swift-http-types, and returns when the response's head has arrived.
    ///
    ///     let request = HTTPRequest(method: .put, scheme: "https", authority: "api.example.com", path: "/users/1")
    ///     let (response, body) = try await session.send(request, body: .data(user))
    ///     for try await chunk in body { }
    ///
    /// The session's headers, interceptors, limits, cookies and redirects apply. The request's body is read as fast as
    /// the network accepts it, the response's body is received as fast as it is read, and both may happen at the same
    /// time. A response with any status is returned.
    ///
    /// In a cancelled task nothing is sent. Cancelling the task that waits for the response cancels the request; so
    /// does leaving the loop over the body, and releasing a body that is not read.
    ///
    /// - Parameters:
    ///   - request: Method, URL and fields, see `HTTPRequestHead.init(_:)`. A field replaces the session's
    ///     headers of its name. `Content-Length` and `Transfer-Encoding` are made of the body.
    ///   - body: The request's body; none by default.
    ///   - options: Policies and limits of this request.
    /// - Returns: The final response's head, and its body: decoded, in chunks as they arrive, to be read once.
    /// - Throws: `AsyncNetError`: the errors of `HTTPRequestHead.init(_:)` before anything is
    ///   sent, or the error of the request if it ended without a response. Reading the body throws errors after that.
    public nonisolated func send(
        _ request: HTTPRequest, body: RequestBody = .none, options: RequestOptions = RequestOptions()
    ) async throws(AsyncNetError) -> (response: HTTPResponse, body: StreamChunks) {
        guard !Task.isCancelled else { throw AsyncNetError(.cancelled) }
        let head = try HTTPRequestHead(request)
        let stream = stream(head.url, method: head.method, body: body, headers: head.headers, options: options)
        let response = try HTTPResponse(await stream.head)
        return (response, stream.chunks)
    }
}
