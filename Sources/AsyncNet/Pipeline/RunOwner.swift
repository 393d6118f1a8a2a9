/// The request that a run belongs to, as the stations see it.
protocol RunOwner: Actor {
    /// Counts an attempt, which is about to be sent with this head.
    ///
    /// - Returns: The validators so far; `nil` if the request is over.
    func beginAttempt(_ head: HTTPRequestHead) -> [Validator]?

    /// Whether validators have ever been added, which is known without entering the actor.
    nonisolated var hasValidators: Bool { get }

    /// All validators so far, to be run on a response now. Those that are added later run when the outcome is awaited.
    func takeValidators() -> [Validator]

    /// Waits for as long as the request is suspended.
    func waitWhileSuspended() async

    /// Ends the request.
    func fail(_ error: AsyncNetError) async

    /// The error that ended the request, if it is over.
    var failure: AsyncNetError? { get }
}
