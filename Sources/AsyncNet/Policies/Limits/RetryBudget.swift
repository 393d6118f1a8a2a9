/// How much load retries and hedges may add to an origin.
///
/// For each origin, the retries and hedges of the latest ``window`` are at most ``ratio`` of its first attempts in that
/// time plus ``minimumPerSecond`` for each second of it. A request counts for the origin of its URL, wherever adapters
/// and redirects lead. The defaults, 20 % and 10, do not limit programs with few requests; when thousands of requests
/// fail at once, the server gets a fifth more, not three times as many.
public struct RetryBudget: Hashable, Sendable {
    /// Retries for each first attempt, from 0 to 1000. NaN counts as 0.
    public var ratio: Double

    /// Retries per second that are always allowed, from 0 to 1,000,000. NaN counts as 0.
    public var minimumPerSecond: Double

    /// How long a first attempt counts, accurate to a tenth of the window. At most a day.
    public var window: Duration

    /// Creates a budget, by default of 20 % and 10 per second over 10 seconds.
    public init(ratio: Double = 0.2, minimumPerSecond: Double = 10, window: Duration = .seconds(10)) {
        self.ratio = ratio
        self.minimumPerSecond = minimumPerSecond
        self.window = window
    }
}

/// One origin's budget, in thousandths of a retry.
struct RetryBudgetState {
    private static let perRetry: Int64 = 1000

    private let deposit: Int64
    private let reserve: Int64
    private var saved: SlidingSum

    init(_ budget: RetryBudget) {
        let window = min(max(budget.window, .zero), .seconds(86_400))
        deposit = Int64((Self.clamped(budget.ratio, 1000) * Double(Self.perRetry)).rounded())
        let perSecond = Int64((Self.clamped(budget.minimumPerSecond, 1_000_000) * Double(Self.perRetry)).rounded())
        // In milliseconds, since perSecond times a day in nanoseconds overflows.
        reserve = perSecond * (window.wholeNanoseconds / 1_000_000) / 1000
        saved = SlidingSum(window: window)
    }

    private static func clamped(_ value: Double, _ limit: Double) -> Double {
        value.isNaN ? 0 : min(max(value, 0), limit)
    }

    mutating func deposit(at now: Duration) { saved.add(deposit, at: now) }

    mutating func withdraw(at now: Duration) -> Bool {
        guard saved.value(at: now) + reserve >= Self.perRetry else { return false }
        saved.add(-Self.perRetry, at: now)
        return true
    }
}

final class RetryBudgets: Sendable {
    private let budget: RetryBudget
    private let time: TimeSource
    private let origins: RecentTable<RetryBudgetState>

    /// - Parameter capacity: The budgets of at least this many origins, at most twice as many, are kept.
    init(_ budget: RetryBudget, time: TimeSource, capacity: Int = 1024) {
        (self.budget, self.time) = (budget, time)
        origins = RecentTable(capacity: capacity)
    }

    var originCount: Int { origins.count }

    func deposit(origin: String) { withState(of: origin) { $0.deposit(at: $1) } }

    func withdraw(origin: String) -> Bool { withState(of: origin) { $0.withdraw(at: $1) } }

    private func withState<Result: Sendable>(
        of origin: String, _ body: @Sendable (inout RetryBudgetState, Duration) -> Result
    ) -> Result {
        let now = time.now
        return origins.withValue(of: origin, default: RetryBudgetState(budget)) { body(&$0, now) }
    }
}
