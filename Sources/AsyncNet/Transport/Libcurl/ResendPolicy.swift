/// Decides whether a request is sent on the connection that libcurl picked, and whether it is sent again when that
/// connection fails.
///
/// libcurl picks a kept connection without checking it for unread bytes, and repeats each request whose kept connection
/// ends before a byte of the response, up to five times. RFC 9110 §9.2.2 allows that only for idempotent requests.
/// Other requests may be sent again only if the server cannot have processed them: they were never sent, or the server
/// reported that it did not process them (RFC 9113 §8.7). The struct performs no I/O: `maySend` is called before each
/// sending, `end` when libcurl has ended the transfer.
struct ResendPolicy: Equatable {
    /// The state of a connection right before a request is sent on it.
    struct Connection: Equatable {
        /// Whether the connection was made for this request.
        var isNew: Bool
        var isHTTP2 = false
        /// Whether the server has closed the connection.
        var isClosed = false
        /// Whether the connection has unread bytes, which over HTTP/1.1 belong to no response; over HTTP/2 they may be
        /// frames.
        var hasBytes = false

        var isUsable: Bool { isNew || !isClosed && (isHTTP2 || !hasBytes) }
    }

    enum Permission: Equatable {
        case send
        /// The request may be sent; it was sent before.
        case sendAgain
        /// The request must not be sent, so libcurl ends the transfer; `end` then decides between a restart and an
        /// error.
        case refuse
    }

    enum End: Equatable {
        /// libcurl's result is the result of the transfer.
        case deliver
        /// The request must be sent again on a new connection.
        case restart
        /// A kept connection ended without a response, and the request may have been processed.
        case lost
    }

    let isIdempotent: Bool
    /// How often the request was sent.
    private(set) var sendings = 0
    private var connection: Connection?
    private var hasRestarted = false
    /// What `end` returns after `maySend` has refused a connection.
    private var refusal: End?
    /// Whether the server reported that it did not process the request, and the connection for sending it again was
    /// refused.
    private var isUnprocessed = false

    init(isIdempotent: Bool) { self.isIdempotent = isIdempotent }

    /// - Parameter isUnprocessed: Whether the server reported that it did not process the request when last sent.
    mutating func maySend(on connection: Connection, isUnprocessed: Bool = false) -> Permission {
        guard sendings == 0 || isIdempotent || isUnprocessed || self.isUnprocessed else {
            refusal = .lost
            return .refuse
        }
        // Over HTTP/1.1 a request is sent again on a new connection: other kept connections may be closed too.
        let isFreshEnough = sendings == 0 || connection.isNew || connection.isHTTP2
        guard connection.isUsable, isFreshEnough else {
            refusal = hasRestarted ? .lost : .restart
            self.isUnprocessed = true
            return .refuse
        }
        self.isUnprocessed = false
        self.connection = connection
        sendings += 1
        return sendings == 1 ? .send : .sendAgain
    }

    /// Called when the body cannot be sent from its start again.
    mutating func cannotSendAgain() {
        sendings -= 1
        refusal = .lost
    }

    /// - Parameters:
    ///   - hasConnectionFailed: Whether the transfer failed because its connection failed.
    ///   - hasResponse: Whether a byte of a response has arrived.
    mutating func end(hasConnectionFailed: Bool, hasResponse: Bool) -> End {
        if let refusal {
            self.refusal = nil
            return restart(or: refusal)
        }
        guard hasConnectionFailed, !hasResponse, let connection, !connection.isNew else { return .deliver }
        return isIdempotent ? restart(or: .deliver) : .deliver
    }

    private mutating func restart(or end: End) -> End {
        guard end != .lost, !hasRestarted else { return end == .restart ? .lost : end }
        hasRestarted = true
        return .restart
    }
}
