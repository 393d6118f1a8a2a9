import Synchronization

/// Identifies a request within its process.
public struct RequestID: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let number: UInt64
    private static let last = Atomic<UInt64>(0)

    /// Makes a new identifier, for tests of monitors. Sessions make the identifiers of their requests.
    public init() { number = Self.last.add(1, ordering: .relaxed).newValue }

    var seed: UInt64 { number }

    public static func < (one: RequestID, other: RequestID) -> Bool { one.number < other.number }
    public var description: String { "#\(number)" }
}

/// What a policy can read about the request that it adapts or retries.
public struct RequestContext: Sendable {
    /// The request's identifier, the same for all attempts.
    public let id: RequestID
    /// The number of the attempt, from 1: for an adapter the next attempt, for a retrier the failed attempt. For a
    /// stream of server-sent events, a retrier gets the number of failures since the last event or regular end.
    public let attempt: Int
    /// The request as it was sent last, or `nil` before that; adapters get the request as their argument.
    public internal(set) var request: TransportRequest?
    /// The head of the attempt's response; `nil` without a response. ``AsyncNetError/response`` has the same head as
    /// Foundation's `HTTPURLResponse`.
    public internal(set) var response: HTTPResponseHead?
    /// The time until the request's deadline; `nil` if it has none.
    public internal(set) var remainingTime: Duration?
    /// The metrics up to now.
    public internal(set) var metrics = RequestMetrics()
    /// The session's clock, for policies that wait or measure time.
    public var clock: any Clock<Duration> { time.clock }
    var time = TimeSource(ContinuousClock())
    /// The requests of this attempt that were redirected, which a retry sends again.
    var redirected: [TransportRequest] = []
    /// Called after a refresh that the request has waited for, with the refresh's error and the duration of the wait.
    var onRefresh: (@Sendable (AsyncNetError?, Duration) -> Void)?
    /// Set if the cache may respond to the request: an expired credential is then not refreshed yet.
    var deferral: RefreshDeferral?
    var breakers: CircuitBreakers?
    /// The request's tags, see ``RequestValueKey``.
    public internal(set) var values = RequestValues()
}

/// Notes that an adapter has set an expired credential, since the cache may respond. Before it is sent to the server,
/// the request must then be adapted again.
final class RefreshDeferral: Sendable {
    private let isUsed = Atomic(false)

    var isDeferred: Bool { isUsed.load(ordering: .relaxed) }

    func deferRefresh() { isUsed.store(true, ordering: .relaxed) }
}
