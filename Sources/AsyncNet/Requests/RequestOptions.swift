/// What a request was told beyond what is sent: who is asked about it, and what it must not exceed.
package struct RequestOptions: Sendable {
    /// Asked after the session's.
    package var interceptors: [any RequestPolicy] = []
    package var bodyLimit = BodyLimit.session
    /// For everything together; the session's unless set.
    package var deadline: Duration?
    /// For silence; the request's or the session's unless set.
    package var timeout: Duration?

    /// In place of the session's.
    package var redirects: RedirectHandler?
    package var credential: Credential?
    package var priority = RequestPriority.normal
    /// For each attempt, of a request that is part of another; others ask their retriers.
    package var attemptTimeout: Duration?
    /// When the deadline of the request that this one is part of is, by the session's time.
    package var end: Duration?

    package enum BodyLimit: Sendable {
        case session
        /// `nil` is none.
        case own(Int64?)
    }

    package init() {}
}
