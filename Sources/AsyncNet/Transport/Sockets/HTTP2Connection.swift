import Foundation

/// A connection that carries several transfers at once over HTTP/2. Used only under its loop's lock.
///
/// What arrived in a turn is passed on at the turn's end, and what the transfers of a round send is sent together at
/// the round's end.
final class HTTP2Connection: PooledConnection {
    var machine: HTTP2Machine
    var exchanges: [UInt32: HTTP2Exchange] = [:]
    /// The transfers for which bytes arrived in this turn.
    private var news: [HTTP2Exchange] = []
    /// The transfers whose body is not sent yet, in turn.
    var sending: [HTTP2Exchange] = []
    /// How many bytes were sent before the bytes that wait in the machine.
    var sentBytes = 0
    var isSendScheduled = false
    var sendingFailure: AsyncNetError?
    var silenceTimer: LoopTimers.ID?
    var silentSince = ContinuousClock.now
    var askedAt: ContinuousClock.Instant?
    private(set) var isClosed = false

    private static let bytesPerTurn = 256 * 1024
    private static let framesPerTurn = 512
    static let sentBytesPerTurn = 1024 * 1024
    /// How many bytes are written ahead of what the socket takes.
    static let outputSize = 64 * 1024
    /// If more bytes than this wait for a server that takes none, nothing is received (RFC 9113 §10.5).
    private static let mostOutput = 512 * 1024

    override init(
        _ number: Int, _ route: ConnectionRoute, _ stream: SocketStream, _ opening: OpeningTimes, engine: SocketEngine
    ) {
        machine = HTTP2Machine(
            engine.configuration.http2Limits, streams: engine.versions.streams(to: route), now: engine.thread.now)
        super.init(number, route, stream, opening, engine: engine)
    }

    override var isIdle: Bool { exchanges.isEmpty }

    override var running: Int { exchanges.count }

    override var room: Int? {
        guard !isClosed, !isRetired else { return 0 }
        return machine.peer.streamLimit == 0 ? -1 : min(machine.capacity, transfersLeft)
    }

    override var isDraining: Bool { isRetired || machine.isGoingAway }

    override func retire() {
        guard !isClosed, !isRetired else { return }
        super.retire()
        if !machine.isGoingAway { machine.goAway(.noError) }
        scheduleSend()
        engine.changedRoom(of: self)
        closeIfDone()
    }

    override func start(_ transfer: SocketTransfer, _ place: TransferPlace) {
        let stream = HTTP2Stream(transfer.request.head.url, transfer.request.head.method, machine.limits)
        let exchange = HTTP2Exchange(
            transfer, stream, engine, restarts: place.restarts, isFirst: transfers == 0,
            place: sentBytes + machine.output.count)
        transfers += 1
        observe(transfer)
        machine.open(stream, endsStream: exchange.sender.isDone) { add in transfer.addHTTP2Fields(add) }
        exchanges[stream.id] = exchange
        if transfer.request.isHeadObserved { transfer.request.onEvent?(.sentHead(transfer.sentHTTP2Head)) }
        if !exchange.sender.isDone { sending.append(exchange) }
        watchSilence()
        scheduleSend()
        if transfersLeft <= 0 { retire() }
    }

    override func resume(_ transfer: SocketTransfer) {
        guard let exchange = exchange(of: transfer) else { return }
        exchange.isPaused = false
        exchange.sender.resume()
        passOn(exchange)
        scheduleSend()
    }

    override func cancel(_ transfer: SocketTransfer) {
        guard let exchange = exchange(of: transfer) else { return }
        machine.cancel(exchange.stream, engine.thread.now)
        release(exchange)
        scheduleSend()
        engine.endedTransfer(on: self)
        closeIfDone()
    }

    func hasSent(_ exchange: HTTP2Exchange) -> Bool { sentBytes > exchange.place }

    private func exchange(of transfer: SocketTransfer) -> HTTP2Exchange? {
        exchanges.values.first { $0.transfer === transfer }
    }

    func release(_ exchange: HTTP2Exchange) {
        exchanges[exchange.stream.id] = nil
        // Bytes that nobody will read are counted as read, so that they take no part of the connection's window.
        machine.didRead(exchange.unread, of: exchange.stream, engine.thread.now)
        exchange.unread = 0
        stopSending(exchange)
        for timer in [exchange.continueTimer, exchange.rateTimer] { timer.map(engine.thread.cancel) }
        exchange.transfer.request.hold?.forget(exchange.transfer)
        life?.end()
    }

