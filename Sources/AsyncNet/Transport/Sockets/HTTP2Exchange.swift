import Foundation

/// One transfer on a connection over HTTP/2: sends the request, and passes on what its stream receives. Used only under
/// its loop's lock.
final class HTTP2Exchange {
    let transfer: SocketTransfer
    let stream: HTTP2Stream
    let sender: HTTP2Sender
    let delivery: ResponseDelivery
    unowned let connection: HTTP2Connection
    let isFirst: Bool
    private let started: ContinuousClock.Instant
    /// Where the request's head begins among all bytes that the connection sends.
    let place: Int
    /// How many bytes of the body have arrived and are not read.
    private var unread = 0
    /// How many bytes WINDOW_UPDATE frames have allowed the server to send, since the reader took as many.
    private var credited: Int64 = 0
    /// Whether the reader does not take bytes now, or the request is suspended.
    var isPaused = false
    var hasNews = false
    /// The transfer's result, which is delivered when the suspended request goes on.
    var result: Result<Void, AsyncNetError>?
    private var continueTimer: LoopTimers.ID?
    private var receiveTimer: LoopTimers.ID?
    private var sendTimer: LoopTimers.ID?

    init(_ transfer: SocketTransfer, on connection: HTTP2Connection) {
        self.transfer = transfer
        self.connection = connection
        isFirst = connection.transfers == 0
        place = connection.sentBytes + connection.machine.output.count
        started = connection.engine.thread.now
        stream = HTTP2Stream(transfer.request.head.url, transfer.request.head.method, connection.machine.limits)
        sender = HTTP2Sender(transfer)
        delivery = ResponseDelivery(transfer, connection.engine.setup.memory)
    }

    var engine: SocketEngine { connection.engine }

    func receive(informational head: HTTPResponseHead) {
        delivery.noteFirstByte(at: engine.thread.now)
        transfer.request.onEvent?(.informational(head))
        if head.statusCode == 100 { sender.awaitsContinue = false }
    }

    func receive(_ head: HTTPResponseHead) {
        note()
        attempt { () throws(AsyncNetError) in
            try delivery.begin(head, length: stream.bytesLeft == 0 ? nil : stream.bytesLeft)
            connection.reportConnection(transfer, head, isNew: isFirst, roundTrip: connection.machine.pings.roundTrip)
        }
        if head.statusCode == 421 { connection.retire() }
        // From 300 on the server does not want the rest of the body; below, a body that waits for 100 is sent.
        if head.statusCode >= 300 { sender.stop() } else { sender.awaitsContinue = false }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        note()
        unread += bytes.count
        attempt { () throws(AsyncNetError) in
            try delivery.receive(bytes)
            if delivery.isChunkFull, !isPaused { passOn() }
        }
    }

    private func note() {
        delivery.noteFirstByte(at: engine.thread.now)
        guard !hasNews else { return }
        hasNews = true
        connection.news.append(self)
    }

    private func attempt(_ step: () throws(AsyncNetError) -> Void) {
        do throws(AsyncNetError) { try step() } catch { abort(error) }
    }

    /// Called when the reader has taken bytes, or the request's body has more. The reader may still want none.
    func resume() {
        isPaused = transfer.pipe.isPaused
        sender.isStarved = false
        passOn()
    }

    /// Passes on what has arrived, and lets the server send as much again.
    func passOn() {
        if connection.isSuspended(transfer) { isPaused = true }
        guard !isPaused else { return }
        if let result { return finish(result) }
        guard delivery.flush() == .more else {
            isPaused = true
            return
        }
        credit()
    }

    private func credit() {
        guard unread > 0, !isPaused else { return }
        if let limit = engine.configuration.maximumReceiveRate {
            let rate = TransferRate(bytesPerSecond: limit, start: delivery.firstByte ?? started)
            let count = engine.thread.allowance(rate, after: credited, &receiveTimer) { [weak self] in
                self?.credit()
                self?.connection.scheduleSend()
            }
            guard count > 0 else { return }
        }
        credited += Int64(unread)
        countAsRead()
    }

    private func countAsRead() {
        connection.machine.didRead(unread, of: stream)
        unread = 0
    }

    /// Writes at most one frame of the request's body.
    func write() -> HTTP2Sender.Progress {
        if connection.isSuspended(transfer) { return .waits }
        if sender.awaitsContinue { awaitContinue() }
        // The receive buffer is free: what was received has been taken.
        return sender.write(to: &connection.machine, stream, engine.thread.receiveBuffer, atMost: sendableBytes)
    }

    private var sendableBytes: Int {
        guard let limit = engine.configuration.maximumSendRate else { return .max }
        let rate = TransferRate(bytesPerSecond: limit, start: started)
        return engine.thread.allowance(rate, after: sender.sentBody, &sendTimer) { [weak self] in
            self?.connection.scheduleSend()
        }
    }

    private func awaitContinue() {
        guard continueTimer == nil else { return }
        continueTimer = engine.thread.schedule(after: engine.configuration.expectContinueTimeout) { [weak self] in
            self?.sender.awaitsContinue = false
            self?.connection.scheduleSend()
        }
    }

    /// Takes the transfer from the connection.
    func release() {
        connection.exchanges[stream.id] = nil
        // Bytes that nobody will read are counted as read, so that they take no part of the connection's window.
        countAsRead()
        stopSending()
        engine.thread.cancel(&continueTimer)
        engine.thread.cancel(&receiveTimer)
        engine.thread.cancel(&sendTimer)
        transfer.request.hold?.forget(transfer)
        connection.life?.end()
    }

    func stopSending() {
        sender.stop()
        connection.sending.removeAll { $0 === self }
    }
}

extension SocketTransfer {
    var http2Fields: HTTPHeaders {
        HTTP2Fields.request(
            request.head, isTLS: route.endpoint.isTLS, target: target, authority: route.endpoint.authority,
            length: request.body.isNone ? 0 : bodyLength)
    }

    /// The head as observers read it, whose request line stands for the pseudo-header fields.
    func sentHead(_ fields: HTTPHeaders) -> SentHead {
        var headers: HTTPHeaders = ["host": fields[":authority"] ?? ""]
        for field in fields where !field.name.hasPrefix(":") { headers.add(field) }
        return SentHead(requestLine: "\(request.head.method.rawValue) \(target) HTTP/2", headers: headers)
    }
}
