extension HTTP2Connection {
    func receive(_ event: HTTP2Machine.Event, _ input: UnsafeRawBufferPointer) {
        switch event {
        case .informational(let stream, let head): exchanges[stream.id]?.receive(informational: head)
        case .head(let stream, let head): exchanges[stream.id]?.receive(head)
        case .body(let stream, let range):
            exchanges[stream.id]?.receive(UnsafeRawBufferPointer(rebasing: input[range]))
        case .trailers(let stream, let trailers):
            exchanges[stream.id]?.transfer.request.onEvent?(.trailers(trailers))
        case .complete(let stream): exchanges[stream.id]?.complete()
        case .reset(let stream, let code): exchanges[stream.id]?.receive(reset: code)
        case .failed(let stream, let violation): exchanges[stream.id]?.end(.failure(violation.error))
        case .settled: settle()
        case .goAway(let unprocessed, let code):
            engine.changedRoom(of: self)
            for stream in unprocessed { exchanges[stream.id]?.failUnprocessed(code) }
            closeIfDone()
        case .frame: break
        }
    }

    func settle() {
        engine.versions.note(machine.peer.streamLimit, of: route)
        engine.changedRoom(of: self)
    }

    func closeIfDone() {
        if machine.isGoingAway, isIdle { engine.close(self) }
    }

    func end(_ error: AsyncNetError) {
        guard !isClosed else { return }
        let left = exchanges.values.sorted { $0.stream.id < $1.stream.id }
        engine.close(self)
        for exchange in left { exchange.lose(error) }
    }

    func watchSilence() {
        let now = engine.thread.now
        switch silence.decision(now, sent: sentBytes, waiting: stream.unacknowledged) {
        case .wait(let time):
            // Weak: an action that is due at the same time may release the connection before.
            silenceTimer = engine.thread.schedule(after: time - now) { [weak self] in
                guard let self else { return }
                silenceTimer = nil
                let isAsked = engine.configuration.http2KeepAlive != nil || !isIdle || machine.pings.waitsSince != nil
                if isAsked, !isClosed { watchSilence() }
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
}
