import Foundation

/// A connection that carries one transfer after another over HTTP/1.1. Used on its loop's thread only.
///
/// It always reads, while it sends too: a server may respond before it has the whole request. The transfer is over when the
/// response is complete; the connection is kept if the request was sent as a whole, and both allow it.
final class HTTPConnection: LoopHandler {
    let number: Int
    let route: ConnectionRoute
    let opening: OpeningTimes
    let stream: SocketStream
    let remote: SocketAddress?
    unowned let engine: SocketEngine
    private(set) var socketID: LoopSocketID?
    private var watched: Readiness = []

    private(set) var transfer: SocketTransfer?
    private(set) var sender: RequestSender?
    private var delivery: ResponseDelivery?
    /// The transfer's head, as it is sent here.
    private(set) var head: [UInt8] = []
    /// What was received and is no whole line yet.
    private var rest: [UInt8] = []
    /// Whether `rest` may have whole parts, for which the last turn had no time.
    private var hasWaitingParts = false
    private var isPaused = false
    private(set) var transfers = 0
    private var continueTimer: LoopTimers.ID?
    /// When a transfer with a limited rate goes on.
    private var rateTimer: LoopTimers.ID?
    /// Until when the connection is kept, unless it is used before.
    var idleEnd = ContinuousClock.now
    var idleTimer: (id: LoopTimers.ID, end: ContinuousClock.Instant)?
    private var life: ConnectionLife?
    private(set) var hasRestarted = false
    /// How many challenges of the proxy were answered for the transfer.
    private(set) var answers = 0
    /// The connection's error that ended the sending; it is the transfer's unless the server has responded.
    private var sendingFailure: AsyncNetError?
    /// Whether the rest of the request is not sent.
    private var isSendingStopped = false
    private var started = ContinuousClock.now

    /// How many bytes and steps a turn takes at most.
    private static let bytesPerTurn = 256 * 1024
    private static let stepsPerTurn = 512
    private static let sentBytesPerTurn = 1024 * 1024

    init(
        _ number: Int, _ route: ConnectionRoute, _ stream: SocketStream, _ opening: OpeningTimes,
        engine: SocketEngine
    ) {
        (self.number, self.route, self.stream, self.opening) = (number, route, stream, opening)
        (self.engine, remote) = (engine, stream.peer)
    }

    func watch(on thread: LoopThread) throws(AsyncNetError) {
        watched = .readable
        socketID = try thread.watch(stream.socket, self, for: .readable)
    }

    // MARK: A transfer's begin

    func start(_ transfer: SocketTransfer, hasRestarted: Bool, answers: Int) {
        let engine = engine
        self.transfer = transfer
        (self.hasRestarted, self.answers) = (hasRestarted, answers)
        head = authorizedHead(of: transfer)
        started = engine.thread.now
        sender = RequestSender(transfer, head: head, engine.thread.loop)
        delivery = ResponseDelivery(transfer, engine.limits, engine.memory)
        transfers += 1
        isPaused = false
        observe(transfer)
        if transfer.request.isHeadObserved {
            head.withUnsafeBytes { transfer.request.onEvent?(.sentHead(SentHead($0))) }
        }
        goOn(receives: false)
    }

    private func observe(_ transfer: SocketTransfer) {
        if life == nil, let observer = transfer.request.connectionObserver {
            life = ConnectionLife(observer.follower(ofConnectionTo: transfer.request.head.url))
        }
        life?.begin()
    }

    /// Goes on after a pause: the reader has taken bytes, the body has more, or the request is no longer suspended.
    func resume() {
        isPaused = false
        goOn(receives: hasWaitingParts || stream.hasUnreadInput)
    }

    /// A turn that the socket has not asked for; what is left has another one.
    private func goOn(receives: Bool) {
        if case .more = pump(receives: receives), let socketID { engine.thread.requeue(socketID) }
    }

