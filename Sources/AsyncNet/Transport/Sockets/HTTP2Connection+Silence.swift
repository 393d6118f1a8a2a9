extension HTTP2Connection {
    func watchSilence() {
        let now = engine.thread.now
        switch silence.decision(now, sent: sentBytes, waiting: stream.unacknowledged) {
        case .wait(let time):
            // Weak: an action that is due at the same time may release the connection before.
            silenceTimer = engine.thread.schedule(after: time - now) { [weak self] in
                guard let self else { return }
                silenceTimer = nil
                if isWatched { watchSilence() }
            }
        case .ask:
            machine.ping()
            scheduleSend()
            watchSilence()
        case .end:
            let time = silence.limits.timeout
            end(AsyncNetError(.connectionLost, "The server did not answer a PING frame within \(time)"))
        }
    }

    private var isWatched: Bool {
        let isAsked = engine.configuration.http2KeepAlive != nil || !isIdle || machine.pings.waitsSince != nil
        return isAsked && !isClosed
    }
}
