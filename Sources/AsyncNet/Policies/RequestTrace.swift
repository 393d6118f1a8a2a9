package protocol TracingPolicy: RequestPolicy {
    /// Called in the task that starts the request.
    func makeTrace(_ id: RequestID) -> any RequestTrace
}

/// The part of a trace that belongs to one run; it is told of each hop.
package protocol RequestTrace: AnyObject, Sendable {
    /// Adds the headers of the trace to a hop that is about to be sent; the hop before it in this run has ended.
    /// Returns the hop's part of the trace, if there is one.
    func beginHop(_ request: inout HTTPRequestHead, urlTemplate: String?, isRedirected: Bool) -> (any TracedHop)?
    /// Returns the trace of another run that works for this one: a hedged or shared transfer, or a segment. Its spans
    /// have the same parent as this run's.
    func branch(_ kind: TraceBranch) -> any RequestTrace
}

package protocol TracedHop: AnyObject, Sendable {
    /// The transport sends the request again; `time` has passed since the hop began.
    func repeated(after time: Duration)
    func ended(_ summary: HopSummary)
}

/// Why a run works for another run.
package enum TraceBranch {
    case hedged
    /// A transfer that several requests share: it may outlive the request that it was made for.
    case shared
    case part
}
