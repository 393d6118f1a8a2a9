/// Where the steps of a request are sent to.
protocol EventTarget: AnyObject, Sendable {
    var isObserved: Bool { get }
    /// Which events observers need; `nil` if nobody observes.
    var interests: EventInterests? { get }
    /// - Returns: `false` if the request is over; the hop is then over too.
    func begin(_ hop: RunningHop) -> Bool
    func send(_ event: RequestEvent, of hop: RunningHop?)
    /// Reports that a hop has ended. Does nothing if the target knows that already.
    func end(_ hop: RunningHop, _ summary: HopSummary)
}
