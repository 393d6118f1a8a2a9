/// The request that a run belongs to, as the stations see it.
protocol RunOwner: Actor {
    /// Counts an attempt, whose first hop has this head.
    ///
    /// - Returns: The validators added so far; `nil` if the request is over.
    func beginAttempt(_ head: HTTPRequestHead) -> [Validator]?

    /// Whether validators have ever been added, which is known without entering the actor.
    nonisolated var hasValidators: Bool { get }

    /// All validators added so far, to be run on a response now. Validators added later run when the outcome is
    /// awaited.
    func takeValidators() -> [Validator]

    /// Returns when the request is not suspended.
    func waitWhileSuspended() async

    func fail(_ error: AsyncNetError) async

    /// The error that ended the request, if it is over.
    var failure: AsyncNetError? { get }
}