    // MARK: Turns

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        guard transfer != nil else {
            endIdle()
            return .done
        }
        if readiness.contains(.writable) { stream.becameWritable() }
        return pump(receives: readiness.contains(.readable) || readiness.isEmpty)
    }

    /// A kept connection got bytes, which belong to no response, or its end. With TLS the bytes may be a ticket.
    private func endIdle() {
        let received = Result { () throws(AsyncNetError) in
            try stream.receive(into: engine.thread.receiveBuffer, engine.thread.scratchBuffer)
        }
        if case .success(.wouldBlock) = received, !stream.hasUnreadInput { return stream.freeBuffers() }
        engine.closeIdle(self)
    }

    private func pump(receives: Bool) -> Turn {
        var turn = Turn.done
        do throws(AsyncNetError) {
            if receives { turn = try receive() }
            if transfer != nil, try !isSuspended { try send() }
        } catch {
            fail(error)
        }
        stream.endTurn()
        guard transfer != nil else { return .done }
        updateWatch()
        return turn
    }

    private var isSuspended: Bool {
        get throws(AsyncNetError) {
            guard let transfer, let hold = transfer.request.hold, hold.isHeld else { return false }
            return hold.isHeld(transfer) { [loop = engine.thread.loop] in
                loop.post { SocketEngine.of($0)?.resume(transfer) }
            }
        }
    }

    private func send() throws(AsyncNetError) {
        guard let sender, let transfer, !isSendingStopped else { return }
        let progress: RequestSender.Progress
        do throws(AsyncNetError) {
            progress = try sender.send(on: stream, engine.thread.receiveBuffer, atMost: sendableBytes(of: sender))
        } catch {
            // The server may have responded before it closed the connection: the next turns take that.
            guard error.code == .connectionLost else { throw error }
            sendingFailure = error
            return stopSending()
        }
        if case .limited = progress, rateTimer == nil, let socketID { engine.thread.requeue(socketID) }
        guard case .awaitsContinue = progress, continueTimer == nil else { return }
        continueTimer = engine.thread.schedule(after: engine.configuration.expectContinueTimeout) {
            [weak self] in self?.continueBody(of: transfer)
        }
    }

    /// How many bytes of the body may be sent in this turn.
    private func sendableBytes(of sender: RequestSender) -> Int {
        guard let rate = engine.configuration.maximumSendRate, !sender.isDone else { return Self.sentBytesPerTurn }
        return allowance(rate, since: started, after: sender.sentBody) ?? 0
    }

    private func continueBody(of transfer: SocketTransfer) {
        guard self.transfer === transfer else { return }
        sender?.continueBody()
        goOn(receives: false)
    }

    private func updateWatch() {
        guard let socketID else { return }
        var wanted: Readiness = isPaused ? [] : .readable
        if stream.isBlocked { wanted.insert(.writable) }
        guard wanted != watched else { return }
        watched = wanted
        engine.thread.change(socketID, stream.socket, to: wanted)
    }

    // MARK: Receiving

    private func receive() throws(AsyncNetError) -> Turn {
        var (bytes, steps) = (0, 0)
        while transfer != nil, !isPaused {
            guard bytes < Self.bytesPerTurn, steps < Self.stepsPerTurn else { return .more }
            if try isSuspended {
                isPaused = true
                break
            }
            guard let most = receivableBytes() else {
                isPaused = true
                break
            }
            guard let count = try receiveOnce(most, &steps) else { break }
            bytes += count
        }
        if delivery?.flush() == .pause { isPaused = true }
        return .done
    }

    /// How many bytes the transfer may receive now; `nil` if it must wait.
    private func receivableBytes() -> Int? {
        guard let rate = engine.configuration.maximumReceiveRate, let delivery, delivery.head != nil else {
            return .max
        }
        return allowance(rate, since: delivery.firstByte ?? started, after: delivery.receivedBytes)
    }

    private func allowance(_ rate: Int64, since start: ContinuousClock.Instant, after moved: Int64) -> Int? {
        switch TransferRate(bytesPerSecond: rate, start: start).decision(after: moved, now: engine.thread.now) {
        case .move(let count): return count
        case .wait(let delay):
            if let timer = rateTimer.take() { engine.thread.cancel(timer) }
            rateTimer = engine.thread.schedule(after: delay) { [weak self, weak transfer] in
                guard let self, let transfer, self.transfer === transfer else { return }
                rateTimer = nil
                resume()
            }
            return nil
        }
    }

    /// - Returns: How many bytes were received or taken; `nil` if there are none now.
    private func receiveOnce(_ most: Int, _ steps: inout Int) throws(AsyncNetError) -> Int? {
        if hasWaitingParts { return try takeRest(&steps) }
        if rest.isEmpty, let room = try delivery?.room() {
            return try receive(into: UnsafeMutableRawBufferPointer(rebasing: room[..<min(most, room.count)]))
        }
        let room = UnsafeMutableRawBufferPointer(rebasing: engine.thread.receiveBuffer.prefix(most))
        switch try stream.receive(into: room, engine.thread.scratchBuffer) {
        case .wouldBlock: return nil
        case .end(let isClean):
            try end(isClean)
            return nil
        case .bytes(let count):
            try takeReceived(UnsafeRawBufferPointer(rebasing: room[..<count]), &steps)
            return count
        }
    }

    private func takeReceived(_ bytes: UnsafeRawBufferPointer, _ steps: inout Int) throws(AsyncNetError) {
        guard rest.isEmpty else {
            rest.append(contentsOf: bytes)
            _ = try takeRest(&steps)
            return
        }
        let taken = try take(bytes, &steps)
        if taken < bytes.count { rest = Array(bytes[taken...]) }
    }

    /// Takes the whole parts of what was received before.
    private func takeRest(_ steps: inout Int) throws(AsyncNetError) -> Int {
        var input = rest
        (rest, hasWaitingParts) = ([], false)
        let taken = try input.withBytes { bytes throws(AsyncNetError) in try take(bytes, &steps) }
        guard taken < input.count else { return taken }
        input.removeFirst(taken)
        rest = input
        return taken
    }

    private func receive(into room: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        let most = Int(min(Int64(room.count), delivery?.receiver.bytesLeft ?? 0))
        switch try stream.receive(
            into: UnsafeMutableRawBufferPointer(rebasing: room[..<most]), engine.thread.scratchBuffer)
        {
        case .wouldBlock: return nil
        case .end(let isClean):
            try end(isClean)
            return nil
        case .bytes(let count):
            delivery?.didReceive(count)
            if delivery?.receiver.bytesLeft == nil { try takeEnd() }
            return count
        }
    }

    private func takeEnd() throws(AsyncNetError) {
        var steps = 0
        _ = try take(UnsafeRawBufferPointer(start: nil, count: 0), &steps)
    }

    /// Takes the whole parts of the input, as many as a turn may.
    ///
    /// - Returns: How many bytes were taken.
    private func take(_ input: UnsafeRawBufferPointer, _ steps: inout Int) throws(AsyncNetError) -> Int {
        var position = 0
        let now = engine.thread.now
        while true {
            guard steps < Self.stepsPerTurn else {
                hasWaitingParts = true
                return position
            }
            steps += 1
            switch try delivery?.step(in: input, &position, now) {
            case nil: return input.count
            case .needsInput: return position
            case .informational(let status): if status == 100 { continueNow() }
            case .head(let head): try receive(head)
            case .body:
                if delivery?.isChunkFull == true, delivery?.flush() == .pause { isPaused = true }
            case .complete:
                complete(hasBytesLeft: position < input.count)
                return input.count
            }
        }
    }

    private func continueNow() {
        guard sender?.awaitsContinue == true, !isSendingStopped else { return }
        cancelContinueTimer()
        sender?.continueBody()
    }

    private func cancelContinueTimer() {
        if let timer = continueTimer.take() { engine.thread.cancel(timer) }
    }

    private func receive(_ head: HTTPResponseHead) throws(AsyncNetError) {
        guard let transfer else { return }
        guard !mayAnswer(head, to: transfer) else {
            delivery?.drop()
            return stopSending()
        }
        try delivery?.begin(head)
        reportConnection(transfer, head)
        // The server does not want the rest of the body, or has not asked for it.
        if head.statusCode >= 300 || sender?.awaitsContinue == true && head.statusCode != 101 {
            if head.statusCode >= 300 { stopSending() } else { continueNow() }
        }
    }

    private func stopSending() {
        cancelContinueTimer()
        guard let sender, !sender.isDone else { return }
        sender.stop()
        isSendingStopped = true
    }

    // MARK: A transfer's end

    /// The server has closed the connection.
    private func end(_ isClean: Bool) throws(AsyncNetError) {
        try delivery?.receiveEnd(isClean: isClean)
        complete(hasBytesLeft: true)
    }

    private func complete(hasBytesLeft: Bool) {
        guard let delivery else { return }
        let isSent = sender?.isDone == true
        let isReusable =
            delivery.receiver.allowsReuse && isSent && !hasBytesLeft
            && transfer?.request.head.closesConnection == false
        guard !delivery.isDropped else { return sendAnswer(onSameConnection: isReusable) }
        finish(.success(()), keepsFor: isReusable ? keepTime(delivery.head) : nil)
    }

    /// How long the connection may be kept; `nil` if its server is about to close it.
    private func keepTime(_ head: HTTPResponseHead?) -> Duration? {
        let own = engine.configuration.idleTimeout
        guard let hint = head?.keepAliveSeconds else { return own }
        // The server's time begins before its response arrives.
        let time = min(own, .seconds(hint) - .seconds(1))
        return time > .zero ? time : nil
    }

    /// Ends the transfer, with the connection free for the next one before the reader knows of it.
    private func finish(_ result: Result<Void, AsyncNetError>, keepsFor time: Duration?) {
        guard let transfer, let delivery else { return }
        report(transfer, delivery)
        release()
        if let time { engine.keep(self, for: time) } else { engine.close(self) }
        engine.ended(transfer)
        engine.thread.afterTurns { delivery.finish(result) }
    }

    /// The connection failed, or the response is no response.
    private func fail(_ error: AsyncNetError) {
        guard let transfer, let delivery else { return }
        guard !delivery.isDropped else { return sendAnswer(onSameConnection: false) }
        let error = delivery.receiver.hasBegun ? error : sendingFailure ?? error
        let isConnectionLost = error.code == .connectionLost || error.code == .emptyReply
        let rule = ResendRule(
            isIdempotent: transfer.request.head.isIdempotent, canReplay: transfer.canReplay, isReused: transfers > 1,
            hasSent: sender?.hasSent ?? true, hasResponse: delivery.receiver.hasBegun, hasRestarted: hasRestarted)
        switch isConnectionLost ? rule.decision : .fail {
        case .restart:
            release()
            engine.close(self)
            engine.restart(transfer)
        case .lost: finish(.failure(Self.lost), keepsFor: nil)
        case .fail: finish(.failure(sender?.failure ?? error), keepsFor: nil)
        }
    }

    /// Ends the transfer of a request that nobody waits for any more.
    func cancel() {
        stream.isAbortive = true
        release()
        engine.close(self)
    }

    func release() {
        cancelContinueTimer()
        if let timer = rateTimer.take() { engine.thread.cancel(timer) }
        sender?.stop()
        transfer?.request.hold?.forget(transfer ?? self)
        (transfer, sender, delivery, rest, sendingFailure) = (nil, nil, nil, [], nil)
        (hasWaitingParts, isSendingStopped) = (false, false)
        life?.end()
    }

    func didClose() { life?.close() }

    private static var lost: AsyncNetError {
        AsyncNetError(
            .connectionLost,
            "The server closed a kept connection without a response; it may have processed the request, which is not "
                + "sent again since its method is not idempotent")
    }
}
