/// What a session's requests share beside the transport: limits, budgets, and measurements of origins.
final class SharedLimits: Sendable {
    let queue: RequestQueue?
    let rate: RateLimiter?
    let breakers: CircuitBreakers?
    let budgets: RetryBudgets?
    let durations = RecentTable<LatestDurations>(capacity: 256)
    let spaces = ProtectionSpaces()
    let flights = RequestFlights()

    init(_ configuration: SessionConfiguration, _ time: TimeSource) {
        queue = configuration.concurrencyLimit == .unlimited ? nil : RequestQueue(configuration.concurrencyLimit)
        rate = configuration.rateLimit.map { RateLimiter($0, time: time) }
        breakers = configuration.circuitBreaker.map { CircuitBreakers($0, time: time) }
        budgets = configuration.retryBudget.map { RetryBudgets($0, time: time) }
    }

    var isUnlimited: Bool { queue == nil && rate == nil && breakers == nil }
}
