/// Decides whether a request goes out on the connection that libcurl picked, and whether it goes out again when that
/// connection fails.
///
/// libcurl picks a kept connection without a look at what waits to be read from it, and repeats any request whose kept
/// connection ends before a byte of the response, up to five times. RFC 9110 §9.2.2 allows that only for idempotent
/// requests; others may go out again only where the first one cannot have been processed: it was never sent, or the
/// server said so (RFC 9113 §8.7). The machine has no I/O: `maySend` is asked before each sending, `end` at the end of
/// libcurl's work.
struct ResendPolicy: Equatable {
    /// What is known of a connection right before a request is sent on it.
    struct Connection: Equatable {
        /// Made for this request.
        var isNew: Bool
        var isHTTP2 = false
        /// The server has closed it.
        var isClosed = false
        /// Bytes wait to be read that belong to no response; over HTTP/2 there may be such.
        var hasBytes = false

        var isUsable: Bool { isNew || !isClosed && (isHTTP2 || !hasBytes) }
    }

    enum Permission: Equatable {
        case send
        /// The request was sent before.
        case sendAgain
        /// The transfer is to end; `end` says what follows.
        case refuse
    }

    enum End: Equatable {
        /// libcurl's result is the transfer's.
        case deliver
        /// The request is to be sent on a connection of its own.
        case restart
        /// A kept connection ended without a response, and the request may have been processed.
        case lost
    }

    let isIdempotent: Bool
    /// How often the request was handed to a connection.
    private(set) var sendings = 0
    private var connection: Connection?
    private var hasRestarted = false
    /// What `maySend` refused.
    private var refusal: End?
    /// The last sending was not processed, though the connection for the next one was refused.
    private var isUnprocessed = false

    init(isIdempotent: Bool) { self.isIdempotent = isIdempotent }

    /// - Parameter isUnprocessed: The server said that it did not process the request where it was sent before.
    mutating func maySend(on connection: Connection, isUnprocessed: Bool = false) -> Permission {
        guard sendings == 0 || isIdempotent || isUnprocessed || self.isUnprocessed else {
            refusal = .lost
            return .refuse
        }
        // Over HTTP/1.1 the second connection is a fresh one: the other kept ones may be as dead.
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

    /// The body cannot be sent from its start again.
    mutating func cannotSendAgain() {
        sendings -= 1
        refusal = .lost
    }

    /// - Parameters:
    ///   - hasConnectionFailed: The transfer failed, and for a reason that is the connection's.
    ///   - hasResponse: A byte of a response has come.
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
