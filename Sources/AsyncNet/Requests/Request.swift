public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What all kinds of requests have in common. A request is a value that holds a ``RequestReference``: a copy of the
/// value is the same request.
///
/// Making a request does no I/O. A request starts when its outcome is first awaited, or at ``resume()``; it runs once,
/// however many tasks await it, and ends exactly once.
public protocol Request: Sendable {
    /// What runs the request.
    var reference: RequestReference { get }
}

/// What the copies of a request share. It has no members for programs.
public struct RequestReference: Sendable {
    let engine: RequestEngine
}

extension Request {
    var engine: RequestEngine { reference.engine }

    /// The request's identity, unique within the process.
    public var id: RequestID { engine.id }
    /// Whether the request is a data request, an upload, a download or a stream.
    public var kind: RequestKind { engine.kind }
    /// Whether the request is new, running, suspended or over.
    public var state: RequestState { get async { await engine.state } }
    /// The number of attempts after the first.
    public var retryCount: Int { get async { engine.record.retryCount } }

    /// Starts the request, or continues a suspended request. Does nothing once the request is over.
    public func resume() async { await engine.resume() }

    /// Suspends the request until ``resume()``. Before its start the request is then not sent; later, no more of the
    /// response is read and no outcome is delivered. A transport that cannot pause keeps what arrives meanwhile in
    /// memory.
    public func suspend() async { await engine.suspend() }

    /// Ends the request with `.cancelled`, at once and for all tasks that await it, unless it is over.
    public func cancel() async { await engine.cancel() }

    /// How much of the response's body has arrived: the latest value at once, then new values until the end. A download
    /// that continues counts the bytes that it had before.
    ///
    /// Observing does not start the request: loop while another task awaits the value, or after ``resume()``. A loop
    /// that waits five seconds for a request that nobody starts says so on the standard error, once in a process. Any
    /// number of tasks may observe.
    ///
    ///     async let file = download.validate().value
    ///     for await progress in download.downloadProgress { print(progress.fractionCompleted) }
    ///     print(try await file)
    public var downloadProgress: some AsyncSequence<TransferProgress, Never> & Sendable {
        let values = engine.observers.observeDownloads { engine.record.downloadProgress }
        return engine.progress(values, named: "downloadProgress")
    }

    /// How much of the request's body has been sent, observed like ``downloadProgress``.
    public var uploadProgress: some AsyncSequence<TransferProgress, Never> & Sendable {
        let values = engine.observers.observeUploads { engine.record.uploadProgress }
        return engine.progress(values, named: "uploadProgress")
    }

    /// The request's events from now on, until the end.
    ///
    /// Observing begins when this property is read and does not start the request; any number of tasks may observe.
    public var events: some AsyncSequence<RequestEvent, Never> & Sendable { engine.observers.observeEvents() }

    /// The times, sizes and attempts measured so far.
    public var metrics: RequestMetrics { engine.record.outcome(nil).metrics }

    /// The request as a `curl` command for a POSIX shell: as last sent, or, before its start, as it would be sent.
    ///
    /// - Parameters:
    ///   - showsSecrets: Shows userinfo, query, secret headers, and secret fields of the body, which are redacted
    ///     otherwise. A compressed body is shown only with its secrets.
    ///   - redaction: What is redacted in headers and the body, as of a `RequestLog`; the query is redacted as a whole.
    /// - Returns: The command; if the request cannot be made, a shell comment with the reason.
    public func curlDescription(showsSecrets: Bool = false, redaction: RedactionRule = .standard) async -> String {
        do {
            let command = CurlDescription(redaction: showsSecrets ? nil : redaction)
            return command.text(try await currentRequest())
        } catch {
            return "# \(error)"
        }
    }

    @concurrent
    private func currentRequest() async throws(AsyncNetError) -> TransportRequest {
        if let request = engine.record.request { return request }
        return try await engine.blueprint.make()
    }
}

/// Settings of a request, in place of those of its ``RequestOptions``, which have more. Once the request has started,
/// these functions change nothing.
extension Request {
    /// Adds an adapter or retrier, which is called after the session's and after those added before.
    @discardableResult
    public func interceptor(_ policy: some RequestPolicy) -> Self {
        set { $0.interceptors.append(policy) }
    }

    /// How long the request may take in all, retries and every wait included, before it ends with `.deadlineExceeded`;
    /// in place of ``SessionConfiguration/deadline``.
    @discardableResult
    public func deadline(_ duration: Duration) -> Self { set { $0.deadline = duration } }

    /// How long the server may be silent before an attempt ends with `.timedOut`, in place of
    /// ``SessionConfiguration/timeout``.
    @discardableResult
    public func timeout(_ duration: Duration) -> Self { set { $0.timeout = duration } }

    /// Whether redirects are followed, in place of ``SessionConfiguration/redirects``.
    @discardableResult
    public func redirects(_ handler: RedirectHandler) -> Self { set { $0.redirects = handler } }

