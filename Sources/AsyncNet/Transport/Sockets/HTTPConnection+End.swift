extension HTTPConnection {
    /// Ends the response with the connection. If TLS's close_notify is missing (not `isClean`), anyone on the way could
    /// have cut a body that ends with the connection (RFC 9112 §9.8), see ``HTTPResponseHead/isTruncatable``.
    func end(_ isClean: Bool) throws(AsyncNetError) {
        try receiver?.receiveEnd()
        guard isClean || transfer?.request.delivery == .whole else {
            throw AsyncNetError(.bodyEndedEarly, "The server closed the connection without TLS's close_notify")
        }
        complete(hasBytesLeft: true)
    }

    func complete(hasBytesLeft: Bool) {
        guard let delivery else { return }
        let isSent = sender?.isDone == true
        let isReusable =
            receiver?.allowsReuse == true && isSent && !hasBytesLeft && !isRetired && transfersLeft > 0
            && transfer?.request.head.closesConnection == false && delivery.head?.statusCode != 421
        guard !delivery.isDropped else { return sendAnswer(onSameConnection: isReusable) }
        finish(.success(()), keepsFor: isReusable ? keepTime(delivery.head) : nil)
    }

    /// How long the connection may be kept; `nil` if its server is about to close it.
    private func keepTime(_ head: HTTPResponseHead?) -> Duration? {
        let own = engine.configuration.idleTimeout
        guard let hint = head?.keepAliveSeconds else { return own }
        // One second less than the server's time, which begins before the response arrives here.
        let time = min(own, .seconds(hint) - .seconds(1))
        return time > .zero ? time : nil
    }

    /// Ends the transfer. The connection is free for the next transfer before the reader knows of the end.
    func finish(_ result: Result<Void, AsyncNetError>, keepsFor time: Duration?) {
        guard let transfer, let delivery else { return }
        report(transfer, delivery, isNew: transfers == 1) {
            WireBytes(
                sentHead: Int64(sender?.head.count ?? 0), sentBody: sender?.sentBody ?? 0,
                receivedHead: Int64(receiver?.headBytes ?? 0), receivedBody: delivery.receivedBytes)
        }
        release()
        if let time { engine.released(self, keptFor: time) } else { engine.close(self) }
        engine.ended(transfer)
        delivery.finish(result, on: engine.thread)
    }

    func fail(_ error: AsyncNetError) {
        guard let transfer, let delivery else { return }
        guard !delivery.isDropped else { return sendAnswer(onSameConnection: false) }
        let hasBegun = receiver?.hasBegun == true
        // A TLS alert says more than the sending that failed after it.
        let error = hasBegun || error.code == .tlsHandshakeFailed ? error : sendingFailure ?? error
        let isConnectionLost = error.code == .connectionLost || error.code == .emptyReply
        let rule = ResendRule(
            isIdempotent: transfer.request.head.isIdempotent, canReplay: transfer.canReplay, isReused: transfers > 1,
            hasSent: sender?.hasSent ?? true, hasResponse: hasBegun, hasRestarted: transfer.restarts > 0)
        switch isConnectionLost ? rule.decision : .fail {
        case .restart:
            release()
            engine.close(self)
            engine.restart(transfer)
        case .lost: finish(.failure(.possiblyProcessed), keepsFor: nil)
        case .fail: finish(.failure(sender?.failure ?? error), keepsFor: nil)
        }
    }

    func release() {
        engine.thread.cancel(&continueTimer)
        engine.thread.cancel(&receiveTimer)
        engine.thread.cancel(&sendTimer)
        sender?.stop()
        transfer?.request.hold?.forget(transfer ?? self)
        transfer = nil
        sender = nil
        delivery = nil
        receiver = nil
        rest = []
        sendingFailure = nil
        hasWaitingParts = false
        restsSince = engine.thread.polls
        life?.end()
    }
}
