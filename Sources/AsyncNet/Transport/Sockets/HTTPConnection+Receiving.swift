import Foundation

extension HTTPConnection {
    func receive() throws(AsyncNetError) -> Turn {
        var (bytes, steps) = (0, 0)
        while transfer != nil, !isPaused {
            guard bytes < Turn.received, steps < Turn.parts else { return .more }
            if let transfer, isSuspended(transfer) {
                isPaused = true
                break
            }
            let most = receivableBytes()
            guard most > 0 else {
                isPaused = true
                break
            }
            guard let count = try receiveOnce(most, &steps) else { break }
            bytes += count
        }
        if delivery?.flush() == .pause { isPaused = true }
        return .done
    }

    /// How many bytes the transfer may receive now; 0 if it must wait.
    private func receivableBytes() -> Int {
        guard let limit = engine.configuration.maximumReceiveRate, let delivery else { return .max }
        let rate = TransferRate(bytesPerSecond: limit, start: delivery.firstByte ?? started)
        // The rate does not delay the head, but limits the bytes of the body that come with it: after many bytes the
        // next ones would have to wait so long that this looks like silence of the server.
        guard delivery.head != nil else { return rate.portion }
        return engine.thread.allowance(rate, after: delivery.receivedBytes, &receiveTimer) { [weak self] in
            self?.goOn()
        }
    }

    private func receiveOnce(_ most: Int, _ steps: inout Int) throws(AsyncNetError) -> Int? {
        if hasWaitingParts { return try takeRest { input throws(AsyncNetError) in try parse(input, &steps) } }
        if rest.isEmpty, receiver?.bytesLeft != nil, let room = try delivery?.room() {
            return try receiveBody(into: UnsafeMutableRawBufferPointer(rebasing: room[..<min(most, room.count)]))
        }
        let room = UnsafeMutableRawBufferPointer(rebasing: engine.thread.receiveBuffer.prefix(most))
        guard let count = try receive(into: room) else { return nil }
        try take(UnsafeRawBufferPointer(rebasing: room[..<count])) { input throws(AsyncNetError) in
            try parse(input, &steps)
        }
        return count
    }

    private func receiveBody(into room: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        let most = Int(min(Int64(room.count), receiver?.bytesLeft ?? 0))
        guard let count = try receive(into: UnsafeMutableRawBufferPointer(rebasing: room[..<most])) else { return nil }
        delivery?.didReceive(count)
        receiver?.didReceive(Int64(count))
        if receiver?.bytesLeft == nil {
            var steps = 0
            _ = try parse(UnsafeRawBufferPointer(start: nil, count: 0), &steps)
        }
        return count
    }

    private func receive(into room: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        switch try stream.receive(into: room) {
        case .wouldBlock: return nil
        case .end(let isClean):
            try end(isClean)
            return nil
        case .bytes(let count): return count
        }
    }

    /// Takes the whole parts of the input, as many as a turn may; returns how many bytes were taken.
    private func parse(_ input: UnsafeRawBufferPointer, _ steps: inout Int) throws(AsyncNetError) -> Int {
        var position = 0
        if !input.isEmpty { delivery?.noteFirstByte(at: engine.thread.now) }
        while true {
            guard steps < Turn.parts else {
                hasWaitingParts = true
                return position
            }
            steps += 1
            guard let event = try receiver?.next(in: input, &position) else {
                return transfer == nil ? input.count : position
            }
            switch event {
            case .informational(let head):
                transfer?.request.onEvent?(.informational(head))
                if head.statusCode == 100 { sender?.continueBody() }
            case .head(let head): try receive(head)
            case .body(let range):
                try delivery?.receive(UnsafeRawBufferPointer(rebasing: input[range]))
                if delivery?.isChunkFull == true, delivery?.flush() == .pause { isPaused = true }
            case .trailers(let trailers): transfer?.request.onEvent?(.trailers(trailers))
            case .complete:
                complete(hasBytesLeft: position < input.count)
                return input.count
            }
        }
    }

    private func receive(_ received: HTTPResponseHead) throws(AsyncNetError) {
        guard let transfer else { return }
        guard received.statusCode != 101 else {
            throw AsyncNetError(
                .badServerResponse, "The server switched to another protocol (101), in which a request has no response")
        }
        var head = received
        if receiver?.endsWithConnection == true { head.isTruncatable = true }
        guard !mayAnswer(head, to: transfer) else {
            delivery?.drop()
            sender?.stop()
            // Only the connection's end would end this response.
            if receiver?.endsWithConnection == true { complete(hasBytesLeft: true) }
            return
        }
        try delivery?.begin(head, length: receiver?.bytesLeft)
        reportConnection(transfer, head, isNew: transfers == 1)
        // From 300 on the server does not want the rest of the body; below, a body that waits for 100 is sent.
        if head.statusCode >= 300 { sender?.stop() } else { sender?.continueBody() }
    }
}