    func stopSending(_ exchange: HTTP2Exchange) {
        exchange.sender.stop()
        sending.removeAll { $0 === exchange }
    }

    override func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream.becameWritable() }
        var turn = Turn.done
        attempt { () throws(AsyncNetError) in
            let hasInput = hasWaitingParts || stream.hasUnreadInput
            if readiness.contains(.readable) || readiness.isEmpty || hasInput { turn = try receive() }
            passOnNews()
            // Throws the error of sending once everything that had arrived is taken.
            if let sendingFailure, turn == .done, !isClosed { throw sendingFailure }
            if try send() == .more { turn = .more }
        }
        stream.endTurn()
        guard !isClosed else { return .done }
        if isIdle, machine.output.isEmpty {
            stream.freeBuffers()
            machine.output = []
        }
        stream.updateWatch(isReading: mayReceive)
        return turn
    }

    var mayReceive: Bool { machine.output.count < Self.mostOutput }

    func attempt(_ step: () throws(AsyncNetError) -> Void) {
        do throws(AsyncNetError) { try step() } catch { end(error) }
    }

    private func receive() throws(AsyncNetError) -> Turn {
        var (bytes, frames) = (0, 0)
        while !isClosed, mayReceive {
            guard bytes < Self.bytesPerTurn, frames < Self.framesPerTurn else { return .more }
            if hasWaitingParts {
                _ = try takeRest { input throws(AsyncNetError) in try parse(input, &frames) }
                continue
            }
            let room = engine.thread.receiveBuffer
            switch try stream.receive(into: room) {
            case .wouldBlock: return .done
            case .end:
                receivedEnd()
                return .done
            case .bytes(let count):
                (silentSince, askedAt) = (engine.thread.now, nil)
                bytes += count
                try take(UnsafeRawBufferPointer(rebasing: room[..<count])) { input throws(AsyncNetError) in
                    try parse(input, &frames)
                }
            }
        }
        return .done
    }

    private func parse(_ input: UnsafeRawBufferPointer, _ frames: inout Int) throws(AsyncNetError) -> Int {
        var position = 0
        while !isClosed {
            guard frames < Self.framesPerTurn else {
                hasWaitingParts = true
                return position
            }
            frames += 1
            let event: HTTP2Machine.Event?
            do throws(HTTP2Violation) {
                event = try machine.next(in: input, &position, engine.thread.now)
            } catch {
                machine.goAway(error.code)
                throw error.error
            }
            guard let event else { return position }
            receive(event, input)
        }
        return input.count
    }

    func note(_ exchange: HTTP2Exchange) {
        exchange.delivery.noteFirstByte(at: engine.thread.now)
        guard !exchange.hasNews else { return }
        exchange.hasNews = true
        news.append(exchange)
    }

    private func passOnNews() {
        guard !news.isEmpty else { return }
        for exchange in news {
            exchange.hasNews = false
            if exchanges[exchange.stream.id] === exchange { passOn(exchange) }
        }
        news.removeAll(keepingCapacity: true)
    }

    /// Passes on what has arrived, and lets the server send as much again.
    func passOn(_ exchange: HTTP2Exchange) {
        if isSuspended(exchange.transfer) { exchange.isPaused = true }
        guard !exchange.isPaused else { return }
        if let result = exchange.result { return finish(exchange, result) }
        guard exchange.delivery.flush() == .more else {
            exchange.isPaused = true
            return
        }
        credit(exchange)
    }

    func credit(_ exchange: HTTP2Exchange) {
        guard exchange.unread > 0, !exchange.isPaused else { return }
        if let rate = engine.maximumReceiveRate {
            let start = exchange.delivery.firstByte ?? exchange.started
            guard allowance(exchange, rate, since: start, after: exchange.credited) > 0 else { return }
        }
        machine.didRead(exchange.unread, of: exchange.stream, engine.thread.now)
        exchange.credited += Int64(exchange.unread)
        exchange.unread = 0
    }

    override func willClose() {
        guard !isClosed else { return }
        if !machine.isGoingAway { machine.goAway(.noError) }
        isClosed = true
        if let timer = silenceTimer.take() { engine.thread.cancel(timer) }
        // Sends as much as the socket takes now.
        guard !stream.isBlocked, sendingFailure == nil else { return }
        sentBytes += (try? machine.output.withBytes { bytes throws(AsyncNetError) in try stream.send(bytes) }) ?? 0
        machine.output = []
    }

    func close() {
        willClose()
        engine.closeShared(self)
    }
}
