/// Asks a silent server by PING whether it is still there (RFC 9113 §6.7).
extension HTTP2Connection {
    func watchSilence() {
        let limits = engine.configuration.http2KeepAlive ?? .init()
        let due = askedAt.map { $0 + limits.timeout } ?? silentSince + limits.interval
        // Weak: an action that is due at the same time may release the connection before.
        silenceTimer = engine.thread.schedule(after: due - engine.thread.now) { [weak self] in
            guard let self else { return }
            silenceTimer = nil
            checkSilence(limits)
        }
    }

    private func checkSilence(_ limits: SocketTransport.HTTP2KeepAlive) {
        let isWatched = engine.configuration.http2KeepAlive != nil || !isIdle || machine.pings.waitsSince != nil
        guard !isClosed, isWatched else { return }
        let now = engine.thread.now
        if let askedAt, now >= askedAt + limits.timeout {
            return end(
                AsyncNetError(.connectionLost, "The server did not answer a PING frame within \(limits.timeout)"))
        }
        if askedAt == nil, now >= silentSince + limits.interval {
            machine.ping(now)
            askedAt = now
            scheduleSend()
        }
        watchSilence()
    }
}
