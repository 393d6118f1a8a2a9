import Synchronization

/// Identifies a request within its process.
public struct RequestID: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let number: UInt64
    private static let last = Atomic<UInt64>(0)

    package init() { number = Self.last.add(1, ordering: .relaxed).newValue }

    public static func < (one: RequestID, other: RequestID) -> Bool { one.number < other.number }
    public var description: String { "#\(number)" }
}

/// What a policy is told of the request it decides about.
public struct RequestContext: Sendable {
    /// Which request it is; the same for all its attempts.
    public let id: RequestID
    /// The attempt that is about to be made, or that has just failed, from 1.
    public let attempt: Int
    /// The request as it is, or was sent last; adapters get it as their argument.
    public let request: TransportRequest?
    /// The head of the response that the attempt brought, if it did.
    public let response: HTTPResponseHead?
    /// What is left of the request's deadline; `nil` if it has none.
    public let remainingTime: Duration?
    /// What was measured so far.
    public let metrics: RequestMetrics
    /// What redirects led away from in this attempt: to repeat it is to send that again.
    package let redirected: [TransportRequest]

    package init(
        id: RequestID, attempt: Int, request: TransportRequest? = nil, response: HTTPResponseHead? = nil,
        remainingTime: Duration? = nil,
        metrics: RequestMetrics = RequestMetrics(), redirected: [TransportRequest] = []
    ) {
        self.id = id
        self.attempt = attempt
        self.request = request
        self.response = response
        self.remainingTime = remainingTime
        self.metrics = metrics
        self.redirected = redirected
    }
}
