public import AsyncNet
public import Configuration

extension SessionConfiguration {
    /// A session's settings, read from environment, files, or other providers of swift-configuration.
    ///
    ///     let config = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "http")
    ///     let session = Session(
    ///         transport: .sockets(try await .init(config)), configuration: try await .init(config))
    ///
    /// The README of this package lists the keys: `timeout` is the variable `HTTP_TIMEOUT` here. A key that is not set
    /// leaves the default. What no text can say, such as monitors, is set on the result. A retry policy is added to the
    /// interceptors if one of its keys is set.
    ///
    /// - Parameter config: Has the keys, in a scope of the program's choice.
    /// - Throws: `.invalidConfiguration` for a value that cannot be used; the message has the key and what is expected,
    ///   never the value.
    public init(_ config: ConfigReader) async throws(AsyncNetError) {
        self.init()
        let settings = Settings(config)
        if let url = try await settings.value("baseURL", .baseURL) { baseURL = url }
        try await settings.set(&timeout, "timeout", .seconds)
        try await settings.set(&deadline, "deadline", .seconds)
        try await settings.set(&maximumRedirects, "maximumRedirects", .count(from: 0))
        try await settings.set(&maximumBodySize, "maximumBodySize", .bytes)
        try await settings.set(&coalescesRequests, "coalescesRequests", .flag)
        try await settings.set(&concurrencyLimit.perSession, "concurrencyLimit.perSession", .count(from: 1))
        try await settings.set(&concurrencyLimit.perOrigin, "concurrencyLimit.perOrigin", .count(from: 1))
        rateLimit = try await settings.rateLimit()
        circuitBreaker = try await settings.circuitBreaker()
        retryBudget = try await settings.retryBudget()
        if let policy = try await settings.retryPolicy() { interceptors.append(policy) }
        addresses = try await settings.addresses()
    }
}

extension Settings {
    fileprivate func rateLimit() async throws(AsyncNetError) -> RateLimit? {
        var limit = RateLimit(requests: 1, per: .seconds(1))
        let hasPeriod = try await set(&limit.period, "rateLimit.period", .seconds)
        let hasBurst = try await set(&limit.burst, "rateLimit.burst", .count(from: 1))
        let hasScope = try await set(
            &limit.scope, "rateLimit.scope", .choice(["session": .session, "origin": .origin]))
        if try await set(&limit.requests, "rateLimit.requests", .count(from: 1)) { return limit }
        guard !hasPeriod, !hasBurst, !hasScope else {
            throw missing("rateLimit.requests", for: "another key of rateLimit")
        }
        return nil
    }

    fileprivate func circuitBreaker() async throws(AsyncNetError) -> CircuitBreaker? {
        var breaker = CircuitBreaker()
        let isSet = [
            try await set(&breaker.consecutiveFailures, "circuitBreaker.consecutiveFailures", .count(from: 1)),
            try await set(&breaker.failureRate, "circuitBreaker.failureRate", .part),
            try await set(&breaker.minimumRequests, "circuitBreaker.minimumRequests", .count(from: 1)),
            try await set(&breaker.window, "circuitBreaker.window", .seconds),
            try await set(&breaker.openDuration, "circuitBreaker.openDuration", .seconds),
            try await set(&breaker.probes, "circuitBreaker.probes", .count(from: 1)),
        ]
        return isSet.contains(true) ? breaker : nil
    }

    fileprivate func retryBudget() async throws(AsyncNetError) -> RetryBudget {
        var budget = RetryBudget()
        try await set(&budget.ratio, "retryBudget.ratio", .rate)
        try await set(&budget.minimumPerSecond, "retryBudget.minimumPerSecond", .rate)
        try await set(&budget.window, "retryBudget.window", .seconds)
        return budget
    }

    fileprivate func retryPolicy() async throws(AsyncNetError) -> RetryPolicy? {
        var policy = RetryPolicy()
        let isSet = [
            try await set(&policy.limit, "retry.limit", .count(from: 0)),
            try await set(&policy.backoff.scale, "retry.delay", .secondsOrNone),
            try await set(&policy.backoff.maximum, "retry.maximumDelay", .secondsOrNone),
            try await set(&policy.maximumRetryAfter, "retry.maximumRetryAfter", .secondsOrNone),
            try await set(&policy.attemptTimeout, "retry.attemptTimeout", .seconds),
        ]
        return isSet.contains(true) ? policy : nil
    }

    fileprivate func addresses() async throws(AsyncNetError) -> AddressPolicy {
        var policy = AddressPolicy.any
        let base: SettingKind<AddressPolicy> = .choice(["any": .any, "publicOnly": .publicOnly])
        try await set(&policy, "addresses.base", base)
        if let networks = try await value("addresses.allowed", .networks) { policy = policy.allowing(networks) }
        if let networks = try await value("addresses.denied", .networks) { policy = policy.denying(networks) }
        return policy
    }
}
