/// The request that a run belongs to, as the stations see it.
protocol RunOwner: Actor {
    /// Counts an attempt, whose first hop has this head; returns `false` if the request is over.
    func beginAttempt(_ head: HTTPRequestHead) -> Bool

    func waitWhileSuspended() async

    func fail(_ error: AsyncNetError) async

    /// The error that ended the request, if it is over.
    var failure: AsyncNetError? { get }
}
