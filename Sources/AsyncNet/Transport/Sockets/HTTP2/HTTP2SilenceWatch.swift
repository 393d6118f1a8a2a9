/// Decides when a silent server is asked by PING whether it is still there (RFC 9113 §6.7), and when it is gone.
struct HTTP2SilenceWatch {
    enum Decision: Equatable {
        case wait(until: ContinuousClock.Instant)
        /// Send a PING, then decide again.
        case ask
        case end
    }

    let limits: SocketTransport.HTTP2KeepAlive
    private var silentSince: ContinuousClock.Instant
    private var askedAt: ContinuousClock.Instant?
    /// How many of the sent bytes the server's system had, the most at any decision.
    private var acknowledged = 0

    init(_ limits: SocketTransport.HTTP2KeepAlive, now: ContinuousClock.Instant) {
        (self.limits, silentSince) = (limits, now)
    }

    mutating func received(_ now: ContinuousClock.Instant) { (silentSince, askedAt) = (now, nil) }

    /// - Parameters:
    ///   - sent: How many bytes the connection has sent.
    ///   - waiting: How many of them the server's system does not have yet. While it takes some, the server is not
    ///     silent: a PING may wait behind them.
    mutating func decision(_ now: ContinuousClock.Instant, sent: Int, waiting: Int) -> Decision {
        let hasTakenMore = sent - waiting > acknowledged
        acknowledged = max(acknowledged, sent - waiting)
        if waiting > 0, hasTakenMore {
            silentSince = now
            if askedAt != nil { askedAt = now }
        }
        if let askedAt {
            return now < askedAt + limits.timeout ? .wait(until: askedAt + limits.timeout) : .end
        }
        guard now >= silentSince + limits.interval else { return .wait(until: silentSince + limits.interval) }
        askedAt = now
        return .ask
    }
}
