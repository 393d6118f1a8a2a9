/// As for ``DataRequest``; what is set after the start may come too late.
extension StreamRequest {
    /// Adds a policy, asked after the session's and those added before.
    @discardableResult
    public func interceptor(_ policy: some RequestPolicy) async -> StreamRequest {
        await transfer.interceptor(policy)
        return self
    }

    /// How long all of it may take, retries and every wait included; then it ends with `.deadlineExceeded`.
    @discardableResult
    public func deadline(_ duration: Duration) async -> StreamRequest {
        await transfer.deadline(duration)
        return self
    }

    /// How long the server may be silent; then the attempt ends with `.timedOut`.
    @discardableResult
    public func timeout(_ duration: Duration) async -> StreamRequest {
        await transfer.timeout(duration)
        return self
    }

    /// What becomes of redirects.
    @discardableResult
    public func redirect(_ handler: RedirectHandler) async -> StreamRequest {
        await transfer.redirect(handler)
        return self
    }

    /// Answers the server if it asks who this is; see ``DataRequest/authenticate(username:password:)``.
    @discardableResult
    public func authenticate(username: String, password: String) async -> StreamRequest {
        await transfer.authenticate(username: username, password: password)
        return self
    }

    /// Answers the server if it asks who this is.
    @discardableResult
    public func authenticate(with credential: Credential) async -> StreamRequest {
        await transfer.authenticate(with: credential)
        return self
    }

    /// Which of the requests that wait for ``SessionConfiguration/concurrencyLimit`` goes first.
    @discardableResult
    public func priority(_ priority: RequestPriority) async -> StreamRequest {
        await transfer.priority(priority)
        return self
    }

    /// How many bytes the body may have once decoded; more end it with `.bodyTooLarge`.
    @discardableResult
    public func maximumBodySize(_ bytes: Int64?) async -> StreamRequest {
        await transfer.maximumBodySize(bytes)
        return self
    }
}
