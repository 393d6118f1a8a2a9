extension HTTP2Connection {
    /// Sends at the end of the loop's round, together with what other transfers begin in the same round.
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
            guard sent < Turn.sent else { return .more }
            let count = try machine.output.withBytes { bytes throws(AsyncNetError) in try stream.send(bytes) }
            if count == 0 { return .done }
            sent += count
            sentBytes += count
            machine.output.removeSubrange(..<count)
        }
        return .done
    }

    private func fillOutput() {
        var waiting = 0
        while machine.output.count < Self.outputSize, waiting < sending.count {
            let exchange = sending.removeFirst()
            switch exchange.write() {
            case .wrote:
                waiting = 0
                if !exchange.sender.isDone { sending.append(exchange) }
            case .waits:
                waiting += 1
                sending.append(exchange)
            case .failed(let error): exchange.abort(error)
            }
        }
    }
}
