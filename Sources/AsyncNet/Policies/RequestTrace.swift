/// A policy that makes a trace of each request.
protocol TracingPolicy: RequestPolicy {
    /// Called in the task that starts the request.
    func makeTrace(_ id: RequestID, _ time: TimeSource) -> any RequestTrace
}

/// The part of one run in a trace, which learns of each hop.
protocol RequestTrace: AnyObject, Sendable {
    /// A hop is about to be sent: adds its headers. The run's hop before has ended.
    func beginHop(_ request: inout TransportRequest, isRedirected: Bool)
    /// The hop's response has begun.
    func received(_ head: HTTPResponseHead)
    /// The hop is over: its response's body has ended, or an error has ended it. Further calls do nothing.
    func endHop(_ error: (any Error)?)
    /// The request is over, with this error: so are all hops of its runs.
    func end(_ error: AsyncNetError?)
    /// The part of a run that serves this run.
    func branch(_ kind: TraceBranch) -> any RequestTrace
}

/// What a run that serves another run is for.
enum TraceBranch {
    /// One of several transfers of a request.
    case hedged
    /// A transfer that several requests share: it may outlive the request that it was made for.
    case shared
    /// A segment of a download.
    case part
}
