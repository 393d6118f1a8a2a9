import Foundation

/// A connection that carries one transfer after another over HTTP/1.1. Used only under its loop's lock.
///
/// The connection reads while it sends, since a server may respond before it has the whole request. The transfer is
/// over when the response is complete; the connection is kept if the request was sent as a whole, and both sides allow
/// it.
final class HTTPConnection: PooledConnection {
    var transfer: SocketTransfer?
    var sender: RequestSender?
    var receiver: HTTP1Receiver?
    var delivery: ResponseDelivery?
    var isPaused = false
    /// Ends the wait for a 100 response. The transfer's end cancels this timer, and the next two.
    var continueTimer: LoopTimers.ID?
    var receiveTimer: LoopTimers.ID?
    var sendTimer: LoopTimers.ID?
    /// The connection's error that ended the sending. The transfer fails with it unless the server has responded.
    var sendingFailure: AsyncNetError?
    var started = ContinuousClock.now

    override var running: Int { transfer == nil ? 0 : 1 }

    override func retire() {
        super.retire()
        engine.closeIdle(self)
    }

    override func start(_ transfer: SocketTransfer) {
        let engine = engine
        observe(transfer)
        self.transfer = transfer
        let head = head(of: transfer)
        started = engine.thread.now
        sender = RequestSender(transfer, head: head)
        receiver = HTTP1Receiver(
            transfer.request.head.url, transfer.request.head.method, engine.setup.limits,
            isOfProxy: route.isForwarded)
        delivery = ResponseDelivery(transfer, engine.setup.memory)
        transfers += 1
        isPaused = false
        if transfer.request.isHeadObserved {
            head.withUnsafeBytes { transfer.request.onEvent?(.sentHead(SentHead($0))) }
        }
        goOn(receives: false)
    }

    override func resume(_ transfer: SocketTransfer) { if self.transfer === transfer { goOn() } }

    override func cancel(_ transfer: SocketTransfer) {
        guard self.transfer === transfer else { return }
        stream.isAbortive = true
        release()
        engine.close(self)
    }

    /// Called when the reader has taken bytes, the request's body has more, or a rate allows more. The reader may still
    /// want none.
    func goOn() {
        isPaused = transfer?.pipe.isPaused == true
        goOn(receives: hasWaitingParts || stream.hasUnreadInput)
    }

    /// Runs a turn without an event of the socket. If work is left, another turn follows.
    func goOn(receives: Bool) {
        if case .more = pump(receives: receives) { stream.requeue() }
    }

    override func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        guard transfer != nil else {
            if stream.isQuiet { stream.freeBuffers() } else { engine.closeIdle(self) }
            return .done
        }
        if readiness.contains(.writable) { stream.becameWritable() }
        return pump(receives: readiness.contains(.readable) || readiness.isEmpty)
    }

    override var isUsable: Bool {
        // If the poller was asked since the last response, it would have reported what has arrived in the socket.
        if transfers == 0 || restsSince < engine.thread.polls && !stream.hasUnreadInput { return true }
        return stream.isQuiet
    }

    private func pump(receives: Bool) -> Turn {
        var turn = Turn.done
        do throws(AsyncNetError) {
            if receives { turn = try receive() }
            if let transfer, !isSuspended(transfer) { try send() }
        } catch {
            fail(error)
        }
        stream.endTurn()
        stream.updateWatch(isReading: transfer == nil || !isPaused)
        return transfer == nil ? .done : turn
    }

    func send() throws(AsyncNetError) {
        guard let sender, !sender.isStopped else { return }
        let most = sendableBytes(of: sender)
        let progress: RequestSender.Progress
        do throws(AsyncNetError) {
            progress = try sender.send(on: stream, atMost: most)
        } catch {
            // The server may have responded before it closed the connection: the next turns receive the response.
            guard error.code == .connectionLost else { throw error }
            sendingFailure = error
            return sender.stop()
        }
        if case .limited = progress, most > 0 { stream.requeue() }
        guard case .awaitsContinue = progress, continueTimer == nil else { return }
        continueTimer = engine.thread.schedule(after: engine.configuration.expectContinueTimeout) { [weak self] in
            self?.sender?.continueBody()
            self?.goOn(receives: false)
        }
    }

    private func sendableBytes(of sender: RequestSender) -> Int {
        guard let limit = engine.configuration.maximumSendRate, !sender.isDone else { return Turn.sent }
        let rate = TransferRate(bytesPerSecond: limit, start: started)
        return engine.thread.allowance(rate, after: sender.sentBody, &sendTimer) { [weak self] in self?.goOn() }
    }
}
