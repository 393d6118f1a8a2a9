/// What is set after the start may come too late.
extension DataRequest {
    /// Adds a policy, asked after the session's and those added before.
    @discardableResult
    public func interceptor(_ policy: some RequestPolicy) -> DataRequest {
        set { $0.interceptors.append(policy) }
        return self
    }

    /// How long all of it may take, retries and every wait included, in place of ``SessionConfiguration/deadline``;
    /// then it ends with `.deadlineExceeded`.
    @discardableResult
    public func deadline(_ duration: Duration) -> DataRequest {
        set { $0.deadline = duration }
        return self
    }

    /// How long the server may be silent, in place of ``SessionConfiguration/timeout``; then the attempt ends with
    /// `.timedOut`.
    @discardableResult
    public func timeout(_ duration: Duration) -> DataRequest {
        set { $0.timeout = duration }
        return self
    }

    /// What becomes of redirects, in place of ``SessionConfiguration/redirects``.
    @discardableResult
    public func redirect(_ handler: RedirectHandler) -> DataRequest {
        set { $0.redirects = handler }
        return self
    }

    /// Answers the server if it asks who this is: by Digest (RFC 7616) or Basic (RFC 7617), as it asks. Only the origin
    /// of the request's URL is told, and a server that refuses the answer has its 401 delivered. An `Authorization`
    /// header of the request's own is sent as it is instead.
    @discardableResult
    public func authenticate(username: String, password: String) -> DataRequest {
        authenticate(with: Credential(username: username, password: password))
    }

    /// Answers the server if it asks who this is.
    @discardableResult
    public func authenticate(with credential: Credential) -> DataRequest {
        set { $0.credential = credential }
        return self
    }

    /// Which of the requests that wait for ``SessionConfiguration/concurrencyLimit`` goes first; normal by default.
    @discardableResult
    public func priority(_ priority: RequestPriority) -> DataRequest {
        set { $0.priority = priority }
        return self
    }

    /// How many bytes the body may have once decoded, in place of ``SessionConfiguration/maximumBodySize``; more end
    /// the request with `.bodyTooLarge`.
    @discardableResult
    public func maximumBodySize(_ bytes: Int64?) -> DataRequest {
        set { $0.bodyLimit = .own(bytes) }
        return self
    }
}
