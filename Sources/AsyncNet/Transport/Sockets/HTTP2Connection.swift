import Foundation

/// A connection that carries several transfers at once over HTTP/2. Used only under its loop's lock.
///
/// What arrived in a turn is passed on at the turn's end, and what the transfers of a round send is sent together at
/// the round's end.
final class HTTP2Connection: PooledConnection {
    var machine: HTTP2Machine
    var exchanges: [UInt32: HTTP2Exchange] = [:]
    /// The transfers for which bytes arrived in this turn.
    var news: [HTTP2Exchange] = []
    /// The transfers whose body is not sent to its end yet; they take turns.
    var sending: [HTTP2Exchange] = []
    /// How many bytes were sent, without those that wait in `machine.output`.
    var sentBytes = 0
    var isSendScheduled = false
    var sendingFailure: AsyncNetError?
    var silenceTimer: LoopTimers.ID?
    var silence: HTTP2SilenceWatch
    private(set) var isClosed = false

    /// How many bytes are written ahead of what the socket takes.
    static let outputSize = 64 * 1024
    /// If more bytes than this wait for a server that takes none, nothing is received (RFC 9113 §10.5).
    private static let mostOutput = 512 * 1024

    override init(
        _ route: ConnectionRoute, _ stream: SocketStream, _ opening: OpeningTimes, engine: SocketEngine
    ) {
        silence = HTTP2SilenceWatch(engine.configuration.http2KeepAlive ?? .init(), now: engine.thread.now)
        machine = HTTP2Machine(
            engine.configuration.http2Limits, streams: engine.versions.streams(to: route),
            now: { [thread = engine.thread] in thread.now })
        super.init(route, stream, opening, engine: engine)
        // The preface, also if no request may begin: the server may wait for it before it sends its SETTINGS.
        scheduleSend()
    }

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

    override func start(_ transfer: SocketTransfer) {
        let exchange = HTTP2Exchange(transfer, on: self)
        transfers += 1
        observe(transfer)
        let fields = transfer.http2Fields
        machine.open(exchange.stream, fields, endsStream: exchange.sender.isDone)
        exchanges[exchange.stream.id] = exchange
        if transfer.request.isHeadObserved { transfer.request.onEvent?(.sentHead(transfer.sentHead(fields))) }
        if !exchange.sender.isDone { sending.append(exchange) }
        if silenceTimer == nil {
            silence.received(engine.thread.now)
            watchSilence()
        }
        scheduleSend()
        if transfersLeft <= 0 { retire() }
    }

    override func resume(_ transfer: SocketTransfer) {
        guard let exchange = exchange(of: transfer) else { return }
        exchange.resume()
        scheduleSend()
    }

    override func cancel(_ transfer: SocketTransfer) {
        guard let exchange = exchange(of: transfer) else { return }
        machine.cancel(exchange.stream)
        exchange.release()
        scheduleSend()
        engine.released(self)
        closeIfDone()
    }

    private func exchange(of transfer: SocketTransfer) -> HTTP2Exchange? {
        exchanges.values.first { $0.transfer === transfer }
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
            guard bytes < Turn.received, frames < Turn.parts else { return .more }
            if hasWaitingParts {
                _ = try takeRest { input throws(AsyncNetError) in try parse(input, &frames) }
                continue
            }
            let room = engine.thread.receiveBuffer
            switch try stream.receive(into: room) {
            case .wouldBlock: return .done
            case .end:
                let code = machine.peer.goAwayCode
                let reason = code.map { " after GOAWAY with \(HTTP2ErrorCode.name($0))" } ?? ""
                // After a reset that failed a send, receiving shows an end as if the server had closed the connection.
                throw sendingFailure ?? AsyncNetError(.emptyReply, "The server closed the connection\(reason)")
            case .bytes(let count):
                silence.received(engine.thread.now)
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
            guard frames < Turn.parts else {
                hasWaitingParts = true
                return position
            }
            frames += 1
            let event: HTTP2Machine.Event?
            do throws(HTTP2Violation) { event = try machine.next(in: input, &position) } catch {
                machine.goAway(error.code)
                throw error.error
            }
            guard let event else { return position }
            receive(event, input)
        }
        return input.count
    }

    private func passOnNews() {
        for exchange in news {
            exchange.hasNews = false
            if exchanges[exchange.stream.id] === exchange { exchange.passOn() }
        }
        news.removeAll(keepingCapacity: true)
    }

    override func willClose() {
        guard !isClosed else { return }
        if !machine.isGoingAway { machine.goAway(.noError) }
        isClosed = true
        engine.thread.cancel(&silenceTimer)
        // Sends as much as the socket takes now.
        guard !stream.isBlocked, sendingFailure == nil else { return }
        sentBytes += (try? machine.output.withBytes { bytes throws(AsyncNetError) in try stream.send(bytes) }) ?? 0
        machine.output = []
    }
}
