/// Decides whether a request whose connection failed is sent again (RFC 9110 §9.2.2). A request that the server may
/// have processed is sent again only if its method is idempotent.
struct ResendRule: Equatable {
    var isIdempotent: Bool
    /// Whether the body can be sent from its start again.
    var canReplay: Bool
    /// Whether the connection had carried a transfer: the server may have closed it before this request arrived.
    var isReused: Bool
    var hasSent: Bool
    var hasResponse: Bool
    var hasRestarted = false

    enum Decision: Equatable {
        case restart
        /// The server may have processed the request, whose method is not idempotent: it is not sent again.
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