    /// Sends these credentials in response to a 401, by Digest (RFC 7616) or Basic (RFC 7617) as the challenge
    /// requires. They are sent to the origin of the request's URL only. If the server refuses them, its 401 response is
    /// delivered. An `Authorization` header of the request's own is sent unchanged in their place.
    @discardableResult
    public func authenticate(username: String, password: String) -> Self {
        authenticate(with: PasswordCredential(username: username, password: password))
    }

    /// Sends this credential in response to a 401; see ``authenticate(username:password:)``.
    @discardableResult
    public func authenticate(with credential: PasswordCredential) -> Self { set { $0.credential = credential } }

    /// Which of the requests that wait for ``SessionConfiguration/concurrencyLimit`` is sent first; normal by default.
    @discardableResult
    public func priority(_ priority: RequestPriority) -> Self { set { $0.priority = priority } }

    /// How the request uses ``SessionConfiguration/cache``, as the modes of the Fetch standard; ``CacheMode/standard``
    /// by default. Without a cache, ``CacheMode/onlyIfCached`` is ignored as the other modes are.
    @discardableResult
    public func cacheMode(_ mode: CacheMode) -> Self { set { $0.cacheMode = mode } }

    private func set(_ change: (inout RequestOptions) -> Void) -> Self {
        engine.set(change)
        return self
    }
}

/// Validators run in the order they were added; the first validator that refuses the response ends the request with its
/// error.
///
/// Validators of status and type run when the response's head has arrived. Up to 64 KiB of a refused body that arrive
/// within a second are kept in memory, for ``AsyncNetError/data``; no file is made of a refused download. A validator
/// that is a closure runs after the whole response, or after the head of a download or stream. A request with
/// validators of its own does not have those of ``SessionConfiguration/validation``.
extension Request {
    /// Accepts a status from 200 to 299 and a type that the request's `Accept` header lists.
    @discardableResult
    public func validate() -> Self {
        add(.statusCode { 200..<300 ~= $0 }).add(.contentType(Validator.acceptHeader))
    }

    /// Accepts these statuses only, such as `200..<300` or `[200, 304]`; others are `.unacceptableStatus`.
    @discardableResult
    public func validate(statusCode acceptable: some Collection<Int> & Sendable) -> Self {
        add(.statusCode { acceptable.contains($0) })
    }

    /// Accepts these statuses only, 200 to 299 by default, and, as ``validate()`` does, only a type that the request's
    /// `Accept` header lists; the body of a refused response becomes the error's cause.
    ///
    ///     try await request.validate(decoding: ProblemDetails.self).serializing(User.self).value
    ///
    /// The error's code is `.unacceptableStatus` or `.unacceptableContentType`, its ``AsyncNetError/underlyingError``
    /// the decoded value, and its ``AsyncNetError/data`` the body. The second code occurs, for example, if an API
    /// answers a request for events with 200 and JSON. The error has no cause if the body cannot be decoded, is longer
    /// than 64 KiB, or takes longer than a second. Without a `decoder`, a ``StandardJSONDecoder`` decodes
    /// ``ProblemDetails``, and the session's ``SessionConfiguration/decoder`` other types.
    @discardableResult
    public func validate<Problem: Decodable & Error>(
        decoding problem: Problem.Type, statusCode acceptable: some Collection<Int> & Sendable = 200..<300,
        decoder: (any DataDecoder)? = nil
    ) -> Self {
        let standard: (any DataDecoder)? = problem is ProblemDetails.Type ? StandardJSONDecoder() : nil
        let decoder = decoder ?? standard ?? engine.environment.configuration.decoder
        return add(
            .statusCode(cause: { try decoder.decode(problem, from: $0.data) }, { acceptable.contains($0) })
        ).add(.contentType(Validator.acceptHeader))
    }

    /// Accepts these media types only, such as `application/json`, `text/*` or `*/*`; others end the request with
    /// `.unacceptableContentType`. Parameters are not compared. An empty body is accepted with any type.
    @discardableResult
    public func validate(contentType acceptable: some Sequence<String> & Sendable) -> Self {
        let list = Array(acceptable)
        return add(.contentType { _ in list })
    }

    /// Accepts the responses for which the closure does not throw. For downloads and streams the `Data` is empty. An
    /// `AsyncNetError` of the closure ends the request; any other error ends it with `.validationFailed`, with that
    /// error underneath.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest, HTTPURLResponse, Data) throws -> Void) -> Self {
        add(
            Validator { response in
                guard let urlResponse = response.head.urlResponse else { throw AsyncNetError(.badServerResponse) }
                try validation(response.requestHead.urlRequest, urlResponse, response.data)
            })
    }

    fileprivate func add(_ validator: Validator) -> Self {
        engine.set { $0.validation = $0.validation.adding(validator) }
        return self
    }
}
