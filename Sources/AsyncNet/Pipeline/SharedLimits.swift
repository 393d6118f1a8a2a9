/// What all requests of a session share beyond the transport: limits, budgets, what is known of hosts.
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

    /// How long all but the slowest requests to each host took.
    func latencies(_ percentile: Double) -> LatencyEstimates {
        // Not a number is no key: it is not found again.
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
