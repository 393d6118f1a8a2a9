/// How much load retries and hedges may add to a host that has trouble already.
///
/// For a host, the retries and hedges of the latest ``window`` are at most ``ratio`` of its first attempts in that time
/// and ``minimumPerSecond`` for each of its seconds. The defaults, 20 % and 10, are those of Finagle and tower:
/// programs that make few requests retry as they like, and when thousands fail at once the server gets a fifth more of
/// them, not three times as many.
public struct RetryBudget: Hashable, Sendable {
    /// Retries per first attempt. Not a number or below 0 counts as 0, above 1000 as that.
    public var ratio: Double

    /// Retries that are always allowed, for programs that make few requests. Not a number or below 0 counts as 0, above
    /// a million as that.
    public var minimumPerSecond: Double

    /// How long a first attempt counts, to a tenth. Up to a day.
    public var window: Duration

    public init(ratio: Double = 0.2, minimumPerSecond: Double = 10, window: Duration = .seconds(10)) {
        self.ratio = ratio
        self.minimumPerSecond = minimumPerSecond
        self.window = window
    }
}

/// One host's budget, in thousandths of a retry.
package struct RetryBudgetState {
    private static let perRetry: Int64 = 1000

    private let deposit: Int64
    private let reserve: Int64
    private var saved: SlidingSum

    package init(_ budget: RetryBudget) {
        let window = min(max(budget.window, .zero), .seconds(86_400))
        deposit = Int64((Self.clamped(budget.ratio, 1000) * Double(Self.perRetry)).rounded())
        let perSecond = Int64((Self.clamped(budget.minimumPerSecond, 1_000_000) * Double(Self.perRetry)).rounded())
        // Milliseconds, since perSecond times the nanoseconds of a day is too much.
        reserve = perSecond * (window.wholeNanoseconds / 1_000_000) / 1000
        saved = SlidingSum(window: window)
    }

    private static func clamped(_ value: Double, _ limit: Double) -> Double {
        value.isNaN ? 0 : min(max(value, 0), limit)
    }

    /// A first attempt is made.
    package mutating func deposit(at now: Duration) { saved.add(deposit, at: now) }

    /// Whether a retry or hedge may be made, which is then counted.
    package mutating func withdraw(at now: Duration) -> Bool {
        guard saved.value(at: now) + reserve >= Self.perRetry else { return false }
        saved.add(-Self.perRetry, at: now)
        return true
    }
}

/// The budget of each host; those of the hosts used last are remembered.
package final class RetryBudgets: Sendable {
    private let budget: RetryBudget
    private let time: TimeSource
    private let hosts: Locked<RecentTable<RetryBudgetState>>

    /// - Parameter capacity: So many hosts are remembered at least, twice as many at most; one that is forgotten begins
    ///   with the minimum.
    package init(_ budget: RetryBudget, time: TimeSource, capacity: Int = 1024) {
        (self.budget, self.time) = (budget, time)
        hosts = Locked(RecentTable(capacity: capacity))
    }

    package var hostCount: Int { hosts.withLock { $0.count } }

    /// A first attempt is made.
    package func deposit(host: String) { withState(of: host) { $0.deposit(at: $1) } }

    /// Whether a retry or hedge may be made, which is then counted.
    package func withdraw(host: String) -> Bool { withState(of: host) { $0.withdraw(at: $1) } }

    private func withState<Result: Sendable>(
        of host: String, _ body: @Sendable (inout RetryBudgetState, Duration) -> Result
    ) -> Result {
        let now = time.now
        return hosts.withLock { $0.withValue(of: host, default: RetryBudgetState(budget)) { body(&$0, now) } }
    }
}
