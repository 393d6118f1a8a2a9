import Foundation

extension HTTP2Connection {
    func receive(_ event: HTTP2Machine.Event, _ input: UnsafeRawBufferPointer) {
        switch event {
        case .informational(let stream, let head): with(stream) { receive(informational: head, $0) }
        case .head(let stream, let head): with(stream) { receive(head, $0) }
        case .body(let stream, let range):
            with(stream) { receive(UnsafeRawBufferPointer(rebasing: input[range]), $0) }
        case .trailers(let stream, let trailers):
            with(stream) { $0.transfer.request.onEvent?(.trailers(trailers)) }
        case .complete(let stream): with(stream) { complete($0) }
        case .failed(let stream, let failure): with(stream) { fail($0, failure) }
        case .settled: settle()
        case .goAway(let unprocessed, let code): receiveGoAway(unprocessed, code)
        case .frame: break
        }
    }

    private func settle() {
        engine.versions.note(machine.peer.streamLimit, of: route)
        engine.changedRoom(of: self)
    }

    private func with(_ stream: HTTP2Stream, _ action: (HTTP2Exchange) -> Void) {
        if let exchange = exchanges[stream.id] { action(exchange) }
    }

    private func receive(informational head: HTTPResponseHead, _ exchange: HTTP2Exchange) {
        exchange.delivery.noteFirstByte(at: engine.thread.now)
        exchange.transfer.request.onEvent?(.informational(head))
        if head.statusCode == 100 { exchange.sender.continueBody() }
    }

    private func receive(_ head: HTTPResponseHead, _ exchange: HTTP2Exchange) {
        note(exchange)
        attempt(exchange) { () throws(AsyncNetError) in
            try exchange.delivery.begin(head, length: exchange.stream.bytesLeft == 0 ? nil : exchange.stream.bytesLeft)
            reportConnection(
                exchange.transfer, head, isNew: exchange.isFirst, roundTrip: machine.pings.roundTrip)
        }
        if head.statusCode == 421 { retire() }
        // The server does not want the rest of the body, or has not asked for it.
        if head.statusCode >= 300 { exchange.sender.stop() } else { exchange.sender.continueBody() }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ exchange: HTTP2Exchange) {
        note(exchange)
        exchange.unread += bytes.count
        attempt(exchange) { () throws(AsyncNetError) in
            try exchange.delivery.receive(bytes)
            if exchange.delivery.isChunkFull, !exchange.isPaused { passOn(exchange) }
        }
    }

    private func attempt(_ exchange: HTTP2Exchange, _ step: () throws(AsyncNetError) -> Void) {
        do throws(AsyncNetError) { try step() } catch {
            machine.reset(exchange.stream, .cancel)
            finish(exchange, .failure(error))
        }
    }

    private func complete(_ exchange: HTTP2Exchange) {
        // The rest of the request is not needed (RFC 9113 §8.1).
        if !exchange.stream.isRequestSent { machine.reset(exchange.stream, .noError) }
        end(exchange, .success(()))
    }

    /// Ends a transfer; if its request is suspended, when the request goes on.
    private func end(_ exchange: HTTP2Exchange, _ result: Result<Void, AsyncNetError>) {
        guard isSuspended(exchange.transfer) else { return finish(exchange, result) }
        stopSending(exchange)
        (exchange.result, exchange.isPaused) = (result, true)
    }

    /// Ends a transfer. The connection has room for the next transfer before the reader knows of the end.
    func finish(_ exchange: HTTP2Exchange, _ result: Result<Void, AsyncNetError>) {
        let (transfer, delivery) = (exchange.transfer, exchange.delivery)
        report(transfer, delivery, isNew: exchange.isFirst) {
            WireBytes(
                sentHead: Int64(exchange.stream.sentHeadBytes), sentBody: exchange.sender.sentBody,
                receivedHead: Int64(exchange.stream.headBytes), receivedBody: delivery.receivedBytes)
        }
        release(exchange)
        engine.ended(transfer)
        engine.endedTransfer(on: self)
        engine.thread.afterTurns { delivery.finish(result) }
        closeIfDone()
    }

