/// How a transfer leaves its connection: with a result, or because its request is sent again.
extension HTTP2Exchange {
    func complete() {
        // The rest of the request is not needed (RFC 9113 §8.1).
        if !stream.isRequestSent { connection.machine.reset(stream, .noError) }
        end(.success(()))
    }

    func abort(_ error: AsyncNetError) {
        connection.machine.reset(stream, .cancel)
        finish(.failure(error))
    }

    /// Ends the transfer; while its request is suspended, only stops sending and keeps the result until it is resumed.
    func end(_ result: Result<Void, AsyncNetError>) {
        guard connection.isSuspended(transfer) else { return finish(result) }
        stopSending()
        (self.result, isPaused) = (result, true)
    }

    /// Ends the transfer. The connection has room for the next transfer before the reader knows of the end.
    func finish(_ result: Result<Void, AsyncNetError>) {
        connection.report(transfer, delivery, isNew: isFirst) {
            WireBytes(
                sentHead: Int64(stream.sentHeadBytes), sentBody: sender.sentBody,
                receivedHead: Int64(stream.headBytes), receivedBody: delivery.receivedBytes)
        }
        release()
        engine.ended(transfer)
        engine.released(connection)
        delivery.finish(result, on: engine.thread)
        connection.closeIfDone()
    }

    func receive(reset code: UInt32) {
        switch code {
        case HTTP2ErrorCode.refusedStream.rawValue:
            connection.settle()
            sendAgain("RST_STREAM with REFUSED_STREAM")
        case HTTP2ErrorCode.http11Required.rawValue:
            connection.retire()
            requireHTTP1()
        default: lose(AsyncNetError(.connectionLost, "The server sent RST_STREAM with \(HTTP2ErrorCode.name(code))"))
        }
    }

    /// Called if the server ends the connection by GOAWAY, and has not processed the request.
    func failUnprocessed(_ code: UInt32) {
        if code == HTTP2ErrorCode.http11Required.rawValue { return requireHTTP1() }
        sendAgain("GOAWAY with \(HTTP2ErrorCode.name(code))")
    }

    private func requireHTTP1() {
        guard engine.configuration.httpVersion != .http2 else {
            let text = "The server requires HTTP/1.1 (HTTP_1_1_REQUIRED), and only HTTP/2 is allowed"
            return end(.failure(AsyncNetError(.badServerResponse, text)))
        }
        engine.versions.requireHTTP1(connection.route)
        sendAgain("HTTP_1_1_REQUIRED")
    }

    /// Sends the request again, whatever its method is: the server has not processed it (RFC 9113 §8.7).
    private func sendAgain(_ frame: String) {
        guard result == nil else { return }
        guard transfer.restarts < Self.mostRestarts, delivery.head == nil, canSendAgain else {
            let text = "The server did not process the request (\(frame))"
            return end(.failure(AsyncNetError(.connectionLost, text)))
        }
        restart()
    }

    private static let mostRestarts = 5

    private var canSendAgain: Bool { transfer.canReplay || !sender.hasBegun }

    /// Sends the request again: at once for the first time, later after a delay, so that a server which goes on
    /// refusing can recover.
    private func restart() {
        release()
        engine.released(connection)
        if transfer.restarts == 0 {
            engine.restart(transfer)
        } else {
            // Meanwhile the transfer must not keep a closed connection's socket open.
            transfer.carrier = nil
            let delay = Duration.milliseconds(25 << transfer.restarts)
            _ = engine.thread.schedule(after: delay) { [weak engine, transfer] in engine?.restart(transfer) }
        }
        connection.closeIfDone()
    }

    /// Called if the stream or the connection was lost.
    func lose(_ error: AsyncNetError) {
        guard result == nil else { return }
        guard error.code == .connectionLost || error.code == .emptyReply else { return end(.failure(error)) }
        guard delivery.head == nil else {
            // If the system reported an error, it was not the server that ended the body.
            let cut = AsyncNetError(.bodyEndedEarly, error.message)
            return end(.failure(error.underlyingError == nil ? cut : error))
        }
        let rule = ResendRule(
            isIdempotent: transfer.request.head.isIdempotent, canReplay: transfer.canReplay, isReused: !isFirst,
            hasSent: connection.sentBytes > place, hasResponse: delivery.firstByte != nil,
            hasRestarted: transfer.restarts > 0)
        if rule.decision == .restart, canSendAgain { restart() } else { end(.failure(error)) }
    }
}
