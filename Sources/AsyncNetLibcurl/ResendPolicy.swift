import AsyncNet

/// Decides whether a request is sent on the connection that libcurl picked, and whether it is sent again when that
/// connection fails.
///
/// libcurl picks a kept connection without checking it for unread bytes, and repeats each request whose kept connection
/// ends before a byte of the response, up to five times. RFC 9110 §9.2.2 allows that only for idempotent requests. They
/// are sent once more, on a new connection, since other kept connections may be closed too. The struct performs no I/O:
/// `maySend` is called before each sending, `end` when libcurl has ended the transfer.
struct ResendPolicy: Equatable {
    /// The connection that libcurl picked.
    enum Connection: Equatable {
        /// A connection that libcurl made for this request.
        case new
        /// A connection that was used before and is still open, without bytes that belong to no response.
        case kept
        case unusable
    }

    enum Permission: Equatable {
        case send
        /// The request may be sent again.
        case sendAgain
        /// The request must not be sent on this connection, so libcurl ends the transfer; `end` then decides between a
        /// restart on a new connection and an error.
        case refuse
    }

    enum End: Equatable {
        /// libcurl's result is the result of the transfer.
        case deliver
        /// The request must be sent again on a new connection.
        case restart
        /// The request must not be sent again: the server may have processed it, its body can be sent only once, or a
        /// second connection failed too.
        case lost
    }

    let isIdempotent: Bool
    /// How often the request was sent.
    private var sendings = 0
    /// Whether the request was last sent on a connection that an earlier transfer had used.
    private var isOnKeptConnection = false
    private var hasRestarted = false
    /// What `end` returns after `maySend` has refused a connection.
    private var refusal: End?

    init(isIdempotent: Bool) { self.isIdempotent = isIdempotent }

    mutating func maySend(on connection: Connection) -> Permission {
        guard connection == .new || sendings == 0 && connection == .kept else {
            refusal = !hasRestarted && (sendings == 0 || isIdempotent) ? .restart : .lost
            return .refuse
        }
        guard sendings == 0 || isIdempotent else {
            refusal = .lost
            return .refuse
        }
        isOnKeptConnection = connection == .kept
        sendings += 1
        return sendings == 1 ? .send : .sendAgain
    }

    /// Called when the body cannot be sent from its start again.
    mutating func cannotSendAgain() { refusal = .lost }

    /// - Parameters:
    ///   - hasConnectionFailed: Whether the transfer failed because its connection failed.
    ///   - hasResponse: Whether a byte of a response has arrived.
    mutating func end(hasConnectionFailed: Bool, hasResponse: Bool) -> End {
        var end = refusal.take() ?? .deliver
        if end == .deliver, hasConnectionFailed, !hasResponse, isOnKeptConnection, isIdempotent, !hasRestarted {
            end = .restart
        }
        if end == .restart { hasRestarted = true }
        return end
    }
}
