/// Where the steps of a request are sent to.
protocol EventTarget: AnyObject, Sendable {
    var isObserved: Bool { get }
    /// What observers need; `nil` if nobody observes.
    var interests: EventInterests? { get }
    /// Counts the frequent steps instead of events of them; `nil` unless metrics alone are made of the request.
    var meter: MetricsFollower? { get }
    /// A hop begins, and gets this number.
    func beginHop() -> Int
    func send(_ event: RequestEvent, hop: Int)
}
