/// What a session's requests share beside the transport: limits, budgets, and measurements of origins.
final class SharedLimits: Sendable {
    let queue: RequestQueue?
    let rate: RateLimiter?
    let breakers: CircuitBreakers?
    let budgets: RetryBudgets?
    private let estimates = Locked<[Double: LatencyEstimates]>([:])
    let spaces = ProtectionSpaces()
    let flights = RequestFlights()

    init(_ configuration: SessionConfiguration, _ timers: TimerQueue) {
        queue = configuration.concurrencyLimit == .unlimited ? nil : RequestQueue(configuration.concurrencyLimit)
        rate = configuration.rateLimit.map { RateLimiter($0, timers: timers) }
        breakers = configuration.circuitBreaker.map { CircuitBreakers($0, time: timers.time) }
        budgets = configuration.retryBudget.map { RetryBudgets($0, time: timers.time) }
    }

    /// For each origin, the time within which this share of its requests ended.
    func latencies(_ percentile: Double) -> LatencyEstimates {
        // NaN is not equal to itself, so as a key it would never be found again.
        let percentile = percentile.isNaN ? 1 : min(max(percentile, 0), 1)
        return estimates.withLock { estimates in
            if let known = estimates[percentile] { return known }
            let new = LatencyEstimates(LatencyEstimate(percentile: percentile))
            estimates[percentile] = new
            return new
        }
    }

    var isUnlimited: Bool { queue == nil && rate == nil && breakers == nil }
}
