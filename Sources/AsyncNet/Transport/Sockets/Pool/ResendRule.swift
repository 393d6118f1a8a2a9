/// Decides whether a request whose connection failed is sent again (RFC 9110 §9.2.2): never one that the server may
/// have processed, unless its method allows that.
struct ResendRule: Equatable {
    var isIdempotent: Bool
    /// Whether the body can be sent from its start again.
    var canReplay: Bool
    /// Whether the connection had carried a transfer, so that the server may have closed it before this request came.
    var isReused: Bool
    var hasSent: Bool
    var hasResponse: Bool
    var hasRestarted = false

    enum Decision: Equatable {
        case restart
        /// The request may have been processed, and is not sent again.
        case lost
        case fail
    }

    var decision: Decision {
        guard isReused, !hasResponse, !hasRestarted else { return .fail }
        if !hasSent { return .restart }
        guard isIdempotent else { return .lost }
        return canReplay ? .restart : .fail
    }
}
