import Foundation

/// A connection that carries one transfer after another over HTTP/1.1. Used under its loop's lock only.
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

    var transfer: SocketTransfer?
    var sender: RequestSender?
    var delivery: ResponseDelivery?
    /// The transfer's head, as it is sent here.
    private(set) var head: [UInt8] = []
    /// What was received and is no whole line yet.
    var rest: [UInt8] = []
    /// Whether `rest` may have whole parts, for which the last turn had no time.
    var hasWaitingParts = false
    var isPaused = false
    private(set) var transfers = 0
    var continueTimer: LoopTimers.ID?
    /// When a transfer with a limited rate goes on.
    var rateTimer: LoopTimers.ID?
    /// Until when the connection is kept, unless it is used before.
    var idleEnd = ContinuousClock.now
    var idleTimer: (id: LoopTimers.ID, end: ContinuousClock.Instant)?
    var life: ConnectionLife?
    private(set) var hasRestarted = false
    /// How many challenges of the proxy were answered for the transfer.
    private(set) var answers = 0
    /// The connection's error that ended the sending; it is the transfer's unless the server has responded.
    var sendingFailure: AsyncNetError?
    /// Whether the rest of the request is not sent.
    var isSendingStopped = false
    var started = ContinuousClock.now

    /// How many bytes and steps a turn takes at most.
    static let bytesPerTurn = 256 * 1024
    static let stepsPerTurn = 512
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
    func goOn(receives: Bool) {
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

    var isSuspended: Bool {
        get throws(AsyncNetError) {
            guard let transfer, let hold = transfer.request.hold, hold.isHeld else { return false }
            return hold.isHeld(transfer) { [loop = engine.thread.loop] in
                loop.post { SocketEngine.of($0)?.resume(transfer) }
            }
        }
    }

    func send() throws(AsyncNetError) {
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
}
