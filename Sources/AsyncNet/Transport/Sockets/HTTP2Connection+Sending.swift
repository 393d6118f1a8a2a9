extension HTTP2Connection {
    /// Sends after the round, together with what other transfers of the round begin.
    func scheduleSend() {
        guard !isSendScheduled, !isClosed else { return }
        isSendScheduled = true
        engine.thread.afterTurns { [self] in
            isSendScheduled = false
            guard !isClosed else { return }
            attempt { () throws(AsyncNetError) in if try send() == .more { stream.requeue() } }
            if !isClosed { stream.updateWatch(isReading: mayReceive) }
        }
    }

    /// Sends what waits. An error of sending is kept: the server may have responded before it closed the connection, so
    /// the next turn receives first, and then ends the connection.
    func send() throws(AsyncNetError) -> Turn {
        guard sendingFailure == nil else { return .more }
        do throws(AsyncNetError) { return try sendOutput() } catch {
            guard error.code == .connectionLost else { throw error }
            sendingFailure = error
            machine.output = []
            return .more
        }
    }

    private func sendOutput() throws(AsyncNetError) -> Turn {
        var sent = 0
        while !isClosed, !stream.isBlocked {
            fillOutput()
            if isClosed { return .done }
            guard !machine.output.isEmpty || stream.tls != nil else { return .done }
            guard sent < Self.sentBytesPerTurn else { return .more }
            let count = try machine.output.withBytes { bytes throws(AsyncNetError) in try stream.send(bytes) }
            if count == 0 { return .done }
            sent += count
            sentBytes += count
            if count == machine.output.count {
                machine.output.removeAll(keepingCapacity: true)
            } else {
                machine.output.removeSubrange(..<count)
            }
        }
        return .done
    }

    private func fillOutput() {
        var waiting = 0
        while machine.output.count < Self.outputSize, waiting < sending.count {
            let exchange = sending.removeFirst()
            switch write(exchange) {
            case .done: waiting = 0
            case .wrote:
                waiting = 0
                if !exchange.sender.isDone { sending.append(exchange) }
            case .waits:
                waiting += 1
                sending.append(exchange)
            case .failed(let error):
                machine.reset(exchange.stream, .cancel)
                finish(exchange, .failure(error))
            }
        }
    }

    private func write(_ exchange: HTTP2Exchange) -> HTTP2Sender.Progress {
        if isSuspended(exchange.transfer) { return .waits }
        if exchange.sender.awaitsContinue { awaitContinue(exchange) }
        let most = engine.maximumSendRate.map { rate in
            allowance(exchange, rate, since: exchange.started, after: exchange.sender.sentBody)
        }
        // The receive buffer is free: what was received has been taken.
        let scratch = engine.thread.receiveBuffer
        return exchange.sender.write(to: &machine, exchange.stream, scratch, atMost: most ?? .max)
    }

    private func awaitContinue(_ exchange: HTTP2Exchange) {
        guard exchange.continueTimer == nil else { return }
        exchange.continueTimer = engine.thread.schedule(after: engine.configuration.expectContinueTimeout) {
            [weak self, weak exchange] in
            exchange?.sender.continueBody()
            self?.scheduleSend()
        }
    }

    /// How many bytes a rate allows now. If it is 0, a timer resumes the transfer.
    func allowance(
        _ exchange: HTTP2Exchange, _ rate: Int64, since start: ContinuousClock.Instant, after moved: Int64
    ) -> Int {
        switch TransferRate(bytesPerSecond: rate, start: start).decision(after: moved, now: engine.thread.now) {
        case .move(let count): return count
        case .wait(let delay):
            guard exchange.rateTimer == nil else { return 0 }
            exchange.rateTimer = engine.thread.schedule(after: delay) { [weak self, weak exchange] in
                guard let self, let exchange else { return }
                exchange.rateTimer = nil
                credit(exchange)
                scheduleSend()
            }
            return 0
        }
    }
}