    private func fail(_ exchange: HTTP2Exchange, _ failure: HTTP2Machine.Failure) {
        switch failure {
        case .violation(let violation): end(exchange, .failure(violation.error))
        case .reset(HTTP2ErrorCode.refusedStream.rawValue):
            settle()
            sendAgain(exchange, "RST_STREAM with REFUSED_STREAM")
        case .reset(HTTP2ErrorCode.http11Required.rawValue):
            retire()
            requireHTTP1(exchange)
        case .reset(let code):
            lose(
                exchange, AsyncNetError(.connectionLost, "The server sent RST_STREAM with \(HTTP2ErrorCode.name(code))")
            )
        }
    }

    /// The server has not processed the request, whatever its method is (RFC 9113 §8.7).
    private func sendAgain(_ exchange: HTTP2Exchange, _ frame: String) {
        guard exchange.result == nil else { return }
        guard exchange.restarts < Self.mostRestarts, exchange.delivery.head == nil, canSendAgain(exchange) else {
            return end(
                exchange, .failure(AsyncNetError(.connectionLost, "The server did not process the request (\(frame))")))
        }
        restart(exchange)
    }

    private func requireHTTP1(_ exchange: HTTP2Exchange) {
        guard engine.configuration.httpVersion != .http2 else {
            let text = "The server requires HTTP/1.1 (HTTP_1_1_REQUIRED), and only HTTP/2 is allowed"
            return end(exchange, .failure(AsyncNetError(.badServerResponse, text)))
        }
        engine.versions.requireHTTP1(route)
        sendAgain(exchange, "HTTP_1_1_REQUIRED")
    }

    private static let mostRestarts = 5

    private func canSendAgain(_ exchange: HTTP2Exchange) -> Bool {
        exchange.transfer.canReplay || !exchange.sender.hasBegun
    }

    /// Sends the request again: at once for the first time, later after a delay, so that a server which goes on
    /// refusing can recover.
    private func restart(_ exchange: HTTP2Exchange) {
        let transfer = exchange.transfer
        release(exchange)
        engine.endedTransfer(on: self)
        if exchange.restarts == 0 {
            engine.restart(transfer)
        } else {
            let delay = Duration.milliseconds(25 << exchange.restarts)
            _ = engine.thread.schedule(after: delay) { [weak engine] in engine?.restart(transfer) }
        }
        closeIfDone()
    }

    private func lose(_ exchange: HTTP2Exchange, _ error: AsyncNetError) {
        guard exchange.result == nil else { return }
        guard error.code == .connectionLost || error.code == .emptyReply else { return end(exchange, .failure(error)) }
        guard exchange.delivery.head == nil else {
            // If the system reported an error, it was not the server that ended the body.
            let cut = AsyncNetError(.bodyEndedEarly, error.message)
            return end(exchange, .failure(error.underlyingError == nil ? cut : error))
        }
        let rule = ResendRule(
            isIdempotent: exchange.transfer.request.head.isIdempotent, canReplay: exchange.transfer.canReplay,
            isReused: !exchange.isFirst, hasSent: hasSent(exchange), hasResponse: exchange.delivery.firstByte != nil,
            hasRestarted: exchange.restarts > 0)
        if rule.decision == .restart, canSendAgain(exchange) {
            restart(exchange)
        } else {
            end(exchange, .failure(error))
        }
    }

    private func receiveGoAway(_ unprocessed: [HTTP2Stream], _ code: UInt32) {
        engine.changedRoom(of: self)
        for stream in unprocessed {
            with(stream) { exchange in
                if code == HTTP2ErrorCode.http11Required.rawValue { return requireHTTP1(exchange) }
                sendAgain(exchange, "GOAWAY with \(HTTP2ErrorCode.name(code))")
            }
        }
        closeIfDone()
    }

    func closeIfDone() {
        if machine.isGoingAway, isIdle, !isClosed { close() }
    }

    func receivedEnd() {
        let reason = machine.peer.goAwayCode.map { " after GOAWAY with \(HTTP2ErrorCode.name($0))" } ?? ""
        // A reset that failed the sending looks like a normal end to the receiving.
        end(sendingFailure ?? AsyncNetError(.emptyReply, "The server closed the connection\(reason)"))
    }

    func end(_ error: AsyncNetError) {
        guard !isClosed else { return }
        let left = exchanges.values.sorted { $0.stream.id < $1.stream.id }
        close()
        for exchange in left { lose(exchange, error) }
    }
}
