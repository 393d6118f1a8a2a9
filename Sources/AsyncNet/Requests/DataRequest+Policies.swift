/// What is set after the start may come too late.
extension DataRequest {
    /// Adds a policy, asked after the session's and those added before.
    @discardableResult
    public func interceptor(_ policy: some RequestPolicy) -> DataRequest {
        set { $0.interceptors.append(policy) }
        return self
    }

    /// How long all of it may take, retries and every wait included, in place of ``SessionConfiguration/deadline``; then it ends with
    /// `.deadlineExceeded`.
    @discardableResult
    public func deadline(_ duration: Duration) -> DataRequest {
        set { $0.deadline = duration }
        return self
    }

    /// How long the server may be silent, in place of ``SessionConfiguration/timeout``; then the attempt ends with `.timedOut`.
    @discardableResult
    public func timeout(_ duration: Duration) -> DataRequest {
        set { $0.timeout = duration }
        return self
    }

    /// How many bytes the body may have once decoded, in place of ``SessionConfiguration/maximumBodySize``; more end the request with
    /// `.bodyTooLarge`.
    @discardableResult
    public func maximumBodySize(_ bytes: Int64?) -> DataRequest {
        set { $0.bodyLimit = .own(bytes) }
        return self
    }
}
