/// The request that a run belongs to, as the stations see it.
protocol RunOwner: Actor {
    /// Counts an attempt whose first hop has this head. Returns `false` if the request is over.
    nonisolated func beginAttempt(_ head: HTTPRequestHead) -> Bool

    func waitWhileSuspended() async

    /// Ends the request at once, with this error, or with success if it is `nil`.
    func end(with error: AsyncNetError?) async

    /// Runs the last step of the request, such as moving a file to its place; throws if the request is over. After the
    /// step a cancel or a timeout has no effect.
    func settle(_ step: @Sendable () throws -> Void) throws

    /// The error that ended the request; `nil` while the request runs, and if it succeeded.
    var failure: AsyncNetError? { get }
}
